#include "cli/data.h"
#include "cli/output.h"
#include "cli/plot.h"
#include "cli/progress.h"
#include "cli/verbs.h"

namespace craton::cli {

int plot(const Command& command) {
  check_writable(command.output);
  const Fitted fitted = read_model(command);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  const bool labels = fitted.info().abilities.labels;
  const Data data = read_for_model(command, fitted, labels ? Want::kLabels : Want::kRows, exec);
  const PlotColumns columns = choose_plot_columns(command, data);
  progress.start_passes(data.size());
  const double objective = labels ? 0 : fitted.model->score(data.source(), exec);
  const std::string picture = plot_fit(fitted, data, columns, objective, exec);
  progress.finish();
  save(command.output.empty() ? "-" : command.output, picture);
  return kOk;
}

}  // namespace craton::cli
