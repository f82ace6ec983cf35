#include "craton/classes/gaussian_mixture/gaussian_mixture.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/classes/gaussian_mixture/gaussian_block.h"
#include "craton/classes/gaussian_mixture/gaussian_memory.h"
#include "craton/classes/gaussian_mixture/gaussian_options.h"
#include "craton/classes/gaussian_mixture/gaussian_start.h"
#include "craton/classes/gaussian_mixture/gaussian_update.h"
#include "craton/engine/em.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/algebra/linalg.h"
#include "craton/kernels/exp_log.h"
#include "craton/kernels/gaussian_row.h"
#include "craton/kernels/special.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

// Calls f(row of the table, block, row of the block) for every row of new data, checked.
template <class F>
void for_each_row(const GaussianMixture& model, Source& x, const Exec& exec, const F& f) {
  constexpr Index kRows = static_cast<Index>(GaussianBlock::kRows);
  check_columns(x, model.columns());
  for_rows(x, exec, [&](const Chunk& chunk) {
    check_finite(chunk, x);
    GaussianBlock block(model);
    visit_dense(chunk.x, [&](const auto& rows) {
      for (Index first = 0; first < rows.rows; first += kRows) {
        const Index count = std::min(kRows, rows.rows - first);
        block.load(rows, first, count);
        block.find_joint();
        for (Index b = 0; b < count; ++b) {
          const std::size_t best = block.best(usize(b));
          if (!std::isfinite(block.joint(best)[b])) fail_too_far(x, chunk.first_row + first + b);
        }
        f(usize(chunk.first_row + first), usize(count), block);
      }
    });
  });
}

GaussianMixture::Statistics statistics_of(const GaussianMixture& model, Source& x,
                                          const Exec& exec) {
  check_columns(x, model.columns());
  check_start("the model", model.means(), check_table(x, exec));
  return fold(x, model.statistics(), exec);
}

// requires d x d numbers; or any count, the diagonal, and d = 1.
[[noreturn]] void fail_singular(std::size_t component, std::span<const double> covariance, Index d,
                                bool shared) {
  const double smallest = d > 1 ? eigen_symmetric(covariance, d).values[0]
                                : *std::min_element(covariance.begin(), covariance.end());
  throw InputError(
      Code::kNoSpread, {},
      fmt::format("the covariance of {} is singular (its smallest eigenvalue is {:.3g})",
                  shared ? "all components" : fmt::format("component {}", component), smallest),
      {"Give {} or {} above 0, fewer components, or {}.", Ref::option("covariance_floor"),
       Ref::option("reg_covar"), Ref::option("covariance_type", "'diag'")});
}

void check_weights(const ArrayView& weights) {
  double sum = 0;
  for (const double w : weights.values) {
    if (!(w >= 0 && w <= 1)) fail_parameters("a mixture weight is not between 0 and 1");
    sum += w;
  }
  if (std::abs(sum - 1) > 1e-9) fail_parameters("the mixture weights do not sum to 1");
}

void check_symmetric(const ArrayView& covariances, Index d) {
  for (Index c = 0; c < covariances.rows(); ++c) {
    const double* a = &covariances.values[usize(c * d * d)];
    for (Index i = 0; i < d; ++i) {
      for (Index j = 0; j < i; ++j) {
        if (a[i * d + j] != a[j * d + i]) fail_parameters("a covariance is not symmetric");
      }
    }
  }
}

}  // namespace

GaussianMixture::GaussianMixture(Array weights, Array means, Array covariances)
    : weights_(std::move(weights)), means_(std::move(means)), covariances_(std::move(covariances)) {
  const Index k = weights_.rows(), d = means_.cols();
  CRATON_ASSERT(k > 0 && d > 0 && means_.shape == (std::vector<Index>{k, d}));
  CRATON_ASSERT(covariances_.shape == (std::vector<Index>{k, d, d}) ||
                covariances_.shape == (std::vector<Index>{1, d, d}) ||
                covariances_.shape == (std::vector<Index>{k, d}) ||
                covariances_.shape == (std::vector<Index>{k}));
  prepare();
}

