#include "craton/linear/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <deque>

// The curvature is learned anew after kFirstRenewal steps, and then each time kLater times as many:
// it changes most at the beginning.

namespace craton {
namespace {

constexpr Index kFirstRenewal = 8, kLater = 4;
constexpr double kNoiseOfSums = 1e-13;  // of a value: as in newton.cc
constexpr double kEnough = 1e-4;        // of the decrease that the slope promises (Armijo)

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

struct Change {
  std::vector<double> s, y;
  double product = 0;  // y's
};

// H g, by the two loops of Nocedal.
std::vector<double> times_inverse(const LargeFunction& f, const std::deque<Change>& changes,
                                  std::span<const double> gradient) {
  std::vector<double> v(gradient.begin(), gradient.end()), share(changes.size());
  for (std::size_t k = changes.size(); k-- > 0;) {
    share[k] = dot(changes[k].s, v) / changes[k].product;
    for (std::size_t i = 0; i < v.size(); ++i) v[i] -= share[k] * changes[k].y[i];
  }
  f.precondition(v);
  for (std::size_t k = 0; k < changes.size(); ++k) {
    const double more = share[k] - dot(changes[k].y, v) / changes[k].product;
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += more * changes[k].s[i];
  }
  return v;
}

}  // namespace

NewtonResult minimise(LargeFunction& f, std::vector<double> start, const LbfgsOptions& options,
                      const Exec& exec) {
  NewtonResult result;
  result.x = std::move(start);
  std::deque<Change> changes;
  f.learn_curvature(result.x);
  Index renewal = kFirstRenewal;
  Evaluation now = f.at(result.x);
  for (;; ++result.iterations) {
    result.trace.push_back(-now.value / options.scale);
    if (exec.progress) {
      exec.progress->iteration(result.iterations, options.max_iter, result.trace.back());
    }
    if (result.iterations == renewal) {
      f.learn_curvature(result.x);
      renewal *= kLater;
    }
    const std::vector<double> direction = times_inverse(f, changes, now.gradient);
    const double square = dot(now.gradient, direction);
    result.decrement = std::sqrt(square);
    result.converged = result.decrement <= options.tol;
    result.stopped = !result.converged && f.stop();
    if (result.converged || result.stopped || result.iterations == options.max_iter) break;

    const double noise = kNoiseOfSums * std::abs(now.value);
    std::vector<double> x(result.x.size());
    Evaluation next;
    double t = 1;
    for (int halving = 0; halving < 60; ++halving) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = result.x[i] - t * direction[i];
      next = f.at(x);
      if (next.value <= now.value - kEnough * t * square + noise) break;
      // The parabola through both values and the slope, within reason.
      const double best = t * t * square / (2 * (next.value - now.value + t * square));
      t = std::isfinite(best) ? std::clamp(best, t / 10, t / 2) : t / 10;
    }
    if (!(next.value <= now.value + noise)) {  // as near as doubles tell
      result.converged = square / 2 <= noise;
      break;
    }
    Change change{std::vector<double>(x.size()), std::vector<double>(x.size())};
    for (std::size_t i = 0; i < x.size(); ++i) {
      change.s[i] = x[i] - result.x[i];
      change.y[i] = next.gradient[i] - now.gradient[i];
    }
    change.product = dot(change.s, change.y);
    if (change.product > 0) changes.push_back(std::move(change));
    if (ssize(changes) > options.memory) changes.pop_front();
    result.x = std::move(x);
    now = std::move(next);
  }
  result.last = std::move(now);
  return result;
}

}  // namespace craton
