#pragma once
#include <cmath>
#include <string_view>

#include "craton/base/error.h"
#include "craton/base/report.h"
#include "craton/engine/fold.h"

// Expectation-maximisation, for any model whose statistics are sums over rows:
//
//   repeat   s <- fold(rows, statistics of the current model)     E-step, and the objective
//            model <- update(s)                                   M-step
//
// k-means is the same loop with hard assignments. The objective of a pass belongs to the model that
// the pass used, and no update follows the last pass: the report describes the model returned.

namespace craton {

enum class Convergence {
  kGain,   // the objective gained at most tol
  kShift,  // the update changed the parameters by at most tol, as update() measures it
};

struct EmOptions {
  Index max_iter = 100;  // updates, at most
  double tol = 1e-3;
  Convergence rule = Convergence::kGain;
  // What rounding may take back in one pass, relative to the objective; a larger fall is a bug.
  double rounding = 1e-10;
  // The size of the objective before any fit. Rounding may take back part of this too: an objective
  // that reaches 0 has nothing of its own to be relative to.
  double scale = 0;
  // And so much more, absolute, where the digits of the data are gone: a fall within it is a note.
  double noise = 0;
  // False when the update does not maximise the objective itself: then a fall is a note, which says
  // why that may be.
  bool monotone = true;
  Message why_it_falls = {"the covariance term that {} adds is not part of it",
                          Ref::option("reg_covar")};
};

// What an update did: by how much it moved the parameters (0: they stayed as they were), and the
// objective right after it, where the statistics tell.
struct EmStep {
  double shift = 0, objective = 0;
};

namespace em_detail {
// Appends the objective of a pass and returns its gain; checks that it is finite and did not fall.
double record(FitReport& report, double objective, const EmOptions& options, const Exec& exec);
// The same for the objective between an update and the next pass.
void record_update(FitReport& report, double objective, const EmOptions& options);
}  // namespace em_detail

// The statistics are those of the last pass, so they describe the model returned too; what they
// borrowed of it during the pass is gone.
template <class M, class S>
struct EmResult {
  M model;
  FitReport report;
  S statistics;
};

// make(model) returns the empty statistics, which may borrow the model for one pass;
// update(model, statistics) changes the model and returns by how much: 0 when it stayed as it was.
// It may return an EmStep instead; then the trace has the objective after every update too.
// Statistics that have settled(), "no row changed its mind since the last pass", end the loop.
template <class M, class Make, class Update>
auto em(Source& x, M model, const Make& make, const Update& update, const EmOptions& options,
        const Exec& exec) {
  using Result = EmResult<M, decltype(make(model))>;
  FitReport report;
  double shift = INFINITY;
  for (;; ++report.iterations) {
    auto statistics = fold(x, make(model), exec);
    const double gain = em_detail::record(report, statistics.objective(), options, exec);
    report.converged = (options.rule == Convergence::kGain ? gain : shift) <= options.tol;
    if constexpr (requires { statistics.settled(); }) {
      report.converged = report.converged || statistics.settled();
    }
    if (!report.converged && report.iterations < options.max_iter) {
      const auto step = update(model, statistics);
      if constexpr (std::is_same_v<decltype(step), const EmStep>) {
        shift = step.shift;
        if (shift != 0) em_detail::record_update(report, step.objective, options);
      } else {
        shift = step;
      }
      report.converged = shift == 0;  // another pass would find the same
      if (!report.converged) continue;
    }
    return Result{std::move(model), std::move(report), std::move(statistics)};
  }
}

}  // namespace craton
