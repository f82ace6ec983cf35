#include "craton/draw/heading.h"

#include <algorithm>

#include "craton/draw/text.h"

namespace craton {
namespace {

constexpr double kTitleSize = 17;
constexpr double kTitleLine = kTitleSize + 6;
constexpr double kSubtitleLine = kNameSize + 6;

Index characters_in(double room, double font_size) {
  return std::max<Index>(1, static_cast<Index>(room / text_width("x", font_size)));
}

}  // namespace

std::string fitted_text(std::string_view text, double room, double font_size) {
  return shorten(clean_text(text), characters_in(room, font_size));
}

Heading::Heading(const std::string& title, const std::string& subtitle, double room)
    : title_(wrap(clean_text(title), characters_in(room, kTitleSize))),
      subtitle_(wrap(clean_text(subtitle), characters_in(room, kNameSize))) {
  constexpr std::size_t kMostLines = 3, kMostTitleLines = 2;
  if (title_.size() > kMostTitleLines) {
    title_.resize(kMostTitleLines);
    title_.back() = shorten(title_.back() + " \u2026", characters_in(room, kTitleSize));
  }
  if (subtitle_.size() > kMostLines) subtitle_.resize(kMostLines);
}

double Heading::bottom() const {
  double bottom = kPictureMargin;
  bottom += static_cast<double>(title_.size()) * kTitleLine;
  return bottom + static_cast<double>(subtitle_.size()) * kSubtitleLine + 8;
}

void Heading::draw(Svg& svg, double left) const {
  double baseline = kPictureMargin - 4;
  for (const std::string& line : title_) {
    baseline += &line == &title_.front() ? kTitleSize : kTitleLine;
    svg.text(left, baseline, line,
             {{"font-size", kTitleSize}, {"font-weight", "600"}, {"fill", kInk}});
  }
  for (const std::string& line : subtitle_) {
    baseline += kSubtitleLine + (&line == &subtitle_.front() ? 1 : 0);
    svg.text(left, baseline, line, {{"font-size", kNameSize}, {"fill", kSoftInk}});
  }
}

}  // namespace craton