GaussianMixture::Covariance GaussianMixture::covariance_type() const {
  if (triangular()) {
    return covariances_.rows() < classes() ? Covariance::kTied : Covariance::kFull;
  }
  return covariances_.shape.size() == 2 ? Covariance::kDiag : Covariance::kSpherical;
}

double GaussianMixture::variance(Index component, Index column) const {
  const Index f = static_cast<Index>(covariance_of(usize(component))), d = columns();
  const Index at = triangular()                    ? (f * d + column) * d + column
                   : covariances_.shape.size() > 1 ? f * d + column
                                                   : f;
  return covariances_.values[usize(at)];
}

void GaussianMixture::prepare() {
  const std::size_t k = usize(classes()), d = usize(columns());
  const std::size_t count = usize(covariances_.rows()), size = triangular() ? d * d : d;
  const std::size_t given = covariances_.values.size() / count;  // numbers for each covariance
  whiten_.resize(count * size);
  packed_.resize(triangular() ? count * packed_size(d) : 0);
  std::vector<double> log_determinant(count);
  for (std::size_t f = 0; f < count; ++f) {
    const std::span<const double> covariance =
        std::span(covariances_.values).subspan(f * given, given);
    const std::span<double> factor = std::span(whiten_).subspan(f * size, size);
    bool definite = true;
    if (triangular()) {
      std::copy(covariance.begin(), covariance.end(), factor.begin());
      definite = cholesky(factor, static_cast<Index>(d));
      if (definite) invert_lower(factor, static_cast<Index>(d));
    } else {
      for (std::size_t j = 0; j < d; ++j) {
        const double v = covariance[given > 1 ? j : 0];
        definite = definite && v > 0;
        factor[j] = 1 / std::sqrt(v);
      }
    }
    for (std::size_t j = 0; j < d; ++j) {
      log_determinant[f] += std::log(factor[triangular() ? j * d + j : j]);
    }
    definite = definite && std::isfinite(log_determinant[f]) &&
               std::all_of(factor.begin(), factor.end(), [](double v) { return std::isfinite(v); });
    if (!definite)
      fail_singular(f, covariance, triangular() ? static_cast<Index>(d) : 1, count < k);
    if (triangular()) pack_lower(factor.data(), d, &packed_[f * packed_size(d)]);
  }
  constant_.resize(k);
  for (std::size_t c = 0; c < k; ++c) {
    constant_[c] = std::log(weights_.values[c]) + log_determinant[covariance_of(c)] -
                   0.5 * static_cast<double>(d) * kLogTwoPi;
  }
}

GaussianMixture::Statistics GaussianMixture::statistics() const { return Statistics(*this); }

void GaussianMixture::predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const {
  for_each_row(*this, x, exec, [&](std::size_t row, std::size_t count, GaussianBlock& block) {
    for (std::size_t b = 0; b < count; ++b) {
      labels[row + b] = static_cast<std::int32_t>(block.best(b));
    }
  });
}

void GaussianMixture::predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const {
  const std::size_t k = usize(classes());
  for_each_row(*this, x, exec, [&](std::size_t row, std::size_t count, GaussianBlock& block) {
    // (joint - top) - log sum exp(joint - top): far from everything joint is so large that the sum
    // of two terms would be lost beside it.
    for (std::size_t b = 0; b < count; ++b) {
      const double top = block.joint(block.best(b))[b];
      double* log_p = &out[(row + b) * k];
      double sum = 0;
      for (std::size_t c = 0; c < k; ++c) {
        log_p[c] = block.joint(c)[b] - top;
        sum += std::exp(log_p[c]);
      }
      const double log_sum = std::log(sum);
      for (std::size_t c = 0; c < k; ++c) log_p[c] -= log_sum;
    }
  });
}

void GaussianMixture::score_samples(Source& x, std::span<double> log_density,
                                    const Exec& exec) const {
  for_each_row(*this, x, exec, [&](std::size_t row, std::size_t count, GaussianBlock& block) {
    block.find_posterior();
    std::copy_n(block.log_density, count, &log_density[row]);
  });
}

double GaussianMixture::score(Source& x, const Exec& exec) const {
  return statistics_of(*this, x, exec).objective();
}

