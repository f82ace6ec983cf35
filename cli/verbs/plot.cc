#include <fmt/core.h>

#include "cli/parsing/data.h"
#include "cli/parsing/flags.h"
#include "cli/parsing/plot_columns.h"
#include "cli/showing/output.h"
#include "cli/showing/progress.h"
#include "cli/verbs.h"
#include "craton/report/pictures.h"

namespace craton::cli {
namespace {

int run_plot(const Command& command) {
  check_writable(command.output);
  const Fitted fitted = read_model(command);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  std::string picture;
  if (command.data.empty()) {
    picture = draw_picture(command.picture, fitted, nullptr, {}, exec);
  } else {
    const Abilities& able = fitted.info().abilities;
    const bool labels = able.labels || able.numbers;
    const Data data = read_for_model(command, fitted, labels ? Want::kTarget : Want::kRows, exec);
    const PlotColumns columns = choose_plot_columns(command, data);
    progress.start_passes(data.size());
    picture = draw_picture(command.picture, fitted, &data.source(), columns, exec);
  }
  progress.finish();
  save(command.output.empty() ? "-" : command.output, picture);
  return kOk;
}

void add_plot_flags(Flags& flags) {
  Command& command = flags.command();
  command.draws = true;
  flags.word("MODEL_FILE", command.model_file, "what 'craton fit ... -o' wrote; '-' is stdin");
  flags.word("DATA", command.data, "the rows to draw; some pictures need none", false);
  std::string kinds = "what to draw:";
  for (const Picture& picture : pictures()) {
    kinds += fmt::format("{} {} ({})", &picture == &pictures().front() ? "" : ",", picture.name,
                         picture.help);
  }
  flags.text("--picture", command.picture, "NAME", kinds);
  flags.plot_columns("--columns,--plot-columns");
  flags.picture("-o,--output", command.output, "write here instead of to stdout");
  flags.run_options();
  flags.quiet("no notes");
}

}  // namespace

extern constinit const Verb kPlot{
    .name = "plot",
    .help = "Draw a table and what a model learned, as SVG.",
    .example =
        "craton fit gmm examples/data/islands.csv --n-components 4 -o islands.craton\n"
        "craton plot islands.craton examples/data/islands.csv -o islands.svg",
    .add = add_plot_flags,
    .run = run_plot,
    .json = false,
};

}  // namespace craton::cli
