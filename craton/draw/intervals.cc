#include "craton/draw/intervals.h"

#include <algorithm>
#include <cmath>

#include "craton/base/matrix.h"
#include "craton/draw/frame.h"
#include "craton/draw/palette.h"

namespace craton {
namespace {

constexpr Index kMostNames = 40;  // names below each other
constexpr double kRoom = 0.05;    // of the axis, beyond the bars

bool has_bar(const Interval& interval) { return can_draw(interval.low) && can_draw(interval.high); }

bool leaves_out(const Interval& interval, double value) {
  return has_bar(interval) && (interval.low > value || interval.high < value);
}

// How far the estimate is from `neutral`, in widths of its bar; without a bar, in its own units.
double distance(const Interval& interval, double neutral) {
  if (!can_draw(interval.estimate)) return -1;
  const double away = std::abs(interval.estimate - neutral);
  return has_bar(interval) && interval.high > interval.low ? away / (interval.high - interval.low)
                                                           : away;
}

// The most telling of many, in the order that they had.
std::vector<Interval> chosen(const Intervals& all) {
  if (ssize(all.intervals) <= kMostNames) return all.intervals;
  std::vector<Index> order(all.intervals.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return distance(all.intervals[usize(a)], all.neutral) >
           distance(all.intervals[usize(b)], all.neutral);
  });
  order.resize(usize(kMostNames));
  std::sort(order.begin(), order.end());
  std::vector<Interval> most;
  for (const Index i : order) most.push_back(all.intervals[usize(i)]);
  return most;
}

AxisRange range_of(const std::vector<Interval>& intervals, double neutral) {
  AxisRange range;
  range.add(neutral);
  for (const Interval& interval : intervals) {
    range.add(interval.estimate);
    range.add(interval.low);
    range.add(interval.high);
  }
  return padded(range, kRoom);
}

void draw_bar(Frame& frame, const Interval& interval, double at) {
  constexpr double kCap = 4;
  const double low = frame.x(interval.low), high = frame.x(interval.high), y = frame.y(at);
  frame.svg().add("line", {{"x1", low}, {"y1", y}, {"x2", high}, {"y2", y}, {"stroke-width", 2}});
  for (const double x : {low, high}) {
    frame.svg().add(
        "line", {{"x1", x}, {"y1", y - kCap}, {"x2", x}, {"y2", y + kCap}, {"stroke-width", 2}});
  }
}

}  // namespace

std::string draw_intervals(const Intervals& intervals) {
  std::vector<Interval> shown = chosen(intervals);
  std::string subtitle = intervals.subtitle;
  if (shown.size() < intervals.intervals.size()) {
    subtitle += (subtitle.empty() ? "" : "; ") + std::to_string(kMostNames) + " of " +
                std::to_string(intervals.intervals.size()) + " are drawn";
  }
  std::reverse(shown.begin(), shown.end());  // y points up
  std::vector<std::string> names;
  for (const Interval& interval : shown) names.push_back(interval.name);
  const AxisRange rows{-0.6, std::max(0.0, static_cast<double>(shown.size()) - 1) + 0.6, false};
  Frame frame({intervals.title, subtitle, intervals.x_name, ""},
              {.x = range_of(shown, intervals.neutral), .y = rows, .y_names = names}, {});

  frame.svg().add("line", {{"x1", frame.x(intervals.neutral)},
                           {"y1", frame.top()},
                           {"x2", frame.x(intervals.neutral)},
                           {"y2", frame.bottom()},
                           {"stroke", "#444444"},
                           {"stroke-dasharray", "5 4"}});
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const Interval& interval = shown[i];
    if (!can_draw(interval.estimate)) continue;
    const bool sure = !has_bar(interval) || leaves_out(interval, intervals.neutral);
    const GroupStyle style = group_style(sure ? 0 : -1);
    frame.svg().open("g", {{"stroke", style.colour}, {"fill", style.colour}});
    if (has_bar(interval)) draw_bar(frame, interval, static_cast<double>(i));
    draw_mark(frame.svg(), style.mark, frame.x(interval.estimate), frame.y(static_cast<double>(i)),
              4);
    frame.svg().close();
  }
  return frame.finish();
}

}  // namespace craton
