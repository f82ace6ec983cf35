#include "craton/families/dirichlet.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/base/distributions.h"
#include "craton/base/error.h"
#include "craton/families/statistics.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

double sum_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// The mean log-likelihood but for a constant.
double likelihood(const SimplexMoments& seen, std::span<const double> alpha) {
  const double total = sum_of(alpha);
  double value = 0.5 * std::log(1 / total) + binet(total);
  for (std::size_t k = 0; k < alpha.size(); ++k) {
    const double a = alpha[k];
    value += a * (log_ratio(seen.centre[k], a / total) + seen.log_sum[k] / seen.weight) +
             0.5 * std::log(a) - binet(a);
  }
  return value;
}

// From means and variances: A = m (1 - m) / v - 1, averaged in the logarithm over the levels.
std::vector<double> start_of(const SimplexMoments& seen) {
  double log_total = 0;
  Index used = 0;
  std::vector<double> mean;
  for (std::size_t k = 0; k < seen.centre.size(); ++k) {
    const double away = seen.sum[k] / seen.weight, m = seen.centre[k] + away;
    const double variance = seen.square[k] / seen.weight - away * away;
    mean.push_back(m);
    const double total = m * (1 - m) / variance - 1;
    if (!(variance > 0) || !(total > 0)) continue;
    log_total += std::log(total);
    ++used;
  }
  const double total = used == 0 ? 1 : std::exp(log_total / static_cast<double>(used));
  for (double& m : mean) m = std::max(m * total, 1e-8);
  return mean;
}

}  // namespace

void SimplexMoments::add(std::span<const double> x, double w) {
  const std::size_t d = x.size();
  if (centre.empty()) {
    centre.assign(x.begin(), x.end());
    log_sum.resize(d);
    sum.resize(d);
    square.resize(d);
  }
  CRATON_ASSERT(d == centre.size());
  weight += w;
  for (std::size_t k = 0; k < d; ++k) {
    const double away = x[k] - centre[k];
    log_sum[k] += w * log_ratio(x[k], centre[k]);
    sum[k] += w * away;
    square[k] += w * away * away;
  }
}

void SimplexMoments::add_moved(const SimplexMoments& other, double sign) {
  weight += sign * other.weight;
  for (std::size_t k = 0; k < centre.size(); ++k) {
    const double d = other.centre[k] - centre[k];
    log_sum[k] += sign * (other.log_sum[k] + other.weight * log_ratio(other.centre[k], centre[k]));
    sum[k] += sign * (other.sum[k] + other.weight * d);
    square[k] += sign * (other.square[k] + 2 * d * other.sum[k] + other.weight * d * d);
  }
}

void SimplexMoments::merge(const SimplexMoments& next) {
  if (next.centre.empty()) return;
  if (centre.empty()) {
    *this = next;
  } else {
    add_moved(next, 1);
  }
}

void SimplexMoments::subtract(const SimplexMoments& other) {
  if (!other.centre.empty()) add_moved(other, -1);
}

void SimplexMoments::write(Writer& writer) const {
  writer.put(weight);
  for (const auto* values : {&centre, &log_sum, &sum, &square}) writer.put(*values);
}

void SimplexMoments::read(Reader& reader) {
  reader.get(weight);
  for (auto* values : {&centre, &log_sum, &sum, &square}) reader.get(*values);
}

