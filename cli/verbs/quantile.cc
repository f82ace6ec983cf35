#include <fmt/core.h>

#include <charconv>

#include "cli/parsing/data.h"
#include "cli/parsing/flags.h"
#include "cli/parsing/values.h"
#include "cli/showing/output.h"
#include "cli/verbs.h"
#include "craton/report/result_text.h"

namespace craton::cli {
namespace {

std::vector<double> numbers_of(const std::string& name, std::span<const std::string> words) {
  std::vector<double> numbers;
  for (const std::string& word : words) {
    double value = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc() || stop != end) {
      refuse(fmt::format("{} '{}' is no number", name, word), "Give numbers, such as 0.5.");
    }
    numbers.push_back(value);
  }
  return numbers;
}

int run_quantile(const Command& command) {
  check_writable(command.output);
  if (command.words.empty() == command.at.empty()) {
    refuse("give probabilities, or values with --at", "For example: craton quantile m.craton 0.5");
  }
  const Fitted fitted = read_model(command);
  std::vector<double> p = numbers_of("P", command.words), x = numbers_of("--at", command.at);
  if (p.empty()) {
    p = fitted.model->cdf(x, {});
  } else {
    x = fitted.model->quantile(p, {});
  }
  ResultTable table{"quantiles", "quantiles"};
  table.add_numbers("p", std::move(p));
  table.add_numbers(fitted.schema.name(0), std::move(x));
  std::string text = csv_header(table) + "\n";
  for (Index i = 0; i < table.rows(); ++i) text += csv_row(table, i) + "\n";
  if (command.json) text = write_json(Json::object({{"quantiles", to_json(table)}})) + "\n";
  save(command.output.empty() ? "-" : command.output, text);
  return kOk;
}

void add_quantile_flags(Flags& flags) {
  Command& command = flags.command();
  flags.word("MODEL_FILE", command.model_file, "what 'craton fit ... -o' wrote; '-' is stdin");
  flags.words("P", command.words, "probabilities between 0 and 1");
  flags.read("--at", "X,Y,...", "instead, the probability of at most each of these values",
             [&command](const std::string& text) { command.at = split(text); });
  flags.write();
}

}  // namespace

extern constinit const Verb kQuantile{
    .name = "quantile",
    .help = "Print the values of a column that lie at given probabilities in a model of it.",
    .example =
        "craton fit kde examples/data/islands.csv --features wing_mm -o one.craton\n"
        "craton quantile one.craton 0.05 0.5 0.95",
    .add = add_quantile_flags,
    .run = run_quantile,
};

}  // namespace craton::cli
