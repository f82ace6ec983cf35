#include "craton/draw/terminal.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "craton/base/digits.h"
#include "craton/base/error.h"
#include "craton/draw/axes.h"
#include "craton/draw/text.h"

namespace craton {
namespace {

constexpr Index kMostLines = 30;
constexpr Index kLeastWidth = 40;
constexpr Index kLongestName = 14;

std::vector<Index> choose_lines(const Series& series) {
  const Index count = ssize(series.x);
  std::vector<Index> lines = pick_evenly(count, kMostLines);
  if (ssize(lines) == count) return lines;
  lines.push_back(count - 1);
  if (series.best >= 0) lines.push_back(series.best);
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

// As many decimals for all as show a thousandth of their range.
struct NumberFormat {
  int decimals = 0;
  bool fixed = true;

  explicit NumberFormat(const AxisRange& range) {
    const double largest = std::max(std::abs(range.low), std::abs(range.high));
    const double width = range.width() > 0 ? range.width() : largest;
    if (width > 0) decimals = std::max(0, 3 - static_cast<int>(std::floor(std::log10(width))));
    fixed = decimals <= 6 && largest < 1e9;
  }
  std::string operator()(double value) const {
    if (!can_draw(value)) return "\u2013";
    return fixed ? fmt::format("{:.{}f}", value, decimals) : fmt::format("{:.6g}", value);
  }
};

std::string x_text(double value, bool whole, const AxisRange& range) {
  if (!can_draw(value)) return "\u2013";
  const bool plain = whole && std::abs(value) < 1e15;
  return plain ? fmt::format("{:.0f}", value) : shown_beside(value, range.width(), 6);
}

std::string name_of(const std::string& name, const char* otherwise) {
  return shorten(clean_text(name.empty() ? otherwise : name), kLongestName);
}

std::string right_aligned(const std::string& text, Index width) {
  return std::string(usize(std::max<Index>(0, width - count_characters(text))), ' ') + text;
}

double share_of(double value, const AxisRange& y) {
  return can_draw(value) && y.width() > 0 ? (value - y.low) / y.width() : 0;
}

std::string dots(Index count) {
  std::string text;
  for (Index i = 0; i < count; ++i) text += "\u00b7";
  return text;
}

// How wide the dots may spread so that the label after the best one still fits.
Index chart_width(const Series& series, const AxisRange& y, Index room, Index label) {
  if (series.best < 0) return room;
  const double share = share_of(series.y[usize(series.best)], y);
  const double at_most = static_cast<double>(room - label - 1) / std::max(share, 1e-9);
  return std::clamp<Index>(static_cast<Index>(std::min(at_most, 1e6)), 4, room);
}

std::string draw_series(const Series& series, const Curve& curve, Index width) {
  const std::vector<Index> lines = choose_lines(series);
  AxisRange y;
  for (const Index i : lines) y.add(series.y[usize(i)]);
  const NumberFormat y_text(y);
  if (curve.from_zero) y.add(0);
  const bool whole = all_whole(series.x);
  AxisRange x;
  for (const double v : series.x) x.add(v);
  std::vector<std::array<std::string, 2>> cells{
      {name_of(curve.x_name, "x"), name_of(series.name, "y")}};
  for (const Index i : lines) {
    cells.push_back({x_text(series.x[usize(i)], whole, x), y_text(series.y[usize(i)])});
  }
  std::array<Index, 2> widths{};
  for (const auto& row : cells) {
    for (std::size_t j = 0; j < 2; ++j) widths[j] = std::max(widths[j], count_characters(row[j]));
  }
  const auto columns = [&](const std::array<std::string, 2>& row) {
    return "  " + right_aligned(row[0], widths[0]) + "  " + right_aligned(row[1], widths[1]);
  };

  const Index room = std::max<Index>(8, width - widths[0] - widths[1] - 6);
  std::string label = series.best_label.empty() ? "best" : clean_text(series.best_label);
  label = " \u2190 " + shorten(label, std::max<Index>(4, room / 2 - 3));
  const Index chart = chart_width(series, y, room, count_characters(label));

  std::string out = columns(cells[0]) + "\n";
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const Index i = lines[line];
    const double value = series.y[usize(i)];
    out += columns(cells[line + 1]);
    if (can_draw(value)) {
      const double place = share_of(value, y) * static_cast<double>(chart - 1);
      out += "  " + dots(std::lround(place)) + "\u25cf";
    }
    if (i == series.best) out += label;
    out += "\n";
  }
  if (ssize(lines) < ssize(series.x)) {
    out += fmt::format("  ({} of {} points)\n", ssize(lines), grouped_digits(ssize(series.x)));
  }
  return out;
}

}  // namespace

std::string draw_terminal_curve(const Curve& curve, int width) {
  std::string out;
  if (!curve.title.empty()) out += clean_text(curve.title) + "\n\n";
  for (const Series& series : curve.series) {
    CRATON_ASSERT(series.x.size() == series.y.size() && series.best < ssize(series.x));
    if (&series != &curve.series.front()) out += "\n";
    out += draw_series(series, curve, std::max<Index>(kLeastWidth, width));
  }
  return out;
}

}  // namespace craton
