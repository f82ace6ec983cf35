#include "craton/classes/counts/count_estimates.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "craton/base/error.h"
#include "craton/base/large_pages.h"
#include "craton/base/parameters.h"
#include "craton/kernels/exp_log.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

double sum_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double log_of(double value) { return value > 0 ? std::log(value) : kNever; }

// log of each; of 0 it is kNever.
void log_each(std::span<double> values) {
  if (std::all_of(values.begin(), values.end(), [](double v) { return v > 0; })) {
    log_all(values);
  } else {
    for (double& v : values) v = log_of(v);
  }
}

std::vector<double> logs_of(std::vector<double> values) {
  log_each(values);
  return values;
}

double log_total(double total) { return total > 0 ? std::log(total) : 0; }

using Nonzero = NonzeroSums::OfClass;

// log of(j, sum) for each feature j whose sum is not 0.
template <class F>
std::vector<double> logs_of(const Nonzero& seen, const F& of) {
  std::vector<double> values;
  for (std::size_t i = 0; i < seen.sums.size(); ++i) {
    values.push_back(of(usize(seen.features[i]), seen.sums[i]));
  }
  return logs_of(std::move(values));
}

// Appends a row: usual[j] - minus, but logs[i] - minus for a feature whose sum is not 0.
void append_row(const Nonzero& seen, std::span<const double> logs, std::span<const double> usual,
                double minus, std::vector<double>& out) {
  const std::size_t first = out.size();
  std::vector<double> row(usual.begin(), usual.end());
  for (double& v : row) v -= minus;
  out.insert(out.end(), row.begin(), row.end());
  for (std::size_t i = 0; i < logs.size(); ++i)
    out[first + usize(seen.features[i])] = logs[i] - minus;
}

Array empty_table(const NonzeroSums& s) {
  return {{s.classes(), s.columns}, room_in_large_pages<double>(usize(s.classes() * s.columns))};
}

[[noreturn]] void refuse_value(const char* option, double value, const char* fix) {
  throw InputError(Code::kBadOption, {}, {"{} has the value {}", Ref::option(option), value}, fix);
}

