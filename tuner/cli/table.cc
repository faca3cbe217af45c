#include "tuner/cli/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace fenestra::cli {
namespace {

std::size_t WidthOf(std::string_view text) {
  // UTF-8 continuation bytes take no place of their own.
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](unsigned char c) { return (c & 0xc0U) != 0x80U; }));
}

// The text in lines of at most Table::kNoteColumns, indent included; a longer word is not broken.
std::string Wrapped(std::string_view text, std::string_view indent) {
  std::string lines;
  std::string line(indent);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (line.size() > indent.size() && WidthOf(line) + 1 + WidthOf(word) > Table::kNoteColumns) {
      lines += line + "\n";
      line = indent;
      line += "  ";  // what goes on stands deeper
    } else if (line.size() > indent.size()) {
      line += ' ';
    }
    line += word;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines + line + "\n";
}

}  // namespace

void Table::Add(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) throw std::invalid_argument("table row of another length");
  rows_.push_back({std::move(cells), {}});
}

void Table::AddNote(std::string text) { rows_.back().notes.push_back(std::move(text)); }

std::string Table::Text(bool bold) const {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    widths.push_back(WidthOf(column.title));
  }
  for (const auto& [cells, notes] : rows_) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      widths[i] = std::max(widths[i], WidthOf(cells[i]));
    }
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string pad(widths[i] - WidthOf(cells[i]), ' ');
      if (i > 0) text += "  ";
      text += columns_[i].align == Align::kRight ? pad + cells[i] : cells[i] + pad;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };
  std::string text = bold ? "\033[1m" + line(titles) + "\033[0m\n" : line(titles) + "\n";
  for (const auto& [cells, notes] : rows_) {
    text += line(cells) + "\n";
    for (const std::string& note : notes) text += Wrapped(note, "    ");
  }
  return text;
}

std::string Grouped(std::int64_t number) {
  const std::string digits = fmt::format("{}", number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool after_digit = i > 0 && digits[i - 1] != '-';
    if (after_digit && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string Counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", Grouped(count), noun, count == 1 ? "" : "s");
}

}  // namespace fenestra::cli
