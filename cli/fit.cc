#include <fmt/core.h>

#include "cli/check.h"
#include "cli/data.h"
#include "cli/output.h"
#include "cli/plot.h"
#include "cli/progress.h"
#include "cli/summary.h"
#include "cli/to_json.h"
#include "cli/verbs.h"
#include "craton/core/error.h"
#include "craton/core/model_file.h"

namespace craton::cli {
namespace {

Json result(const Command& command, const Fitted& fitted, const Data& data) {
  Json json = to_json(fitted);
  json.set("data", data.name());
  json.set("read", data.guess);
  json.set("rows", data.size());
  json.set("output", command.output.empty() ? Json() : Json(command.output));
  return json;
}

std::string story(const Command& command, const Fitted& fitted, const Data& data) {
  std::string text =
      field("data", describe(data)) + field("read", data.guess) + summary(fitted) + "\n";
  text += field(
      "saved", command.output.empty() ? "nothing: give -o FILE to keep the model" : command.output);
  if (!command.plot.empty()) text += field("plot", command.plot);
  return text;
}

}  // namespace

int fit(const Command& command) {
  check_writable(command.output);
  check_writable(command.plot);
  const ModelInfo& info = find_model(command.model);
  const std::vector<NamedOption> options = read_options(info, command);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  const Data data = read_to_fit(command, exec);
  const PlotColumns plot_columns = choose_plot_columns(command, data);

  progress.start_passes(data.size());
  const Fitted fitted = info.fit(data.source(), options, exec);
  for (const Note& note : fitted.report.notes) complain("warning", as_typed(note.text, command));
  if (!fitted.report.converged) {
    const std::string what =
        fmt::format("not converged after {}", plural(fitted.report.iterations, "iteration"));
    if (command.strict) {
      throw InputError(Code::kNotConverged, {}, what + ", nothing was saved (--strict)",
                       advice(fitted));
    }
    complain("warning", what + "\n  " + advice(fitted));
  }
  std::string picture;
  if (!command.plot_stages.empty()) {
    picture = plot_stages(command, info, options, data, plot_columns, exec);
  } else if (!command.plot.empty()) {
    picture = plot_fit(fitted, data, plot_columns, fitted.report.objective, exec);
  }
  progress.finish();  // from here on results are written, whole
  if (!command.output.empty()) save(command.output, pack_model(fitted));
  if (!command.plot.empty()) save(command.plot, picture);

  const bool stdout_taken = command.output == "-" || command.plot == "-";
  if (command.quiet || stdout_taken) return kOk;
  if (command.json) {
    print_json(result(command, fitted, data));
  } else {
    print(story(command, fitted, data));
  }
  return kOk;
}

}  // namespace craton::cli
