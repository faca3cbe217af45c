// Reading a generated window header back, strictly: any line that header.h would not write is an
// error, so that whatever is compiled is also checked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "accuracy/error.h"
#include "db/plan.h"
#include "kernels/window.h"

namespace fenestra {

struct ParsedWindow {
  Window window;        // program is -1 when the list has none of that name
  std::string program;  // name
  std::string reason;   // of the comment above it
  int line = 0;         // in the file, from 1
  std::string text;     // of that line
};

struct ParsedRoute {
  Route route;
  int line = 0;  // where its table begins
  std::vector<ParsedWindow> windows;
  std::vector<ParsedWindow> in_place;  // the same as `windows` where they share a table
  std::int64_t qualified_rows = 0;
};

struct ParsedHeader {
  std::string banner_board;     // as the banner names it
  std::string constant_board;   // as the names of the tables have it
  std::string code_board;       // as FindBoard looks it up
  std::string banner_evidence;  // 16 hex digits
  std::string code_evidence;
  double banner_margin = 0;
  double code_margin = 0;
  double banner_noise = 0;
  std::vector<Waiver> banner_waivers;
  int banner_protocol = 0;
  int code_protocol = 0;
  std::string content;                    // digest that the banner gives
  std::vector<std::string> environments;  // ids
  std::vector<ParsedRoute> routes;        // in file order
};

// What ParseHeader throws: "NAME:LINE: what: remedy", and its parts.
class HeaderError : public Error {
 public:
  HeaderError(std::string_view name, int line, std::string what, std::string_view remedy);

  int line() const { return line_; }  // from 1
  const std::string& message() const { return message_; }

 private:
  int line_;
  std::string message_;
};

// Parses the text of a header; `name` leads error messages. Throws HeaderError.
ParsedHeader ParseHeader(std::string_view text, std::string_view name);

// The plan that the header was written from, but for errors and times, which headers do not tell:
// HeaderText of it is the header. It is marked as imported.
Plan PlanOf(const ParsedHeader& header);

}  // namespace fenestra
