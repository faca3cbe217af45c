// Runs a fuzz target without libFuzzer: over its seeds, and over mutations of them that are the
// same in every run. usage: TARGET RUNS | TARGET --write-seeds FOLDER | TARGET --file FILE
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>

#include "tests/fuzz/target.h"

namespace fenestra::fuzz {
namespace {

class Mutator {
 public:
  explicit Mutator(std::vector<std::string> seeds) : seeds_(std::move(seeds)) {}

  std::string Next() {
    std::string text = Pick(seeds_);
    for (std::size_t i = Below(4) + 1; i > 0; --i) Mutate(&text);
    return text;
  }

 private:
  std::size_t Below(std::size_t count) { return count == 0 ? 0 : random_() % count; }

  const std::string& Pick(const std::vector<std::string>& list) { return list[Below(list.size())]; }

  // A run of the text: of bytes, or of whole lines.
  std::string_view Run(std::string_view text) {
    if (text.empty()) return text;
    std::size_t begin = Below(text.size());
    std::size_t end = begin + Below(std::min<std::size_t>(text.size() - begin, 64)) + 1;
    if (Below(2) == 0) {
      begin = text.rfind('\n', begin) + 1;  // npos + 1 is 0
      end = std::min(text.find('\n', end - 1), text.size() - 1) + 1;
      if (begin >= end) begin = end - 1;
    }
    return text.substr(begin, end - begin);
  }

  void Mutate(std::string* text) {
    static const std::vector<std::string> kTokens{"\t",
                                                  "\n",
                                                  "\r\n",
                                                  "@",
                                                  "[",
                                                  "\"",
                                                  "\\",
                                                  "\\x0a",
                                                  ",",
                                                  "-1",
                                                  "0",
                                                  "inf",
                                                  "nan",
                                                  "1e999",
                                                  "2147483648",
                                                  "9223372036854775808",
                                                  std::string(1, '\0'),
                                                  "\xff",
                                                  "[end]\n",
                                                  "//"};
    const std::string_view run = Run(*text);
    const std::size_t at = text->empty() ? 0 : static_cast<std::size_t>(run.data() - text->data());
    const std::string copy(run);
    switch (Below(7)) {
      case 0:
        text->erase(at, copy.size());
        break;
      case 1:
        text->insert(at, copy);
        break;
      case 2:
        text->insert(Below(text->size() + 1), Pick(kTokens));
        break;
      case 3:
        text->replace(at, copy.size(), Pick(kTokens));
        break;
      case 4:
        text->insert(at, Run(Pick(seeds_)));
        break;
      case 5:
        if (!text->empty()) (*text)[Below(text->size())] = static_cast<char>(Below(256));
        break;
      default:
        if (Below(8) == 0) text->resize(Below(text->size() + 1));
        break;
    }
  }

  std::vector<std::string> seeds_;
  std::mt19937_64 random_{1};
};

int Main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  const std::vector<std::string> seeds = Seeds();
  if (argc == 3 && first == "--write-seeds") {
    std::filesystem::create_directories(argv[2]);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      std::ofstream(std::filesystem::path(argv[2]) / std::to_string(i), std::ios::binary)
          << seeds[i];
    }
    return 0;
  }
  if (argc == 3 && first == "--file") {
    std::ifstream file(argv[2], std::ios::binary);
    TestOne(std::string(std::istreambuf_iterator<char>(file), {}));
    return 0;
  }
  const long runs = argc == 2 ? std::atol(argv[1]) : 0;
  if (runs < 1) {
    std::cerr << "usage: " << argv[0] << " RUNS | --write-seeds FOLDER | --file FILE\n";
    return 2;
  }
  for (const std::string& seed : seeds) TestOne(seed);
  Mutator mutator(seeds);
  for (long run = 0; run < runs; ++run) {
    const std::string text = mutator.Next();
    try {
      TestOne(text);
    } catch (const std::exception& error) {
      std::cerr << "broken: run " << run << ": not an Error of the target: " << error.what()
                << '\n';
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace fenestra::fuzz

int main(int argc, char** argv) { return fenestra::fuzz::Main(argc, argv); }
