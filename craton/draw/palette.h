#pragma once
#include <span>
#include <string>
#include <string_view>

#include "craton/draw/svg.h"

// Colours and marks for groups. The colours are those of Okabe and Ito ("Color universal design",
// 2002; Wong, Nature Methods 8:441, 2011), which colour-blind people tell apart, too. After eight
// groups they repeat, with another mark.

namespace craton {

enum class Mark { kDisc, kTriangle, kSquare, kDiamond };

struct GroupStyle {
  std::string_view colour;
  Mark mark = Mark::kDisc;
};

GroupStyle group_style(int group);  // negative: no group, in grey

// The mean of the groups' colours, weighted by shares that are not negative; rounded, so that many
// points have few colours.
std::string mixed_colour(std::span<const double> shares);

// In the colours of the group (<g>) around it. Marks of one radius cover about the same area.
void draw_mark(Svg& svg, Mark mark, double x, double y, double radius);

}  // namespace craton
