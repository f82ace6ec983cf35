#include "craton/families/categorical.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/kernels/exp_log.h"

namespace craton {
namespace {

bool is_code(double x, std::size_t levels) {
  return x >= 0 && x < static_cast<double>(levels) &&
         x == static_cast<double>(static_cast<std::size_t>(x));
}

}  // namespace

Parameters Categorical::estimate(const Counts& seen) {
  // The counts' own sum: a weight that was added up otherwise may differ in the last place.
  Parameters p = seen.counts;
  for (double& share : p) share = std::max(share, 0.0);
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  CRATON_ASSERT(sum > 0);
  for (double& share : p) share /= sum;
  return p;
}

bool Categorical::valid() const {
  constexpr double kSlack = 1e-9;
  const bool shares = std::all_of(p.begin(), p.end(), [](double v) { return v >= 0 && v <= 1; });
  return shares && std::abs(std::accumulate(p.begin(), p.end(), 0.0) - 1) <= kSlack;
}

double Categorical::log_density(double code) const {
  return is_code(code, p.size()) ? std::log(p[static_cast<std::size_t>(code)]) : -INFINITY;
}

double Categorical::cdf(double code) const {
  double sum = 0;
  for (std::size_t i = 0; i < p.size() && static_cast<double>(i) <= code; ++i) sum += p[i];
  return std::min(sum, 1.0);
}

double Categorical::quantile(double probability) const {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < p.size(); ++i) {
    if (sum += p[i]; sum >= probability) return static_cast<double>(i);
  }
  return static_cast<double>(p.size() - 1);
}

double Categorical::mean() const {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += static_cast<double>(i) * p[i];
  return sum;
}

double Categorical::variance() const {
  const double middle = mean();
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    sum += p[i] * std::pow(static_cast<double>(i) - middle, 2);
  }
  return sum;
}

double Categorical::entropy() const {
  double sum = 0;
  for (const double share : p) sum -= share == 0 ? 0 : share * std::log(share);
  return sum;
}

double Categorical::sample(Random& random) const {
  return static_cast<double>(random.categorical(p));
}

Statistics CategoricalFamily::empty(Index levels) const {
  CRATON_ASSERT(levels > 0);
  return Counts{0, std::vector<double>(usize(levels))};
}

void CategoricalFamily::accumulate(std::span<const double> values, std::span<const double> weights,
                                   Statistics& statistics) const {
  std::get<Counts>(statistics).add(values, weights);
}

Parameters CategoricalFamily::estimate(const Statistics& statistics, const Estimation& how) const {
  Counts counts = std::get<Counts>(statistics);
  if (how.prior.rows) counts.merge(std::get<Counts>(*how.prior.rows));
  return Categorical::estimate(counts);
}

bool CategoricalFamily::valid(std::span<const double> parameters) const {
  return !parameters.empty() && Categorical{parameters}.valid();
}

void CategoricalFamily::log_density(std::span<const double> values,
                                    std::span<const double> parameters,
                                    std::span<double> out) const {
  CRATON_ASSERT(values.size() == out.size());
  std::vector<double> log(parameters.begin(), parameters.end());
  for (double& v : log) v = std::log(v);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double x = values[i];
    out[i] = is_code(x, log.size()) ? log[static_cast<std::size_t>(x)] : -INFINITY;
    if (std::isnan(x)) out[i] = 0;
  }
}

void CategoricalFamily::cdf(std::span<const double> values, std::span<const double> parameters,
                            std::span<double> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = std::isnan(values[i]) ? NAN : Categorical{parameters}.cdf(values[i]);
  }
}

void CategoricalFamily::quantile(std::span<const double> p, std::span<const double> parameters,
                                 std::span<double> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = Categorical{parameters}.quantile(p[i]);
}

void CategoricalFamily::sample(std::span<const double> parameters, Random& random,
                               std::span<double> out) const {
  for (double& x : out) x = Categorical{parameters}.sample(random);
}

double CategoricalFamily::mean(std::span<const double> parameters) const {
  return Categorical{parameters}.mean();
}
double CategoricalFamily::variance(std::span<const double> parameters) const {
  return Categorical{parameters}.variance();
}
double CategoricalFamily::entropy(std::span<const double> parameters) const {
  return Categorical{parameters}.entropy();
}

Parameters CategoricalFamily::standard_errors(std::span<const double> parameters,
                                              double weight) const {
  Parameters errors(parameters.begin(), parameters.end());
  for (double& p : errors) p = std::sqrt(p * (1 - p) / weight);
  return errors;
}

std::optional<Natural> CategoricalFamily::natural(std::span<const double> parameters) const {
  Natural result{{parameters.begin(), parameters.end()}, 0};
  for (double& p : result.natural) p = std::log(p);
  return result;
}

std::optional<Sufficient> CategoricalFamily::sufficient(double x,
                                                        std::span<const double> parameters) const {
  Sufficient result{std::vector<double>(parameters.size()), 0};
  if (is_code(x, parameters.size())) result.sufficient[static_cast<std::size_t>(x)] = 1;
  return result;
}

Parameters CategoricalFamily::from_natural(std::span<const double> natural,
                                           std::span<const double>) const {
  const double sum = log_sum_exp(natural);
  Parameters p(natural.begin(), natural.end());
  for (double& v : p) v = std::exp(v - sum);
  return p;
}

}  // namespace craton
