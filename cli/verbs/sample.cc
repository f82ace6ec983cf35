#include <cstdlib>

#include "cli/parsing/data.h"
#include "cli/parsing/flags.h"
#include "cli/showing/output.h"
#include "cli/showing/progress.h"
#include "cli/showing/to_json.h"
#include "cli/verbs.h"
#include "craton/io/csv_write.h"

namespace craton::cli {
namespace {

// The schema of a model's rows, with the label as a last column when it is wanted.
Schema drawn_schema(const Schema& schema, bool labels) {
  Schema result{schema.columns};
  if (!labels) return result;
  result.columns.push_back(schema.target ? *schema.target : Column{"label"});
  return result;
}

// Labels of numbers are the numbers themselves; those of categories their codes.
double label_value(const Schema& schema, std::int32_t label) {
  const bool number = schema.target && schema.target->kind == ColumnKind::kNumber;
  return number ? std::strtod(label_name(schema, label).c_str(), nullptr) : label;
}

std::string to_csv(const Sample& sample, const Schema& schema, bool labels) {
  Array x{{sample.x.rows(), sample.x.cols() + (labels ? 1 : 0)}, {}};
  x.values.reserve(usize(x.rows() * x.cols()));
  for (Index i = 0; i < x.rows(); ++i) {
    const double* row = sample.x.view().row(i);
    x.values.insert(x.values.end(), row, row + sample.x.cols());
    if (labels) x.values.push_back(label_value(schema, sample.labels[usize(i)]));
  }
  MemorySource source({.x = x.view()}, drawn_schema(schema, labels));
  std::string text;
  write_csv(source, ',', [&](std::string_view piece) { text += piece; });
  return text;
}

Json sample_to_json(const Sample& sample, const Schema& schema) {
  return Json::object({{"columns", schema.names()},
                       {"rows", to_json(sample.x)},
                       {"labels", to_json(schema, sample.labels)}});
}

int run_sample(const Command& command) {
  check_writable(command.output);
  const Fitted fitted = read_model(command);
  ConsoleProgress progress(command);  // Ctrl-C while a file is written
  const Sample drawn = fitted.model->sample(command.rows, static_cast<std::uint64_t>(command.seed));
  const bool labels = command.labels || fitted.schema.target;
  progress.finish();
  save(command.output.empty() ? "-" : command.output,
       command.json ? write_json(sample_to_json(drawn, fitted.schema)) + "\n"
                    : to_csv(drawn, fitted.schema, labels));
  return kOk;
}

void add_sample_flags(Flags& flags) {
  Command& command = flags.command();
  constexpr Index kMost = Index{1} << 40;
  flags.word("MODEL_FILE", command.model_file, "what 'craton fit ... -o' wrote; '-' is stdin");
  flags.need("-n N (how many rows)",
             flags.whole("-n,--rows", command.rows, 1, kMost, "rows to draw"));
  flags.seed("seed of the random numbers (default 0)");
  flags.yes("--labels", command.labels, "add the component each row came from: label");
  flags.write();
}

}  // namespace

extern constinit const Verb kSample{
    .name = "sample",
    .help = "Draw new rows from a model, as CSV.",
    .example =
        "craton fit gmm examples/data/islands.csv --n-components 4 -o islands.craton\n"
        "craton sample islands.craton -n 1000 --seed 7 -o more.csv",
    .add = add_sample_flags,
    .run = run_sample,
};

}  // namespace craton::cli
