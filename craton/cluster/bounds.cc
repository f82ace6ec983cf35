#include "craton/cluster/bounds.h"

#include "craton/base/error.h"
#include "craton/kernels/differences.h"

namespace craton {

RowBounds::RowBounds(Index rows, Index parts, double unit)
    : labels(usize(rows), -1),
      parts_(parts),
      unit_(unit > 0 ? std::ldexp(1.0, std::ilogb(unit)) : 1),
      inverse_(1 / unit_),
      own_(usize(rows)),
      other_(usize(rows * parts)) {
  CRATON_ASSERT(parts > 0 && parts <= 64);
}

void RowBounds::start(std::vector<std::int32_t> part_of_centres) {
  std::fill(labels.begin(), labels.end(), -1);
  part_of_ = std::move(part_of_centres);
  moved_.assign(part_of_.size(), 0);
  others_moved_.assign(part_of_.size(), 0);
  part_moved_.assign(usize(parts_), 0);
  halves_.assign(part_of_.size(), 0);
}

std::uint64_t RowBounds::doubtful_parts(std::size_t row, double own) const {
  const std::size_t c = centre_of(row), mine = usize(part_of_[c]);
  if (own < halves_[c]) return 0;
  const float* kept = &other_[row * usize(parts_)];
  std::uint64_t result = 0;
  for (std::size_t p = 0; p < usize(parts_); ++p) {
    result |= std::uint64_t{!farther(own, part_moved_[p], kept[p])} << p;
  }
  const std::uint64_t bit = std::uint64_t{1} << mine;
  result = farther(own, others_moved_[c], kept[mine]) ? result & ~bit : result | bit;
  return result == 0 ? 0 : result | bit;
}

void RowBounds::move(const Array& before, const Array& after) {
  const Index k = after.rows(), d = after.cols();
  margin_ = 4 * static_cast<double>(d + 16) * 0x1p-52;
  struct Longest {
    double first = 0, second = 0;
    Index fastest = -1;
  };
  std::vector<Longest> longest(usize(parts_));
  for (Index c = 0; c < k; ++c) {
    const double moved = at_most(squared_distance(before.view().row(c), after.view().row(c), d));
    moved_[usize(c)] += moved;
    Longest& part = longest[usize(part_of_[usize(c)])];
    if (moved > part.first) {
      part = {moved, part.first, c};
    } else {
      part.second = std::max(part.second, moved);
    }
  }
  for (std::size_t p = 0; p < longest.size(); ++p) part_moved_[p] += longest[p].first;
  for (Index c = 0; c < k; ++c) {
    const Longest& part = longest[usize(part_of_[usize(c)])];
    others_moved_[usize(c)] += c == part.fastest ? part.second : part.first;
  }
  // Worth its k^2 distances when there are more rows.
  halves_.assign(usize(k), 0);
  if (k * k > std::ssize(labels)) return;
  halves_.assign(usize(k), INFINITY);
  std::vector<double> squared(usize(k));
  for (Index c = 0; c < k; ++c) {
    squared_distances(after.view().row(c), after.values.data(), c, d, squared.data());
    for (Index other = 0; other < c; ++other) {
      const double half = std::sqrt(squared[usize(other)]) / 2 * (1 - margin_);
      halves_[usize(c)] = std::min(halves_[usize(c)], half);
      halves_[usize(other)] = std::min(halves_[usize(other)], half);
    }
  }
}

}  // namespace craton
