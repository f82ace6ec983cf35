#include "craton/draw/histogram.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/base/error.h"
#include "craton/draw/frame.h"
#include "craton/draw/palette.h"
#include "craton/draw/text.h"

namespace craton {
namespace {

constexpr double kBesideData = 0.05;  // of the x axis, beyond the data
constexpr double kHeadroom = 1.05;    // of the y axis, above the highest
constexpr double kRugTick = 10;       // pixels of the rug
constexpr Index kMostTicks = 3000;    // more would be one block
constexpr const char* kBar = "#dcdcdc";
constexpr const char* kBarEdge = "#c4c4c4";
constexpr const char* kWhole = "#222222";

struct Bars {
  std::vector<double> edges, density;
};

double weight_of(const Histogram& h, Index i) {
  const double weight = h.weight.empty() ? 1 : h.weight[usize(i)];
  return std::isfinite(weight) && weight > 0 ? weight : 0;
}

// Bars of whole numbers begin and end half way between two of them, and hold equally many.
AxisRange whole_range(const AxisRange& data, double most_bars) {
  const double numbers = data.width() + 1;
  const double each = std::ceil(numbers / most_bars), bars = std::ceil(numbers / each);
  return {data.low - 0.5, data.low - 0.5 + each * bars, false};
}

// Those given; else by Rice's rule 2 n^(1/3), and of few whole numbers one for each.
Bars make_bars(const Histogram& h, const AxisRange& data) {
  if (!h.counts) return {h.edges, h.heights};
  constexpr double kLeast = 5, kMost = 60;
  const double n = static_cast<double>(h.x.size());
  auto count = static_cast<Index>(std::clamp(std::ceil(2 * std::cbrt(n)), kLeast, kMost));
  AxisRange range = data.width() > 0 ? data : padded(data, kBesideData);
  if (h.whole && !data.empty) {
    range = whole_range(data, kMost);
    count = static_cast<Index>(range.width() / std::ceil((data.width() + 1) / kMost));
  }
  const double width = range.width() / static_cast<double>(count);
  Bars bars{{}, std::vector<double>(usize(count))};
  for (Index i = 0; i <= count; ++i) {
    bars.edges.push_back(range.low + static_cast<double>(i) * width);
  }
  double total = 0;
  for (Index i = 0; i < ssize(h.x); ++i) {
    if (!can_draw(h.x[usize(i)])) continue;
    const auto bar = static_cast<Index>((h.x[usize(i)] - range.low) / width);
    bars.density[usize(std::clamp<Index>(bar, 0, count - 1))] += weight_of(h, i);
    total += weight_of(h, i);
  }
  for (double& value : bars.density) value /= total > 0 ? total * width : 1;
  return bars;
}

FrameAxes find_axes(const Histogram& h, const AxisRange& data, const Bars& bars) {
  AxisRange x = data, y;
  if (h.whole) {
    for (const double edge : bars.edges) x.add(edge);
  }
  for (const Divide& centre : h.centres) x.add(centre.x);
  for (const double edge : h.edges) x.add(edge);
  for (const Band& band : h.bands) {
    for (const double value : band.x) x.add(value);
    for (const double value : band.high) y.add(value);
  }
  y.add(0);
  for (const double value : bars.density) y.add(value);
  for (const DensityCurve& curve : h.curves) {
    if (!h.counts || curve.steps) {
      for (const double value : curve.x) x.add(value);
    }
    for (const double value : curve.y) y.add(value);
  }
  y.add(h.y_most);
  if (y.high <= 0) y.add(1);
  y.high *= kHeadroom;
  return {padded(x, kBesideData), y, h.whole ? TickKind::kWhole : TickKind::kReal};
}

void draw_bars(Frame& frame, const Bars& bars) {
  frame.svg().open("g", {{"fill", kBar}, {"stroke", kBarEdge}, {"stroke-width", 0.5}});
  for (std::size_t i = 0; i < bars.density.size(); ++i) {
    if (bars.density[i] <= 0) continue;
    if (!can_draw(bars.edges[i]) || !can_draw(bars.edges[i + 1])) continue;
    const double left = frame.x(bars.edges[i]), right = frame.x(bars.edges[i + 1]);
    const double top = frame.y(bars.density[i]);
    frame.svg().add(
        "rect", {{"x", left}, {"y", top}, {"width", right - left}, {"height", frame.y(0) - top}},
        fmt::format("{} to {}: {:.3g}", rounded(bars.edges[i]), rounded(bars.edges[i + 1]),
                    bars.density[i]));
  }
  frame.svg().close();
}

void draw_rug(Frame& frame, const Histogram& h) {
  const auto groups = static_cast<int>(std::max<std::size_t>(1, h.legend.size()));
  const std::vector<Index> drawn = pick_evenly(ssize(h.x), kMostTicks);
  for (int group = 0; group < groups; ++group) {
    std::string path;
    for (const Index i : drawn) {
      const int own = h.group.empty() ? 0 : h.group[usize(i)];
      if (own != group || !can_draw(h.x[usize(i)])) continue;
      path += "M" + svg_number(frame.x(h.x[usize(i)])) + " " + svg_number(frame.bottom()) + "v" +
              svg_number(-kRugTick);
    }
    if (path.empty()) continue;
    frame.svg().add("path", {{"d", path},
                             {"fill", "none"},
                             {"stroke", group_style(group).colour},
                             {"stroke-opacity", 0.6}});
  }
}

// A level for each place, as wide as to the middle between it and the next; lines join them where
// they touch. The levels tell what they are.
void draw_steps(Frame& frame, const DensityCurve& curve, const std::string& name) {
  constexpr std::size_t kMostTold = 100;
  const GroupStyle style = group_style(curve.group);
  std::string path;
  const std::size_t n = curve.x.size();
  const auto middle = [&](std::size_t i) { return std::midpoint(curve.x[i - 1], curve.x[i]); };
  frame.svg().open("g", {{"fill", "none"},
                         {"stroke", curve.group < 0 ? kWhole : style.colour},
                         {"stroke-width", curve.group < 0 ? 2.6 : 1.8}});
  for (std::size_t i = 0; i < n; ++i) {
    if (!can_draw(curve.x[i]) || !can_draw(curve.y[i])) continue;
    const double half = n == 1 ? 0.5 : i == 0 ? middle(1) - curve.x[0] : curve.x[i] - middle(i);
    const double left = frame.x(i == 0 ? curve.x[0] - half : middle(i));
    const double right = frame.x(i + 1 == n ? curve.x[i] + half : middle(i + 1));
    const double y = frame.y(curve.y[i]);
    path += (path.empty() ? "M" : "L") + svg_number(left) + " " + svg_number(y) + "L" +
            svg_number(right) + " " + svg_number(y);
    if (n > kMostTold) continue;
    frame.svg().add("line", {{"x1", left}, {"y1", y}, {"x2", right}, {"y2", y}},
                    fmt::format("{}{}: {:.3g}", name.empty() ? "" : name + ", ",
                                rounded(curve.x[i]), curve.y[i]));
  }
  if (!path.empty()) {
    frame.svg().add("path", {{"d", path}, {"stroke-width", 1.2}, {"stroke-linejoin", "round"}});
  }
  frame.svg().close();
}

void draw_density(Frame& frame, const DensityCurve& curve) {
  std::string path;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (!can_draw(curve.x[i]) || !can_draw(curve.y[i])) continue;
    path += path.empty() ? "M" : "L";
    path += svg_number(frame.x(curve.x[i])) + " " + svg_number(frame.y(curve.y[i]));
  }
  if (path.empty()) return;
  const bool whole = curve.group < 0;
  frame.svg().add("path", {{"d", path},
                           {"fill", "none"},
                           {"stroke", whole ? kWhole : group_style(curve.group).colour},
                           {"stroke-width", whole ? 2.6 : 1.8},
                           {"stroke-linejoin", "round"}});
}

void draw_centre(Frame& frame, const Divide& centre) {
  if (!can_draw(centre.x)) return;
  frame.svg().add("line",
                  {{"x1", frame.x(centre.x)},
                   {"y1", frame.top()},
                   {"x2", frame.x(centre.x)},
                   {"y2", frame.bottom()},
                   {"stroke", group_style(centre.group).colour},
                   {"stroke-width", 2}},
                  rounded(centre.x));
}

void draw_border(Frame& frame, double x) {
  if (!can_draw(x)) return;
  frame.svg().add("line",
                  {{"x1", frame.x(x)},
                   {"y1", frame.top()},
                   {"x2", frame.x(x)},
                   {"y2", frame.bottom()},
                   {"stroke", kWhole},
                   {"stroke-width", 1.6},
                   {"stroke-dasharray", "6 4"}},
                  rounded(x));
}

}  // namespace

