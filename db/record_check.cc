#include "db/record_check.h"

#include <fmt/format.h>

#include <cmath>

#include "db/digest.h"
#include "db/fields.h"
#include "db/text_line.h"
#include "kernels/board.h"

namespace fenestra {
namespace {

constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyz0123456789_";

bool IsName(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kNameLetters) == std::string_view::npos;
}

// Keeps the first fault of a record's fields.
class Checker {
 public:
  void operator()(std::string_view name, const std::string& value) {
    if (name == "board" && FindBoard(value) == nullptr) {
      Fail(name, value, "is no board of this build (see 'fenestra boards')");
    } else if ((name == "program" || name == "below" || name == "above") && !IsName(value)) {
      Fail(name, value, "is not a program's name: lower-case letters, digits and '_'");
    } else if ((name == "environment" || name == "id" || name == "dw") && !IsHexDigest(value)) {
      Fail(name, value, "is not 16 lower-case hex digits");
    }
  }
  void operator()(std::string_view name, std::int64_t value) {
    const std::int64_t least = name == "rows" || name == "width" ? 1 : 0;
    if (value < least || (name == "rows" && value > kMaxRows)) {
      Fail(name, value, fmt::format("is not from {} to {}", least, kMaxRows));
    }
  }
  void operator()(std::string_view name, double value) {
    // Infinite is a fraction too: of a dw that is not finite where its reference is.
    if (std::isnan(value) || std::signbit(value)) Fail(name, value, "is not a number from 0 up");
  }
  void operator()(std::string_view name, fields::AnyEnum auto value) {
    if (ToString(value) == "unknown")
      Fail(name, static_cast<int>(value), "is no value of its enum");
  }
  void operator()(std::string_view name, int value) { (*this)(name, std::int64_t{value}); }
  void operator()(std::string_view, bool) {}
  void operator()(std::string_view name, const Route& route) { (*this)(name, route.width); }

  const std::string& fault() const { return fault_; }

 private:
  template <typename Value>
  void Fail(std::string_view name, const Value& value, std::string_view what) {
    if (fault_.empty()) fault_ = fmt::format("{}: '{}' {}", name, text::FieldOf(value), what);
  }

  std::string fault_;
};

}  // namespace

template <typename Record>
std::string Fault(const Record& record) {
  Checker checker;
  fields::All<Record>(record, checker);
  if (!checker.fault().empty()) return checker.fault();
  if constexpr (std::is_same_v<Record, Environment>) {
    const std::string id = WithId(record).id;
    if (id != record.id) {
      return fmt::format("id: '{}' does not fit the other fields, whose digest is {}", record.id,
                         id);
    }
  }
  return "";
}

template <typename Record>
std::string Describe(const Record& record) {
  std::string line{fields::Kind<Record>::kName};
  fields::Kind<Record>::Key(record, [&line](std::string_view name, const auto& value) {
    line += fmt::format(" {}={}", name, text::FieldOf(value));
  });
  return line;
}

template <typename Record>
std::string DescribeValue(const Record& record) {
  std::string line;
  fields::Kind<Record>::Value(record, [&line](std::string_view name, const auto& value) {
    line += fmt::format("{}{}={}", line.empty() ? "" : " ", name, text::FieldOf(value));
  });
  return line;
}

template <typename Record>
std::string DescribeMeasured(const Record& record) {
  std::string line = DescribeValue(record);
  fields::Kind<Record>::Origin(record, [&line](std::string_view name, const auto& value) {
    if (name == "environment") line += fmt::format(" in environment {}", text::FieldOf(value));
  });
  return line;
}

template <typename Record>
std::string OriginText(const Record& record) {
  return text::JoinFields([&](auto&& visit) { fields::Kind<Record>::Origin(record, visit); });
}

#define FENESTRA_RECORD(Record)                                 \
  template std::string Fault<Record>(const Record&);            \
  template std::string Describe<Record>(const Record&);         \
  template std::string DescribeValue<Record>(const Record&);    \
  template std::string DescribeMeasured<Record>(const Record&); \
  template std::string OriginText<Record>(const Record&);
FENESTRA_RECORD(Environment)
FENESTRA_RECORD(TimeRecord)
FENESTRA_RECORD(AccuracyRecord)
FENESTRA_RECORD(DigestRecord)
FENESTRA_RECORD(EdgeRecord)
FENESTRA_RECORD(WaitRecord)
FENESTRA_RECORD(KernelRecord)
FENESTRA_RECORD(FailureRecord)
#undef FENESTRA_RECORD

}  // namespace fenestra