double GaussianMixture::entropy(Source& x, const Exec& exec) const {
  return statistics_of(*this, x, exec).entropy();
}

Sample GaussianMixture::sample(Index rows, std::uint64_t seed) const {
  const std::size_t d = usize(columns());
  std::vector<double> lower = covariances_.values;  // L of each covariance, where it has one
  for (std::size_t at = 0; triangular() && at < lower.size(); at += d * d) {
    CRATON_ASSERT(cholesky(std::span(lower).subspan(at, d * d), columns()));
  }
  Sample sample{{{rows, columns()}, std::vector<double>(usize(rows) * d)},
                std::vector<std::int32_t>(usize(rows))};
  std::vector<double> z(d);
  for (Index i = 0; i < rows; ++i) {
    Random random(seed, Purpose::kSample, 0, static_cast<std::uint64_t>(i));
    const Index c = random.categorical(weights_.values);
    sample.labels[usize(i)] = static_cast<std::int32_t>(c);
    for (double& v : z) v = random.normal();
    double* out = &sample.x.values[usize(i) * d];
    for (std::size_t j = 0; j < d; ++j) {
      out[j] = means_.values[usize(c) * d + j];
      if (triangular()) {
        const double* row = &lower[(covariance_of(usize(c)) * d + j) * d];
        for (std::size_t l = 0; l <= j; ++l) out[j] += row[l] * z[l];
      } else {
        out[j] += std::sqrt(variance(c, static_cast<Index>(j))) * z[j];
      }
    }
  }
  return sample;
}

Index GaussianMixture::free_parameters(const Options& options) const {
  const Index k = classes(), d = columns();
  const bool weights = options.weights == Weights::kEstimated && options.known_weights.empty();
  const Index of_covariance = triangular()                    ? d * (d + 1) / 2
                              : covariances_.shape.size() > 1 ? d
                                                              : 1;
  return (weights ? k - 1 : 0) + k * d +
         (options.known_covariances.empty() ? covariances_.rows() * of_covariance : 0);
}

void GaussianMixture::visit_parameters(ParameterVisitor& v) const {
  v.doubles("weights", "the weight of each component; they sum to 1", weights_);
  v.doubles("means", "the mean of each component, one a row", means_);
  v.doubles("covariances",
            "the covariance of each component: k x d x d (full), k x d (diag), k (spherical), or "
            "one for all (tied)",
            covariances_);
}

GaussianMixture GaussianMixture::from_parameters(const ParameterList& parameters) {
  const ArrayView weights = parameters.doubles("weights", {-1});
  const Index k = weights.rows();
  const ArrayView means = parameters.doubles("means", {k, -1});
  const Index d = means.cols();
  const ParameterView* const given = parameters.find("covariances");
  std::vector<Index> shape = given == nullptr ? std::vector<Index>{} : given->shape;
  const bool tied = shape == std::vector<Index>{1, d, d};
  shape = shape.size() == 1   ? std::vector<Index>{k}
          : shape.size() == 2 ? std::vector<Index>{k, d}
                              : std::vector<Index>{tied ? 1 : k, d, d};
  const ArrayView covariances = parameters.doubles("covariances", shape);
  for (const ArrayView* array : {&weights, &means, &covariances}) {
    const bool finite = std::all_of(array->values.begin(), array->values.end(),
                                    [](double v) { return std::isfinite(v); });
    if (array->empty() || !finite) fail_parameters("a parameter is empty or not finite");
  }
  check_weights(weights);
  if (shape.size() == 3) check_symmetric(covariances, d);
  try {
    return GaussianMixture(weights.copy(), means.copy(), covariances.copy());
  } catch (const InputError& error) {
    fail_parameters(error.what());
  }
}

std::vector<ResultTable> GaussianMixture::tables(const Schema& schema) const {
  const Index k = classes(), d = columns();
  ResultTable table{"means", "means (standard deviations)"};
  table.add_count("component", k);
  table.add_numbers("weight", weights_.values, {4, Digits::Form::kDecimals});
  for (Index j = 0; j < d; ++j) {
    ResultColumn::Numbers means, deviations;
    for (Index c = 0; c < k; ++c) {
      means.push_back(means_.values[usize(c * d + j)]);
      deviations.push_back(std::sqrt(variance(c, j)));
    }
    table.add_means(schema.name(j), j, std::move(means), std::move(deviations));
  }
  return {table};
}

