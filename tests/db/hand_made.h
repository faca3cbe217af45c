// Hand-made records, one of each kind, and a scratch folder.
#pragma once

#include <filesystem>
#include <string>

#include "db/evidence.h"
#include "db/plan.h"
#include "db/store.h"

namespace fenestra::hand_made {

// The environment's id in HandMadeText() comes from an independent FNV-1a.
Environment TheEnvironment();

// One record of each kind on h200_132, with values that tell every field apart.
Evidence OneOfEach();
TimeRecord Time(std::int64_t rows, int process);

// Two windows on bwd_w32_h4096, the edge at `edge`.
Plan TwoWindows(std::int64_t edge);

// A folder of its own, removed at the end.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  // Names in the folder, sorted, joined by spaces.
  std::string List() const;

 private:
  std::filesystem::path path_;
};

void WriteBytes(const std::filesystem::path& path, const std::string& bytes);
std::string ReadBytes(const std::filesystem::path& path);

// The what() of the Error that f throws; "" when it throws none.
template <typename F>
std::string ErrorOf(F&& f);

// Whether two sets hold the same, published figures included.
bool Same(const Evidence& a, const Evidence& b);

}  // namespace fenestra::hand_made

#include "accuracy/error.h"

template <typename F>
std::string fenestra::hand_made::ErrorOf(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}
