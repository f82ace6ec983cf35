#include "craton/classes/covariance_shrinkage.h"

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

double oas(std::span<const double> s, double d, double n) {
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

}  // namespace craton