// One row by itself: k d^2 / 2 multiply-adds, and the formulas of gaussian_mixture.cc.

std::int32_t GaussianMixture::find_joint(const double* row, double* work, double* joint) const {
  const std::size_t k = usize(classes()), d = usize(columns());
  std::size_t best = 0;
  for (std::size_t c = 0; c < k; ++c) {
    const std::size_t f = covariance_of(c);
    const double* const mean = &means_.values[c * d];
    joint[c] = triangular() ? full_log_density(row, mean, &packed_[f * packed_size(d)],
                                               constant_[c], d, work)
                            : diagonal_log_density(row, mean, &whiten_[f * d], constant_[c], d);
    if (joint[c] > joint[best]) best = c;  // the lower index on ties
  }
  return std::isfinite(joint[best]) ? static_cast<std::int32_t>(best) : -1;
}

std::int32_t GaussianMixture::predict_row(const double* row, double* work) const {
  return find_joint(row, work + classes(), work);
}

bool GaussianMixture::predict_log_proba_row(const double* row, double* work, double* out) const {
  const std::size_t k = usize(classes());
  const std::int32_t best = find_joint(row, work, out);
  if (best < 0) return false;
  const double top = out[best];
  double sum = 0;
  for (std::size_t c = 0; c < k; ++c) {
    out[c] -= top;
    sum += std::exp(out[c]);
  }
  const double log_sum = std::log(sum);
  for (std::size_t c = 0; c < k; ++c) out[c] -= log_sum;
  return true;
}

double GaussianMixture::score_row(const double* row, double* work) const {
  constexpr std::size_t kRows = 8;
  const std::size_t k = usize(classes());
  double* const table = work + k;
  if (find_joint(row, table, work) < 0) return NAN;
  for (std::size_t c = 0; c < k; ++c) std::fill_n(table + c * kRows, kRows, work[c]);
  double log_density[kRows], entropy[kRows];
  softmax_columns(table, k, kRows, kRows, log_density, entropy);
  return log_density[0];
}

// With z = L^-1 (x - m), log N(x | m, L L') is the sum over j of log N(z_j | 0, 1) - log L_jj, and
// its first j terms are the density of the first j columns.
void GaussianMixture::contributions(const Chunk& chunk, Index row, Index label,
                                    std::span<double> out) const {
  const std::size_t c = usize(label), d = usize(columns()), f = covariance_of(c);
  const double* const mean = &means_.values[c * d];
  std::vector<double> apart(d);
  std::visit([&](const auto& x) { copy_row(x, row, apart.data()); }, chunk.x);
  for (std::size_t j = 0; j < d; ++j) apart[j] -= mean[j];
  out[0] = std::log(weights_.values[c]);
  for (std::size_t j = 0; j < d; ++j) {
    const double* const w = triangular() ? &whiten_[(f * d + j) * d] : &whiten_[f * d];
    double z = w[j] * apart[j];
    for (std::size_t i = 0; triangular() && i < j; ++i) z += w[i] * apart[i];
    out[j + 1] = std::log(w[j]) - kHalfLogTwoPi - z * z / 2;
  }
}

// The EM loop of a Gaussian mixture.