// One number of 0 or more for each feature, or none.
void check_each(const char* option, const Array& given, Index columns, const char* fix) {
  if (given.empty()) return;
  if (ssize(given.values) != columns) {
    throw InputError(
        Code::kBadShape, {},
        {"{} has {} values for {} features", Ref::option(option), given.values.size(), columns},
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
  throw InputError(Code::kBadOption, {},
                   {"{} and an m-estimate are both given", Ref::option("feature_alpha")},
                   {"Give {}, or m and prior_p: alpha_j = m p_j.", Ref::option("feature_alpha")});
}

}  // namespace

void describe(OptionVisitor& v, CountSmoothing& s) {
  v.number("alpha", s.alpha, 0, kInfinite, "added to every count; 0: the shares of the counts");
  v.array("feature_alpha", s.feature_alpha, "the same for each feature");
  v.number("m", s.m, 0, kInfinite,
           "weight of prior_p in an m-estimate, instead of alpha; 0: none, or alpha = 1's");
  v.array("prior_p", s.prior_p, "probabilities of the features in an m-estimate");
}

double PerFeature::sum() const {
  return alike() ? all_ * static_cast<double>(columns_) : sum_of(each_);
}
double PerFeature::least() const {
  return alike() ? all_ : *std::min_element(each_.begin(), each_.end());
}
std::vector<double> PerFeature::values() const {
  return alike() ? std::vector<double>(usize(columns_), all_) : each_;
}

Alphas count_alphas(const CountSmoothing& s, Index columns) {
  check_smoothing(s, columns);
  if (!s.feature_alpha.empty()) return {PerFeature(s.feature_alpha.values), {}};
  if (s.m == 0 && s.prior_p.empty()) return {PerFeature(s.alpha, columns), {}};
  const double all = static_cast<double>(columns), m = s.m > 0 ? s.m : all;
  if (s.prior_p.empty()) return {PerFeature(m / all, columns), {}};
  std::vector<double> there = s.prior_p.values;
  const double sum = sum_of(there);
  if (!(std::abs(sum - 1) <= 1e-6)) {
    throw InputError(Code::kBadOption, {}, {"{} sums to {}", Ref::option("prior_p"), sum},
                     "Of counts it is the share of each feature: they sum to 1.");
  }
  for (double& v : there) v *= m;
  return {PerFeature(std::move(there)), {}};
}

Alphas presence_alphas(const CountSmoothing& s, Index columns) {
  check_smoothing(s, columns);
  if (!s.feature_alpha.empty()) {
    return {PerFeature(s.feature_alpha.values), PerFeature(s.feature_alpha.values)};
  }
  const double m = s.m > 0 ? s.m : 2;
  if (s.prior_p.empty()) {
    const PerFeature all(s.m == 0 ? s.alpha : m / 2, columns);
    return {all, all};
  }
  std::vector<double> there, absent;
  for (const double p : s.prior_p.values) {
    if (p > 1) refuse_value("prior_p", p, "It is a probability: from 0 to 1.");
    there.push_back(m * p);
    absent.push_back(m * (1 - p));
  }
  return {PerFeature(std::move(there)), PerFeature(std::move(absent))};
}

Array multinomial_estimate(const NonzeroSums& s, const PerFeature& alpha) {
  const std::vector<double> log_alpha = logs_of(alpha.values());
  const double sum = alpha.sum();
  Array result = empty_table(s);
  for (std::size_t c = 0; c < usize(s.classes()); ++c) {
    const Nonzero& seen = s.of_class[c];
    const std::vector<double> logs =
        logs_of(seen, [&](std::size_t j, double n) { return n + alpha[j]; });
    append_row(seen, logs, log_alpha, log_total(seen.total + sum), result.values);
  }
  return result;
}

Array bernoulli_estimate(const NonzeroSums& s, const Alphas& alphas) {
  const PerFeature &there = alphas.there, &absent = alphas.absent;
  const bool alike = there.alike() && absent.alike();
  const std::size_t d = usize(s.columns);
  Array result = empty_table(s);
  for (std::size_t c = 0; c < usize(s.classes()); ++c) {
    // Of a class without rows, and without a prior, nothing is known: any outcome may be.
    const auto log_p = [&](double n, std::size_t j) {
      const double rows = s.weight[c] + (there[j] + absent[j]);
      // At most 0: of heavy rows unlearned rounding may leave a sum above their weight.
      return rows > 0 ? std::min(0.0, log_of(n + there[j]) - std::log(rows)) : std::log(0.5);
    };
    std::vector<double> usual(d, log_p(0, 0)), logs;
    for (std::size_t j = 0; j < d && !alike; ++j) usual[j] = log_p(0, j);
    const Nonzero& seen = s.of_class[c];
    for (std::size_t i = 0; i < seen.sums.size(); ++i) {
      logs.push_back(log_p(seen.sums[i], usize(seen.features[i])));
    }
    append_row(seen, logs, usual, 0, result.values);
  }
  return result;
}

void check_feature_log_prob(std::span<const double> table, double most) {
  for (const double v : table) {
    // The logarithm of the least double is -745: beyond that scores might overflow.
    const bool sound = std::abs(v) < 1e4 || v == -INFINITY;
    if (!sound || v > most) fail_parameters("a log probability of a feature is not one");
  }
}

Array mean_lengths(const NonzeroSums& s) {
  constexpr double kMostLength = 9007199254740992;  // 2^53: counts beyond are no integers
  Array result{{s.classes()}, {}};
  for (Index c = 0; c < s.classes(); ++c) {
    const double weight = s.weight[usize(c)], sum = s.of_class[usize(c)].total;
    result.values.push_back(weight > 0 ? std::min(sum / weight, kMostLength) : 0);
  }
  return result;
}

Array complement_weights(const NonzeroSums& s, const PerFeature& alpha, bool norm) {
  const std::size_t d = usize(s.columns), k = usize(s.classes());
  const std::vector<double> all = s.of_all({.threads = 1});
  std::vector<double> of_all = all;
  for (std::size_t j = 0; j < d; ++j) of_all[j] += alpha[j];
  log_each(of_all);
  const double total = sum_of(all) + alpha.sum();
  Array result = empty_table(s);
  for (std::size_t c = 0; c < k; ++c) {
    const Nonzero& seen = s.of_class[c];
    const std::vector<double> logs =
        logs_of(seen, [&](std::size_t j, double n) { return all[j] - n + alpha[j]; });
    append_row(seen, logs, of_all, log_total(total - seen.total), result.values);
    const std::span<double> row(&result.values[c * d], d);
    const auto never = std::find(row.begin(), row.end(), kNever);
    if (never != row.end()) {
      throw InputError(Code::kBadOption, {},
                       fmt::format("alpha is 0, and the classes but {} never have feature {}", c,
                                   never - row.begin()),
                       "Give alpha above 0.");
    }
    const double sum = norm ? sum_of(row) : -1;
    if (sum == 0) continue;  // of one feature alone all weights are 0
    for (double& v : row) v /= sum;
  }
  return result;
}

}  // namespace craton
