// Writes the headers of the fixture plan into a folder, for the test that compiles them.
#include <fmt/format.h>

#include <exception>

#include "export/header.h"
#include "export/header_folder.h"
#include "tests/export/plan_fixture.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: {} FOLDER\n", argv[0]);
    return 2;
  }
  try {
    const fenestra::Environment environment = fenestra::test::FixtureEnvironment();
    const fenestra::Plan plan = fenestra::test::FixturePlan();
    fenestra::WriteHeader(argv[1], plan.board,
                          fenestra::HeaderText(plan, std::span(&environment, 1)));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