namespace {

using Options = GaussianMixture::Options;
using Statistics = GaussianMixture::Statistics;

// What the E-step leaves: its q is the posterior, so the bound is the objective itself.
HalfStep after_e_step(const Statistics& s) { return {s.objective() - s.entropy(), s.entropy()}; }

// Starts from each of n_init, or from the one that is given; keeps the best. Where a component is
// flat the likelihood has no bound but the floor: such a fit is kept only if all are.
Fit<GaussianMixture> fit_best(Source& x, const Options& given, const GaussianMixture* from,
                              const Exec& exec) {
  Options options = given;
  check_options([&](OptionVisitor& v) { describe(v, options); });
  const ColumnStatistics columns = check_table(x, exec);
  check_data(x, columns, options);
  check_given(options, x.shape().cols);
  check_start(Ref::option("means_init"), options.means_init, columns);
  if (from != nullptr) {
    check_shape_of(*from, options);
    check_start("the model", from->means(), columns);
  }

  std::optional<GaussianStarts> starts;
  if (from == nullptr) starts.emplace(x, options, columns, exec);
  EmOptions em_rule = em_options(options, columns);
  em_rule.monotone = em_rule.monotone && from == nullptr;  // its covariances may be below the floor
  std::optional<Fit<GaussianMixture>> best;
  bool best_forced = false;
  std::vector<std::vector<double>> traces;
  const Index trials = from == nullptr && options.means_init.empty() ? options.n_init : 1;
  for (Index trial = 0; trial < trials; ++trial) {
    if (exec.progress != nullptr && trials > 1) exec.progress->start(trial, trials);
    GaussianUpdate update(options, columns);
    std::vector<HalfStep> half_steps;
    auto fit = em(
        x, starts ? starts->choose(trial) : start_from(*from, options),
        [&](const GaussianMixture& model) {
          return Statistics(model, options.assignment, update.prior().log_density(model));
        },
        [&](GaussianMixture& model, const Statistics& s) {
          const double change = update(model, s);
          half_steps.push_back(after_e_step(s));
          half_steps.push_back({update.expected(), s.entropy()});
          return change;
        },
        em_rule, exec);
    traces.push_back(fit.report.trace);
    const bool forced = update.forced();
    const bool worse =
        best && (forced == best_forced ? best->report.objective >= fit.report.objective : forced);
    if (worse) continue;
    best_forced = forced;
    half_steps.push_back(after_e_step(fit.statistics));
    fit.report.half_steps = std::move(half_steps);
    for (Note& note : update.notes(x.schema())) fit.report.notes.push_back(std::move(note));
    best = Fit<GaussianMixture>{std::move(fit.model), std::move(fit.report),
                                GaussianMemory{columns, fit.statistics}.arrays()};
  }
  if (trials > 1) best->report.start_traces = std::move(traces);
  best->report.data_hash = columns.data_hash();
  return *std::move(best);
}

}  // namespace

Fit<GaussianMixture> GaussianMixture::fit(Source& x, const Options& options, const Exec& exec) {
  return fit_best(x, options, nullptr, exec);
}

Fit<GaussianMixture> GaussianMixture::fit_from(const GaussianMixture& start, Source& x,
                                               const Options& options, const Exec& exec) {
  return fit_best(x, options, &start, exec);
}

// Mixtures that learn on.
//
// partial_fit is stepwise EM (Cappé and Moulines, "On-line expectation-maximization algorithm for
// latent data models", 2009): a batch moves the statistics, per row, by a step towards its own, and
// an M-step follows,
//
//   s <- (1 - eta) s + eta s_batch,   eta = (its share of all rows so far)^learning_decay,
//
// which for batches of one size is t^-learning_decay. 1 counts all rows alike; below, the past
// fades, and with it what early, poor models made of it.
//
// merge adds the statistics of two models and makes the M-step: from one and the same model on two
// halves of a table (a fit of no iterations from it) this is a step of EM on the whole.