std::string draw_histogram(const Histogram& h) {
  CRATON_ASSERT(h.weight.empty() || h.weight.size() == h.x.size());
  CRATON_ASSERT(h.group.empty() || h.group.size() == h.x.size());
  AxisRange data;
  for (const double value : h.x) data.add(value);
  CRATON_ASSERT(h.heights.empty() || h.edges.size() == h.heights.size() + 1);
  const Bars bars = make_bars(h, data);
  Legend legend{.entries = {}, .mark = LegendMark::kLine};
  for (std::size_t g = 0; g < h.legend.size(); ++g) {
    legend.entries.push_back({h.legend[g], static_cast<int>(g)});
  }
  Frame frame({h.title, h.subtitle, h.x_name, h.y_name, h.small}, find_axes(h, data, bars), legend);
  draw_bars(frame, bars);
  draw_bands(frame, h.bands);
  draw_rug(frame, h);
  for (const DensityCurve& curve : h.curves) {
    CRATON_ASSERT(curve.x.size() == curve.y.size());
    if (!curve.steps) {
      draw_density(frame, curve);
      continue;
    }
    const bool named = curve.group >= 0 && curve.group < ssize(h.legend);
    draw_steps(frame, curve, named ? h.legend[usize(curve.group)] : "");
  }
  for (const Divide& centre : h.centres) draw_centre(frame, centre);
  for (const double border : h.borders) draw_border(frame, border);
  return frame.finish();
}

}  // namespace craton
