#include <fmt/core.h>

#include <optional>

#include "cli/data.h"
#include "cli/fit_output.h"
#include "cli/output.h"
#include "cli/plot.h"
#include "cli/progress.h"
#include "cli/summary.h"
#include "cli/verbs.h"
#include "craton/base/error.h"

namespace craton::cli {
namespace {

// The model of --warm-start.
std::optional<Fitted> read_start(const Command& command, const ModelInfo& info) {
  if (command.warm_start.empty()) return std::nullopt;
  Fitted start = read_model(command.warm_start);
  check_model(start, info.name);
  return start;
}

// Those typed, and for the others those of the model that the fit starts from.
std::vector<NamedOption> options_of(const Command& command, const ModelInfo& info,
                                    const std::optional<Fitted>& start) {
  std::vector<NamedOption> options = start ? start->options : std::vector<NamedOption>{};
  for (NamedOption& typed : read_options(info, command)) {
    std::erase_if(options, [&](const NamedOption& o) { return o.first == typed.first; });
    options.push_back(std::move(typed));
  }
  return options;
}

void judge_convergence(const Command& command, const Fitted& fitted) {
  if (fitted.report.converged) return;
  const std::string what =
      fmt::format("not converged after {}", plural(fitted.report.iterations, "iteration"));
  if (command.strict) {
    throw InputError(Code::kNotConverged, {}, what + ", nothing was saved (--strict)",
                     advice(fitted));
  }
  complain("warning", what + "\n  " + advice(fitted));
}

}  // namespace

int fit(const Command& command) {
  check_writable(command.output);
  check_writable(command.plot);
  check_writable(command.plot_traces);
  const ModelInfo& info = find_model(command.model);
  const std::optional<Fitted> start = read_start(command, info);
  const std::vector<NamedOption> options = options_of(command, info, start);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  const Data data =
      start ? read_for_model(command, *start, Want::kLabels, exec) : read_to_fit(command, exec);
  const PlotColumns plot_columns = choose_plot_columns(command, data);

  progress.start_passes(data.size());
  const Fitted fitted = start ? info.fit_from(*start, data.source(), options, exec)
                              : info.fit(data.source(), options, exec);
  complain_of(fitted, command);
  judge_convergence(command, fitted);
  std::string picture, traces;
  if (!command.plot_stages.empty()) {
    picture = plot_stages(command, info, options, data, plot_columns, exec);
  } else if (!command.plot.empty()) {
    picture = plot_fit(fitted, data, plot_columns, fitted.report.objective, exec);
  }
  if (!command.plot_traces.empty()) traces = plot_traces(fitted, base_name(data.name()));
  progress.finish();  // from here on results are written, whole
  keep(command, fitted);
  if (!command.plot.empty()) save(command.plot, picture);
  if (!command.plot_traces.empty()) save(command.plot_traces, traces);
  tell(command, fitted, &data);
  return kOk;
}

}  // namespace craton::cli
