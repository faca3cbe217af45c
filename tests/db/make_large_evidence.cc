// Writes synthetic text evidence for scripts/measure_store.
// usage: make_large_evidence MEASUREMENTS BOARDS FOLDER
#include <cstdlib>
#include <iostream>

#include "accuracy/error.h"
#include "db/text.h"
#include "large_evidence.h"

int main(int argc, char** argv) {
  const std::int64_t measurements = argc == 4 ? std::atoll(argv[1]) : 0;
  const std::int64_t boards = argc == 4 ? std::atoll(argv[2]) : 0;
  if (measurements < 1 || boards < 1 || boards > std::ssize(fenestra::kBoards)) {
    std::cerr << "usage: make_large_evidence MEASUREMENTS BOARDS FOLDER, with 1 to "
              << fenestra::kBoards.size() << " boards\n";
    return 2;
  }
  try {
    const std::span all(fenestra::kBoards);
    Dump(fenestra::large::LargeEvidence(measurements, all.first(static_cast<std::size_t>(boards))),
         argv[3]);
  } catch (const fenestra::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.exit_code());
  }
  return 0;
}