namespace {

using Options = GaussianMixture::Options;

Options checked(const Options& given, const GaussianMixture& model) {
  Options options = given;
  check_options([&](OptionVisitor& v) { describe(v, options); });
  check_shape_of(model, options);
  check_given(options, model.columns());
  return options;
}

GaussianMemory remembered(const Fit<GaussianMixture>& fit) {
  if (fit.memory.get().empty()) {
    throw InputError(Code::kNotAble, {}, "the model keeps no statistics of its rows to go on from",
                     "Fit it again with this version, or start a fit from it (warm_start).");
  }
  return GaussianMemory::read(fit.model, fit.memory.get());
}

// Between component c of a and component e of b: of means and standard deviations by column.
double squared_distance(const GaussianMixture& a, Index c, const GaussianMixture& b, Index e) {
  double sum = 0;
  for (Index j = 0; j < a.columns(); ++j) {
    const Index d = a.columns();
    const double u = a.variance(c, j), v = b.variance(e, j);
    const double apart = a.means().values[usize(c * d + j)] - b.means().values[usize(e * d + j)];
    const double wider = std::sqrt(u) - std::sqrt(v);
    sum += (apart * apart + wider * wider) / (u + v);
  }
  return sum;
}

// Components are the same by their number only: when two of them are nearer to each other's
// namesake, the models were not fitted from one.
void check_components(const GaussianMixture& a, const GaussianMixture& b) {
  const Index k = a.classes();
  for (Index c = 0; c < k; ++c) {
    for (Index e = 0; e < c; ++e) {
      if (squared_distance(a, c, b, c) + squared_distance(a, e, b, e) <=
          squared_distance(a, c, b, e) + squared_distance(a, e, b, c))
        continue;
      throw InputError(
          Code::kBadOption, {},
          fmt::format("components {} and {} of one model are {} and {} of the other", e, c, c, e),
          "Fit both from one model, so that their components are the same: warm_start.");
    }
  }
}

// The M-step, after which the memory is about the new means.
void update(Fit<GaussianMixture>& fit, GaussianMemory& memory, const Options& options,
            const Schema& schema) {
  GaussianUpdate m_step(options, memory.columns);
  const GaussianMixture old = fit.model;
  m_step(fit.model, memory.statistics);
  memory.statistics.recentre(old, fit.model);
  fit.memory = memory.arrays();
  fit.report.notes = m_step.notes(schema);
  fit.report.half_steps.clear();
  fit.report.start_traces.clear();
  fit.report.data_hash = memory.columns.data_hash();
}

}  // namespace

Fit<GaussianMixture> GaussianMixture::partial_fit(const Fit<GaussianMixture>& so_far, Source& x,
                                                  const Options& given, const Exec& exec) {
  const Options options = checked(given, so_far.model);
  GaussianMemory memory = remembered(so_far);
  const ColumnStatistics columns = check_table(x, exec);
  check_start("the model", so_far.model.means(), columns);
  Statistics batch = fold(x, Statistics(so_far.model, options.assignment), exec);

  Fit<GaussianMixture> next = so_far;
  next.report.count_iteration();
  next.report.objective = batch.objective();
  next.report.trace.push_back(batch.objective());
  const double before = memory.columns.weight();
  memory.columns.merge(columns);
  // Sums over all rows, of which the batch makes up the part eta.
  const double rows = memory.columns.weight(), share = columns.weight() / rows;
  const double eta = std::pow(share, options.learning_decay);
  batch.scale(eta / share);
  memory.statistics.scale((1 - eta) / (before / rows));
  memory.statistics.merge(batch);
  update(next, memory, options, x.schema());
  return next;
}

Fit<GaussianMixture> GaussianMixture::merge(const Fit<GaussianMixture>& a,
                                            const Fit<GaussianMixture>& b, const Options& given) {
  const Options options = checked(given, a.model);
  check_shape_of(b.model, options);
  check_components(a.model, b.model);
  GaussianMemory memory = remembered(a), other = remembered(b);
  other.statistics.recentre(b.model, a.model);
  memory.statistics.merge(other.statistics);
  memory.columns.merge(other.columns);

  Fit<GaussianMixture> result = a;
  result.report.iterations = 1;
  result.report.converged = a.report.converged && b.report.converged;
  result.report.objective = memory.statistics.objective();
  result.report.trace = {result.report.objective};
  update(result, memory, options, numbered_schema(a.model.columns()));
  return result;
}

const Usage GaussianMixture::kUsage{
    .example = "examples/data/islands.csv --n-components 4 -o islands.craton",
    .python = R"(
>>> from craton import GaussianMixture
>>> X = [[1, 2], [1, 4], [2, 3], [10, 12], [10, 14], [11, 13]]
>>> model = GaussianMixture(n_components=2).fit(X)
>>> model.weights_.tolist()
[0.5, 0.5]
>>> model.predict_proba([[1, 3]]).max().round(3).item()
1.0
)",
    .small = "n_components=3; max_iter=12",
    .positional = 1,
    .sklearn = "mixture.GaussianMixture"};

template ModelInfo registered<GaussianMixture>();

}  // namespace craton
