#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <optional>

#include "craton/classes/gaussian_mixture.h"
#include "craton/classes/gaussian_update.h"
#include "craton/cluster/kmeans.h"
#include "craton/cluster/starts.h"
#include "craton/core/columns.h"
#include "craton/core/em.h"
#include "craton/kernels/linalg.h"

// How a Gaussian mixture starts, and the EM loop.

namespace craton {
namespace {

using Options = GaussianMixture::Options;
using Statistics = GaussianMixture::Statistics;

bool full(const Options& o) { return o.covariance_type == GaussianMixture::Covariance::kFull; }

std::vector<Index> covariance_shape(const Options& o, Index d) {
  return full(o) ? std::vector<Index>{o.n_components, d, d} : std::vector<Index>{o.n_components, d};
}

// Files hold tables: one column may stand for a vector, and matrices may lie below one another.
void check_given(const char* name, Array& given, const std::vector<Index>& shape) {
  const bool column = shape.size() == 1 && given.shape == std::vector<Index>{shape[0], 1};
  const bool stacked =
      shape.size() == 3 && given.shape == std::vector<Index>{shape[0] * shape[1], shape[2]};
  if (column || stacked) given.shape = shape;
  if (given.empty() || given.shape == shape) return;
  throw InputError(Code::kBadShape, {},
                   fmt::format("{} is an {}, but should be an {}", name, to_text(given),
                               to_text(Array{shape, {}})),
                   "Its rows belong to the components, its columns to the features.");
}

void check_given_start(Options& o, Index d) {
  check_given("weights_init", o.weights_init, {o.n_components});
  check_given("means_init", o.means_init, {o.n_components, d});
  check_given("precisions_init", o.precisions_init, covariance_shape(o, d));
  double sum = 0;
  for (const double w : o.weights_init.values) {
    sum += w;
    if (w >= 0) continue;
    throw InputError(Code::kBadOption, {}, fmt::format("weights_init has the value {}", w),
                     "Weights are not negative and sum to 1.");
  }
  if (!o.weights_init.empty() && std::abs(sum - 1) > 1e-6) {
    throw InputError(Code::kBadOption, {}, fmt::format("weights_init sums to {}", sum),
                     "Weights are not negative and sum to 1.");
  }
}

void check_data(const Source& x, const ColumnStatistics& columns, const Options& o) {
  if (columns.rows() < o.n_components) {
    throw InputError(Code::kTooFewRows, {.file = x.name()},
                     fmt::format("n_components = {}, but there are only {} rows (n_samples = {})",
                                 o.n_components, columns.rows(), columns.rows()),
                     fmt::format("Give n_components of at most {}.", columns.rows()));
  }
  for (Index j = 0; j < x.shape().cols && o.reg_covar == 0; ++j) {
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
        "Leave the column out, or give reg_covar above 0 (in squared units of the "
        "data).");
  }
}

// The inverse of each precision matrix: P = U'U with U = L', so P^-1 = L^-T L^-1.
Array covariances_of(const Array& precisions, bool full, Index d) {
  Array result = precisions;
  const auto refuse = [](std::size_t component, const char* why) {
    throw InputError(Code::kBadOption, {},
                     fmt::format("precisions_init of component {} is not {}", component, why),
                     "Give the inverse of a covariance: symmetric, positive definite.");
  };
  if (!full) {
    for (std::size_t i = 0; i < result.values.size(); ++i) {
      if (!(result.values[i] > 0)) refuse(i / usize(d), "positive");
      result.values[i] = 1 / result.values[i];
    }
    return result;
  }
  const std::size_t size = usize(d * d), n = usize(d);
  for (std::size_t c = 0; c * size < result.values.size(); ++c) {
    std::vector<double> inverse(precisions.values.begin() + static_cast<Index>(c * size),
                                precisions.values.begin() + static_cast<Index>((c + 1) * size));
    for (std::size_t i = 0; i < size; ++i) {
      const double mirrored = inverse[i % n * n + i / n];
      const double scale = std::max(std::abs(inverse[i]), std::abs(mirrored));
      if (std::abs(inverse[i] - mirrored) > 1e-6 * scale) refuse(c, "symmetric");
    }
    if (!cholesky(inverse, d)) refuse(c, "positive definite");
    invert_lower(inverse, d);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::size_t l = std::max(i, j); l < n; ++l)
          sum += inverse[l * n + i] * inverse[l * n + j];
        result.values[c * size + i * n + j] = sum;
      }
    }
  }
  return result;
}

Array start_means(Source& x, const Options& o, Index trial, const Exec& exec) {
  if (!o.means_init.empty()) return o.means_init;
  const StartRule rule =
      o.init_params == GaussianMixture::Init::kRandom ? StartRule::kRandom : StartRule::kPlusPlus;
  Array means = choose_start(x,
                             {.rule = rule,
                              .k = o.n_components,
                              .seed = static_cast<std::uint64_t>(o.random_state),
                              .trial = static_cast<std::uint32_t>(trial),
                              .option = "n_components"},
                             exec);
  if (o.init_params != GaussianMixture::Init::kKMeans) return means;
  KMeans::Options options;
  options.n_clusters = o.n_components;
  options.centers = std::move(means);
  return KMeans::fit(x, options, exec).model.centers();
}

