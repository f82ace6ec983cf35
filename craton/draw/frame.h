#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "craton/draw/axes.h"
#include "craton/draw/svg.h"

// The picture around the data: title, grid, axes and legend.

namespace craton {

enum class LegendMark { kPoint, kLine, kArea };

struct LegendEntry {
  std::string name;
  int group = -1;  // see palette.h
};

struct FrameText {
  std::string title, subtitle, x_name, y_name;
  bool small = false;  // a picture to lie beside others, with letters as large
};

struct FrameAxes {
  AxisRange x, y;  // not empty, wider than 0
  TickKind x_kind = TickKind::kReal, y_kind = TickKind::kReal;
  std::vector<std::string> y_names = {};  // of y = 0, 1, ...: they stand in the place of numbers
  std::vector<std::string> x_names = {};  // likewise; long ones are written aslant
};

struct Legend {
  std::vector<LegendEntry> entries;
  LegendMark mark = LegendMark::kPoint;
};

class Frame {
 public:
  static constexpr double kWidth = 720, kHeight = 480;  // of the picture, in pixels
  static constexpr double kSmall = 2.0 / 3;  // of that: what is drawn to lie beside others

  // Draws all that surrounds the data; what is drawn next is cut off at the axes.
  Frame(const FrameText& text, const FrameAxes& axes, const Legend& legend);

  // In pixels; what lies far outside is moved nearer, so that every number can be written.
  double x(double value) const { return std::clamp(x_(value), -kFar, kFar); }
  double y(double value) const { return std::clamp(y_(value), -kFar, kFar); }
  double left() const { return x_.from; }
  double right() const { return x_.to; }
  double top() const { return y_.to; }
  double bottom() const { return y_.from; }

  Svg& svg() { return svg_; }
  std::string finish() { return svg_.finish(); }

 private:
  static constexpr double kFar = 1e6;

  void draw_grid(const Ticks& x_ticks, const Ticks& y_ticks);
  void draw_x_axis(const Ticks& ticks, const std::string& name);
  void write_x_words(const Ticks& ticks);
  void draw_y_axis(const Ticks& ticks, const std::string& name);
  void draw_legend(const Legend& legend);
  void draw_legend_mark(LegendMark mark, int group, double x, double y);

  double width_, height_;
  Svg svg_;
  Scale x_, y_;
  std::vector<std::string> x_names_;  // in full
};

}  // namespace craton
