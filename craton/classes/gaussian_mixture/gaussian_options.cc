#include "craton/classes/gaussian_mixture/gaussian_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "craton/base/error.h"
#include "craton/kernels/algebra/linalg.h"

namespace craton {
namespace {

using Options = GaussianMixture::Options;
using Covariance = GaussianMixture::Covariance;

// Files hold tables: one column may stand for a vector, and matrices may lie below one another.
void check_shape(const char* name, Array& given, const std::vector<Index>& shape) {
  if (given.empty()) return;
  const bool column = shape.size() == 1 && given.shape == std::vector<Index>{shape[0], 1};
  const bool stacked =
      shape.size() == 3 && given.shape == std::vector<Index>{shape[0] * shape[1], shape[2]};
  if (column || stacked) given.shape = shape;
  if (given.shape == shape) return;
  throw InputError(Code::kBadShape, {},
                   {"{} is an {}, but should be an {}", Ref::option(name), to_text(given),
                    to_text(Array{shape, {}})},
                   "Its rows belong to the components, its columns to the features.");
}

void check_weights(const char* name, const Array& weights) {
  for (const double w : weights.values) {
    if (w >= 0) continue;
    throw InputError(Code::kBadOption, {}, {"{} has the value {}", Ref::option(name), w},
                     "Weights are not negative and sum to 1.");
  }
  const double sum = std::accumulate(weights.values.begin(), weights.values.end(), 0.0);
  if (weights.empty() || std::abs(sum - 1) <= 1e-6) return;
  throw InputError(Code::kBadOption, {}, {"{} sums to {}", Ref::option(name), sum},
                   "Weights are not negative and sum to 1.");
}

[[noreturn]] void refuse(const char* name, std::size_t component, const char* why) {
  throw InputError(Code::kBadOption, {},
                   {"{} of component {} is not {}", Ref::option(name), component, why},
                   "A covariance, and its inverse, is symmetric and positive definite.");
}

// Each d x d matrix, or each number, is symmetric and positive definite.
void check_definite(const char* name, const Array& given, Index d) {
  const std::size_t n = usize(d), size = n * n;
  if (given.shape.size() < 3) {
    for (std::size_t i = 0; i < given.values.size(); ++i) {
      if (!(given.values[i] > 0)) refuse(name, i / usize(given.cols()), "positive");
    }
    return;
  }
  for (std::size_t c = 0; c * size < given.values.size(); ++c) {
    std::vector<double> matrix(given.values.begin() + static_cast<Index>(c * size),
                               given.values.begin() + static_cast<Index>((c + 1) * size));
    for (std::size_t i = 0; i < size; ++i) {
      const double mirrored = matrix[i % n * n + i / n];
      const double scale = std::max(std::abs(matrix[i]), std::abs(mirrored));
      if (!(std::abs(matrix[i] - mirrored) <= 1e-6 * scale)) refuse(name, c, "symmetric");
    }
    if (!cholesky(matrix, d)) refuse(name, c, "positive definite");
  }
}

void make_symmetric(Array& given, Index d) {
  if (given.shape.size() < 3) return;
  for (double* a = given.values.data(); a < given.values.data() + given.values.size(); a += d * d) {
    for (Index i = 0; i < d; ++i) {
      for (Index j = 0; j < i; ++j) a[j * d + i] = a[i * d + j];
    }
  }
}

}  // namespace

void describe(OptionVisitor& v, Options& o) {
  constexpr Index kMost = Index{1} << 24;
  v.integer("n_components", o.n_components, 1, kMost, "number of Gaussians");
  v.choice("covariance_type", o.covariance_type, {"full", "tied", "diag", "spherical"},
           "shape of the components: any ellipse each, one for all, along the axes, or balls");
  v.number("tol", o.tol, 0, INFINITY,
           "stop when a pass gains less mean log-likelihood, or changes the parameters less");
  v.choice("convergence", o.convergence, {"likelihood", "parameters"},
           "what tol is compared with: the gain in mean log-likelihood, or the largest change of a "
           "weight, of a mean in standard deviations, or of a variance in parts of itself");
  v.number("covariance_floor", o.covariance_floor, 0, 1,
           "least variance of a component in any direction, relative to the data's");
  v.number("reg_covar", o.reg_covar, 0, INFINITY,
           "added to the diagonal of every covariance, in squared units of the data; above 0 it "
           "replaces covariance_floor");
  v.integer("max_iter", o.max_iter, 0, kMost, "updates of the model, at most");
  v.integer("n_init", o.n_init, 1, kMost, "number of starts; the best result is kept");
  v.choice("init_params", o.init_params, {"kmeans", "k-means++", "random_from_data", "random"},
           "where to start: the best of short runs from several kinds of groups; k-means++ rows; "
           "random rows; or every row shared at random");
  v.array("weights_init", o.weights_init, "given starting weights, one for each component");
  v.array("means_init", o.means_init, "given starting means, one row for each component");
  v.array("precisions_init", o.precisions_init, "given starting precisions (inverse covariances)");
  v.choice_or_array("mixing_weights", o.weights, o.known_weights, {"estimated", "equal"},
                    "the weights of the components: estimated, all equal, or known numbers, which "
                    "are kept");
  v.array("covariances", o.known_covariances,
          "known covariances, which are kept, in the shape of covariance_type");
  v.choice("assignment", o.assignment, {"soft", "hard"},
           "rows belong to all components by their posterior, or to the best one alone; then the "
           "objective is the likelihood of rows and components together");
  v.choice("prior", o.prior, {"none", "conjugate"},
           "prior of means and covariances: none, or normal-inverse-Wishart, whose log density is "
           "then part of the objective");
  v.array("mean_prior", o.mean_prior, "mean of the prior; not given: that of the data");
  v.number("mean_precision_prior", o.mean_precision_prior, 0, INFINITY,
           "how many rows the prior of a mean counts for");
  v.array("covariance_prior", o.covariance_prior,
          "scale of the prior of a covariance (columns x columns, or one number); not given: the "
          "variances of the columns over n_components^(2 / columns)");
  v.number("degrees_of_freedom_prior", o.degrees_of_freedom_prior, 0, INFINITY,
           "degrees of freedom of the prior of a covariance; 0 stands for columns + 2");
  v.number("learning_decay", o.learning_decay, 0.5, 1,
           "how fast rows fade that partial_fit saw early: 1 counts all alike, less forgets what "
           "poor first models made of them");
  v.integer("random_state", o.random_state, 0, std::numeric_limits<Index>::max(),
            "seed of the starts");
}

bool triangular(const Options& o) {
  return o.covariance_type == Covariance::kFull || o.covariance_type == Covariance::kTied;
}

std::vector<Index> covariance_shape(const Options& o, Index d) {
  const Index k = o.n_components;
  if (triangular(o)) return {o.covariance_type == Covariance::kTied ? 1 : k, d, d};
  return o.covariance_type == Covariance::kDiag ? std::vector<Index>{k, d} : std::vector<Index>{k};
}

void check_given(Options& o, Index d) {
  const std::vector<Index> shape = covariance_shape(o, d);
  check_shape("weights_init", o.weights_init, {o.n_components});
  check_shape("mixing_weights", o.known_weights, {o.n_components});
  check_shape("means_init", o.means_init, {o.n_components, d});
  check_shape("precisions_init", o.precisions_init, shape);
  // One number is the variance of every ball.
  Array& known = o.known_covariances;
  if (known.values.size() == 1 && shape.size() == 1)
    known.values.resize(usize(shape[0]), known.values[0]);
  if (std::ssize(known.values) == shape[0] && shape.size() == 1) known.shape = shape;
  check_shape("covariances", known, shape);
  check_weights("weights_init", o.weights_init);
  check_weights("mixing_weights", o.known_weights);
  check_definite("precisions_init", o.precisions_init, d);
  check_definite("covariances", known, d);
  make_symmetric(known, d);
  if (o.mean_prior.shape == std::vector<Index>{1, d}) o.mean_prior.shape = {d};
  check_shape("mean_prior", o.mean_prior, {d});
  Array& psi = o.covariance_prior;
  if (psi.empty()) return;
  if (psi.values.size() == 1) psi.shape = {1, 1, 1};
  if (psi.shape == std::vector<Index>{d, d}) psi.shape = {1, d, d};
  check_shape("covariance_prior", psi,
              {1, psi.values.size() == 1 ? 1 : d, psi.values.size() == 1 ? 1 : d});
  check_definite("covariance_prior", psi, psi.cols());
  if (triangular(o) || psi.values.size() == 1) return;
  for (Index j = 0; j < d; ++j) psi.values[usize(j)] = psi.values[usize(j * d + j)];
  psi = {{d}, {psi.values.begin(), psi.values.begin() + d}};
}

// P = L L', so P^-1 = L^-T L^-1.
Array given_covariances(const Options& o, Index d) {
  Array result = o.precisions_init;
  if (!triangular(o)) {
    for (double& v : result.values) v = 1 / v;
    return result;
  }
  const std::size_t n = usize(d), size = n * n;
  for (std::size_t c = 0; c * size < result.values.size(); ++c) {
    const std::span<double> out = std::span(result.values).subspan(c * size, size);
    std::vector<double> inverse(out.begin(), out.end());
    CRATON_ASSERT(cholesky(inverse, d));
    invert_lower(inverse, d);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::size_t l = std::max(i, j); l < n; ++l) {
          sum += inverse[l * n + i] * inverse[l * n + j];
        }
        out[i * n + j] = sum;
      }
    }
  }
  return result;
}

