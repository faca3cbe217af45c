// Progress of long work on standard error: one line that rewrites itself on a terminal, plain lines
// now and then otherwise.
#pragma once

#include <chrono>
#include <string>

namespace fenestra {

class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Work still to do, in any unit of cost; adds to what was there.
  void Add(double cost) { total_ += cost; }
  // `cost` of it is done; `what` is shown.
  void Done(double cost, const std::string& what);
  // A line that stays.
  void Say(const std::string& line);

  double elapsed_s() const;
  // What of all work so far is done, from 0 to 1; 1 where there is none.
  double share() const;

 private:
  std::string Text(const std::string& what) const;

  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point shown_;
  double total_ = 0;
  double done_ = 0;
  bool terminal_ = false;
  bool dirty_ = false;  // a rewriting line is on screen
};

}  // namespace fenestra
