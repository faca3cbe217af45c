// Tasks, as a sweep sends them to its worker.
#include "accuracy/error.h"
#include "tests/fuzz/target.h"
#include "tuner/sweep/task_json.h"

namespace fenestra::fuzz {

std::vector<std::string> Seeds() {
  const Route route{.pass = Pass::kBackward, .weight = Dtype::kFp32, .width = 512};
  const std::vector<int> programs = ProgramsOf(route, 96);
  return {ToLine(TimeTask{route, View::kRows, 96, programs, 1, 2}),
          ToLine(AccuracyTask{512, 96, Family::kCancel, 60, BackwardProgramsOf(512, 96)}),
          ToLine(EdgeTask{route, 96, programs.front(), programs.back()}),
          ToLine(LaunchTask{512, programs})};
}

void TestOne(std::string_view text) {
  Task task;
  try {
    task = ParseTask(std::string(text));
  } catch (const Error& error) {
    RequireErrorLine(error.what(), "worker: ", false);
    return;
  }
  const std::string line = ToLine(task);
  Require(ToLine(ParseTask(line)) == line, "an accepted task reads back the same", line);
}

}  // namespace fenestra::fuzz
