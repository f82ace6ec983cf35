#include "craton/classes/counts/count_likelihoods.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "craton/engine/for_each.h"
#include "craton/kernels/exp_log.h"

namespace craton {
namespace {

using Nonzero = NonzeroSums::OfClass;

double total_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// The sum of of_class(c, sums of c) over the classes c.
template <class F>
double add_classes(const NonzeroSums& sums, const Exec& exec, const F& of_class) {
  std::vector<double> parts(usize(sums.classes()));
  for_each(sums.classes(), exec,
           [&](Index c) { parts[usize(c)] = of_class(usize(c), sums.of_class[usize(c)]); });
  return total_of(parts);
}

// sum weight_i log of(i), where 0 log 0 is 0; some at a time, and in four sums that do not wait for
// each other.
template <class F>
double add_logs(std::span<const double> weights, const F& of) {
  constexpr std::size_t kSome = 512;
  std::array<double, kSome> logs;
  std::array<double, 4> sums{};
  for (std::size_t first = 0; first < weights.size(); first += kSome) {
    const std::size_t count = std::min(kSome, weights.size() - first);
    for (std::size_t i = 0; i < count; ++i) logs[i] = weights[first + i] == 0 ? 1 : of(first + i);
    log_all(std::span(logs).first(count));
    for (std::size_t i = 0; i < count; ++i) sums[i % 4] += weights[first + i] * logs[i];
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// sum term(count_i). Most counts are small, and the term of each is found once.
template <class F>
double add_terms(std::span<const double> counts, const F& term) {
  std::array<Index, 256> times{};
  double sum = 0;
  for (const double count : counts) {
    const bool small = count < static_cast<double>(times.size());
    const auto at = small ? static_cast<std::size_t>(count) : 0;
    if (small && static_cast<double>(at) == count) {
      ++times[at];
    } else {
      sum += term(count);
    }
  }
  for (std::size_t at = 0; at < times.size(); ++at) {
    if (times[at] > 0) sum += static_cast<double>(times[at]) * term(static_cast<double>(at));
  }
  return sum;
}

double times_log(double weight, double of) { return weight == 0 ? 0 : weight * std::log(of); }

}  // namespace

double multinomial_log_likelihood(const NonzeroSums& s, const PerFeature& alpha, const Exec& exec) {
  const double prior = alpha.sum();
  return add_classes(s, exec, [&](std::size_t, const Nonzero& seen) {
    if (seen.total == 0) return 0.0;
    const double counts =
        alpha.alike() ? add_terms(seen.sums, [&](double n) { return times_log(n, n + alpha[0]); })
                      : add_logs(seen.sums, [&](std::size_t i) {
                          return seen.sums[i] + alpha[usize(seen.features[i])];
                        });
    return counts - seen.total * std::log(seen.total + prior);
  });
}

double bernoulli_log_likelihood(const NonzeroSums& s, const Alphas& alphas, const Exec& exec) {
  const PerFeature &there = alphas.there, &absent = alphas.absent;
  return add_classes(s, exec, [&](std::size_t c, const Nonzero& seen) {
    const double rows = s.weight[c];
    if (rows == 0) return 0.0;
    // The log-likelihood of a feature that n of the rows have.
    const auto term = [&](double n, std::size_t j) {
      const double without = std::max(rows - n, 0.0);
      return times_log(n, n + there[j]) + times_log(without, without + absent[j]) -
             rows * std::log(rows + (there[j] + absent[j]));
    };
    if (there.alike() && absent.alike()) {
      const auto unseen = static_cast<double>(s.columns - ssize(seen.sums));
      return unseen * term(0, 0) + add_terms(seen.sums, [&](double n) { return term(n, 0); });
    }
    double sum = 0;
    std::size_t i = 0;
    for (std::size_t j = 0; j < usize(s.columns); ++j) {
      const bool is_seen = i < seen.sums.size() && usize(seen.features[i]) == j;
      sum += term(is_seen ? seen.sums[i++] : 0, j);
    }
    return sum;
  });
}

double complement_score(const NonzeroSums& s, const PerFeature& alpha, const Exec& exec) {
  const std::vector<double> all = s.of_all(exec);
  double total = alpha.sum();
  for (const Nonzero& seen : s.of_class) total += seen.total;
  return add_classes(s, exec, [&](std::size_t, const Nonzero& seen) {
    const double length = seen.total;
    const auto others = [&](std::size_t i) {
      const std::size_t j = usize(seen.features[i]);
      return std::max(all[j] - seen.sums[i], 0.0) + alpha[j];
    };
    return length * std::log(total - length) - add_logs(seen.sums, others);
  });
}

}  // namespace craton
