#include "craton/report/plots/borders.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "craton/classes/bayes_rule.h"
#include "craton/draw/axes.h"
#include "craton/report/plots/marks.h"

// Lines by marching squares: in a cell whose corners have different labels a and b, log p(a | x) -
// log p(b | x) is 0 on a line between two of its edges (Lorensen and Cline, SIGGRAPH 1987).

namespace craton {
namespace {

constexpr Index kAcross = 90, kUp = 60;  // cells

struct Point {
  double x, y;
};

// log p(label | x) at the corners of the cells.
class Grid {
 public:
  Grid(const Fitted& fitted, std::span<const double> middle, const PlotColumns& columns,
       const Box& box, const Exec& exec)
      : box_(box), k_(usize(fitted.model->classes())) {
    const PictureAxis across{.column = columns.across,
                             .at = evenly(box.left, box.right, kAcross + 1)};
    std::vector<double> row(middle.begin(), middle.end());
    for (const double up : evenly(box.bottom, box.top, kUp + 1)) {
      row[usize(columns.up)] = up;
      const std::vector<double> found =
          log_probabilities(fitted, rows_along(fitted, row, across), exec);
      log_p_.insert(log_p_.end(), found.begin(), found.end());
    }
  }
  Point at(Index c, Index r) const {
    const double across = static_cast<double>(c) / kAcross, up = static_cast<double>(r) / kUp;
    return {box_.left + across * (box_.right - box_.left),
            box_.bottom + up * (box_.top - box_.bottom)};
  }
  std::span<const double> log_p(Index c, Index r) const {
    return std::span(log_p_).subspan(usize(r * (kAcross + 1) + c) * k_, k_);
  }

 private:
  Box box_;
  std::size_t k_;
  std::vector<double> log_p_;
};

struct Corner {
  Point point;
  std::span<const double> log_p;
};

// Where a and b are level on the edge from p to q, and no other label is above them.
void cross(const Corner& p, const Corner& q, std::size_t a, std::size_t b,
           std::vector<Point>& found) {
  const double f = p.log_p[a] - p.log_p[b], g = q.log_p[a] - q.log_p[b];
  if (!std::isfinite(f) || !std::isfinite(g) || (f > 0) == (g > 0)) return;
  const double t = f / (f - g);
  const auto between = [&](double here, double there) { return here + t * (there - here); };
  const double level = between(p.log_p[a], q.log_p[a]);
  for (std::size_t c = 0; c < p.log_p.size(); ++c) {
    if (c != a && c != b && between(p.log_p[c], q.log_p[c]) > level) return;
  }
  found.push_back({between(p.point.x, q.point.x), between(p.point.y, q.point.y)});
}

}  // namespace

std::vector<Segment> border_lines(const Fitted& fitted, std::span<const double> middle,
                                  const PlotColumns& columns, const Box& box, const Exec& exec) {
  const Grid grid(fitted, middle, columns, box, exec);
  std::vector<Segment> lines;
  for (Index r = 0; r < kUp; ++r) {
    for (Index c = 0; c < kAcross; ++c) {
      std::array<Corner, 4> corners;  // around the cell
      std::set<Index> labels;
      for (std::size_t i = 0; i < 4; ++i) {
        const Index u = c + (i == 1 || i == 2 ? 1 : 0), v = r + (i >= 2 ? 1 : 0);
        corners[i] = {grid.at(u, v), grid.log_p(u, v)};
        labels.insert(best_of(corners[i].log_p));
      }
      for (auto a = labels.begin(); a != labels.end(); ++a) {
        for (auto b = std::next(a); b != labels.end(); ++b) {
          std::vector<Point> ends;
          for (std::size_t i = 0; i < 4; ++i) {
            cross(corners[i], corners[(i + 1) % 4], usize(*a), usize(*b), ends);
          }
          for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
            lines.push_back({ends[i].x, ends[i].y, ends[i + 1].x, ends[i + 1].y});
          }
        }
      }
    }
  }
  return lines;
}

}  // namespace craton