// A mean is a double: it lies up to delta_j = 2 eps |x_j| beside where the M-step wants it. That
// costs a component delta' S^-1 delta / 2 of its mean log-likelihood, and no eigenvalue of S is
// below the floor, in units of the columns' deviations s_j: at most sum_j (delta_j / s_j)^2 /
// floor.
double lost_by_means(const Options& o, const ColumnStatistics& columns) {
  constexpr double kUnit = std::numeric_limits<double>::epsilon();
  const std::vector<double> variance = columns.variance();
  const double floor = std::max(o.covariance_floor, kUnit);
  double sum = 0;
  for (std::size_t j = 0; j < variance.size(); ++j) {
    const double delta = 2 * kUnit * columns.largest(static_cast<Index>(j));
    const double unit = o.covariance_type == GaussianMixture::Covariance::kSpherical
                            ? std::min(variance[j], columns.mean_variance())
                            : variance[j];
    if (delta > 0) sum += delta / unit * delta / floor;
  }
  return sum / 2;
}

// The size of log-likelihoods before any fit, a row: one that is 0 has no size of its own.
double size_of_logs(const ColumnStatistics& columns) {
  double sum = 0;
  for (const double v : columns.variance()) sum += 1 + (v > 0 ? std::abs(std::log(v)) : 0);
  return sum;
}

