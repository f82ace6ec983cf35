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

// What areas of a group are filled with: its colour, and after eight groups a lighter one, then a
// darker one, as areas have no marks.
std::string group_fill(int group);

// The mean of the groups' fills, weighted by shares that are not negative; rounded, so that many
// points have few colours.
std::string mixed_colour(std::span<const double> shares);

// In the colours of the group (<g>) around it. Marks of one radius cover about the same area.
void draw_mark(Svg& svg, Mark mark, double x, double y, double radius, std::string_view told = {});

// A colour (#rrggbb) on its way to white, 1 being there.
std::string lightened(std::string_view colour, double share);
// From white to dark blue as `share` goes from 0 to 1, lighter for the less.
std::string shade(double share);
bool is_dark(std::string_view colour);  // so that white words are read better on it

}  // namespace craton
