#include "tests/cli/process.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace fenestra::testing {
namespace {

struct Ends {
  int read = -1;
  int write = -1;
};

Ends OpenPipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  return {ends[0], ends[1]};
}

Ends OpenStdout(Stdout kind) {
  Ends ends;
  switch (kind) {
    case Stdout::kCaptured:
      return OpenPipe();
    case Stdout::kTerminal:
      if (openpty(&ends.read, &ends.write, nullptr, nullptr, nullptr) != 0) {
        throw std::runtime_error("no pseudo terminal");
      }
      return ends;
    case Stdout::kClosed:
      ends = OpenPipe();
      close(ends.read);
      ends.read = -1;
      return ends;
    case Stdout::kFull:
      ends.write = open("/dev/full", O_WRONLY | O_CLOEXEC);
      if (ends.write < 0) throw std::runtime_error("no /dev/full");
      return ends;
  }
  return ends;
}

[[noreturn]] void BecomeProgram(const std::vector<std::string>& argv, const ProcessOptions& options,
                                int out, int err) {
  for (const auto& [name, value] : options.environment) {
    setenv(name.c_str(), value.c_str(), 1);
  }
  if (!options.folder.empty() && chdir(options.folder.c_str()) != 0) _exit(127);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  std::vector<char*> words;
  words.reserve(argv.size() + 1);
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(words[0], words.data());
  _exit(127);
}

// Reads both to their ends at once, so that neither pipe can fill up and hold the program.
void ReadAll(int out, int err, ProcessResult* result) {
  pollfd ends[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  std::string* texts[2] = {&result->out, &result->err};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (poll(ends, 2, -1) < 0) return;
    for (int i = 0; i < 2; ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      char chunk[4096];
      const ssize_t size = read(ends[i].fd, chunk, sizeof chunk);  // a terminal ends with EIO
      if (size > 0) {
        texts[i]->append(chunk, static_cast<std::size_t>(size));
      } else {
        close(ends[i].fd);
        ends[i].fd = -1;
      }
    }
  }
}

}  // namespace

ProcessResult RunProcess(const std::vector<std::string>& argv, const ProcessOptions& options) {
  const Ends out = OpenStdout(options.stdout_kind);
  const Ends err = OpenPipe();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) BecomeProgram(argv, options, out.write, err.write);
  close(out.write);
  close(err.write);
  ProcessResult result;
  ReadAll(out.read, err.read, &result);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

TempFolder::TempFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "fenestra_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder " + name);
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

std::string TempFolder::Write(const std::string& name, const std::string& text) const {
  const std::filesystem::path path = std::filesystem::path(path_) / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
  return path.string();
}

std::vector<std::string> TextFiles(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".tsv") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace fenestra::testing
