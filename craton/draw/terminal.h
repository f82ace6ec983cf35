#pragma once
#include <string>

#include "craton/draw/curve.h"

namespace craton {

// The curve as a dot chart in UTF-8 text, a line for each point:
//
//   n_components      BIC
//              1  2607.60  ····································●
//              2  2322.20  ●                                     ← lowest
//
// One chart below the other for several series, each with a scale of its own. Lines are at most
// `width` characters, if that is 40 or more. Of very many points an even choice is shown, with the
// best and the last among them.
std::string draw_terminal_curve(const Curve& curve, int width);

}  // namespace craton