EmOptions em_options(const Options& o, const ColumnStatistics& columns) {
  const bool known = !o.known_covariances.empty();
  const bool held =
      known || o.prior == GaussianMixture::Prior::kConjugate || o.covariance_floor > 0;
  // A covariance whose eigenvalues spread over 1/floor is known to about d eps / floor.
  const double d = static_cast<double>(columns.mean().size()), floor = o.covariance_floor;
  return {.max_iter = o.max_iter,
          .tol = o.tol,
          .rule = o.convergence == GaussianMixture::Stop::kLikelihood ? Convergence::kGain
                                                                      : Convergence::kShift,
          .rounding = std::max(1e-10, floor > 0 ? d * 1e-15 / floor : 0),
          .scale = size_of_logs(columns),
          .noise = lost_by_means(o, columns),
          .monotone = (known || o.reg_covar == 0) && held && o.precisions_init.empty()};
}

void check_shape_of(const GaussianMixture& model, const Options& o) {
  if (model.classes() != o.n_components) {
    throw InputError(Code::kBadOption, {},
                     {"{}, but the model to go on from has {}",
                      Ref::option("n_components", o.n_components), model.classes()},
                     "Give the same number, or fit anew.");
  }
  // One component: a covariance of its own is one for all.
  const std::vector<Index> shape = covariance_shape(o, model.columns());
  if (model.covariances().shape == shape) return;
  throw InputError(
      Code::kBadOption, {},
      {"the covariances of the model to go on from are an {}, but {} asks for an {}",
       to_text(model.covariances()), Ref::option("covariance_type"), to_text(Array{shape, {}})},
      {"Give the same {}, or fit anew.", Ref::option("covariance_type")});
}

void check_data(const Source& x, const ColumnStatistics& columns, const Options& o) {
  if (columns.rows() < o.n_components) {
    throw InputError(Code::kTooFewRows, {.file = x.name()},
                     {"{}, but there are only {} rows (n_samples = {})",
                      Ref::option("n_components", o.n_components), columns.rows(), columns.rows()},
                     {"Give {} of at most {}.", Ref::option("n_components"), columns.rows()});
  }
  const bool held = o.reg_covar > 0 || !o.known_covariances.empty() ||
                    (o.prior == GaussianMixture::Prior::kConjugate && !o.covariance_prior.empty());
  for (Index j = 0; j < x.shape().cols && !held; ++j) {
    if (!columns.constant(j) && columns.range(j) < kNarrowest) {
      throw InputError(Code::kNoSpread, {.file = x.name(), .column = x.schema().name(j)},
                       fmt::format("the values spread over {:g} only, so their squares vanish",
                                   columns.range(j)),
                       "Multiply the column by a power of ten.");
    }
    if (!columns.constant(j)) continue;
    throw InputError(
        Code::kNoSpread, {.file = x.name(), .column = x.schema().name(j)},
        fmt::format("every row has the value {} (n_samples = {}), so a Gaussian has no "
                    "density there",
                    columns.mean()[usize(j)], columns.rows()),
        {"Leave the column out, or give {} above 0 (in squared units of the data).",
         Ref::option("reg_covar")});
  }
}

}  // namespace craton
