#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/parsing/data.h"
#include "cli/parsing/flags.h"
#include "cli/parsing/values.h"
#include "cli/showing/fit_output.h"
#include "cli/showing/output.h"
#include "cli/verbs.h"
#include "craton/base/error.h"

namespace craton::cli {
namespace {

Index find_column(const Schema& schema, const std::string& name) {
  const Index found = schema.find(name);
  if (found >= 0) return found;
  throw InputError(Code::kWrongColumns, {}, fmt::format("the model has no column '{}'", name),
                   did_you_mean(name, schema.names()));
}

Fitted given(const Fitted& fitted, std::span<const std::string> words) {
  std::vector<Index> columns;
  std::vector<double> values;
  for (const std::string& word : words) {
    const std::size_t equals = std::min(word.rfind('='), word.size());
    const std::string number = word.substr(std::min(equals + 1, word.size()));
    double value = 0;
    const char* const end = number.data() + number.size();
    const auto [stop, error] = std::from_chars(number.data(), end, value);
    if (equals == 0 || error != std::errc() || stop != end || !std::isfinite(value)) {
      refuse(fmt::format("--given '{}' is no column and its value", word), "For example: age=40.");
    }
    columns.push_back(find_column(fitted.schema, word.substr(0, equals)));
    values.push_back(value);
  }
  return fitted.info().condition(fitted, columns, values);
}

int run_condition(const Command& command) {
  check_writable(command.output);
  if (command.given.empty() && command.keep.empty()) {
    refuse("neither --given nor --columns", "For example: --given age=40.");
  }
  Fitted fitted = read_model(command);
  const std::vector<ColumnForm> forms = forms_in(fitted.report.notes);
  if (!command.given.empty()) fitted = given(fitted, command.given);
  if (!command.keep.empty()) {
    std::vector<Index> kept;
    for (const std::string& name : command.keep) kept.push_back(find_column(fitted.schema, name));
    fitted = fitted.info().marginal(fitted, kept);
  }
  keep(command, fitted, forms);
  tell(command, fitted, nullptr);
  return kOk;
}

void add_condition_flags(Flags& flags) {
  Command& command = flags.command();
  flags.word("MODEL_FILE", command.model_file, "what 'craton fit ... -o' wrote; '-' is stdin");
  flags.names("--given", command.given, "columns and their values, such as age=40,height=170");
  flags.names("--columns", command.keep, "of those that are left only these, by themselves");
  flags.save("save the model here");
  flags.quiet("print warnings and errors only");
}

}  // namespace

extern constinit const Verb kCondition{
    .name = "condition",
    .help = "Make a density of some columns, at given values of others or by themselves.",
    .example =
        "craton fit kde examples/data/islands.csv -o islands.craton\n"
        "craton condition islands.craton --given wing_mm=170 -o tails.craton",
    .add = add_condition_flags,
    .run = run_condition,
};

}  // namespace craton::cli
