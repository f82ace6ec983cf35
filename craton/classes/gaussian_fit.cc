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
  check_start("means_init", options.means_init, columns);
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

}  // namespace craton
