#include "db/csv.h"

#include <fmt/format.h>

#include "accuracy/error.h"

namespace fenestra {
namespace {

class Reader {
 public:
  Reader(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  bool AtEnd() const { return at_ == text_.size(); }

  std::vector<std::string> TakeRow() {
    row_line_ = line_;
    std::vector<std::string> fields;
    do {
      fields.push_back(TakeField());
    } while (Take(','));
    Take('\r');
    if (!Take('\n') && !AtEnd()) Fail("a quoted field is followed by more text");
    ++line_;
    return fields;
  }

  [[noreturn]] void Fail(std::string_view what) const {
    throw Error(fmt::format("{}:{}: {}; correct the row", name_, row_line_, what));
  }

 private:
  bool Take(char c) {
    if (AtEnd() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string TakeField() {
    if (Take('"')) return TakeQuoted();
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string field{text_.substr(at_, end - at_)};
    if (field.find('"') != std::string::npos) Fail("a quote stands inside a field without quotes");
    at_ = end;
    return field;
  }

  std::string TakeQuoted() {
    std::string field;
    while (true) {
      if (AtEnd()) Fail("a quoted field does not end");
      const char c = text_[at_++];
      if (c == '"' && !Take('"')) return field;
      if (c == '\n') ++line_;
      field += c;
    }
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t at_ = 0;
  int line_ = 1;
  int row_line_ = 1;
};

}  // namespace

std::vector<std::vector<std::string>> ParseCsv(std::string_view text, std::string_view name) {
  Reader reader(text, name);
  std::vector<std::vector<std::string>> rows;
  while (!reader.AtEnd()) {
    rows.push_back(reader.TakeRow());
    if (rows.back().size() != rows.front().size()) {
      reader.Fail(fmt::format("the row has {} fields where the title row has {}",
                              rows.back().size(), rows.front().size()));
    }
  }
  if (rows.empty()) reader.Fail("the text is empty");
  return rows;
}

}  // namespace fenestra
