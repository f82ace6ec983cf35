#include "craton/draw/frame.h"

#include <algorithm>

#include "craton/draw/heading.h"
#include "craton/draw/palette.h"
#include "craton/draw/text.h"

namespace craton {
namespace {

constexpr double kMargin = kPictureMargin;
constexpr double kTickSize = 12;
constexpr double kTick = 5, kTickGap = 4;
constexpr double kLegendRow = 20, kLegendMark = 26, kLegendGap = 18;
constexpr Index kLegendLongest = 24;  // characters
constexpr Index kLegendRows = 16;

constexpr const char* kAxis = "#444444";
constexpr const char* kGrid = "#e9e9e9";

double widest(const std::vector<std::string>& labels, double size) {
  double width = 0;
  for (const std::string& label : labels) width = std::max(width, text_width(label, size));
  return width;
}

// Those of 0, 1, ...
Ticks named_ticks(const std::vector<std::string>& names) {
  constexpr Index kLongest = 32;  // characters
  Ticks ticks;
  for (const std::string& name : names) {
    ticks.at.push_back(static_cast<double>(ticks.at.size()));
    ticks.labels.push_back(shorten(clean_text(name), kLongest));
  }
  return ticks;
}

constexpr Index kLongestAslant = 18;  // characters
constexpr double kSlope = 35;         // degrees

// Words below the x axis are aslant where they would run into each other.
bool aslant(const Ticks& ticks, double width) {
  return widest(ticks.labels, kTickSize) + kTickSize >
         width / static_cast<double>(std::max<std::size_t>(1, ticks.at.size()));
}

// The height of the labels of the x axis.
double x_room(const FrameAxes& axes, const Ticks& ticks, double width) {
  if (axes.x_names.empty() || !aslant(ticks, width)) return kTickSize;
  double longest = 0;
  for (const std::string& label : ticks.labels) {
    longest = std::max(longest, text_width(shorten(label, kLongestAslant), kTickSize));
  }
  return kTickSize + 0.574 * longest;  // the sine of the slope
}

double legend_width(const Legend& legend) {
  if (legend.entries.empty()) return 0;
  double names = 0;
  for (const LegendEntry& entry : legend.entries) {
    names = std::max(names, text_width(shorten(clean_text(entry.name), kLegendLongest), kTickSize));
  }
  return kLegendGap + kLegendMark + names;
}

}  // namespace

Frame::Frame(const FrameText& text, const FrameAxes& axes, const Legend& legend)
    : width_(kWidth * (text.small ? kSmall : 1)),
      height_(kHeight * (text.small ? kSmall : 1)),
      svg_(width_, height_, text.title),
      x_{axes.x},
      y_{axes.y},
      x_names_(axes.x_names) {
  const int x_count = text.small ? 4 : 6, y_count = text.small ? 5 : 6;
  const Ticks x_ticks =
      axes.x_names.empty() ? make_ticks(axes.x, x_count, axes.x_kind) : named_ticks(axes.x_names);
  const Ticks y_ticks =
      axes.y_names.empty() ? make_ticks(axes.y, y_count, axes.y_kind) : named_ticks(axes.y_names);
  const std::string x_name = axis_title(text.x_name, x_ticks);
  const std::string y_name = axis_title(text.y_name, y_ticks);

  const double y_room = widest(y_ticks.labels, kTickSize) + kTick + kTickGap;
  x_.from = kMargin + y_room + (y_name.empty() ? 0 : kNameSize + 10);
  x_.to = width_ - kMargin - legend_width(legend);
  y_.from = height_ - kMargin - x_room(axes, x_ticks, x_.to - x_.from) - kTick - kTickGap -
            (x_name.empty() ? 0 : kNameSize + 8);
  const Heading heading(text.title, text.subtitle, width_ - left() - kMargin);
  y_.to = heading.bottom();

  heading.draw(svg_, left());
  draw_grid(x_ticks, y_ticks);
  draw_x_axis(x_ticks, x_name);
  draw_y_axis(y_ticks, y_name);
  draw_legend(legend);

  const double width = right() - left(), height = bottom() - top();
  svg_.open("svg", {{"x", left()},
                    {"y", top()},
                    {"width", width},
                    {"height", height},
                    {"viewBox", svg_number(left()) + " " + svg_number(top()) + " " +
                                    svg_number(width) + " " + svg_number(height)}});
}

void Frame::draw_grid(const Ticks& x_ticks, const Ticks& y_ticks) {
  svg_.open("g", {{"stroke", kGrid}, {"stroke-width", 1}});
  for (const double at : x_ticks.at) {
    svg_.add("line", {{"x1", x_(at)}, {"y1", top()}, {"x2", x_(at)}, {"y2", bottom()}});
  }
  for (const double at : y_ticks.at) {
    svg_.add("line", {{"x1", left()}, {"y1", y_(at)}, {"x2", right()}, {"y2", y_(at)}});
  }
  svg_.close();
}

void Frame::draw_x_axis(const Ticks& ticks, const std::string& name) {
  // Labels that would run into each other are thinned out.
  const double spacing = ticks.at.size() < 2 ? width_ : x_(ticks.at[1]) - x_(ticks.at[0]);
  const double needed = widest(ticks.labels, kTickSize) + kTickSize;
  const auto every = static_cast<std::size_t>(std::max(1.0, needed / spacing + 0.999));

  svg_.open("g", {{"stroke", kAxis}, {"stroke-width", 1}});
  svg_.add("line", {{"x1", left()}, {"y1", bottom()}, {"x2", right()}, {"y2", bottom()}});
  for (const double at : ticks.at) {
    svg_.add("line", {{"x1", x_(at)}, {"y1", bottom()}, {"x2", x_(at)}, {"y2", bottom() + kTick}});
  }
  svg_.close();
  if (!x_names_.empty() && aslant(ticks, right() - left())) {
    write_x_words(ticks);
  } else {
    svg_.open("g", {{"font-size", kTickSize}, {"fill", kSoftInk}, {"text-anchor", "middle"}});
    for (std::size_t i = 0; i < ticks.at.size(); i += every) {
      svg_.text(x_(ticks.at[i]), bottom() + kTick + kTickGap + 0.8 * kTickSize, ticks.labels[i]);
    }
    svg_.close();
  }
  if (name.empty()) return;
  svg_.text((left() + right()) / 2, height_ - kMargin + 2,
            fitted_text(name, right() - left(), kNameSize),
            {{"font-size", kNameSize}, {"fill", kInk}, {"text-anchor", "middle"}});
}

// As many as there is room for, each told in full to who points at it.
void Frame::write_x_words(const Ticks& ticks) {
  const double spacing = (right() - left()) / static_cast<double>(ticks.at.size());
  const auto every = static_cast<std::size_t>(std::max(1.0, kTickSize / spacing + 0.999));
  const double y = bottom() + kTick + kTickGap + 0.6 * kTickSize;
  for (std::size_t i = 0; i < ticks.at.size(); i += every) {
    const std::string x = svg_number(x_(ticks.at[i]) + 4);
    svg_.open("g", {{"font-size", kTickSize},
                    {"fill", kSoftInk},
                    {"text-anchor", "end"},
                    {"transform",
                     "rotate(-" + svg_number(kSlope) + " " + x + " " + svg_number(y) + ")"}});
    svg_.tell(x_names_[i]);
    svg_.text(x_(ticks.at[i]) + 4, y, shorten(ticks.labels[i], kLongestAslant));
    svg_.close();
  }
}

void Frame::draw_y_axis(const Ticks& ticks, const std::string& name) {
  svg_.open("g", {{"stroke", kAxis}, {"stroke-width", 1}});
  svg_.add("line", {{"x1", left()}, {"y1", top()}, {"x2", left()}, {"y2", bottom()}});
  for (const double at : ticks.at) {
    svg_.add("line", {{"x1", left() - kTick}, {"y1", y_(at)}, {"x2", left()}, {"y2", y_(at)}});
  }
  svg_.close();
  svg_.open("g", {{"font-size", kTickSize}, {"fill", kSoftInk}, {"text-anchor", "end"}});
  for (std::size_t i = 0; i < ticks.at.size(); ++i) {
    svg_.text(left() - kTick - kTickGap, y_(ticks.at[i]) + 0.35 * kTickSize, ticks.labels[i]);
  }
  svg_.close();
  if (name.empty()) return;
  const double x = kMargin + 0.5 * kNameSize, y = (top() + bottom()) / 2;
  svg_.text(x, y, fitted_text(name, bottom() - top(), kNameSize),
            {{"font-size", kNameSize},
             {"fill", kInk},
             {"text-anchor", "middle"},
             {"transform", "rotate(-90 " + svg_number(x) + " " + svg_number(y) + ")"}});
}

void Frame::draw_legend_mark(LegendMark mark, int group, double x, double y) {
  if (mark == LegendMark::kArea) {
    svg_.add(
        "rect",
        {{"x", x + 3}, {"y", y - 6}, {"width", 12}, {"height", 12}, {"fill", group_fill(group)}});
    return;
  }
  const GroupStyle style = group_style(group);
  svg_.open("g", {{"fill", style.colour}, {"stroke", style.colour}});
  if (mark == LegendMark::kLine) {
    svg_.add("line", {{"x1", x}, {"y1", y}, {"x2", x + 18}, {"y2", y}, {"stroke-width", 2}});
  }
  draw_mark(svg_, style.mark, x + 9, y, mark == LegendMark::kLine ? 3 : 4);
  svg_.close();
}

void Frame::draw_legend(const Legend& legend) {
  const double x = right() + kLegendGap;
  double y = top() + kLegendRow / 2;
  const Index count = ssize(legend.entries);
  const Index shown = count > kLegendRows ? kLegendRows - 1 : count;
  for (Index i = 0; i < shown; ++i, y += kLegendRow) {
    const LegendEntry& entry = legend.entries[usize(i)];
    draw_legend_mark(legend.mark, entry.group, x, y);
    svg_.text(x + kLegendMark, y + 0.35 * kTickSize,
              shorten(clean_text(entry.name), kLegendLongest),
              {{"font-size", kTickSize}, {"fill", kInk}});
  }
  if (shown < count) {
    svg_.text(x + kLegendMark, y + 0.35 * kTickSize,
              "and " + std::to_string(count - shown) + " more",
              {{"font-size", kTickSize}, {"fill", kSoftInk}});
  }
}

}  // namespace craton
