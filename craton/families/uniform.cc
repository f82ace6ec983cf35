#include "craton/families/uniform.h"

#include <algorithm>
#include <cmath>

#include "craton/families/gaussian.h"

namespace craton {

Uniform Uniform::estimate(const Range& seen, const Estimation& how) {
  const double width = std::sqrt(12.0) * least_deviation(seen.low, how);
  if (seen.high - seen.low >= width) return {seen.low, seen.high};
  const double centre = seen.low + (seen.high - seen.low) / 2;
  return {centre - width / 2, centre + width / 2};
}

double Uniform::cdf(double x) const { return std::clamp((x - low) / (high - low), 0.0, 1.0); }

}  // namespace craton
