#include "craton/draw/curve.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "craton/base/error.h"
#include "craton/draw/frame.h"
#include "craton/draw/palette.h"
#include "craton/draw/text.h"

namespace craton {
namespace {

constexpr Index kMostPoints = 5000;                  // of a series: more than a screen has columns
constexpr Index kMostMarks = 60;                     // beyond, marks hide the line
constexpr double kPaddingX = 0.04, kPaddingY = 0.1;  // beyond the data; above and below are labels

bool can_draw_point(const Series& series, Index i) {
  return can_draw(series.x[usize(i)]) && can_draw(series.y[usize(i)]);
}

FrameAxes find_axes(const Curve& curve) {
  AxisRange x, y;
  bool whole = true;
  for (const Series& series : curve.series) {
    for (Index i = 0; i < ssize(series.x); ++i) {
      if (!can_draw_point(series, i)) continue;
      x.add(series.x[usize(i)]);
      y.add(series.y[usize(i)]);
    }
    whole = whole && all_whole(series.x);
  }
  return {padded(x, kPaddingX), padded(y, kPaddingY), whole ? TickKind::kWhole : TickKind::kReal};
}

void draw_line(Frame& frame, const Series& series, std::span<const Index> points) {
  std::string path;
  bool pen_down = false;
  for (const Index i : points) {
    if (!can_draw_point(series, i)) {
      pen_down = false;
      continue;
    }
    path += pen_down ? "L" : "M";
    path += svg_number(frame.x(series.x[usize(i)])) + " " + svg_number(frame.y(series.y[usize(i)]));
    pen_down = true;
  }
  if (path.empty()) return;
  frame.svg().add("path",
                  {{"d", path},
                   {"fill", "none"},
                   {"stroke-width", series.faint ? 1 : 2.5},
                   {"stroke-linejoin", "round"},
                   {"stroke-linecap", "round"}},
                  fmt::format("{}, {} points", series.name, points.size()));
}

void draw_series(Frame& frame, const Series& series, int group, bool marks) {
  const GroupStyle style = group_style(group);
  const std::vector<Index> points = pick_evenly(ssize(series.x), kMostPoints);
  frame.svg().open("g", {{"stroke", style.colour}, {"fill", style.colour}});
  draw_line(frame, series, points);
  const Index drawable = std::count_if(points.begin(), points.end(),
                                       [&](Index i) { return can_draw_point(series, i); });
  if (drawable <= kMostMarks && !series.faint && marks) {
    for (const Index i : points) {
      if (!can_draw_point(series, i)) continue;
      draw_mark(frame.svg(), style.mark, frame.x(series.x[usize(i)]), frame.y(series.y[usize(i)]),
                3,
                fmt::format("{}: {}, {}", series.name, rounded(series.x[usize(i)]),
                            rounded(series.y[usize(i)])));
    }
  }
  frame.svg().close();
}

// A ring, a line down to the axis, and the label where there is most room.
void draw_best(Frame& frame, const Series& series, int group) {
  if (series.best < 0 || !can_draw_point(series, series.best)) return;
  constexpr double kRing = 7, kGap = 8, kSize = 12;
  const GroupStyle style = group_style(group);
  const double x = frame.x(series.x[usize(series.best)]);
  const double y = frame.y(series.y[usize(series.best)]);
  Svg& svg = frame.svg();
  svg.add("line", {{"x1", x},
                   {"y1", y + kRing},
                   {"x2", x},
                   {"y2", frame.bottom()},
                   {"stroke", style.colour},
                   {"stroke-dasharray", "3 3"},
                   {"stroke-opacity", 0.7}});
  svg.add("circle", {{"cx", x},
                     {"cy", y},
                     {"r", kRing},
                     {"fill", "none"},
                     {"stroke", style.colour},
                     {"stroke-width", 2}});
  if (series.best_label.empty()) return;
  const bool low = y > (frame.top() + frame.bottom()) / 2;
  const bool right = x > (frame.left() + frame.right()) / 2;
  const double baseline = low ? y + kRing + kGap + 0.7 * kSize : y - kRing - kGap;
  svg.text(right ? x - kGap : x + kGap, std::min(baseline, frame.bottom() - 6),
           shorten(clean_text(series.best_label), 48),
           {{"font-size", kSize},
            {"font-weight", "600"},
            {"fill", style.colour},
            {"stroke", "#ffffff"},  // a halo over grid and lines
            {"stroke-width", 4},
            {"stroke-linejoin", "round"},
            {"paint-order", "stroke"},
            {"text-anchor", right ? "end" : "start"}});
}

}  // namespace

std::string draw_curve(const Curve& curve) {
  Legend legend{.entries = {}, .mark = LegendMark::kLine};
  std::vector<int> groups;  // of each series: those that are not faint have colours in their order
  int next = 0;
  for (const Series& series : curve.series) {
    CRATON_ASSERT(series.x.size() == series.y.size() && series.best < ssize(series.x));
    groups.push_back(series.faint ? -1 : next++);
    if (!series.faint) legend.entries.push_back({series.name, groups.back()});
  }
  if (next < 2) legend.entries.clear();
  Frame frame({curve.title, curve.subtitle, curve.x_name, curve.y_name, curve.small},
              find_axes(curve), legend);
  for (std::size_t s = 0; s < groups.size(); ++s)
    draw_series(frame, curve.series[s], groups[s], curve.marks);
  for (std::size_t s = 0; s < groups.size(); ++s) draw_best(frame, curve.series[s], groups[s]);
  return frame.finish();
}

}  // namespace craton
