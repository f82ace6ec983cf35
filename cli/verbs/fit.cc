#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "cli/parsing/data.h"
#include "cli/parsing/flags.h"
#include "cli/parsing/model_options.h"
#include "cli/parsing/plot_columns.h"
#include "cli/parsing/values.h"
#include "cli/showing/fit_output.h"
#include "cli/showing/output.h"
#include "cli/showing/progress.h"
#include "cli/showing/summary.h"
#include "cli/verbs.h"
#include "craton/base/error.h"
#include "craton/report/plots/stages.h"
#include "craton/report/plots/traces.h"

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
  // More iterations would not help classes that are separated, and the note says what would.
  const auto separated = std::ranges::find(fitted.report.notes, "separated", &Note::code);
  const bool told = separated != fitted.report.notes.end();
  if (told && !command.strict) return;
  const std::string what =
      fmt::format("not converged after {}", plural(fitted.report.iterations, "iteration"));
  if (command.strict) {
    throw InputError(Code::kNotConverged, {}, what + ", nothing was saved (--strict)",
                     told ? separated->text.plain() : advice(fitted));
  }
  complain("warning", what + "\n  " + advice(fitted));
}

int run_fit(const Command& command) {
  check_writable(command.output);
  check_writable(command.plot);
  check_writable(command.plot_traces);
  const ModelInfo& info = find_model(command.model);
  const std::optional<Fitted> start = read_start(command, info);
  const std::vector<NamedOption> options = options_of(command, info, start);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  const Data data =
      start ? read_for_model(command, *start, Want::kTarget, exec) : read_to_fit(command, exec);
  const PlotColumns plot_columns = choose_plot_columns(command, data);

  progress.start_passes(data.size());
  Fitted fitted = start ? info.fit_from(*start, data.source(), options, exec)
                        : info.fit(data.source(), options, exec);
  complain_of(fitted, command);
  judge_convergence(command, fitted);
  std::string picture, traces;
  if (!command.plot_stages.empty()) {
    picture = plot_stages(info, options, data.source(), command.plot_stages, plot_columns, exec);
  } else if (!command.plot.empty()) {
    picture = plot_fit(fitted, data.source(), plot_columns, fitted.report.objective, exec);
  }
  if (!command.plot_traces.empty()) traces = plot_traces(fitted, data.name());
  progress.finish();  // from here on results are written, whole
  keep(command, fitted, data.forms);
  if (!command.plot.empty()) save(command.plot, picture);
  if (!command.plot_traces.empty()) save(command.plot_traces, traces);
  tell(command, fitted, &data);
  return kOk;
}

std::string example_with(const ModelInfo& model) {
  return fmt::format("craton fit {} {}", model.name, model.usage.example);
}

void add_fit_flags(Flags& flags) {
  Command& command = flags.command();
  for (const Option& option : all_options(flags.model())) flags.option(option);
  flags.data();
  flags.fit_options();
  if (flags.model().abilities.fit_from) {
    flags.text("--warm-start", command.warm_start, "FILE",
               "start from this model, with its columns, and its options where none are given");
  }
  flags.save("save the model here");
  flags.picture("--plot", command.plot, "draw data and model as SVG");
  flags.plot_columns();
  flags.read("--plot-stages", "T,...",
             "draw the fit after so many updates instead, side by side: 0,1,2,5,20",
             [&command](const std::string& typed) {
               command.plot_stages = counts_of("--plot-stages", typed);
             });
  flags.picture("--plot-traces", command.plot_traces,
                "draw the objective of every start, pass by pass, as SVG");
  flags.yes("--strict", command.strict, "fail (exit code 4) when the fit did not converge");
  flags.quiet("print warnings and errors only");
  flags.after([&command] {
    command.draws = !command.plot.empty();
    if (!command.plot_stages.empty() && !command.draws) {
      refuse("--plot-stages needs a file to draw to", "Give --plot FILE.svg.");
    }
    if (!command.warm_start.empty() && !(command.features.empty() && command.drop.empty())) {
      refuse("--warm-start has the columns of its model already",
             "Leave --features and --drop out.");
    }
  });
}

}  // namespace

extern constinit const Verb kFit{
    .name = "fit",
    .help = "Fit a model to the rows of a table.",
    .example = "craton fit gmm examples/data/islands.csv --n-components 4 -o islands.craton",
    .add = add_fit_flags,
    .run = run_fit,
    .takes = any_model,
    .example_of = example_with,
};

}  // namespace craton::cli
