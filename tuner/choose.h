// Window choice: a pure function of evidence. Same evidence, same windows, byte for byte.
#pragma once

#include <string>
#include <vector>

#include "db/evidence.h"
#include "db/plan.h"

namespace fenestra {

struct ChooseOptions {
  std::string board;
  std::string routes = "*";  // glob over route names
  double margin = 0.25;
  double noise = 0.014;
  std::vector<Waiver> waivers;
};

// Chooses the windows of every route that matches and has evidence, on a board without times by
// those of another (WithLender adds them). Throws Error when the board is unknown, or a route
// has no admissible program at some sampled row count (it says which reading failed, for the
// program that came closest).
Plan Choose(const Evidence& evidence, const ChooseOptions& options);

}  // namespace fenestra
