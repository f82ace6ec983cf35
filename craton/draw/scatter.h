#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "craton/draw/axes.h"
#include "craton/draw/band.h"
#include "craton/draw/contours.h"

namespace craton {

// Groups are 0, 1, ...; a group of -1 means none.

// radius_1 along `angle`, counter-clockwise from the x axis in radians; radius_2 across it. The
// covariance [a b; b c] at m standard deviations has radii m sqrt(eigenvalues).
struct Ellipse {
  double x = 0, y = 0, radius_1 = 0, radius_2 = 0, angle = 0;
  int group = -1;
  double weight = 1;  // in [0, 1]: the lighter, the fainter
};

struct Centre {
  double x = 0, y = 0;
  int group = -1;
};

// A short piece of a line.
struct Segment {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

// A piece of the ground, from (x1, y1) to (x2, y2), with words on it and words for who points at
// it; either may be "". On an axis of words each reaches from half a step before to half behind.
struct Patch {
  double x1 = 0, x2 = 0, y1 = 0, y2 = 0;
  std::string colour = {}, told = {}, written = {};
};

// The lines of one level of a surface.
struct ContourLevel {
  std::vector<ContourLine> lines = {};
};

struct Scatter {
  std::string title = {}, subtitle = {}, x_name = {}, y_name = {};
  std::vector<double> x = {}, y = {};
  std::vector<std::int32_t> group = {};  // of each point; empty: all in group 0
  // Soft colours: how much of each point belongs to each group, row after row; the colours mix.
  std::vector<double> shares = {};
  std::vector<double> size = {};  // in proportion to the area of each; empty: all alike
  // The axes are of words at 0, 1, ...: points lie beside each other about their places.
  std::vector<std::string> x_names = {}, y_names = {};
  bool x_whole = false, y_whole = false;  // whole numbers: the same
  bool spread = true;                     // they do so; else exactly at their places
  AxisRange y_range = {};           // wider than the data, to be alike in pictures side by side
  std::vector<Patch> patches = {};  // below all else
  std::vector<Centre> centres = {};
  std::vector<Ellipse> ellipses = {};
  std::vector<Band> bands = {};             // one over the other, in grey, below the points
  std::vector<ContourLevel> contours = {};  // each darker than the one before
  bool borders_count = false;               // the axes show all of the borders
  std::vector<Segment> borders = {};        // drawn dark; what lies outside the axes is cut off
  std::vector<std::string> legend = {};     // the name of group g; empty: no legend
  bool patches_to_ends = true;              // the axes end where patches do
  bool legend_areas = false;                // legend marks are areas, as patches are
  std::string no_group = "no group";        // what group -1 is called there
  bool small = false;                       // to lie beside others (panels.h)
};

// A border through these points.
void add_border(Scatter& scatter, std::span<const double> x, std::span<const double> y);

// An SVG picture. Points that are not finite are left out, and of very many an even choice is
// drawn; the subtitle says so. Points tell what they are if they are not many. requires as many y,
// group and size (if any) as x, a whole number of shares for each, and in a band as many of
// everything.
std::string draw_scatter(const Scatter& scatter);

}  // namespace craton
