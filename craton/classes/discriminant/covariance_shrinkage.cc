#include "craton/classes/discriminant/covariance_shrinkage.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace craton {
namespace {

double trace(std::span<const double> s, std::size_t d) {
  double sum = 0;
  for (std::size_t j = 0; j < d; ++j) sum += s[j * d + j];
  return sum;
}

double square(std::span<const double> s) {
  double sum = 0;
  for (const double v : s) sum += v * v;
  return sum;
}

void pull(std::span<double> s, std::size_t d, double a) {
  const double m = trace(s, d) / static_cast<double>(d);
  for (double& v : s) v *= 1 - a;
  for (std::size_t j = 0; j < d; ++j) s[j * d + j] += a * m;
}

// A power of two of about the size of 1 / value: the rules have ratios of squares, which are the
// same, to the bit, of all values times that, and neither overflow nor vanish.
double power_beside(double value) {
  return value > 0 && std::isfinite(value) ? std::ldexp(1.0, -std::ilogb(value)) : 1;
}

double oas(std::span<const double> given, double d, double n) {
  std::vector<double> s(given.begin(), given.end());
  const double unit = power_beside(trace(given, static_cast<std::size_t>(d)));
  for (double& v : s) v *= unit;
  const double m = trace(s, static_cast<std::size_t>(d)) / d, q = square(s) / (d * d);
  const double below = (n + 1) * (q - m * m / d);
  return below == 0 ? 1 : std::min((q + m * m) / below, 1.0);
}

double ledoit_wolf(std::span<const double> s, double d, double n, double fourth_power) {
  const double m = trace(s, static_cast<std::size_t>(d)) / d, size = square(s);
  const double e = (size - d * m * m) / d;
  const double b = std::min((fourth_power / n - size) / (d * n), e);
  return b <= 0 || e <= 0 ? 0 : b / e;
}

// A variance, the weight of its values, and what it varies by.
struct Spread {
  double v, n, u;
};

double mean_of(std::span<const Spread> spreads) {
  double sum = 0;
  for (const Spread& s : spreads) sum += s.v;
  return sum / static_cast<double>(spreads.size());
}

double apart(std::span<const Spread> spreads, double m) {
  double sum = 0;
  for (const Spread& s : spreads) sum += (s.v - m) * (s.v - m);
  return sum;
}

double oas(std::span<const Spread> spreads, double m) {
  const double d = static_cast<double>(spreads.size()), g = apart(spreads, m);
  double a = 0, b = 0;
  for (const Spread& s : spreads) {
    const double c = 2 * (1 - 1 / d) / s.n;
    a += c * s.v * s.v;
    b += c * s.v * m;
  }
  return g > b ? a / (g + a - b) : 1;
}

double ledoit_wolf(std::span<const Spread> spreads, double m) {
  const double g = apart(spreads, m);
  double sum = 0;
  for (const Spread& s : spreads) sum += s.u;
  return g > 0 ? std::min(sum / g, 1.0) : 0;
}

// sum_i (y_i^2 - v)^2 / n^2.
double varies_by(const ClassMoments& sums, Index label, Index column) {
  const Moments m = sums.of(label, column);
  const double v = m.variance();
  return std::max(sums.fourth_power(label, column) / m.weight - v * v, 0.0) / m.weight;
}

}  // namespace

double shrink(std::span<double> covariance, Shrinkage rule, double fixed, const ClassScatter& sums,
              Index label) {
  const std::size_t d = usize(sums.columns());
  const double n = sums.class_weight()[usize(label)], size = static_cast<double>(d);
  double a = 0;
  switch (rule) {
    case Shrinkage::kNone:
      break;
    case Shrinkage::kFixed:
      pull(covariance, d, a = fixed);
      break;
    case Shrinkage::kOas:
      pull(covariance, d, a = oas(covariance, size, n));
      break;
    case Shrinkage::kAuto: {
      std::vector<double> scale;  // of a constant column 1
      for (std::size_t j = 0; j < d; ++j) {
        const double v = covariance[j * d + j];
        scale.push_back(v > 0 ? std::sqrt(v) : 1);
      }
      const auto rescale = [&](double power) {
        for (std::size_t i = 0; i < d * d; ++i) {
          covariance[i] *= std::pow(scale[i / d], power) * std::pow(scale[i % d], power);
        }
      };
      rescale(-1);
      a = ledoit_wolf(covariance, size, n, sums.fourth_power(label, scale));
      pull(covariance, d, a);
      rescale(1);
      break;
    }
  }
  return a;
}

double shrink_variances(std::span<double> variances, Shrinkage rule, double fixed,
                        const ClassMoments& sums, Index label) {
  std::vector<Spread> spreads;
  for (Index j = 0; j < sums.columns(); ++j) {
    const double n = sums.of(label, j).weight, v = variances[usize(j)];
    if (n > 0) spreads.push_back({v, n, rule == Shrinkage::kAuto ? varies_by(sums, label, j) : 0});
  }
  if (spreads.empty()) return 0;
  const double unit = power_beside(mean_of(spreads));
  for (Spread& s : spreads) s = {s.v * unit, s.n, s.u * unit * unit};
  const double m = mean_of(spreads), a = rule == Shrinkage::kFixed  ? fixed
                                         : rule == Shrinkage::kOas  ? oas(spreads, m)
                                         : rule == Shrinkage::kAuto ? ledoit_wolf(spreads, m)
                                                                    : 0;
  for (Index j = 0; j < sums.columns(); ++j) {
    double& v = variances[usize(j)];
    if (sums.of(label, j).weight > 0) v = (1 - a) * v + a * (m / unit);
  }
  return a;
}

}  // namespace craton
