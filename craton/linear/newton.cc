#include "craton/linear/newton.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/base/error.h"
#include "craton/kernels/algebra/linalg.h"

// A step is O(size^3 / 3) beside the read of the table.

namespace craton {
namespace {

// Sums over many rows are known to about this share of themselves: a value that rises by less may
// not have risen.
constexpr double kNoise = 1e-13;
// Of rough curvatures, pivots below this share of the diagonal are of digits that floats lack.
constexpr double kRoughPivot = 1e-3;
constexpr double kPivot = 1e-14;  // and of doubles
constexpr int kHalvings = 60;

// C with a unit diagonal, as L L'.
struct NewtonFactor {
  std::vector<double> scale, lower;
  bool singular = false;  // and made a little larger
};

struct NewtonStep {
  std::vector<double> direction;
  double decrement = 0;
};

bool factorise(const Evaluation& now, double ridge, Index size, NewtonFactor& factor) {
  const std::size_t d = usize(size);
  std::vector<double>& lower = factor.lower;
  lower = now.curvature;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j <= i; ++j) lower[i * d + j] *= factor.scale[i] * factor.scale[j];
    lower[i * d + i] += ridge;
  }
  if (!cholesky(lower, size)) return false;
  double least = 1;
  for (std::size_t i = 0; i < d; ++i) least = std::min(least, lower[i * d + i] * lower[i * d + i]);
  return ridge > 0 || least > (now.kind == Curvature::kFull ? kPivot : kRoughPivot);
}

// False: the curvature is too rough to tell.
bool factor_of(const Evaluation& now, Index size, NewtonFactor& factor) {
  const std::size_t d = usize(size);
  factor.scale.assign(d, 0.0);
  for (std::size_t i = 0; i < d; ++i) {
    const double inverse = 1 / std::sqrt(now.curvature[i * d + i]);
    if (std::isfinite(inverse)) factor.scale[i] = inverse;
  }
  double ridge = 0;
  while (!factorise(now, ridge, size, factor)) {
    if (now.kind != Curvature::kFull) return false;
    ridge = ridge == 0 ? 1e-12 : ridge * 100;
    CRATON_ASSERT(ridge < 1e12);
  }
  factor.singular = ridge > 0;
  return true;
}

NewtonStep step_of(const NewtonFactor& factor, std::span<const double> gradient) {
  const std::size_t d = gradient.size();
  const std::vector<double>& lower = factor.lower;
  NewtonStep step{std::vector<double>(d)};
  std::vector<double>& v = step.direction;
  double square = 0;
  for (std::size_t i = 0; i < d; ++i) {
    double sum = -gradient[i] * factor.scale[i];
    for (std::size_t j = 0; j < i; ++j) sum -= lower[i * d + j] * v[j];
    v[i] = sum / lower[i * d + i];
    square += v[i] * v[i];
  }
  for (std::size_t i = d; i-- > 0;) {
    v[i] /= lower[i * d + i];
    for (std::size_t k = 0; k < i; ++k) v[k] -= lower[i * d + k] * v[i];
  }
  for (std::size_t i = 0; i < d; ++i) v[i] *= factor.scale[i];
  step.decrement = std::sqrt(square);
  return step;
}

}  // namespace

NewtonResult minimise(SmoothFunction& f, std::vector<double> start, const NewtonOptions& options,
                      const Exec& exec) {
  const Index size = f.size();
  NewtonResult result;
  result.x = std::move(start);
  Curvature way = options.on_the_way;
  NewtonFactor factor;
  const auto look = [&](std::span<const double> x, Curvature wanted, NewtonStep& its_step) {
    Evaluation found = f.at(x, wanted);
    if (!std::isfinite(found.value)) return found;
    if (!factor_of(found, size, factor)) {  // once too rough, always
      way = Curvature::kFull;
      found = f.at(x, way);
      factor_of(found, size, factor);
    }
    its_step = step_of(factor, found.gradient);
    return found;
  };
  NewtonStep step;
  Evaluation now = look(result.x, options.at_the_start, step);
  if (!std::isfinite(now.value)) {
    throw InputError(Code::kNotFinite, {}, "the likelihood overflows where the fit starts",
                     "Fit without a start, or divide the columns by a power of ten.");
  }
  double before = INFINITY;  // the decrement one step earlier
  for (;; ++result.iterations) {
    result.trace.push_back(-now.value / options.scale);
    result.decrement = step.decrement;
    result.singular = factor.singular;
    if (exec.progress && !options.silent) {
      exec.progress->iteration(result.iterations, options.max_iter, result.trace.back());
    }
    result.converged = step.decrement <= options.tol;
    result.stopped = !result.converged && f.stop(result.x, now, step.direction);
    if (result.converged || result.stopped || result.iterations == options.max_iter) break;

    // The next pass is the last if the decrement falls as it did: its square, times a constant.
    const bool last = std::isfinite(before) &&
                      std::pow(step.decrement, 3) / (before * before) <= options.tol / 10;
    const double noise = kNoise * std::abs(now.value);
    std::vector<double> x(result.x.size());
    Evaluation next;
    NewtonStep next_step;
    double t = 1;
    for (int halving = 0;; ++halving, t /= 2) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = result.x[i] + t * step.direction[i];
      if (last && way == Curvature::kRough && options.at_the_end == Curvature::kNone) {
        next = f.at(x, Curvature::kNone);
        next_step = step_of(factor, next.gradient);  // that of the last step is near enough to tell
        if (next_step.decrement > options.tol) next = look(x, way, next_step);
      } else {
        next = look(x, last && options.at_the_end == Curvature::kFull ? Curvature::kFull : way,
                    next_step);
      }
      if (next.value <= now.value + noise || halving == kHalvings) break;
    }
    const bool rises = !(next.value <= now.value + noise);
    // Where the gain is lost in rounding, the decrement says whether the step was one.
    const bool lost = step.decrement * step.decrement / 2 <= noise;
    if (rises || (lost && next_step.decrement > 0.9 * step.decrement)) {
      result.converged = lost;  // as near as doubles tell
      break;
    }
    before = step.decrement;
    result.x = std::move(x);
    now = std::move(next);
    step = std::move(next_step);
  }
  if (options.at_the_end != Curvature::kNone && now.kind != options.at_the_end) {
    now = f.at(result.x, options.at_the_end);
  }
  result.last = std::move(now);
  return result;
}

}  // namespace craton
