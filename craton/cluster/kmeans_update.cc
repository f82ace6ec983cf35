#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/cluster/kmeans.h"
#include "craton/cluster/unit_rows.h"

// Where the centres go: to the means of their rows, or to the directions of their sums.

namespace craton {
namespace {

// The mean of unit vectors below which nothing but rounding is left of it.
constexpr double kVanishing = 1e-14;

// center += (sum - weight center) / seen, for every batch.
void add_shares(const double* __restrict sum, double weight, double seen, std::size_t d,
                double* __restrict center) {
  if (weight == 0) {
    for (std::size_t j = 0; j < d; ++j) center[j] += sum[j] / seen;
  } else {
    for (std::size_t j = 0; j < d; ++j) center[j] += (sum[j] - weight * center[j]) / seen;
  }
}

}  // namespace

// Where the weight is W, the differences from the centre sum to S and the centre moves by delta, J
// changes by delta (W delta - 2 S). A coordinate moves only if J falls: then rounding cannot send
// centres back and forth.
EmStep KMeans::update(const Statistics& s) {
  Array centers = nearest_.centres();
  const std::size_t d = usize(centers.cols());
  EmStep step{.objective = s.objective()};
  bool rescued = false;
  for (std::size_t c = 0; c < usize(classes()); ++c) {
    const double weight = s.weight(c);
    if (weight == 0 && (rescued || s.farthest_ == 0)) continue;
    rescued = rescued || weight == 0;
    for (std::size_t j = 0; j < d; ++j) {
      double& center = centers.values[c * d + j];
      const double sum = s.sum_about_centre(c, j);
      const double next = weight == 0 ? s.farthest_row_[j] : center + sum / weight;
      const double delta = next - center, gain = delta * (2 * sum - weight * delta);
      if (weight > 0 && !(gain > 0)) continue;
      center = next;
      step.shift += delta * delta;
      step.objective += gain;
    }
  }
  nearest_ = NearestCentres(centers, nearest_);
  return step;
}

// The unit vector nearest to the rows of a cluster is the direction of their sum S. Turned to it, a
// centre gains |S| - S.c = |S| |S/|S| - c|^2 / 2. Where S vanishes any direction is as good.
EmStep KMeans::turn(const Statistics& s) {
  Array centers = nearest_.centres();
  const std::size_t d = usize(centers.cols());
  EmStep step{.objective = s.objective()};
  bool rescued = false;
  std::vector<double> next(d);
  for (std::size_t c = 0; c < usize(classes()); ++c) {
    const double weight = s.weight(c);
    const std::span center = std::span(centers.values).subspan(c * d, d);
    if (weight == 0 && (rescued || s.farthest_ == 0)) continue;
    rescued = rescued || weight == 0;
    double length = 0, turned = 0;
    for (std::size_t j = 0; j < d; ++j) {
      next[j] = weight == 0 ? s.farthest_row_[j] : s.sum_about_centre(c, j) / weight + center[j];
      length += next[j] * next[j];
    }
    length = std::sqrt(length);
    if (!(length > kVanishing)) continue;
    make_unit(next);
    for (std::size_t j = 0; j < d; ++j) turned += (next[j] - center[j]) * (next[j] - center[j]);
    std::copy(next.begin(), next.end(), center.begin());
    step.shift += turned;
    step.objective += weight * length * turned / 2;
  }
  nearest_ = NearestCentres(centers, nearest_);
  return step;
}

double KMeans::learn(const Statistics& s, std::vector<double>& seen) {
  Array centers = nearest_.centres();
  const std::size_t d = usize(centers.cols());
  double weight = 0;
  bool rescued = false;
  for (std::size_t c = 0; c < seen.size(); ++c) {
    weight += s.weight_[c];
    seen[c] += s.weight_[c];
    const bool lost = seen[c] == 0 && !rescued && s.farthest_ > 0;
    rescued = rescued || lost;
    double* const center = centers.values.data() + c * d;
    if (lost) {
      std::copy_n(s.farthest_row_.begin(), d, center);
    } else if (s.weight_[c] > 0) {
      add_shares(s.sum_.data() + c * d, s.sparse_ ? s.weight_[c] : 0, seen[c], d, center);
    }
  }
  nearest_ = NearestCentres(centers, nearest_);
  return s.objective() / weight;
}

}  // namespace craton
