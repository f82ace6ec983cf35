#include <fmt/core.h>

#include <cmath>

#include "craton/classes/gaussian_memory.h"
#include "craton/classes/gaussian_options.h"
#include "craton/classes/gaussian_update.h"
#include "craton/core/error.h"

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

namespace craton {
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
  next.report.iterations += 1;
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

}  // namespace craton
