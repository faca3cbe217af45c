// Runs a program to its end and keeps what it wrote: black-box tests of the built command and of
// the scripts.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace fenestra::testing {

enum class Stdout {
  kCaptured,  // a pipe, read to its end
  kTerminal,  // a pseudo terminal, read to its end
  kClosed,    // a pipe whose reader has gone away
  kFull,      // /dev/full
};

struct ProcessOptions {
  Stdout stdout_kind = Stdout::kCaptured;
  std::map<std::string, std::string> environment;  // set on top of the test's own
  std::string folder;                              // to run in; "": the test's own
};

struct ProcessResult {
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;
  std::string out;
  std::string err;
};

// argv[0] is the path of the program. Throws std::runtime_error when it cannot be started.
ProcessResult RunProcess(const std::vector<std::string>& argv, const ProcessOptions& options = {});

// A folder of its own, removed with all that is in it.
class TempFolder {
 public:
  TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();

  const std::string& path() const { return path_; }

  // Writes a file, making the folders it lies in. Returns its path.
  std::string Write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

// The *.tsv files in a folder, sorted by name.
std::vector<std::string> TextFiles(const std::string& folder);

}  // namespace fenestra::testing
