#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "craton/draw/curve.h"
#include "craton/draw/panels.h"

// Draws what scaling.py measured: lines "rows COUNT SECONDS" and "clusters COUNT SECONDS" from
// stdin, as two pictures with logarithmic axes on stdout.

namespace {

struct Points {
  std::vector<double> count, seconds;
};

// Beside the times, those that were in proportion to the first.
std::string picture(const std::string& what, const Points& points) {
  craton::Series measured{.name = "measured", .x = {}, .y = {}};
  craton::Series proportion{.name = "in proportion", .x = {}, .y = {}};
  for (std::size_t i = 0; i < points.count.size(); ++i) {
    if (!(points.seconds[i] > 0)) continue;  // too short to tell
    const double x = std::log10(points.count[i]), y = std::log10(1e3 * points.seconds[i]);
    measured.x.push_back(x);
    measured.y.push_back(y);
    proportion.x.push_back(x);
    proportion.y.push_back(measured.y[0] + x - measured.x[0]);
  }
  return craton::draw_curve({.title = "by " + what,
                             .x_name = "log10 of " + what,
                             .y_name = "log10 of CPU milliseconds",
                             .series = {measured, proportion}});
}

}  // namespace

int main() {
  Points rows, clusters;
  std::string what;
  double count = 0, seconds = 0;
  while (std::cin >> what >> count >> seconds) {
    Points& points = what == "rows" ? rows : clusters;
    points.count.push_back(count);
    points.seconds.push_back(seconds);
  }
  const std::vector<std::string> pictures{picture("rows", rows), picture("clusters", clusters)};
  std::cout << craton::draw_panels("CPU time of one iteration of k-means", pictures, 2);
  return std::cout ? 0 : 1;
}
