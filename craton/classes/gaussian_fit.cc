#include <algorithm>
#include <optional>

#include "craton/classes/gaussian_memory.h"
#include "craton/classes/gaussian_options.h"
#include "craton/classes/gaussian_start.h"
#include "craton/core/em.h"

// The EM loop of a Gaussian mixture.

namespace craton {
namespace {

using Options = GaussianMixture::Options;
using Statistics = GaussianMixture::Statistics;

EmOptions em_options(const Options& o, Index columns, bool given_covariances) {
  const bool known = !o.known_covariances.empty();
  const bool held =
      known || o.prior == GaussianMixture::Prior::kConjugate || o.covariance_floor > 0;
  // A covariance whose eigenvalues spread over 1/floor is known to about d eps / floor.
  const double d = static_cast<double>(columns), floor = o.covariance_floor;
  return {.max_iter = o.max_iter,
          .tol = o.tol,
          .rule = o.convergence == GaussianMixture::Stop::kLikelihood ? Convergence::kGain
                                                                      : Convergence::kShift,
          .rounding = std::max(1e-10, floor > 0 ? d * 1e-15 / floor : 0),
          .monotone = (known || o.reg_covar == 0) && held && !given_covariances};
}

// What the E-step leaves: its q is the posterior, so the bound is the objective itself.
HalfStep after_e_step(const Statistics& s) { return {s.objective() - s.entropy(), s.entropy()}; }

// Starts from each of n_init, or from the one that is given; keeps the best.
Fit<GaussianMixture> fit_best(Source& x, const Options& given, const GaussianMixture* from,
                              const Exec& exec) {
  Options options = given;
  check_options([&](OptionVisitor& v) { describe(v, options); });
  const ColumnStatistics columns = check_table(x, exec);
  check_data(x, columns, options);
  check_given(options, x.shape().cols);
  check_start("means_init", options.means_init, columns);
  if (from != nullptr) {
    check_shape_of(*from, options);
    check_start("the model", from->means(), columns);
  }

  const bool one = from != nullptr || !options.means_init.empty();
  const bool given_covariances = from != nullptr || !options.precisions_init.empty();
  std::optional<Fit<GaussianMixture>> best;
  std::vector<std::vector<double>> traces;
  const Index trials = one ? 1 : options.n_init;
  for (Index trial = 0; trial < trials; ++trial) {
    if (exec.progress != nullptr && trials > 1) exec.progress->start(trial, trials);
    GaussianUpdate update(options, columns);
    std::vector<HalfStep> half_steps;
    auto fit = em(
        x,
        from != nullptr ? start_from(*from, options)
                        : start_gaussian(x, options, columns, update, trial, exec),
        [&](const GaussianMixture& model) {
          return Statistics(model, options.assignment, update.prior().log_density(model));
        },
        [&](GaussianMixture& model, const Statistics& s) {
          const double change = update(model, s);
          half_steps.push_back(after_e_step(s));
          half_steps.push_back({update.expected(), s.entropy()});
          return change;
        },
        em_options(options, x.shape().cols, given_covariances), exec);
    traces.push_back(fit.report.trace);
    if (best && best->report.objective >= fit.report.objective) continue;
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

}  // namespace craton
