#include "craton/draw/panels.h"

#include <algorithm>

#include "craton/base/error.h"
#include "craton/draw/frame.h"
#include "craton/draw/svg.h"
#include "craton/draw/text.h"

namespace craton {

std::string draw_panels(const std::string& title, std::span<const std::string> pictures,
                        int across) {
  CRATON_ASSERT(!pictures.empty() && across > 0);
  constexpr double kWidth = 480, kHeight = kWidth * Frame::kHeight / Frame::kWidth;
  constexpr double kTitle = 40, kTitleSize = 18, kTitleLine = 24, kCharacter = 10;
  const int count = static_cast<int>(pictures.size()), columns = std::min(across, count);
  const int rows = (count + columns - 1) / columns;
  const double width = columns * kWidth;
  const std::vector<std::string> lines =
      wrap(clean_text(title), static_cast<Index>((width - kTitle) / kCharacter));
  const double top =
      kTitle + kTitleLine * static_cast<double>(std::max<std::size_t>(1, lines.size()) - 1);
  Svg svg(width, top + rows * kHeight, title);
  double baseline = kTitle - kTitleSize / 2;
  for (const std::string& line : lines) {
    svg.text(kTitle / 2, baseline, line,
             {{"font-size", kTitleSize}, {"font-weight", "600"}, {"fill", "#222222"}});
    baseline += kTitleLine;
  }
  for (int i = 0; i < count; ++i) {
    svg.nest(i % columns * kWidth, top + i / columns * kHeight, kWidth,
             pictures[static_cast<std::size_t>(i)]);
  }
  return svg.finish();
}

}  // namespace craton
