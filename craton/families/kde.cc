#include "craton/families/kde.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "craton/base/error.h"
#include "craton/families/bandwidth.h"
#include "craton/families/gaussian.h"
#include "craton/kernels/smoothing/smoothing_kernel.h"
#include "craton/kernels/special.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

constexpr double kTolerance = 1e-10, kFinestTolerance = 1e-12;
// Beyond so many h nothing of a kernel is left.
constexpr double kEnd = 39;

constexpr std::array kParameters{
    ParameterInfo{"bandwidth", "standard deviation of kernels", kNarrowest, kWidest},
    ParameterInfo{"value", "each value that was seen", -kWidest, kWidest},
    ParameterInfo{"weight", "the weight of each", 0, 1e300}};
constexpr FamilyInfo kInfo{
    KdeFamily::kName, "a kernel about each value", Support::kReal, kParameters, 0, true};

KernelSums sums_of(const KernelParameters& seen) {
  const Dense<double> points{seen.values.data(), ssize(seen.values), 1, 1};
  return KernelSums(SmoothingKernel::kGaussian, {&seen.bandwidth, 1}, points, seen.weights);
}

double bandwidth_of(const Values& seen, const Estimation& how) {
  if (how.knows(0)) return how.known[0];
  Points line{1, {}, {}};
  for (const auto& [x, weight] : seen.values) {
    line.rows.push_back(x);
    line.weights.push_back(weight);
  }
  std::vector<Note> notes;
  const double found = find_bandwidth(how.bandwidth, line, how.notes ? *how.notes : notes);
  const double least = std::max(kNarrowest, least_deviation(line.rows[0], how));
  return std::max(found, least);
}

}  // namespace

KernelLine::KernelLine(std::span<const double> parameters)
    : parameters_(parameters.begin(), parameters.end()),
      up_to_{0},
      sums_(sums_of(seen())),
      log_scale_(-std::log(sums_.weight()) - std::log(parameters[0]) - kHalfLogTwoPi) {
  for (const double w : seen().weights) up_to_.push_back(up_to_.back() + w);
}

double KernelLine::log_density(double x) const {
  if (std::isnan(x)) return 0;
  if (std::isinf(x)) return -INFINITY;
  const KernelSum found = sums_.at(&x, kTolerance);
  return found.error < INFINITY ? found.log_sum + log_scale_ : -INFINITY;
}

