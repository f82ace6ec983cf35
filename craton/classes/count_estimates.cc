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

constexpr double kInfinite = std::numeric_limits<double>::infinity(), kNever = -kInfinite;

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

[[noreturn]] void refuse_value(const char* option, double value, const char* fix) {
  throw InputError(Code::kBadOption, {}, fmt::format("{} has the value {}", option, value), fix);
}

// One number of 0 or more for each feature, or none.
void check_each(const char* option, const Array& given, Index columns, const char* fix) {
  if (given.empty()) return;
  if (ssize(given.values) != columns) {
    throw InputError(
        Code::kBadShape, {},
        fmt::format("{} has {} values for {} features", option, given.values.size(), columns),
        "Give one for each feature, in their order.");
  }
  for (const double v : given.values) {
    if (!(v >= 0 && std::isfinite(v))) refuse_value(option, v, fix);
  }
}

void check_smoothing(const CountSmoothing& s, Index columns) {
  check_each("feature_alpha", s.feature_alpha, columns, "It is added to counts: 0 or more.");
  check_each("prior_p", s.prior_p, columns, "It is a probability: from 0 to 1.");
  if (s.feature_alpha.empty() || (s.m == 0 && s.prior_p.empty())) return;
  throw InputError(Code::kBadOption, {}, "feature_alpha and an m-estimate are both given",
                   "Give feature_alpha, or m and prior_p: alpha_j = m p_j.");
}

}  // namespace

void describe(OptionVisitor& v, CountSmoothing& s) {
  v.number("alpha", s.alpha, 0, kInfinite, "added to every count; 0: the shares of the counts");
  v.array("feature_alpha", s.feature_alpha, "the same for each feature");
  v.number("m", s.m, 0, kInfinite,
           "weight of prior_p in an m-estimate, instead of alpha; 0: none, or alpha = 1's");
  v.array("prior_p", s.prior_p, "probabilities of the features in an m-estimate");
}

Alphas count_alphas(const CountSmoothing& s, Index columns) {
  check_smoothing(s, columns);
  if (!s.feature_alpha.empty()) return {s.feature_alpha.values, {}};
  if (s.m == 0 && s.prior_p.empty()) return {std::vector<double>(usize(columns), s.alpha), {}};
  const double all = static_cast<double>(columns), m = s.m > 0 ? s.m : all;
  if (s.prior_p.empty()) return {std::vector<double>(usize(columns), m / all), {}};
  Alphas result{s.prior_p.values, {}};
  const double sum = std::accumulate(result.there.begin(), result.there.end(), 0.0);
  if (!(std::abs(sum - 1) <= 1e-6)) {
    throw InputError(Code::kBadOption, {}, fmt::format("prior_p sums to {}", sum),
                     "Of counts it is the share of each feature: they sum to 1.");
  }
  for (double& v : result.there) v *= m;
  return result;
}

Alphas presence_alphas(const CountSmoothing& s, Index columns) {
  check_smoothing(s, columns);
  const std::size_t d = usize(columns);
  if (!s.feature_alpha.empty()) return {s.feature_alpha.values, s.feature_alpha.values};
  if (s.m == 0 && s.prior_p.empty()) {
    return {std::vector<double>(d, s.alpha), std::vector<double>(d, s.alpha)};
  }
  const double m = s.m > 0 ? s.m : 2;
  Alphas result{std::vector<double>(d, m / 2), std::vector<double>(d, m / 2)};
  for (std::size_t j = 0; j < s.prior_p.values.size(); ++j) {
    const double p = s.prior_p.values[j];
    if (p > 1) refuse_value("prior_p", p, "It is a probability: from 0 to 1.");
    result.there[j] = m * p;
    result.absent[j] = m * (1 - p);
  }
  return result;
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

Array bernoulli_estimate(const FeatureSums& s, const Alphas& alphas) {
  const std::size_t d = usize(s.columns());
  Array result{{s.classes(), s.columns()}, std::vector<double>(s.sums().size())};
  for (std::size_t c = 0; c < usize(s.classes()); ++c) {
    for (std::size_t j = 0; j < d; ++j) {
      const double count = s.sums()[c * d + j] + alphas.there[j];
      const double rows = s.weight()[c] + (alphas.there[j] + alphas.absent[j]);
      // Of a class without rows, and without a prior, nothing is known: any outcome may be.
      result.values[c * d + j] = rows > 0 ? std::log(count) - std::log(rows) : std::log(0.5);
    }
  }
  return result;
}

Array mean_lengths(const FeatureSums& s) {
  const Index d = s.columns();
  Array result{{s.classes()}, {}};
  for (Index c = 0; c < s.classes(); ++c) {
    const auto first = s.sums().begin() + c * d;
    const double weight = s.weight()[usize(c)], sum = std::accumulate(first, first + d, 0.0);
    result.values.push_back(weight > 0 ? sum / weight : 0);
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
