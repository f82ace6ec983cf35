#include "craton/draw/band.h"

#include "craton/base/error.h"

namespace craton {

// Forth along the upper curve and back along the lower.
void draw_bands(Frame& frame, std::span<const Band> bands) {
  for (const Band& band : bands) {
    CRATON_ASSERT(band.low.size() == band.x.size() && band.high.size() == band.x.size());
    std::string forth, back;
    for (std::size_t i = 0; i < band.x.size(); ++i) {
      if (!can_draw(band.x[i]) || !can_draw(band.low[i]) || !can_draw(band.high[i])) continue;
      const std::string x = svg_number(frame.x(band.x[i])) + " ";
      forth += (forth.empty() ? "M" : "L") + x + svg_number(frame.y(band.high[i]));
      back = "L" + x + svg_number(frame.y(band.low[i])) + back;
    }
    if (forth.empty()) continue;
    frame.svg().add("path",
                    {{"d", forth + back + "Z"}, {"fill", "#444444"}, {"fill-opacity", 0.12}});
  }
}

}  // namespace craton
