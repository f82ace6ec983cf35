#pragma once
#include <span>
#include <vector>

#include "craton/base/matrix.h"

// Where a function of two numbers, known on a grid, has a level: marching squares. A corner of a
// cell is inside where the function is at least the level; a piece of a line joins the places,
// linear along an edge, where it passes from inside to outside. Where two opposite corners are
// inside, the mean of all four says whether they are joined (Wyvill, McPheeters and Wyvill 1986;
// Lorensen and Cline 1987).

namespace craton {

// values[j * x.size() + i] is at (x[i], y[j]). requires ascending x and y.
struct Surface {
  std::vector<double> x = {}, y = {}, values = {};
};

// From place to place, with what is inside on the left; closed: the first place follows the last.
struct ContourLine {
  std::vector<double> x, y;
  bool closed = false;
};

// In the order of the cell that each begins in, row by row. Cells with a corner that is not finite
// have no line.
std::vector<ContourLine> contour_lines(const Surface& surface, double level);

}  // namespace craton
