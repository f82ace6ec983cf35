#include "craton/engine/em.h"

#include <fmt/core.h>

#include <algorithm>

#include "craton/base/error.h"

namespace craton::em_detail {
namespace {

constexpr std::string_view kDigitsGone =
    "the values are so far from 0, beside their spread, that rounding takes as much. Subtract a "
    "number from the columns";

double append(FitReport& report, double objective, const EmOptions& options) {
  if (!std::isfinite(objective)) {
    throw InputError(Code::kNotFinite, {}, "the objective of a step is not finite",
                     "Values, weights or the start are too large or too far away: rescale them.");
  }
  const double gain = report.trace.empty() ? INFINITY : objective - report.objective;
  // What an update foretells is made from what was there before it.
  const std::size_t passes = report.trace.size();
  const double before = passes > 1 ? std::abs(report.trace[passes - 2]) : 0;
  const double size = std::max({std::abs(report.objective), options.scale, before});
  const bool fell = gain < -options.rounding * size;
  const bool rounded = gain >= -(options.rounding * size + options.noise);
  CRATON_ASSERT(!(fell && options.monotone && !rounded));
  if (fell && (report.notes.empty() || report.notes.back().code != "objective-fell")) {
    report.notes.push_back({"objective-fell",
                            {"the objective fell from {} to {} in step {} of the trace: {}",
                             report.objective, objective, report.trace.size() + 1,
                             rounded ? Message(kDigitsGone) : options.why_it_falls}});
  }
  report.objective = objective;
  report.trace.push_back(objective);
  return gain;
}

}  // namespace

double record(FitReport& report, double objective, const EmOptions& options, const Exec& exec) {
  const double gain = append(report, objective, options);
  if (exec.progress != nullptr) {
    exec.progress->iteration(report.iterations, options.max_iter, objective);
  }
  return gain;
}

void record_update(FitReport& report, double objective, const EmOptions& options) {
  append(report, objective, options);
}

}  // namespace craton::em_detail
