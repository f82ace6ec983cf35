#include "craton/report/profile.h"

#include <fmt/core.h>

#include "cli/parsing/data.h"
#include "cli/parsing/flags.h"
#include "cli/showing/output.h"
#include "cli/showing/progress.h"
#include "cli/verbs.h"
#include "craton/base/error.h"

namespace craton::cli {
namespace {

int run_profile(const Command& command) {
  check_writable(command.output);
  const bool all_tables_of_file = command.output.ends_with(".json");
  if (!command.output.empty() && command.table.empty() && !all_tables_of_file) {
    throw InputError(Code::kBadOption, {}, "-o writes one table as CSV",
                     "Name it with --table, such as differences, or let the file end in .json.");
  }
  const Fitted fitted = read_model(command);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  const Data data = read_for_model(command, fitted, Want::kRows, exec);
  progress.start_passes(data.size());
  // One table alone has all that there is to say of it.
  const Index differences = command.table == "differences" ? 0 : ProfileOptions{}.differences;
  const std::vector<ResultTable> tables =
      find_profile(fitted, data.source(), exec, {.differences = differences}).tables();
  progress.finish();
  if (!command.table.empty()) {
    const ResultTable& table = find_table(tables, command.table);
    if (!command.output.empty()) {
      save(command.output, table);
    } else if (command.json) {
      print_json(to_json(table));
    } else {
      print(format(table, "-o FILE has them all"));
    }
    return kOk;
  }
  if (!command.output.empty()) save(command.output, write_json(to_json(tables)) + "\n");
  if (command.json) {
    print_json(to_json(tables));
    return kOk;
  }
  if (command.quiet) return kOk;
  std::string text = field("data", describe(data)) + field("model", fitted.info().help);
  for (const ResultTable& table : tables) text += "\n" + laid_out(table);
  print(text);
  return kOk;
}

void add_profile_flags(Flags& flags) {
  Command& command = flags.command();
  flags.model_and_data();
  flags.text("--table", command.table, "NAME",
             "print this table alone: groups, differences, means, medians or typical");
  flags.text("-o,--output", command.output, "FILE",
             "write all tables here as JSON, or that of --table as CSV, with all digits");
  flags.run_options();
  flags.quiet("no notes");
}

}  // namespace

extern constinit const Verb kProfile{
    .name = "profile",
    .help = "Show what the groups are that a model puts rows into, and what sets each apart.",
    .example =
        "craton fit kmeans examples/data/islands.csv --n-clusters 4 -o islands.craton\n"
        "craton profile islands.craton examples/data/islands.csv",
    .add = add_profile_flags,
    .run = run_profile,
};

}  // namespace craton::cli