std::vector<double> Dirichlet::estimate(const SimplexMoments& seen) {
  CRATON_ASSERT(seen.weight > 0);
  const std::size_t d = seen.centre.size();
  std::vector<double> alpha = start_of(seen);
  if (std::all_of(seen.square.begin(), seen.square.end(), [](double v) { return v == 0; })) {
    for (std::size_t k = 0; k < d; ++k) alpha[k] = seen.centre[k] * kMost;
    return alpha;
  }
  double value = likelihood(seen, alpha);
  for (int i = 0; i < 1000; ++i) {
    const double total = sum_of(alpha), both = trigamma(total);
    std::vector<double> gradient(d), inverse(d);
    double weighted = 0, sum = 0;
    for (std::size_t k = 0; k < d; ++k) {
      gradient[k] = log_ratio(seen.centre[k], alpha[k] / total) + seen.log_sum[k] / seen.weight +
                    log_minus_digamma(alpha[k]) - log_minus_digamma(total);
      inverse[k] = 1 / trigamma(alpha[k]);
      weighted += gradient[k] * inverse[k];
      sum += inverse[k];
    }
    // (D - both 1 1')^-1 = D^-1 + D^-1 1 1' D^-1 / (1 / both - 1' D^-1 1)
    const double shared = weighted / (1 / both - sum);
    double longest = 0, share = 1;
    std::vector<double> step(d), next(d);
    for (std::size_t k = 0; k < d; ++k) {
      step[k] = inverse[k] * (gradient[k] + shared);
      longest = std::max(longest, std::abs(step[k]) / alpha[k]);
    }
    // The likelihood is concave: near the top, where its value is rounding, a whole step is good.
    const double slack = 1e-10 * (1 + std::abs(value));
    double there = -INFINITY;
    for (; share > 1e-10; share /= 2) {
      bool inside = true;
      for (std::size_t k = 0; k < d; ++k) inside &= (next[k] = alpha[k] + share * step[k]) > 0;
      if (inside && (there = likelihood(seen, next)) >= value - slack) break;
    }
    if (share <= 1e-10) break;
    alpha = next;
    value = there;
    if (longest < 1e-14 || sum_of(alpha) > kMost) break;
  }
  return alpha;
}

double Dirichlet::total() const { return sum_of(alpha); }

bool Dirichlet::valid() const {
  return alpha.size() > 1 && std::all_of(alpha.begin(), alpha.end(),
                                         [](double a) { return a > 0 && std::isfinite(a); });
}

// As for the beta density, no two large terms cancel.
double Dirichlet::log_density(std::span<const double> x) const {
  CRATON_ASSERT(x.size() == alpha.size());
  const double a = total(), d = static_cast<double>(x.size());
  if (std::abs(sum_of(x) - 1) > 1e-9) return -INFINITY;
  double sum = binet(a) - (d - 1) * kHalfLogTwoPi - 0.5 * std::log(a);
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!(x[k] > 0)) return -INFINITY;
    sum +=
        0.5 * std::log(alpha[k]) - binet(alpha[k]) - deviance(alpha[k], a * x[k]) - std::log(x[k]);
  }
  return sum;
}

std::vector<double> Dirichlet::mean() const {
  std::vector<double> result(alpha.begin(), alpha.end());
  for (double& v : result) v /= total();
  return result;
}

std::vector<double> Dirichlet::covariance() const {
  const std::vector<double> m = mean();
  const double scale = 1 / (total() + 1);
  std::vector<double> result;
  for (std::size_t i = 0; i < m.size(); ++i) {
    for (std::size_t j = 0; j < m.size(); ++j) {
      result.push_back(scale * (i == j ? m[i] * (1 - m[i]) : -m[i] * m[j]));
    }
  }
  return result;
}

double Dirichlet::log_partition() const {
  const double a = total(), d = static_cast<double>(alpha.size());
  double sum = (d - 1) * kHalfLogTwoPi - 0.5 * (d - 1) * std::log(a) - binet(a);
  for (const double v : alpha) sum += (v - 0.5) * std::log(v / a) + binet(v);
  return sum;
}

double Dirichlet::entropy() const {
  const double a = total(), d = static_cast<double>(alpha.size());
  double sum =
      (d - 1) * (kHalfLogTwoPi - 0.5 * std::log(a)) - binet(a) - (a - d) * log_minus_digamma(a);
  for (const double v : alpha) {
    sum += 0.5 * std::log(v / a) + binet(v) + (v - 1) * log_minus_digamma(v);
  }
  return sum;
}

void Dirichlet::sample(Random& random, std::span<double> x) const {
  draw_dirichlet(random, alpha, x);
}

std::vector<double> Dirichlet::standard_errors(double weight) const {
  double sum = 0;
  for (const double a : alpha) sum += 1 / trigamma(a);
  const double shared = 1 / (1 / trigamma(total()) - sum);
  std::vector<double> errors;
  for (const double a : alpha) {
    const double inverse = 1 / trigamma(a);
    errors.push_back(std::sqrt((inverse + inverse * inverse * shared) / weight));
  }
  return errors;
}

}  // namespace craton
