#include "craton/classes/count_estimates.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "craton/core/error.h"
#include "craton/kernels/exp_log.h"

namespace craton {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// log(sums + alpha) of a row of counts, and log of their sum.
double log_counts(std::span<const double> sums, std::span<const double> alpha,
                  std::span<double> out) {
  double total = 0;
  for (std::size_t j = 0; j < sums.size(); ++j) {
    out[j] = sums[j] + alpha[j];
    total += out[j];
  }
  const bool zeros = std::any_of(out.begin(), out.end(), [](double v) { return v <= 0; });
  if (zeros) {
    for (double& v : out) v = v > 0 ? std::log(v) : kNever;
  } else {
    log_all(out);
  }
  return total > 0 ? std::log(total) : 0;
}

}  // namespace

std::vector<double> feature_alphas(double alpha, const Array& given, Index columns) {
  if (given.empty()) return std::vector<double>(usize(columns), alpha);
  if (ssize(given.values) != columns) {
    throw InputError(
        Code::kBadShape, {},
        fmt::format("feature_alpha has {} values for {} features", given.values.size(), columns),
        "Give one for each feature, in their order.");
  }
  for (const double a : given.values) {
    if (a >= 0 && std::isfinite(a)) continue;
    throw InputError(Code::kBadOption, {}, fmt::format("feature_alpha has the value {}", a),
                     "It is added to counts: 0 or more.");
  }
  return given.values;
}

Array multinomial_estimate(const FeatureSums& s, std::span<const double> alpha) {
  const std::size_t d = usize(s.columns());
  Array result{{s.classes(), s.columns()}, std::vector<double>(s.sums().size())};
  for (std::size_t c = 0; c < usize(s.classes()); ++c) {
    const std::span<double> row(&result.values[c * d], d);
    const double log_total = log_counts({&s.sums()[c * d], d}, alpha, row);
    for (double& v : row) v -= log_total;
  }
  return result;
}

Array bernoulli_estimate(const FeatureSums& s, std::span<const double> alpha) {
  const std::size_t d = usize(s.columns());
  Array result{{s.classes(), s.columns()}, std::vector<double>(s.sums().size())};
  for (std::size_t c = 0; c < usize(s.classes()); ++c) {
    for (std::size_t j = 0; j < d; ++j) {
      const double count = s.sums()[c * d + j] + alpha[j], rows = s.weight()[c] + 2 * alpha[j];
      // Of a class without rows, and without a prior, nothing is known: any outcome may be.
      result.values[c * d + j] = rows > 0 ? std::log(count) - std::log(rows) : std::log(0.5);
    }
  }
  return result;
}

Array complement_weights(const FeatureSums& s, std::span<const double> alpha, bool norm) {
  const std::size_t d = usize(s.columns()), k = usize(s.classes());
  std::vector<double> all(d), others(d);
  for (std::size_t c = 0; c < k; ++c) {
    for (std::size_t j = 0; j < d; ++j) all[j] += s.sums()[c * d + j];
  }
  Array result{{s.classes(), s.columns()}, std::vector<double>(s.sums().size())};
  for (std::size_t c = 0; c < k; ++c) {
    for (std::size_t j = 0; j < d; ++j) others[j] = all[j] - s.sums()[c * d + j];
    const std::span<double> row(&result.values[c * d], d);
    const double log_total = log_counts(others, alpha, row);
    for (std::size_t j = 0; j < d; ++j) {
      if (row[j] == kNever) {
        throw InputError(
            Code::kBadOption, {},
            fmt::format("alpha is 0, and the classes but {} never have feature {}", c, j),
            "Give alpha above 0.");
      }
      row[j] -= log_total;
    }
    const double sum = norm ? std::accumulate(row.begin(), row.end(), 0.0) : -1;
    for (double& v : row) v /= sum;
  }
  return result;
}

}  // namespace craton
