#include <fmt/core.h>

#include "cli/parsing/data.h"
#include "cli/parsing/flags.h"
#include "cli/parsing/model_options.h"
#include "cli/showing/output.h"
#include "cli/showing/progress.h"
#include "cli/verbs.h"
#include "craton/base/error.h"
#include "craton/base/files.h"
#include "craton/base/utf8.h"
#include "craton/io/formats.h"
#include "craton/tables/view.h"
#include "craton/text/text_step.h"

namespace craton::cli {
namespace {

TextOptions options_of(const Command& command) {
  const std::vector<Option> known = text_options();
  std::vector<NamedOption> given;
  for (const auto& [name, text] : command.options) {
    given.emplace_back(name, parse_option(*std::ranges::find(known, name, &Option::name), text));
  }
  return text_of(given);
}

int run_vectorize(const Command& command) {
  const Format& format =
      command.to.empty() ? format_to_write(command.output) : find_format(command.to);
  if (format.write == nullptr) {
    throw InputError(Code::kBadOption, {}, fmt::format("the format {} is not written", format.name),
                     "Write mtx instead.");
  }
  check_writable(command.output);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  ReadOptions read = command.read;
  if (!command.text_column.empty()) read.texts = {command.text_column};
  read.find_texts = true;
  const OpenedTable table = open_table(command.data, read, exec);
  if (!command.quiet) complain(table.notes, "note", table.source->name());
  View texts(*table.source);
  texts.select({.texts = {find_text(table, command.text_column)}});
  const TextStep step = TextStep::learn(texts, options_of(command), exec);
  if (!command.quiet) complain(step.notes(), "warning");
  const std::unique_ptr<Source> rows = step.over(texts);
  progress.finish();
  if (command.output == "-") {
    format.write(*rows, print);
    return kOk;
  }
  FileWriter file(command.output);
  format.write(*rows, [&](std::string_view text) { file.append(text); });
  file.commit();
  std::string words;  // one a line, in the order of the columns
  for (Index j = 0; j < step.columns() && step.options().hashed == 0; ++j) {
    words += step.term(j) + "\n";
  }
  const std::string vocabulary = command.output + ".terms";
  if (!words.empty()) write_file(vocabulary, words);
  if (command.json) {
    print_json(Json::object({{"file", command.output},
                             {"format", format.name},
                             {"terms", words.empty() ? Json(nullptr) : Json(vocabulary)},
                             {"rows", rows->shape().rows},
                             {"columns", step.columns()}}));
  } else if (!command.quiet) {
    print(fmt::format(
        "{}: {}, {}, as {}{}\n", printable(command.output), plural(rows->shape().rows, "row"),
        plural(step.columns(), "term"), format.name,
        words.empty() ? "" : fmt::format("; the terms are in {}", printable(vocabulary))));
  }
  return kOk;
}

void add_vectorize_flags(Flags& flags) {
  Command& command = flags.command();
  for (const Option& option : text_options()) flags.option(option);
  flags.data();
  flags.text("--text", command.text_column, "COLUMN",
             "holds the texts (default: the one column of text, if there are no numbers)");
  flags.text("-o,--output", command.output, "FILE",
             "write the rows here: .mtx, .libsvm, ...; the terms go to FILE.terms");
  flags.need("-o", command.output);
  flags.text("--to", command.to, "FORMAT", "of the file (default: by its name)");
  flags.read_options();
  flags.progress();
  flags.quiet("no notes");
}

}  // namespace

extern constinit const Verb kVectorize{
    .name = "vectorize",
    .help = "Count the words of texts, and write them as a sparse table.",
    .example = "craton vectorize examples/data/mail.csv -o mail.mtx",
    .add = add_vectorize_flags,
    .run = run_vectorize,
};

}  // namespace craton::cli