void KernelLine::log_density(std::span<const double> x, std::span<double> out) const {
  CRATON_ASSERT(x.size() == out.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = log_density(x[i]);
}

Index KernelLine::first_above(double x) const {
  const std::span<const double> y = seen().values;
  return std::ranges::upper_bound(y, x) - y.begin();
}

// By the difference, or, where it would lose digits, by the sum over the others.
double KernelLine::log_density_without(double x, double weight) const {
  constexpr double kEnough = 1e-3;
  const auto [h, y, w] = seen();
  const double log_scale = log_scale_ + std::log(sums_.weight()) - std::log(total() - weight);
  const double all = std::exp(sums_.at(&x, kFinestTolerance).log_sum), rest = all - weight;
  if (rest > kEnough * all) return std::log(rest) + log_scale;

  const Index own = first_above(x) - 1;
  CRATON_ASSERT(own >= 0 && y[usize(own)] == x);
  const double left = std::max(0.0, w[usize(own)] - weight);
  // The largest of the terms nearby, then all that are something beside it.
  double least = INFINITY;  // the negative logarithm of that term
  const auto lessen = [&](Index i, double of) {
    const double u = (y[usize(i)] - x) / h;
    least = std::min(least, u * u / 2 - std::log(of));
  };
  if (left > 0) lessen(own, left);
  if (own > 0) lessen(own - 1, w[usize(own - 1)]);
  if (own + 1 < ssize(y)) lessen(own + 1, w[usize(own + 1)]);
  if (!std::isfinite(least)) return -INFINITY;
  const double reach = h * std::sqrt(2 * (least + std::log(total() / kFinestTolerance))) *
                       (1 + 1e-9);  // of differences: an offset costs no digits
  double sum = 0;
  const auto add = [&](Index i, double weight_left) {
    const double u = (y[usize(i)] - x) / h;
    if (weight_left > 0) sum += weight_left * std::exp(least - u * u / 2);
  };
  add(own, left);
  for (Index i = own - 1; i >= 0 && x - y[usize(i)] <= reach; --i) add(i, w[usize(i)]);
  for (Index i = own + 1; i < ssize(y) && y[usize(i)] - x <= reach; ++i) add(i, w[usize(i)]);
  return std::log(sum) - least + log_scale;
}

// Values on the left of x add what their kernels have not beyond it, so that small tails of either
// side keep their digits.
double KernelLine::cdf(double x) const {
  const auto [h, y, w] = seen();
  if (std::isinf(x)) return x < 0 ? 0 : 1;
  const Index first = first_above(x - kEnd * h), last = first_above(x + kEnd * h);
  double below = up_to_[usize(first)], above = total() - up_to_[usize(last)];
  for (Index i = first; i < last; ++i) {
    const double u = (x - y[usize(i)]) / h, weight = w[usize(i)];
    const double tail = weight * kernel_tail(SmoothingKernel::kGaussian, std::abs(u));
    below += u < 0 ? tail : weight - tail;
    above += u < 0 ? weight - tail : tail;
  }
  return below < above ? below / total() : 1 - above / total();
}

// By bisection, to the last place or to a share of h that moves no p.
double KernelLine::quantile(double p) const {
  if (!(p > 0 && p < 1)) return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
  const auto [h, y, w] = seen();
  double low = y.front() - kEnd * h, high = y.back() + kEnd * h;
  while (high - low > 0x1p-60 * h) {
    const double middle = low + (high - low) / 2;
    if (!(low < middle && middle < high)) break;
    (cdf(middle) < p ? low : high) = middle;
  }
  return high;
}

double KernelLine::sample(Random& random) const {
  const double up_to = random.uniform() * total();
  const auto above = std::upper_bound(up_to_.begin() + 1, up_to_.end() - 1, up_to);
  const double about = seen().values[static_cast<std::size_t>(above - up_to_.begin()) - 1];
  return about + seen().bandwidth * random.normal();
}

double KernelLine::mean() const {
  Moments moments;
  moments.add(seen().values, seen().weights);
  return moments.mean();
}

double KernelLine::variance() const {
  Moments moments;
  moments.add(seen().values, seen().weights);
  return moments.variance() + seen().bandwidth * seen().bandwidth;
}

// The trapezoidal rule, which converges faster than any power of the step for what is analytic,
// over all that is within 9 h of some value.
double KernelLine::entropy() const {
  constexpr double kReach = 9, kStep = 1.0 / 16;
  const auto [h, y, w] = seen();
  double sum = 0;
  for (std::size_t i = 0; i < y.size();) {
    const double low = y[i] - kReach * h;
    while (i + 1 < y.size() && y[i + 1] - y[i] <= 2 * kReach * h) ++i;
    const double steps = std::ceil((y[i] + kReach * h - low) / (kStep * h));
    for (double at = 0; at <= steps; ++at) {
      const double log_p = log_density(low + at * kStep * h);
      sum -= log_p * std::exp(log_p) * kStep * h;
    }
    ++i;
  }
  return sum;
}

std::shared_ptr<const KernelLine> kernel_line(const Family& family,
                                              std::span<const double> parameters) {
  if (family.name() != KdeFamily::kName) return nullptr;
  return std::make_shared<const KernelLine>(parameters);
}

void log_density(const Family& family, const KernelLine* line, std::span<const double> parameters,
                 std::span<const double> values, std::span<double> out) {
  if (line != nullptr) return line->log_density(values, out);
  family.log_density(values, parameters, out);
}

KdeFamily::KdeFamily() : Family(kInfo) {}

Statistics KdeFamily::empty(Index) const { return Values{}; }

void KdeFamily::accumulate(std::span<const double> values, std::span<const double> weights,
                           Statistics& statistics) const {
  std::get<Values>(statistics).add(values, weights);
}

Parameters KdeFamily::estimate(const Statistics& statistics, const Estimation& how) const {
  Values seen = std::get<Values>(statistics);
  if (how.prior.rows) seen.merge(std::get<Values>(*how.prior.rows));
  CRATON_ASSERT(!seen.values.empty());
  Parameters parameters{bandwidth_of(seen, how)};
  for (const Values::Value& v : seen.values) parameters.push_back(v.x);
  for (const Values::Value& v : seen.values) parameters.push_back(v.weight);
  return parameters;
}

bool KdeFamily::valid(std::span<const double> parameters) const {
  if (parameters.size() < 3 || parameters.size() % 2 == 0) return false;
  const auto [h, y, w] = KernelParameters(parameters);
  const auto within = [](const ParameterInfo& bounds) {
    return [&](double v) { return v >= bounds.low && v <= bounds.high; };
  };
  double total = 0;
  for (const double weight : w) total += weight;
  return within(kParameters[0])(h) && std::ranges::all_of(y, within(kParameters[1])) &&
         std::ranges::adjacent_find(y, std::ranges::greater_equal()) == y.end() &&
         std::ranges::all_of(w, [](double weight) { return weight > 0; }) &&
         total <= kParameters[2].high;
}

std::vector<NamedNumber> KdeFamily::summary(std::span<const double> parameters) const {
  const auto [h, y, w] = KernelParameters(parameters);
  double total = 0;
  for (const double weight : w) total += weight;
  return {{"bandwidth", h}, {"values", static_cast<double>(y.size())}, {"weight", total}};
}

void KdeFamily::log_density(std::span<const double> values, std::span<const double> parameters,
                            std::span<double> out) const {
  KernelLine(parameters).log_density(values, out);
}

void KdeFamily::cdf(std::span<const double> values, std::span<const double> parameters,
                    std::span<double> out) const {
  const KernelLine line(parameters);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = std::isnan(values[i]) ? NAN : line.cdf(values[i]);
  }
}

void KdeFamily::quantile(std::span<const double> p, std::span<const double> parameters,
                         std::span<double> out) const {
  const KernelLine line(parameters);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = line.quantile(p[i]);
}

void KdeFamily::sample(std::span<const double> parameters, Random& random,
                       std::span<double> out) const {
  const KernelLine line(parameters);
  for (double& x : out) x = line.sample(random);
}

double KdeFamily::mean(std::span<const double> parameters) const {
  return KernelLine(parameters).mean();
}

double KdeFamily::variance(std::span<const double> parameters) const {
  return KernelLine(parameters).variance();
}

double KdeFamily::entropy(std::span<const double> parameters) const {
  return KernelLine(parameters).entropy();
}

Parameters KdeFamily::standard_errors(std::span<const double> parameters, double) const {
  return Parameters(parameters.size(), NAN);
}

std::optional<Natural> KdeFamily::natural(std::span<const double>) const { return std::nullopt; }

std::optional<Sufficient> KdeFamily::sufficient(double, std::span<const double>) const {
  return std::nullopt;
}

Parameters KdeFamily::from_natural(std::span<const double>, std::span<const double>) const {
  assertion_failed("exponential", __FILE__, __LINE__);
}

}  // namespace craton
