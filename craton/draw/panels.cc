#include "craton/draw/panels.h"

#include <algorithm>

#include "craton/base/error.h"
#include "craton/draw/frame.h"
#include "craton/draw/svg.h"

namespace craton {

std::string draw_panels(const std::string& title, std::span<const std::string> pictures,
                        int across) {
  CRATON_ASSERT(!pictures.empty() && across > 0);
  constexpr double kWidth = 480, kHeight = kWidth * Frame::kHeight / Frame::kWidth;
  constexpr double kTitle = 40, kTitleSize = 18;
  const int count = static_cast<int>(pictures.size()), columns = std::min(across, count);
  const int rows = (count + columns - 1) / columns;
  Svg svg(columns * kWidth, kTitle + rows * kHeight, title);
  svg.text(kTitle / 2, kTitle - kTitleSize / 2, title,
           {{"font-size", kTitleSize}, {"font-weight", "600"}, {"fill", "#222222"}});
  for (int i = 0; i < count; ++i) {
    svg.nest(i % columns * kWidth, kTitle + i / columns * kHeight, kWidth,
             pictures[static_cast<std::size_t>(i)]);
  }
  return svg.finish();
}

}  // namespace craton
