#include "craton/draw/scatter.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <span>

#include "craton/base/error.h"
#include "craton/draw/frame.h"
#include "craton/draw/heading.h"
#include "craton/draw/palette.h"
#include "craton/draw/text.h"

namespace craton {
namespace {

constexpr Index kMostDots = 4000;       // more would be one cloud, and a large file
constexpr double kPadding = 0.05;       // of the axes, beyond the data
constexpr double kEllipseReach = 0.25;  // how far ellipses may widen the axes: a share of the data
constexpr double kLargestRadius = 9;    // of points that have sizes

struct Points {
  std::vector<Index> drawn;  // rows, ascending
  Index finite = 0, all = 0;
};

Points choose_points(const Scatter& scatter) {
  Points points;
  points.all = ssize(scatter.x);
  std::vector<Index> finite;
  for (Index i = 0; i < points.all; ++i) {
    if (can_draw(scatter.x[usize(i)]) && can_draw(scatter.y[usize(i)])) finite.push_back(i);
  }
  points.finite = ssize(finite);
  for (const Index i : pick_evenly(points.finite, kMostDots)) {
    points.drawn.push_back(finite[usize(i)]);
  }
  return points;
}

std::string subtitle(const Scatter& scatter, const Points& points) {
  constexpr Index kLongest = 160;  // which leaves room for what follows
  std::string text = shorten(clean_text(scatter.subtitle), kLongest);
  const auto add = [&](const std::string& part) {
    text += (text.empty() ? "" : " \u00b7 ") + part;
  };
  if (ssize(points.drawn) < points.finite) {
    add(fmt::format("{} of {} points drawn", grouped_digits(ssize(points.drawn)),
                    grouped_digits(points.finite)));
  }
  if (const Index lost = points.all - points.finite; lost > 0) {
    add(fmt::format("{} left out: not finite", grouped_digits(lost)));
  }
  return text;
}

bool can_draw_ellipse(const Ellipse& e) {
  return can_draw(e.x) && can_draw(e.y) && can_draw(e.radius_1) && can_draw(e.radius_2) &&
         can_draw(e.angle) && e.radius_1 >= 0 && e.radius_2 >= 0;
}

// Half the ellipse's extent along x, or along y for an angle less by a right angle.
double reach(const Ellipse& e, double cosine, double sine) {
  return std::hypot(e.radius_1 * cosine, e.radius_2 * sine);
}

// The data's range, widened for ellipses, but never so far that the data shrink to a dot.
void widen(AxisRange& range, const AxisRange& data, double low, double high) {
  const double most = data.width() > 0 ? kEllipseReach * data.width() : high - low;
  range.add(data.empty ? low : std::max(low, data.low - most));
  range.add(data.empty ? high : std::min(high, data.high + most));
}

// Words have half a step on either side; patches reach to the ends.
AxisRange named_or_padded(const AxisRange& range, const std::vector<std::string>& names,
                          bool to_ends) {
  if (!names.empty()) return {-0.5, static_cast<double>(names.size()) - 0.5, false};
  return padded(range, to_ends ? 0 : kPadding);
}

FrameAxes find_axes(const Scatter& scatter, const Points& points) {
  AxisRange x, y;
  for (const Index i : points.drawn) {
    x.add(scatter.x[usize(i)]);
    y.add(scatter.y[usize(i)]);
  }
  for (const Centre& centre : scatter.centres) {
    if (!can_draw(centre.x) || !can_draw(centre.y)) continue;
    x.add(centre.x);
    y.add(centre.y);
  }
  for (const Patch& patch : scatter.patches) {
    x.add(patch.x1), x.add(patch.x2);
    y.add(patch.y1), y.add(patch.y2);
  }
  if (!scatter.y_range.empty) {
    y.add(scatter.y_range.low);
    y.add(scatter.y_range.high);
  }
  const AxisRange data_x = x, data_y = y;
  for (const ContourLevel& level : scatter.contours) {
    for (const ContourLine& line : level.lines) {
      for (const double at : line.x) x.add(at);
      for (const double at : line.y) y.add(at);
    }
  }
  for (const Segment& s : scatter.borders) {
    if (!scatter.borders_count) break;
    x.add(s.x1), x.add(s.x2), y.add(s.y1), y.add(s.y2);
  }
  for (const Ellipse& e : scatter.ellipses) {
    if (!can_draw_ellipse(e)) continue;
    const double across = reach(e, std::cos(e.angle), std::sin(e.angle));
    const double up = reach(e, std::sin(e.angle), std::cos(e.angle));
    widen(x, data_x, e.x - across, e.x + across);
    widen(y, data_y, e.y - up, e.y + up);
  }
  const bool to_ends = !scatter.patches.empty() && scatter.patches_to_ends;
  FrameAxes axes{named_or_padded(x, scatter.x_names, to_ends),
                 named_or_padded(y, scatter.y_names, to_ends)};
  axes.x_names = scatter.x_names;
  axes.y_names = scatter.y_names;
  if (scatter.x_whole) axes.x_kind = TickKind::kWhole;
  if (scatter.y_whole) axes.y_kind = TickKind::kWhole;
  return axes;
}

int group_of(const Scatter& scatter, Index i) {
  return scatter.group.empty() ? 0 : std::max(-1, scatter.group[usize(i)]);
}

// Groups in the order they are drawn and listed: 0, 1, ..., then none.
std::vector<int> groups_of(const Scatter& scatter, const Points& points) {
  std::set<int> seen;
  for (const Index i : points.drawn) seen.insert(group_of(scatter, i));
  for (Index g = 0; g < ssize(scatter.legend); ++g) seen.insert(static_cast<int>(g));
  std::vector<int> groups(seen.begin(), seen.end());
  if (!groups.empty() && groups[0] == -1)
    std::rotate(groups.begin(), groups.begin() + 1, groups.end());
  return groups;
}

Legend make_legend(const Scatter& scatter, const std::vector<int>& groups) {
  Legend legend{.entries = {},
                .mark = scatter.legend_areas ? LegendMark::kArea : LegendMark::kPoint};
  if (scatter.legend.empty()) return legend;
  for (const int group : groups) {
    const bool named = group >= 0 && group < ssize(scatter.legend);
    legend.entries.push_back({named       ? scatter.legend[usize(group)]
                              : group < 0 ? scatter.no_group
                                          : fmt::format("group {}", group),
                              group});
  }
  return legend;
}

// Fewer points are larger and firmer.
struct PointStyle {
  double radius, opacity;
};
PointStyle point_style(Index points) {
  if (points <= 500) return {3.4, 0.65};
  if (points <= 2000) return {2.6, 0.55};
  if (points <= 6000) return {2.0, 0.5};
  return {1.5, 0.4};
}

std::map<std::string, std::vector<Index>> by_colour(const Scatter& scatter, const Points& points) {
  const std::size_t groups = scatter.shares.size() / scatter.x.size();
  std::map<std::string, std::vector<Index>> rows;
  for (const Index i : points.drawn) {
    const auto shares = std::span(scatter.shares).subspan(usize(i) * groups, groups);
    rows[mixed_colour(shares)].push_back(i);
  }
  return rows;
}

// Where a point lies: words and whole numbers are shared by many, which lie beside each other, by
// steps of golden ratios (two, so that they fill the place evenly).
double spread(double value, bool shared, Index row, double ratio) {
  if (!shared) return value;
  constexpr double kWide = 0.7;
  const double turn = static_cast<double>(row + 1) * ratio;
  return value + kWide * (turn - std::floor(turn) - 0.5);
}

std::string told_of(double value, const std::vector<std::string>& names) {
  if (names.empty()) return rounded(value);
  const auto at = static_cast<std::size_t>(std::max(0.0, std::round(value)));
  return at < names.size() ? names[at] : rounded(value);
}

std::string told_of(const Scatter& scatter, Index i) {
  const int group = group_of(scatter, i);
  std::string told =
      fmt::format("{} {}, {} {}", scatter.x_name, told_of(scatter.x[usize(i)], scatter.x_names),
                  scatter.y_name, told_of(scatter.y[usize(i)], scatter.y_names));
  if (group >= 0 && group < ssize(scatter.legend)) told += ": " + scatter.legend[usize(group)];
  return told;
}

std::string rectangle(const Frame& frame, const Patch& patch) {
  const double left = frame.x(patch.x1), right = frame.x(patch.x2);
  const double low = frame.y(patch.y1), high = frame.y(patch.y2);
  return "M" + svg_number(left) + " " + svg_number(high) + "H" + svg_number(right) + "V" +
         svg_number(low) + "H" + svg_number(left) + "Z";
}

// The ground: patches that look alike and tell the same as one; and the words on them in the ink
// that is read best.
void draw_patches(Frame& frame, const Scatter& scatter) {
  if (scatter.patches.empty()) return;
  Svg& svg = frame.svg();
  svg.open("g", {{"shape-rendering", "crispEdges"}});
  std::map<std::pair<std::string, std::string>, std::vector<const Patch*>> alike;
  for (const Patch& patch : scatter.patches) {
    if (patch.written.empty()) alike[{patch.colour, patch.told}].push_back(&patch);
  }
  std::erase_if(alike, [](const auto& entry) { return entry.second.size() < 2; });
  for (const auto& [look, patches] : alike) {
    std::string path;
    for (const Patch* patch : patches) path += rectangle(frame, *patch);
    svg.add("path", {{"d", path}, {"fill", look.first}}, look.second);
  }
  for (const Patch& patch : scatter.patches) {
    if (patch.written.empty() && alike.contains({patch.colour, patch.told})) continue;
    const double left = frame.x(patch.x1), top = frame.y(patch.y2);
    svg.add("rect",
            {{"x", left},
             {"y", top},
             {"width", frame.x(patch.x2) - left},
             {"height", frame.y(patch.y1) - top},
             {"fill", patch.colour}},
            patch.told);
  }
  svg.close();
  constexpr double kSize = 12;
  svg.open("g", {{"font-size", kSize}, {"text-anchor", "middle"}, {"pointer-events", "none"}});
  for (const Patch& patch : scatter.patches) {
    if (patch.written.empty()) continue;
    svg.text(frame.x(std::midpoint(patch.x1, patch.x2)),
             frame.y(std::midpoint(patch.y1, patch.y2)) + 0.35 * kSize, patch.written,
             {{"fill", is_dark(patch.colour) ? "#ffffff" : kInk}});
  }
  svg.close();
}

void draw_points(Frame& frame, const Scatter& scatter, const Points& points,
                 const std::vector<int>& groups) {
  const PointStyle look = point_style(ssize(points.drawn));
  AxisRange sizes;
  for (const double size : scatter.size) sizes.add(size);
  const auto radius = [&](Index i) {
    if (scatter.size.empty() || sizes.high <= 0) return look.radius;
    const double size = scatter.size[usize(i)];
    return can_draw(size) && size > 0 ? kLargestRadius * std::sqrt(size / sizes.high) : 0.0;
  };
  constexpr Index kMostTold = 1000;
  const bool tells = ssize(points.drawn) <= kMostTold;
  const bool shared_x = scatter.spread && (scatter.x_whole || !scatter.x_names.empty());
  const bool shared_y = scatter.spread && (scatter.y_whole || !scatter.y_names.empty());
  const bool ringed = !scatter.patches.empty();  // to be seen on any ground
  const auto draw = [&](std::string_view colour, std::span<const Index> rows) {
    frame.svg().open("g", {{"fill", colour},
                           {"fill-opacity", ringed ? 0.9 : look.opacity},
                           {"stroke", ringed ? "#ffffff" : "none"},
                           {"stroke-width", 0.7}});
    for (const Index i : rows) {
      const double x = spread(scatter.x[usize(i)], shared_x, i, 0.7548776662466927);
      const double y = spread(scatter.y[usize(i)], shared_y, i, 0.5698402909980532);
      draw_mark(frame.svg(), group_style(group_of(scatter, i)).mark, frame.x(x), frame.y(y),
                radius(i), tells ? told_of(scatter, i) : "");
    }
    frame.svg().close();
  };
  if (!scatter.shares.empty()) {
    for (const auto& [colour, rows] : by_colour(scatter, points)) draw(colour, rows);
    return;
  }
  for (const int group : groups) {
    std::vector<Index> rows;
    for (const Index i : points.drawn) {
      if (group_of(scatter, i) == group) rows.push_back(i);
    }
    draw(group_style(group).colour, rows);
  }
}

// Four cubic arcs: an affine map of the circle, as the axes have different scales. They stay
// within 3e-4 of the radius.
std::string ellipse_path(const Frame& frame, const Ellipse& e) {
  constexpr double kArc = 0.5522847498307936;  // 4/3 (sqrt(2) - 1)
  const double c = std::cos(e.angle), s = std::sin(e.angle);
  const auto point = [&](double u, double v) {
    const double x = e.x + e.radius_1 * u * c - e.radius_2 * v * s;
    const double y = e.y + e.radius_1 * u * s + e.radius_2 * v * c;
    return svg_number(frame.x(x)) + " " + svg_number(frame.y(y));
  };
  std::string path = "M" + point(1, 0);
  double u = 1, v = 0;
  for (int arc = 0; arc < 4; ++arc) {
    const double next_u = -v, next_v = u;  // a quarter turn
    path += "C" + point(u + kArc * next_u, v + kArc * next_v) + " " +
            point(next_u + kArc * u, next_v + kArc * v) + " " + point(next_u, next_v);
    u = next_u, v = next_v;
  }
  return path + "Z";
}

void draw_ellipses(Frame& frame, const Scatter& scatter) {
  for (const Ellipse& e : scatter.ellipses) {
    if (!can_draw_ellipse(e)) continue;
    const double weight = can_draw(e.weight) ? std::clamp(e.weight, 0.0, 1.0) : 1;
    const double strength = 0.35 + 0.65 * std::sqrt(weight);
    const GroupStyle style = group_style(e.group);
    frame.svg().add("path", {{"d", ellipse_path(frame, e)},
                             {"fill", style.colour},
                             {"fill-opacity", 0.07 * strength},
                             {"stroke", style.colour},
                             {"stroke-opacity", strength},
                             {"stroke-width", 1.5}});
  }
}

// A cross with a white edge, so that it stands out of its points.
void draw_centres(Frame& frame, const Scatter& scatter) {
  constexpr double kArm = 5;
  for (const Centre& centre : scatter.centres) {
    if (!can_draw(centre.x) || !can_draw(centre.y)) continue;
    const double x = frame.x(centre.x), y = frame.y(centre.y);
    const std::string path =
        fmt::format("M{0} {1}L{2} {3}M{0} {3}L{2} {1}", svg_number(x - kArm), svg_number(y - kArm),
                    svg_number(x + kArm), svg_number(y + kArm));
    frame.svg().open("g", {{"fill", "none"}, {"stroke-linecap", "round"}});
    frame.svg().add("path", {{"d", path}, {"stroke", "#ffffff"}, {"stroke-width", 5.5}});
    frame.svg().add("path", {{"d", path}, {"stroke", "#111111"}, {"stroke-width", 2.2}});
    frame.svg().close();
  }
}

// A path of each level, darker from the first to the last.
void draw_contours(Frame& frame, const Scatter& scatter) {
  const auto levels = static_cast<double>(scatter.contours.size());
  double level = 0;
  for (const ContourLevel& contour : scatter.contours) {
    std::string path;
    ++level;
    for (const ContourLine& line : contour.lines) {
      for (std::size_t i = 0; i < line.x.size(); ++i) {
        path += (i == 0 ? "M" : "L") + svg_number(frame.x(line.x[i])) + " " +
                svg_number(frame.y(line.y[i]));
      }
      if (line.closed) path += "Z";
    }
    if (path.empty()) continue;
    frame.svg().add("path", {{"d", path},
                             {"fill", "none"},
                             {"stroke", "#111111"},
                             {"stroke-opacity", 0.35 + 0.65 * level / levels},
                             {"stroke-width", 0.8 + 1.2 * level / levels},
                             {"stroke-linejoin", "round"}});
  }
}

// All pieces in one path, each joined to the one before where they meet.
void draw_borders(Frame& frame, const Scatter& scatter) {
  std::string path, last;
  for (const Segment& s : scatter.borders) {
    if (!can_draw(s.x1) || !can_draw(s.y1) || !can_draw(s.x2) || !can_draw(s.y2)) continue;
    const auto place = [&](double x, double y) {
      return svg_number(frame.x(x)) + " " + svg_number(frame.y(y));
    };
    const std::string from = place(s.x1, s.y1), to = place(s.x2, s.y2);
    if (from != last) path += "M" + from;
    path += "L" + to;
    last = to;
  }
  if (path.empty()) return;
  frame.svg().add("path", {{"d", path},
                           {"fill", "none"},
                           {"stroke", "#111111"},
                           {"stroke-width", 1.6},
                           {"stroke-linecap", "round"}});
}

}  // namespace

void add_border(Scatter& scatter, std::span<const double> x, std::span<const double> y) {
  for (std::size_t i = 1; i < x.size(); ++i) {
    scatter.borders.push_back({x[i - 1], y[i - 1], x[i], y[i]});
  }
}

std::string draw_scatter(const Scatter& scatter) {
  CRATON_ASSERT(scatter.x.size() == scatter.y.size());
  CRATON_ASSERT(scatter.group.empty() || scatter.group.size() == scatter.x.size());
  CRATON_ASSERT(scatter.shares.empty() || scatter.shares.size() % scatter.x.size() == 0);
  CRATON_ASSERT(scatter.size.empty() || scatter.size.size() == scatter.x.size());
  const Points points = choose_points(scatter);
  const std::vector<int> groups = groups_of(scatter, points);
  Frame frame(
      {scatter.title, subtitle(scatter, points), scatter.x_name, scatter.y_name, scatter.small},
      find_axes(scatter, points), make_legend(scatter, groups));
  draw_patches(frame, scatter);
  draw_bands(frame, scatter.bands);
  draw_points(frame, scatter, points, groups);
  draw_ellipses(frame, scatter);
  draw_contours(frame, scatter);
  draw_borders(frame, scatter);
  draw_centres(frame, scatter);
  return frame.finish();
}

}  // namespace craton
