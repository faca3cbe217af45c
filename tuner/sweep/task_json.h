// Tasks as one line of JSON each: how a sweep tells its worker what to measure.
#pragma once

#include <string>
#include <variant>

#include "tuner/sweep/tasks.h"

namespace fenestra {

using Task = std::variant<TimeTask, AccuracyTask, EdgeTask, LaunchTask>;

std::string ToLine(const Task& task);  // no line break
// Throws Error when the line is not a task, or names a program this build does not have.
Task ParseTask(const std::string& line);

}  // namespace fenestra
