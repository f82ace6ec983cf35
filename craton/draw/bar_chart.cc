#include "craton/draw/bar_chart.h"

#include <fmt/core.h>

#include <algorithm>

#include "craton/draw/axes.h"
#include "craton/draw/heading.h"
#include "craton/draw/palette.h"
#include "craton/draw/text.h"

namespace craton {
namespace {

constexpr double kBetween = 28;  // panels
constexpr double kPanelTitleSize = 14, kValueSize = 11;
constexpr double kRow = 20, kThickness = 14, kPanelHead = 26;
constexpr double kBarRoom = 130, kNameGap = 7, kValueGap = 4;

std::string name_of(const Bar& bar) {
  constexpr Index kLongest = 40;  // characters
  return shorten(clean_text(bar.name), kLongest);
}

std::string value_of(const Bar& bar) { return fmt::format("{:.3g}", bar.value); }

// What all panels have in common.
struct Layout {
  AxisRange range;
  double names = 0, left = 0, right = 0;  // room for names, and for values on either side
  Index across = 1, most_bars = 0;

  explicit Layout(const BarChart& chart) {
    constexpr Index kMostAcross = 4;
    range.add(0);
    for (const BarPanel& panel : chart.panels) {
      most_bars = std::max(most_bars, ssize(panel.bars));
      for (const Bar& bar : panel.bars) add(bar);
    }
    if (!(range.width() > 0)) range.add(1);
    while (across < kMostAcross && across * across < ssize(chart.panels)) ++across;
  }
  void add(const Bar& bar) {
    names = std::max(names, text_width(name_of(bar), kNameSize));
    if (!can_draw(bar.value)) return;
    range.add(bar.value);
    if (bar.error > 0) range.add(bar.value - bar.error), range.add(bar.value + bar.error);
    double& room = bar.value < 0 ? left : right;
    room = std::max(room, text_width(value_of(bar), kValueSize) + kValueGap);
  }
  double width() const { return names + kNameGap + left + kBarRoom + right; }
  double height() const { return kPanelHead + static_cast<double>(most_bars) * kRow; }
};

void draw_error(Svg& svg, const Scale& across, const Bar& bar, double y) {
  svg.add("line", {{"x1", across(bar.value - bar.error)},
                   {"y1", y},
                   {"x2", across(bar.value + bar.error)},
                   {"y2", y},
                   {"stroke", kInk},
                   {"stroke-width", 1.6}});
}

void draw_panel(Svg& svg, const BarPanel& panel, const Layout& layout, double x, double y) {
  const double from = x + layout.names + kNameGap + layout.left;
  const Scale across{layout.range, from, from + kBarRoom};
  constexpr const char* kZero = "#999999";
  const double zero = across(0);
  svg.text(x, y + kPanelTitleSize, fitted_text(panel.title, layout.width(), kPanelTitleSize),
           {{"font-size", kPanelTitleSize}, {"font-weight", "600"}, {"fill", kInk}});
  y += kPanelHead;
  const double bottom = y + static_cast<double>(panel.bars.size()) * kRow;
  svg.add("line", {{"x1", zero}, {"y1", y}, {"x2", zero}, {"y2", bottom}, {"stroke", kZero}});
  for (const Bar& bar : panel.bars) {
    const double baseline = y + kRow / 2 + 0.36 * kNameSize;
    svg.text(x + layout.names, baseline, name_of(bar),
             {{"font-size", kNameSize}, {"text-anchor", "end"}, {"fill", kInk}});
    if (can_draw(bar.value)) {
      const bool less = bar.value < 0;
      const double end = across(bar.value);
      svg.add("rect",
              {{"x", std::min(zero, end)},
               {"y", y + (kRow - kThickness) / 2},
               {"width", std::max(zero, end) - std::min(zero, end)},
               {"height", kThickness},
               {"fill", group_style(less ? 1 : 0).colour}},
              fmt::format("{}: {}{}", bar.name, value_of(bar),
                          bar.error > 0 ? fmt::format(" \u00b1 {:.2g}", bar.error) : ""));
      if (bar.error > 0 && can_draw(bar.error)) draw_error(svg, across, bar, y + kRow / 2);
      svg.text(
          less ? across(bar.value - bar.error) - kValueGap
               : across(bar.value + bar.error) + kValueGap,
          baseline, value_of(bar),
          {{"font-size", kValueSize}, {"text-anchor", less ? "end" : "start"}, {"fill", kSoftInk}});
    }
    y += kRow;
  }
}

}  // namespace

std::string draw_bar_chart(const BarChart& chart) {
  constexpr double kMargin = kPictureMargin, kLeastWidth = 480;  // of titles
  const Layout layout(chart);
  const double step = layout.width() + kBetween, down = layout.height() + kBetween;
  const Index count = ssize(chart.panels), rows = (count + layout.across - 1) / layout.across;
  const double width =
      std::max(kLeastWidth, static_cast<double>(std::min(layout.across, count)) * step - kBetween);
  const Heading heading(chart.title, chart.subtitle, width);
  Svg svg(width + 2 * kMargin, heading.bottom() + static_cast<double>(rows) * down, chart.title);
  heading.draw(svg, kMargin);
  for (Index i = 0; i < count; ++i) {
    draw_panel(svg, chart.panels[usize(i)], layout,
               kMargin + static_cast<double>(i % layout.across) * step,
               heading.bottom() + static_cast<double>(i / layout.across) * down);
  }
  return svg.finish();
}

}  // namespace craton