// Rows go to the nearest start mean; one M-step makes the first mixture, and what is given wins.
GaussianMixture start_model(Source& x, const Options& o, const ColumnStatistics& columns,
                            GaussianUpdate& update, Index trial, const Exec& exec) {
  const Index k = o.n_components, d = x.shape().cols;
  const bool all_given =
      !o.weights_init.empty() && !o.means_init.empty() && !o.precisions_init.empty();
  const std::vector<double> variance = columns.variance();
  Array covariances{covariance_shape(o, d), {}};
  covariances.values.resize(usize(full(o) ? k * d * d : k * d));
  for (Index c = 0; c < k; ++c) {
    for (Index j = 0; j < d; ++j) {
      const Index at = full(o) ? (c * d + j) * d + j : c * d + j;
      covariances.values[usize(at)] = variance[usize(j)] > 0 ? variance[usize(j)] : 1;
    }
  }
  const Array equal{{k}, std::vector<double>(usize(k), 1 / static_cast<double>(k))};
  GaussianMixture model(equal, start_means(x, o, trial, exec), std::move(covariances));
  if (!all_given) {
    update(model, fold(x, Statistics(model, Statistics::Assign::kNearest), exec));
    if (o.weights_init.empty() && o.means_init.empty() && o.precisions_init.empty()) return model;
  }
  Array given = o.precisions_init.empty() ? model.covariances()
                                          : covariances_of(o.precisions_init, full(o), d);
  return GaussianMixture(o.weights_init.empty() ? model.weights() : o.weights_init,
                         o.means_init.empty() ? model.means() : o.means_init, std::move(given));
}

}  // namespace

void describe(OptionVisitor& v, GaussianMixture::Options& o) {
  constexpr Index kMost = Index{1} << 24;
  v.integer("n_components", o.n_components, 1, kMost, "number of Gaussians");
  v.choice("covariance_type", o.covariance_type, {"full", "diag"},
           "shape of each component: any ellipse, or one along the axes");
  v.number("tol", o.tol, 0, INFINITY, "stop when the mean log-likelihood gains less than this");
  v.number("covariance_floor", o.covariance_floor, 0, 1,
           "least variance of a component in any direction, relative to the data's");
  v.number("reg_covar", o.reg_covar, 0, INFINITY,
           "added to the diagonal of every covariance, in squared units of the data; above 0 it "
           "replaces covariance_floor");
  v.integer("max_iter", o.max_iter, 0, kMost, "updates of the model, at most");
  v.integer("n_init", o.n_init, 1, kMost, "number of starts; the best result is kept");
  v.choice("init_params", o.init_params, {"kmeans", "k-means++", "random_from_data"},
           "where the means start: k-means, k-means++ rows, or random rows");
  v.array("weights_init", o.weights_init, "given starting weights, one for each component");
  v.array("means_init", o.means_init, "given starting means, one row for each component");
  v.array("precisions_init", o.precisions_init, "given starting precisions (inverse covariances)");
  v.integer("random_state", o.random_state, 0, std::numeric_limits<Index>::max(),
            "seed of the starts");
}

Fit<GaussianMixture> GaussianMixture::fit(Source& x, const Options& given, const Exec& exec) {
  Options options = given;
  check_options([&](OptionVisitor& v) { describe(v, options); });
  const ColumnStatistics columns = check_table(x, exec);
  check_data(x, columns, options);
  check_given_start(options, x.shape().cols);
  check_start("means_init", options.means_init, columns);

  // A covariance whose eigenvalues spread over 1/floor is known to about d eps / floor.
  const double d = static_cast<double>(x.shape().cols), floor = options.covariance_floor;
  const EmOptions em_options{
      .max_iter = options.max_iter,
      .tol = options.tol,
      .rounding = std::max(1e-10, floor > 0 ? d * 1e-15 / floor : 0),
      .monotone = options.reg_covar == 0 && floor > 0 && options.precisions_init.empty()};
  std::optional<Fit<GaussianMixture>> best;
  const Index trials = options.means_init.empty() ? options.n_init : 1;
  for (Index trial = 0; trial < trials; ++trial) {
    if (exec.progress != nullptr && trials > 1) exec.progress->start(trial, trials);
    GaussianUpdate update(options, columns.variance());
    auto fit = em(
        x, start_model(x, options, columns, update, trial, exec),
        [](const GaussianMixture& model) { return Statistics(model); },
        [&](GaussianMixture& model, const Statistics& s) { return update(model, s); }, em_options,
        exec);
    if (best && best->report.objective >= fit.report.objective) continue;
    for (Note& note : update.notes(x.schema())) fit.report.notes.push_back(std::move(note));
    best = Fit<GaussianMixture>{std::move(fit.model), std::move(fit.report)};
  }
  best->report.data_hash = columns.data_hash();
  return *std::move(best);
}

}  // namespace craton
