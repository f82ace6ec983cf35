#include "cli/showing/describe_table.h"

#include "cli/showing/output.h"
#include "cli/showing/progress.h"
#include "cli/verbs.h"
#include "craton/report/next_commands.h"
#include "craton/report/table_facts.h"

namespace craton::cli {

int describe_table(const Command& command, std::unique_ptr<Input> input) {
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  ReadOptions read = command.read;
  read.labels = command.target;
  const OpenedTable table = open_table(command.model_file, std::move(input), read, exec);
  progress.start_passes(table.source->shape().rows);
  const TableFacts facts = find_table_facts(
      *table.source, {command.target, table.in_file, table.notes, table.forms}, exec);
  progress.finish();
  const bool has_path = command.model_file != "-";
  const std::vector<std::string> next =
      has_path ? next_commands(facts, command.model_file) : std::vector<std::string>();
  if (command.json) {
    Json json = to_json(facts);
    json.set("next", next);
    print_json(json);
    return kOk;
  }
  std::string text = field("data", table.source->name()) + field("read", table.guess);
  for (const ResultTable& of : tables_of(facts)) text += "\n" + laid_out(of);
  if (!facts.notes.empty() || !next.empty()) text += "\n";
  for (const Note& note : facts.notes) text += field("note", note.text.plain());
  for (const std::string& line : next) text += field("next", line);
  print(text);
  return kOk;
}

}  // namespace craton::cli
