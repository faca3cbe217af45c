// A fuzz target: a reader of texts that may come from anywhere, and what must hold for every text.
// Each is built with seeded_main.cc, as a test over mutations of its seeds that are the same in
// every run, and by the preset `fuzz` with libFuzzer (scripts/fuzz).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fenestra::fuzz {

// Sound texts to start from.
std::vector<std::string> Seeds();

// Reads the text. Ends the process where a promise is broken: the text must be accepted, or refused
// by an Error of one line that says where.
void TestOne(std::string_view text);

// Ends the process with the message unless the condition holds.
void Require(bool condition, std::string_view what, std::string_view detail = {});

// Requires one printable line that names `place`, followed by a line number where `with_line`.
void RequireErrorLine(std::string_view message, std::string_view place, bool with_line = true);

}  // namespace fenestra::fuzz
