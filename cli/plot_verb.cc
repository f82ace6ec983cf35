#include "cli/data.h"
#include "cli/output.h"
#include "cli/plot.h"
#include "cli/progress.h"
#include "cli/verbs.h"

namespace craton::cli {

int plot(const Command& command) {
  check_writable(command.output);
  const Fitted fitted = read_model(command);
  const Table table = read_for_model(command, fitted.schema).table;
  const PlotColumns columns = choose_plot_columns(command, table);
  ConsoleProgress progress(command, table.x.rows());
  const Exec exec{.threads = command.threads, .progress = &progress};
  MemorySource source = table.source();
  const double objective = fitted.model->score(source, exec);
  const std::string picture = plot_fit(fitted, table, columns, objective, exec);
  progress.finish();
  save(command.output.empty() ? "-" : command.output, picture);
  return kOk;
}

}  // namespace craton::cli
