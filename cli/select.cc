#include "cli/candidates.h"
#include "cli/clusterings.h"
#include "cli/data.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/summary.h"
#include "cli/verbs.h"
#include "craton/core/model_file.h"
#include "craton/draw/terminal.h"

namespace craton::cli {
namespace {

constexpr int kChartWidth = 78;

}  // namespace

int select(const Command& command) {
  if (sweeps_clusters(find_model(command.model))) return select_clusters(command);
  check_writable(command.output);
  check_writable(command.plot);
  ConsoleProgress progress(command);
  const Data data = read_to_fit(command, {.threads = command.threads, .progress = &progress});
  progress.start_passes(data.size());
  const std::vector<Candidate> candidates = fit_candidates(command, data, progress);
  progress.finish();  // from here on results are written, whole
  const Candidate& best = best_of(candidates, command);
  warn_unconverged(candidates);
  const Curve curve = curve_of(candidates, best, command, data);
  if (!command.output.empty()) save(command.output, pack_model(best.fitted));
  if (!command.plot.empty()) save(command.plot, draw_curve(curve));

  const bool stdout_taken = command.output == "-" || command.plot == "-";
  if (command.quiet || stdout_taken) return kOk;
  if (command.json) {
    print_json(to_json(candidates, best, command));
    return kOk;
  }
  print(field("data", describe(data)) + "\n" + format(table_of(candidates, best)) + "\n" +
        draw_terminal_curve(curve, kChartWidth) + "\n" +
        field("best", best.setting.name() + ": " + why_best(candidates, best, command)) +
        field("saved", command.output.empty() ? "nothing: give -o FILE to keep the best model"
                                              : command.output) +
        (command.plot.empty() ? "" : field("plot", command.plot)));
  return kOk;
}

}  // namespace craton::cli
