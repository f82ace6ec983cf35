#include "craton/draw/stacked_bars.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "craton/base/error.h"
#include "craton/draw/frame.h"
#include "craton/draw/palette.h"
#include "craton/draw/text.h"

namespace craton {
namespace {

constexpr Index kMostBars = 24;
constexpr double kBarShare = 0.76;  // of a bar, where 1 would touch the next
constexpr double kBeyondBars = 1.04;

double drawn(double value) { return can_draw(value) && value > 0 ? value : 0; }

double length_of(const StackedBars& bars, std::size_t name) {
  double sum = 0;
  for (const std::vector<double>& part : bars.parts) sum += drawn(part[name]);
  return sum;
}

// The names with the longest bars, and all others as one.
StackedBars longest(StackedBars bars) {
  const Index count = ssize(bars.names);
  if (count <= kMostBars) return bars;
  std::vector<Index> order(usize(count));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, std::greater{},
                           [&](Index i) { return length_of(bars, usize(i)); });
  std::vector<Index> kept(order.begin(), order.begin() + kMostBars - 1);
  std::ranges::sort(kept);
  const auto shortened = [&](std::vector<double>& values) {
    if (values.empty()) return;
    std::vector<double> some;
    double others = 0;
    for (const double value : values) others += drawn(value);
    for (const Index i : kept) {
      some.push_back(values[usize(i)]);
      others -= drawn(values[usize(i)]);
    }
    some.push_back(std::max(others, 0.0));
    values = std::move(some);
  };
  for (std::vector<double>& part : bars.parts) shortened(part);
  shortened(bars.marks);
  std::vector<std::string> names;
  for (const Index i : kept) names.push_back(bars.names[usize(i)]);
  names.push_back(fmt::format("{} others", grouped_digits(count - ssize(kept))));
  bars.names = std::move(names);
  bars.subtitle +=
      fmt::format("{}the {} with the longest bars of {}", bars.subtitle.empty() ? "" : "; ",
                  ssize(kept), grouped_digits(count));
  return bars;
}

// From the top: names are ticks of y = 0, 1, ..., which grow upwards.
double place(const StackedBars& bars, std::size_t name) {
  return static_cast<double>(bars.names.size() - 1 - name);
}

FrameAxes find_axes(const StackedBars& bars) {
  AxisRange x;
  x.add(0);
  for (std::size_t i = 0; i < bars.names.size(); ++i) {
    double own = 0;
    for (const std::vector<double>& part : bars.parts) own = std::max(own, drawn(part[i]));
    x.add(bars.grouped ? own : length_of(bars, i));
    if (!bars.marks.empty()) x.add(drawn(bars.marks[i]));
  }
  if (x.high <= 0) x.add(1);
  x.high *= kBeyondBars;
  const double top = static_cast<double>(std::max<std::size_t>(bars.names.size(), 1)) - 0.4;
  FrameAxes axes{x, {-0.6, top, false}};
  axes.y_names.assign(bars.names.rbegin(), bars.names.rend());
  return axes;
}

}  // namespace

std::string draw_stacked_bars(const StackedBars& given) {
  for (const std::vector<double>& part : given.parts) {
    CRATON_ASSERT(part.size() == given.names.size());
  }
  CRATON_ASSERT(given.marks.empty() || given.marks.size() == given.names.size());
  const StackedBars bars = longest(given);
  Legend legend{.entries = {}, .mark = LegendMark::kArea};
  for (std::size_t g = 0; g < bars.legend.size(); ++g) {
    legend.entries.push_back({bars.legend[g], static_cast<int>(g)});
  }
  Frame frame({bars.title, bars.subtitle, bars.x_name, bars.y_name, bars.small}, find_axes(bars),
              legend);
  const std::size_t groups = bars.parts.size();
  const double each = kBarShare / (bars.grouped ? static_cast<double>(groups) : 1);
  std::vector<double> ends(bars.names.size(), 0.0);
  for (std::size_t g = 0; g < groups; ++g) {
    frame.svg().open(
        "g",
        {{"fill", group_fill(static_cast<int>(g))}, {"stroke", "#ffffff"}, {"stroke-width", 0.6}});
    for (std::size_t i = 0; i < bars.names.size(); ++i) {
      const double value = drawn(bars.parts[g][i]);
      if (value == 0) continue;
      const double from = bars.grouped ? 0 : ends[i];
      ends[i] = from + value;
      const double top =
          place(bars, i) + kBarShare / 2 - (bars.grouped ? static_cast<double>(g) * each : 0);
      const double left = frame.x(from), upper = frame.y(top);
      const std::string group = g < bars.legend.size() ? ", " + bars.legend[g] : "";
      frame.svg().add("rect",
                      {{"x", left},
                       {"y", upper},
                       {"width", frame.x(from + value) - left},
                       {"height", frame.y(top - each) - upper}},
                      fmt::format("{}{}: {}", bars.names[i], group, rounded(value)));
    }
    frame.svg().close();
  }
  frame.svg().open("g", {{"stroke", "#111111"}, {"stroke-width", 2.2}});
  for (std::size_t i = 0; i < bars.marks.size(); ++i) {
    if (!can_draw(bars.marks[i])) continue;
    const double x = frame.x(bars.marks[i]);
    frame.svg().add(
        "line",
        {{"x1", x},
         {"y1", frame.y(place(bars, i) + 0.46)},
         {"x2", x},
         {"y2", frame.y(place(bars, i) - 0.46)}},
        fmt::format("{}, {}: {}", bars.names[i], bars.mark_name, rounded(bars.marks[i])));
  }
  frame.svg().close();
  return frame.finish();
}

}  // namespace craton
