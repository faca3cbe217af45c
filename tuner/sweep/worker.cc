#include "tuner/sweep/worker.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <istream>
#include <ostream>

#include "accuracy/error.h"

namespace fenestra {
namespace {

constexpr std::string_view kProgramMark = "program ";
constexpr std::string_view kErrorMark = "error ";
constexpr std::string_view kMeasured = "measured";
constexpr std::string_view kDone = "done";
constexpr std::string_view kTryMark = "try ";

double NowSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string OneLine(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

[[noreturn]] void BecomeChild(const std::vector<std::string>& command, int channel) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(channel, STDIN_FILENO);
  dup2(channel, STDOUT_FILENO);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

void ServeTasks(const MeterContext& context, const std::filesystem::path& db, std::istream& in,
                std::ostream& out, const MakeMeter& make_meter) {
  MeterContext announcing = context;
  announcing.announce = [&out](const std::string& program) {
    out << kProgramMark << program << std::endl;
  };
  Store store = Store::Open(db, OpenMode::kReadWrite);
  const auto meter = make_meter(announcing);
  std::string line;
  while (std::getline(in, line)) {
    const bool keeps = !line.starts_with(kTryMark);
    Group group;
    try {
      const Task task = ParseTask(keeps ? line : line.substr(kTryMark.size()));
      group = std::visit([&](const auto& value) { return meter->Measure(value); }, task);
    } catch (const Error& error) {
      out << kErrorMark << OneLine(error.what()) << std::endl;
      continue;
    }
    out << kMeasured << std::endl;
    if (keeps) store.Append(group);  // a failure is no program's doing: it ends worker and sweep
    out << kDone << std::endl;
  }
}

Worker::Worker(const std::vector<std::string>& command) {
  int channel[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0) {
    throw Error(fmt::format("cannot reach a worker: {}", std::strerror(errno)), ExitCode::kMachine);
  }
  pid_ = fork();
  if (pid_ < 0) {
    throw Error(fmt::format("cannot start a worker: {}", std::strerror(errno)), ExitCode::kMachine);
  }
  if (pid_ == 0) BecomeChild(command, channel[1]);
  close(channel[1]);
  channel_ = channel[0];
}

Worker::~Worker() {
  close(channel_);
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

TaskOutcome Worker::Do(const Task& task, double timeout_s) { return Ask(ToLine(task), timeout_s); }

TaskOutcome Worker::Try(const Task& task, double timeout_s) {
  return Ask(fmt::format("{}{}", kTryMark, ToLine(task)), timeout_s);
}

TaskOutcome Worker::Ask(const std::string& task, double timeout_s) {
  TaskOutcome outcome;
  const std::string line = task + "\n";
  // A worker that is gone is an outcome, not a SIGPIPE.
  if (send(channel_, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size())) {
    SayHowItEnded(&outcome);
    return outcome;
  }
  const double deadline_s = NowSeconds() + timeout_s;
  std::string answer;
  while (ReadLine(deadline_s, &answer, &outcome)) {
    if (answer == kDone) {
      outcome.ok = true;
      return outcome;
    }
    if (answer == kMeasured) {
      outcome.stage = TaskStage::kStoring;
    } else if (answer.starts_with(kProgramMark)) {
      outcome.program = answer.substr(kProgramMark.size());
      if (!outcome.program.empty()) outcome.stage = TaskStage::kRunning;
    } else if (answer.starts_with(kErrorMark)) {
      outcome.reason = answer.substr(kErrorMark.size());
      return outcome;
    }
  }
  return outcome;
}

bool Worker::ReadLine(double deadline_s, std::string* line, TaskOutcome* outcome) {
  while (true) {
    const std::size_t end = pending_.find('\n');
    if (end != std::string::npos) {
      *line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return true;
    }
    const double left_s = deadline_s - NowSeconds();
    pollfd ready{channel_, POLLIN, 0};
    const int count = left_s > 0 ? poll(&ready, 1, static_cast<int>(left_s * 1000) + 1) : 0;
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      outcome->reason = "hung: no answer in time";
      return false;
    }
    char buffer[4096];
    const ssize_t got = read(channel_, buffer, sizeof buffer);
    if (got <= 0) {
      SayHowItEnded(outcome);
      return false;
    }
    pending_.append(buffer, static_cast<std::size_t>(got));
  }
}

void Worker::SayHowItEnded(TaskOutcome* outcome) {
  int status = 0;
  const pid_t ended = waitpid(pid_, &status, 0);
  pid_ = -1;
  if (ended > 0 && WIFSIGNALED(status)) {
    outcome->reason = fmt::format("the worker was ended by signal {} ({})", WTERMSIG(status),
                                  strsignal(WTERMSIG(status)));
    return;
  }
  outcome->left = true;
  outcome->reason =
      fmt::format("the worker ended with code {}", ended > 0 ? WEXITSTATUS(status) : -1);
}

}  // namespace fenestra
