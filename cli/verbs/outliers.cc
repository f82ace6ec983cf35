#include <fmt/core.h>

#include "cli/parsing/data.h"
#include "cli/parsing/flags.h"
#include "cli/showing/output.h"
#include "cli/showing/progress.h"
#include "cli/verbs.h"
#include "craton/base/error.h"
#include "craton/report/outliers.h"

namespace craton::cli {
namespace {

constexpr Index kShown = 10;

// What is found, with a model that is given or one that is fitted.
struct Found {
  std::string model, count;
  std::vector<Note> notes = {};
  ResultTable strangest, rows = {"rows", "rows"};
};

Found by_model(const Command& command, const Exec& exec, Index shown) {
  const Fitted fitted = read_model(command);
  const Data data = read_for_model(command, fitted, Want::kTargetIfThere, exec);
  const RowScores scores = find_row_scores(fitted, data.source(), exec);
  Found found{.model = fmt::format("{}: {}", fitted.info().name, fitted.info().help),
              .count = {},
              .strangest = strangest_rows(scores, fitted, data.source(), shown)};
  if (!command.output.empty()) found.rows = row_score_table(scores, fitted, data.source());
  return found;
}

// Of all columns of numbers and categories, or those that are named.
Found by_fit(const Command& command, const Exec& exec, Index shown) {
  Command reading = command;
  reading.model = "mixture";  // whose columns may be of any kind, and may miss values
  OpenedTable table = open_to_fit(reading, exec);
  std::vector<Note> notes;
  for (const Column& column : table.source->schema().texts) {
    notes.push_back(
        {"ignored-column", fmt::format("ignored '{}', which holds texts", column.name)});
    reading.drop.push_back(column.name);
  }
  const Data data = read_to_fit(reading, std::move(table), exec);
  const Outliers outliers = find_outliers(data.source(), exec);
  notes.insert(notes.end(), outliers.notes.begin(), outliers.notes.end());
  Found found{.model = outliers.model_text(),
              .count = outliers.count_text(),
              .notes = std::move(notes),
              .strangest = outliers.strangest(data.source(), shown)};
  if (!command.output.empty()) found.rows = outliers.rows(data.source());
  return found;
}

int run_outliers(const Command& command) {
  check_writable(command.output);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  const Index shown = command.rows == 0 ? kShown : command.rows;
  const Found found =
      command.model_file.empty() ? by_fit(command, exec, shown) : by_model(command, exec, shown);
  progress.finish();
  if (!command.quiet) complain(found.notes, "note", base_name(command.data));
  if (!command.output.empty()) save(command.output, found.rows);
  if (command.output == "-") return kOk;
  if (command.json) {
    Json json = Json::object({{"model", found.model}, {"strangest", to_json(found.strangest)}});
    if (!found.count.empty()) json.set("count", found.count);
    print_json(json);
    return kOk;
  }
  print(field("data", base_name(command.data)) + field("model", found.model) +
        (found.count.empty() ? "" : field("strange", found.count)) + "\n" +
        laid_out(found.strangest) +
        (command.output.empty() ? "" : "\n" + field("rows", command.output)));
  return kOk;
}

void add_outliers_flags(Flags& flags) {
  constexpr Index kMost = 1'000'000;
  Command& command = flags.command();
  flags.data();
  flags.text("--model", command.model_file, "MODEL_FILE",
             "hold the rows against this model (default: one that is fitted to the rows without "
             "the strangest)");
  flags.names("--features", command.features, "look at these columns only");
  flags.names("--drop", command.drop, "leave these columns out");
  flags.whole("-n", command.rows, 1, kMost, "rows to show (default 10)");
  flags.text("-o,--output", command.output, "FILE",
             "write what is said of every row here; JSON by its name, else CSV; '-' is stdout");
  flags.run_options();
  flags.quiet("no notes");
}

}  // namespace

extern constinit const Verb kOutliers{
    .name = "outliers",
    .help = "Show the strangest rows of a table, and the columns that make them strange.",
    .example =
        "craton outliers examples/data/people.csv\n"
        "craton outliers examples/data/islands.csv -n 5 -o rows.csv",
    .add = add_outliers_flags,
    .run = run_outliers,
};

}  // namespace craton::cli
