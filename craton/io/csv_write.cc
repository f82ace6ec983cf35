#include "craton/io/csv_write.h"

#include <array>
#include <charconv>
#include <cmath>

#include "craton/core/error.h"

namespace craton {
namespace {

void append(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";  // not an empty field: a line of one would be blank
    return;
  }
  constexpr double kWhole = 1e15;  // below it every whole number is exact, and at most 15 digits
  const bool whole = std::abs(value) < kWhole && value == std::trunc(value) &&
                     !(value == 0 && std::signbit(value));
  std::array<char, 32> text;
  char* const end = text.data() + text.size();
  const auto result = whole ? std::to_chars(text.data(), end, static_cast<std::int64_t>(value))
                            : std::to_chars(text.data(), end, value);
  out.append(text.data(), result.ptr);
}

}  // namespace

std::string csv_field(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_of(",;|\"\t\r\n") == std::string_view::npos &&
                     text.front() != ' ' && text.back() != ' ';
  if (plain) return std::string(text);
  std::string field = "\"";
  for (const char c : text) field.append(c == '"' ? 2 : 1, c);
  return field + "\"";
}

std::string csv_field(double value) {
  std::string field;
  append(field, value);
  return field;
}

std::string write_csv(std::span<const std::string> names, const Dense<double>& x) {
  CRATON_ASSERT(ssize(names) == x.cols);
  std::string out;
  for (Index j = 0; j < x.cols; ++j) {
    if (j > 0) out += ',';
    out += csv_field(names[usize(j)]);
  }
  out += '\n';
  for (Index i = 0; i < x.rows; ++i) {
    for (Index j = 0; j < x.cols; ++j) {
      if (j > 0) out += ',';
      append(out, x.row(i)[j]);
    }
    out += '\n';
  }
  return out;
}

}  // namespace craton
