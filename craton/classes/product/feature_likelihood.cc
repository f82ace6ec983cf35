#include "craton/classes/product/feature_likelihood.h"

#include <cmath>

namespace craton {
namespace {

// n log p, where what never happens may be impossible.
double times_log(double n, double log_p) { return n == 0 ? 0 : n * log_p; }

double log_density(const Family& family, double x, const Parameters& parameters) {
  double out = 0;
  family.log_density({&x, 1}, parameters, {&out, 1});
  return out;
}

double of_counts(const Feature& feature, const Counts& seen, const Parameters& p) {
  double sum = 0;
  for (std::size_t level = 0; level < seen.counts.size(); ++level) {
    const double log_width = feature.buckets ? feature.log_width(static_cast<Index>(level)) : 0;
    sum += times_log(seen.counts[level], std::log(p[level]) - log_width);
  }
  return sum;
}

// natural . sum T - n A, and what is constant.
double of_terms(const Family& family, const Statistics& seen, const Parameters& parameters,
                const Coordinate& at) {
  const double n = weight(seen);
  if (n == 0) return 0;
  const Natural natural = *family.natural(family.moved(parameters, at));
  const std::vector<double> sums = to_terms(seen, at);
  double sum = n * (family.constant_log_base().value_or(0) - std::log(at.unit));
  if (!std::isfinite(natural.log_partition)) {
    // All on one value, which is the mean: a Bernoulli family of p = 0 or 1.
    const double mean = family.mean(parameters);
    return sum + n * (log_density(family, mean, parameters) -
                      family.sufficient(mean, parameters)->log_base);
  }
  sum -= n * natural.log_partition;
  for (std::size_t i = 0; i < natural.natural.size(); ++i) {
    sum += times_log(sums[static_cast<std::size_t>(family.terms()[i])], natural.natural[i]);
  }
  return sum;
}

}  // namespace

Coordinate coordinate_of(const Family& family, std::span<const double> weights,
                         std::span<const Parameters> parameters) {
  if (family.moves() == Moves::kNot) return {};
  double mean = 0, square = 0;
  for (std::size_t z = 0; z < weights.size(); ++z) mean += weights[z] * family.mean(parameters[z]);
  for (std::size_t z = 0; z < weights.size(); ++z) {
    const double away = family.mean(parameters[z]) - mean;
    square += weights[z] * (family.variance(parameters[z]) + away * away);
  }
  Coordinate at{mean, std::sqrt(square)};
  if (family.moves() == Moves::kScale) at = {0, mean};
  const bool sound = std::isfinite(at.origin) && std::isnormal(at.unit) && at.unit > 0 &&
                     std::isnormal(1 / at.unit);
  return sound ? at : Coordinate{};
}

double expected_log_density(const Feature& feature, const Statistics& statistics,
                            const Parameters& parameters, const Coordinate& at) {
  const Family& family = *feature.family;
  if (const auto* counts = std::get_if<Counts>(&statistics)) {
    return of_counts(feature, *counts, parameters);
  }
  if (!family.terms().empty()) return of_terms(family, statistics, parameters, at);
  if (const auto* range = std::get_if<Range>(&statistics)) {
    return range->weight == 0 ? 0 : range->weight * log_density(family, range->low, parameters);
  }
  double sum = 0;
  for (const auto& [x, w] : std::get<Values>(statistics).values) {
    sum += w * log_density(family, x, parameters);
  }
  return sum;
}

}  // namespace craton
