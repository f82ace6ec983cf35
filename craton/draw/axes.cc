#include "craton/draw/axes.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "craton/base/error.h"

namespace craton {
namespace {

constexpr double kLargest = 1e300, kSmallest = 1e-300;

// Ranges narrower than this share of their values are taken for one value: they hold a handful of
// doubles.
constexpr double kNarrowest = 2e-15;

// Ranges narrower than this share of their values are labelled by the distance to an offset.
constexpr double kNarrow = 1e-6;

// multiple x 10^power
struct Step {
  std::int64_t multiple = 1;
  int power = 0;

  double size() const { return static_cast<double>(multiple) * std::pow(10.0, power); }
};

// The nearest in ratio.
Step round_step(double ideal) {
  const int power = static_cast<int>(std::floor(std::log10(ideal)));
  const double ratio = ideal / std::pow(10.0, power);
  if (ratio * ratio > 5 * 10) return {1, power + 1};
  return {ratio * ratio > 2 * 5 ? 5 : ratio * ratio > 1 * 2 ? 2 : 1, power};
}

// digits x 10^power, written out, with a real minus sign.
std::string decimal(std::int64_t digits, int power) {
  std::string text = std::to_string(digits < 0 ? -digits : digits);
  if (power > 0 && digits != 0) text.append(static_cast<std::size_t>(power), '0');
  if (power < 0) {
    const auto decimals = static_cast<std::size_t>(-power);
    if (text.size() <= decimals) text.insert(0, decimals + 1 - text.size(), '0');
    text.insert(text.size() - decimals, 1, '.');
  }
  return (digits < 0 ? "\u2212" : "") + text;
}

// The exponent to take out of labels up to `largest`: 0 unless labels are long and get shorter.
int common_exponent(double largest, int power) {
  if (largest == 0) return 0;
  constexpr int kLong = 7, kWorth = 3;  // characters
  int exponent = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
  if (exponent == power + 1) exponent = power;  // 2, 4, ..., 12 rather than 0.2, 0.4, ..., 1.2
  const int plain = std::max(exponent, 0) + 1 + (power < 0 ? 1 - power : 0);
  const int scaled = 1 + (exponent > power ? 1 + exponent - power : 0);
  return plain >= kLong && scaled + kWorth <= plain ? exponent : 0;
}

// The roundest number in a narrow range or just below it; 0 for other ranges.
double offset_of(const AxisRange& range) {
  constexpr double kNear = 10;  // widths below
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  if (range.width() > kNarrow * largest) return 0;
  for (double unit = std::pow(10.0, std::floor(std::log10(largest)));; unit /= 10) {
    const double below = std::floor(range.low / unit) * unit, above = below + unit;
    if (above <= range.high) return above;
    if (range.low - below <= kNear * range.width()) return below;
  }
}

}  // namespace

bool can_draw(double value) { return std::abs(value) <= kLargest; }

void AxisRange::add(double value) {
  if (!can_draw(value)) return;
  low = empty ? value : std::min(low, value);
  high = empty ? value : std::max(high, value);
  empty = false;
}

AxisRange padded(const AxisRange& data, double share) {
  if (data.empty) return {0, 1, false};
  const double middle = data.low / 2 + data.high / 2;
  const double largest = std::max(std::abs(data.low), std::abs(data.high));
  if (largest < kSmallest) return {-1, 1, false};
  if (data.width() <= kNarrowest * largest) {
    const double half = std::abs(middle) / 10;
    return {middle - half, middle + half, false};
  }
  const double pad = share * data.width();
  return {data.low - pad, data.high + pad, false};
}

Ticks make_ticks(const AxisRange& range, int about, TickKind kind) {
  CRATON_ASSERT(range.width() > 0 && about > 0);
  constexpr double kEveryWhole = 14;  // up to so many whole numbers each get a tick
  Step step = round_step(range.width() / about);
  if (kind == TickKind::kWhole && (step.size() < 1 || range.width() <= kEveryWhole)) step = {1, 0};

  Ticks ticks;
  const double size = step.size(), slack = 1e-9;
  ticks.offset = offset_of(range);
  const double low = range.low - ticks.offset, high = range.high - ticks.offset;
  const auto first = static_cast<std::int64_t>(std::ceil(low / size - slack));
  const auto last = static_cast<std::int64_t>(std::floor(high / size + slack));
  const auto farthest = static_cast<double>(std::max(std::abs(first), std::abs(last)));
  ticks.exponent = common_exponent(farthest * size, step.power);
  for (std::int64_t i = first; i <= last; ++i) {
    ticks.at.push_back(ticks.offset + static_cast<double>(i) * size);
    ticks.labels.push_back(decimal(i * step.multiple, step.power - ticks.exponent));
  }
  return ticks;
}

std::string axis_title(const std::string& name, const Ticks& ticks) {
  if (ticks.offset != 0) {
    const std::string offset = fmt::format("{:+.17g}", ticks.offset);
    Ticks rest = ticks;
    rest.offset = 0;
    return axis_title(name.empty() ? offset : fmt::format("{} ({})", name, offset), rest);
  }
  if (ticks.exponent == 0) return name;
  constexpr std::array kSuperscripts{"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                     "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string factor = "\u00d710";
  for (const char c : std::to_string(ticks.exponent)) {
    factor += c == '-' ? "\u207b" : kSuperscripts[static_cast<std::size_t>(c - '0')];
  }
  return name.empty() ? factor : fmt::format("{} ({})", name, factor);
}

bool all_whole(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return !can_draw(value) || value == std::trunc(value); });
}

std::vector<double> evenly(double low, double high, Index places) {
  std::vector<double> at;
  for (Index i = 0; i < places; ++i) {
    at.push_back(places == 1 ? low
                             : low + (high - low) * static_cast<double>(i) /
                                         static_cast<double>(places - 1));
  }
  return at;
}

std::vector<Index> pick_evenly(Index count, Index at_most) {
  const Index size = std::min(count, at_most);
  std::vector<Index> picked;
  for (Index i = 0; i < size; ++i) {
    // floor(i * count / size) in parts, so that it cannot overflow
    picked.push_back(i * (count / size) + i * (count % size) / size);
  }
  return picked;
}

}  // namespace craton
