#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "craton/base/error.h"
#include "craton/base/function_ref.h"

// The small searches that estimates and quantiles need.

namespace craton {

struct Slope {
  double value, slope;
};

// The root of an increasing or decreasing f in [low, high]: Newton's steps, halving the bracket
// where they leave it or gain too little. An end when f does not change its sign.
template <class F>
double find_root(const F& f, double low, double high, double x) {
  constexpr int kMost = 400;
  const bool rising = f(low).value < f(high).value;
  double width = high - low;
  x = std::clamp(x, low, high);
  for (int i = 0; i < kMost; ++i) {
    const auto [value, slope] = f(x);
    if (value == 0) return x;
    ((value < 0) == rising ? low : high) = x;
    const double newton = x - value / slope, last = x;
    const bool inside = newton > low && newton < high;
    const bool quick = inside && std::abs(newton - last) <= 0.5 * width;
    width = quick ? std::abs(newton - last) : (high - low) / 2;
    x = quick ? newton : low + (high - low) / 2;
    if (x == last || std::abs(x - last) <= std::numeric_limits<double>::epsilon() * std::abs(x)) {
      return x;
    }
  }
  return x;
}

// The least integer in [low, high] for which a monotone condition holds, near `guess`; `high` when
// it holds for none below.
double least_integer(FunctionRef<bool(double)> holds, double guess, double step, double low,
                     double high);

// A function of N numbers with its derivatives, for climb().
template <std::size_t N>
struct Hill {
  double value = 0;
  std::array<double, N> gradient{};
  std::array<std::array<double, N>, N> hessian{};
};

// Solves A x = b for a small symmetric A in place by elimination; false when a pivot is not
// positive.
template <std::size_t N>
bool solve_positive(std::array<std::array<double, N>, N> a, std::array<double, N>& b) {
  for (std::size_t k = 0; k < N; ++k) {
    if (!(a[k][k] > 0)) return false;
    for (std::size_t i = k + 1; i < N; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < N; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = N; k-- > 0;) {
    for (std::size_t j = k + 1; j < N; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return true;
}

// A maximum of f near x: Newton's steps, damped (Levenberg) until they climb. It ends early,
// outside, where leaves(x): the caller knows that there is no maximum there.
template <std::size_t N, class F, class Leaves>
std::array<double, N> climb(const F& f, std::array<double, N> x, const Leaves& leaves) {
  constexpr int kMost = 500;
  constexpr double kSmallStep = 1e-15, kGiveUp = 1e20;
  const auto steepness = [](const Hill<N>& hill) {
    double most = 0;
    for (const double g : hill.gradient) most = std::max(most, std::abs(g));
    return most;
  };
  Hill<N> at = f(x);
  double damping = 0;
  for (int i = 0; i < kMost && damping < kGiveUp; ++i) {
    auto curvature = at.hessian;
    double scale = 0;
    for (std::size_t j = 0; j < N; ++j) scale = std::max(scale, std::abs(at.hessian[j][j]));
    for (std::size_t j = 0; j < N; ++j) {
      for (double& h : curvature[j]) h = -h;
      curvature[j][j] += damping * scale;
    }
    std::array<double, N> step = at.gradient, next = x;
    if (!solve_positive<N>(curvature, step)) {
      damping = std::max(1e-3, damping * 4);
      continue;
    }
    double longest = 0;
    for (std::size_t j = 0; j < N; ++j) {
      next[j] += step[j];
      longest = std::max(longest, std::abs(step[j]) / std::max(1.0, std::abs(x[j])));
    }
    const Hill<N> there = f(next);
    // Near the top the value is all rounding, and the gradient tells.
    const bool level = there.value >= at.value - 1e-9 * std::max(1.0, std::abs(at.value));
    if (there.value > at.value || (level && steepness(there) < steepness(at))) {
      x = next;
      at = there;
      if (leaves(x)) break;
      damping = damping < 1e-6 ? 0 : damping / 8;
      if (longest <= kSmallStep) break;
    } else if (longest <= 1e-12) {
      break;
    } else {
      damping = std::max(1e-3, damping * 4);
    }
  }
  return x;
}
template <std::size_t N, class F>
std::array<double, N> climb(const F& f, const std::array<double, N>& x) {
  return climb<N>(f, x, [](const std::array<double, N>&) { return false; });
}

}  // namespace craton
