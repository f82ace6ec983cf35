#include "craton/kernels/nearness.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "craton/kernels/differences.h"

namespace craton {
namespace {

using Numbers = std::span<std::int32_t>;

std::int32_t farthest(const Array& points, Numbers numbers, const double* from) {
  std::int32_t result = numbers[0];
  double most = -1;
  for (const std::int32_t i : numbers) {
    const double squared = squared_distance(points.view().row(i), from, points.cols());
    if (squared > most) {
      most = squared;
      result = i;
    }
  }
  return result;
}

void halve(const Array& points, Numbers numbers, Index parts) {
  if (parts < 2 || numbers.size() < 2) return;
  const Index d = points.cols();
  const double* a = points.view().row(farthest(points, numbers, points.view().row(numbers[0])));
  const double* b = points.view().row(farthest(points, numbers, a));
  std::vector<std::pair<double, std::int32_t>> along;
  for (const std::int32_t i : numbers) {
    double dot = 0;
    for (Index j = 0; j < d; ++j) dot += points.view().row(i)[j] * (b[j] - a[j]);
    along.emplace_back(dot, i);
  }
  std::sort(along.begin(), along.end());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = along[i].second;
  const Index left = parts / 2;
  const std::size_t cut = numbers.size() * usize(left) / usize(parts);
  halve(points, numbers.first(cut), left);
  halve(points, numbers.subspan(cut), parts - left);
}

}  // namespace

std::vector<std::int32_t> order_by_nearness(const Array& points, Index parts) {
  std::vector<std::int32_t> order(usize(points.rows()));
  std::iota(order.begin(), order.end(), 0);
  halve(points, order, parts);
  return order;
}

}  // namespace craton
