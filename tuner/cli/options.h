// Options that several commands share, spelled and explained in one place, and what they stand for.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/board.h"
#include "kernels/route.h"
#include "tuner/readings.h"

namespace fenestra::cli {

inline constexpr const char* kDefaultDb = "fenestra.db";

void AddJson(CLI::App* app, bool* json);
void AddDb(CLI::App* app, std::string* db);
void AddBoard(CLI::App* app, std::string* board);
void AddRoutes(CLI::App* app, std::string* routes);
void AddOut(CLI::App* app, std::string* out, const std::string& help);

// Checks for numbers, whose errors name the range in words: a whole number of [least, most]; a
// fraction of the error budget in (0, most], by default what a margin may be; a noise, in [0, 1).
CLI::Validator WholeNumber(std::int64_t least, std::int64_t most);
CLI::Validator BudgetFraction(double most = kMaxWaiver);
CLI::Validator NoiseNumber();

// Routes whose names match the glob, in order. Throws Error that names the known forms when none
// does.
std::vector<Route> ResolveRoutes(const std::string& glob);

// "auto": the board of the GPU at hand; else by name. Throws Error: kBadCall for an unknown name
// (it lists the known ones), kMachine when "auto" finds no GPU or one that is no known board.
const Board& ResolveBoard(const std::string& name, std::string_view option = "--board");

// Names of kBoards, in order.
std::vector<std::string> BoardNames();

}  // namespace fenestra::cli
