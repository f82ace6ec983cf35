#include "cli/choice.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/summary.h"
#include "cli/sweep.h"
#include "cli/verbs.h"
#include "craton/draw/terminal.h"
#include "craton/model/model_file.h"

namespace craton::cli {
namespace {

constexpr int kChartWidth = 78;

}  // namespace

int select(const Command& command) {
  check_writable(command.output);
  check_writable(command.plot);
  ConsoleProgress progress(command);
  const Data data = read_to_fit(command, {.threads = command.threads, .progress = &progress});
  progress.start_passes(data.size());
  const bool clusters = sweeps_clusters(find_model(command.model));
  const Choice choice =
      (clusters ? choose_clusters : choose_by_likelihood)(command, data, progress);
  if (!command.output.empty()) save(command.output, pack_model(choice.best));
  if (!command.plot.empty()) save(command.plot, draw_curve(choice.curve));

  const bool stdout_taken = command.output == "-" || command.plot == "-";
  if (stdout_taken) return kOk;
  if (command.json) print_json(choice.json);
  if (command.json || command.quiet) return kOk;
  print(field("data", describe(data)) + choice.note + "\n" + format(choice.table) + "\n" +
        draw_terminal_curve(choice.curve, kChartWidth) + "\n" +
        field("best", choice.name + ": " + choice.why) +
        field("saved", command.output.empty() ? "nothing: give -o FILE to keep the best model"
                                              : command.output) +
        (command.plot.empty() ? "" : field("plot", command.plot)));
  return kOk;
}

}  // namespace craton::cli
