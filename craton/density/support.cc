#include "craton/density/support.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "craton/base/error.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

constexpr Index kMostTurns = 32;  // of a support that is much narrower than kernels

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

[[noreturn]] void refuse_support(std::string_view part, std::string_view why) {
  throw InputError(
      Code::kBadOption, {},
      {"{} says '{}', {}", Ref::option("support"), std::string(part), std::string(why)},
      "Give columns and ends, such as age=0.., angle=0..360 periodic.");
}

// One end, which may be left open.
double end_of(std::string_view part, std::string_view text, double open) {
  text = trimmed(text);
  if (text.empty()) return open;
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || std::isnan(value)) {
    refuse_support(part, "whose ends are no numbers");
  }
  return value;
}

std::string_view word_of(ColumnSupport::Ends ends) {
  return ends == ColumnSupport::Ends::kLinear     ? " linear"
         : ends == ColumnSupport::Ends::kPeriodic ? " periodic"
                                                  : "";
}

ColumnSupport read_column(std::string_view part, std::string_view text) {
  ColumnSupport column;
  for (const ColumnSupport::Ends ends :
       {ColumnSupport::Ends::kLinear, ColumnSupport::Ends::kPeriodic}) {
    const std::string_view word = word_of(ends);
    if (!text.ends_with(word)) continue;
    column.ends = ends;
    text.remove_suffix(word.size());
  }
  const std::size_t dots = text.find("..");
  if (dots == text.npos) refuse_support(part, "which has no '..' between two ends");
  column.low = end_of(part, text.substr(0, dots), column.low);
  column.high = end_of(part, text.substr(dots + 2), column.high);
  if (!(column.low < column.high)) refuse_support(part, "which is empty");
  const bool open = std::isinf(column.low) || std::isinf(column.high);
  if (column.periodic() && open) refuse_support(part, "and a period needs two ends");
  if (!open && !(column.high - column.low <= kWidest)) refuse_support(part, "which is too wide");
  return column;
}

}  // namespace

std::vector<ColumnSupport> read_support(std::string_view text, const Schema& schema) {
  if (trimmed(text).empty()) return {};
  std::vector<ColumnSupport> all(usize(schema.size()));
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = trimmed(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t equals = part.rfind('=');
    if (equals == part.npos) refuse_support(part, "which names no column");
    const std::string_view name = trimmed(part.substr(0, equals));
    Index found = -1;
    for (Index j = 0; j < schema.size(); ++j) {
      if (schema.name(j) == name) found = j;
    }
    if (found < 0) {
      throw InputError(
          Code::kUnknownName, {},
          {"{} names a column '{}', which there is not", Ref::option("support"), std::string(name)},
          did_you_mean(std::string(name), schema.names()));
    }
    all[usize(found)] = read_column(part, trimmed(part.substr(equals + 1)));
  }
  return all;
}

std::string written_support(std::span<const ColumnSupport> support, const Schema& schema) {
  std::string text;
  const auto end = [](double v) { return std::isinf(v) ? "" : fmt::format("{}", v); };
  for (Index j = 0; j < ssize(support); ++j) {
    const ColumnSupport& column = support[usize(j)];
    if (column.whole()) continue;
    text += fmt::format("{}{}={}..{}{}", text.empty() ? "" : ", ", schema.name(j), end(column.low),
                        end(column.high), word_of(column.ends));
  }
  return text;
}

// The nearest image is at most D away, or D / 2 of a period. Of those left out the turns k beyond K
// are at least 2 K D away, or K D.
Images::Images(const ColumnSupport& column, double bandwidth, SmoothingKernel kernel)
    : column_(column) {
  if (column.whole() || column.linear()) return;
  const double period = column.high - column.low;
  if (std::isinf(period)) {
    count_ = 2;
    return;
  }
  const double turn = (column.periodic() ? 1 : 2) * period / bandwidth;
  const double near = (column.periodic() ? 0.5 : 1) * period / bandwidth;
  for (Index turns = 1; turns <= kMostTurns; ++turns) {
    const double away = static_cast<double>(turns) * turn;
    const bool enough = is_compact(kernel) ? away >= 1
                        : kernel == SmoothingKernel::kGaussian
                            ? away * away - near * near >= 2 * kFar
                            : away - near >= kFar;
    if (!enough) continue;
    count_ = column.periodic() ? 2 * turns + 1 : 4 * turns + 2;
    return;
  }
  count_ = 0;
}

// In the order x, and of k = 0, 1, -1, 2, ...: turns by k of what is reflected, then of x.
double Images::at(Index image, double x) const {
  if (image == 0) return x;
  if (std::isinf(column_.low)) return 2 * column_.high - x;
  if (std::isinf(column_.high)) return 2 * column_.low - x;
  const double period = column_.high - column_.low;
  const auto turns = [](Index i) {  // 0, 1, -1, 2, -2, ...
    return static_cast<double>(i % 2 == 1 ? (i + 1) / 2 : -i / 2);
  };
  if (column_.periodic()) return x + turns(image) * period;
  if (image % 2 == 1) return 2 * column_.low - x + 2 * turns(image / 2) * period;
  return x + 2 * turns(image / 2) * period;
}

double Images::fold(double x) const {
  if (column_.holds(x)) return x;
  if (std::isinf(column_.high - column_.low)) return at(1, x);
  const double period = column_.high - column_.low;
  double over = std::fmod(x - column_.low, column_.periodic() ? period : 2 * period);
  if (over < 0) over += column_.periodic() ? period : 2 * period;
  if (!column_.periodic() && over > period) over = 2 * period - over;
  return std::clamp(column_.low + over, column_.low, column_.high);
}

}  // namespace craton
