#include "cli/parsing/help.h"

#include <fmt/core.h>

#include "cli/showing/output.h"
#include "craton/select/metric.h"

namespace craton::cli {

std::vector<std::string> Flag::choices() const {
  const std::size_t first = help.find('['), last = help.find(']', first);
  if (first == help.npos || last == help.npos || help.find('|', first) > last) return {};
  std::vector<std::string> result(1);
  for (const char c : help.substr(first + 1, last - first - 1)) {
    c == '|' ? void(result.emplace_back()) : result.back().push_back(c);
  }
  return result;
}

std::string last_line(const std::string& text) {
  return text.substr(text.find_first_not_of(' ', text.rfind('\n') + 1));
}

std::string indented(const std::string& lines) {
  std::string text = "  ";
  for (const char c : lines) text += c == '\n' ? "\n  " : std::string(1, c);
  return text;
}

namespace {

const char* words_of(MetricKind kind) {
  switch (kind) {
    case MetricKind::kLabels:
      return "labels";
    case MetricKind::kProbabilities:
      return "probabilities";
    case MetricKind::kDensity:
      return "densities";
    case MetricKind::kAgreement:
      return "clusters and classes";
    case MetricKind::kClusters:
      return "clusters";
    case MetricKind::kNumbers:
      return "numbers";
  }
  return "";
}

}  // namespace

std::string list_of_metrics() {
  SummaryTable table{"", {"metric", "of", "better", "what"}, {}};
  for (const Metric& metric : metrics()) {
    table.rows.push_back({std::string(metric.name), words_of(metric.kind),
                          metric.higher_is_better ? "higher" : "lower", std::string(metric.help)});
  }
  return laid_out(table);
}

std::string help_without_model(const Verb& verb) {
  std::string text =
      fmt::format("{}\nUsage: craton {} MODEL DATA [options]\n\nModels:\n", verb.help, verb.name);
  for (const ModelInfo& model : craton::models()) {
    if (!verb.takes(model)) continue;
    text += fmt::format("  {:<22} {}\n", model.name, model.help);
  }
  return text + fmt::format("\n'craton {} MODEL --help' has the options.\n\nExample:\n  {}\n",
                            verb.name, verb.example);
}

namespace {

bool takes_array(const Option& option) {
  return option.type == OptionType::kArray || option.type == OptionType::kChoiceOrArray ||
         option.type == OptionType::kIntegerOrArray;
}

}  // namespace

std::string help_of(const Option& option) {
  std::string text = option.help;
  if (!option.choices.empty()) text += fmt::format(" [{}]", join(option.choices, "|"));
  if (takes_array(option)) text += "; an array is a file, or typed: 1,2;3,4";
  if (std::holds_alternative<std::monostate>(option.value)) return text;
  std::string value = to_text(option.value);
  std::erase(value, '\'');
  return text + fmt::format(" (default {})", value);
}

std::string type_of(const Option& option) {
  switch (option.type) {
    case OptionType::kInteger:
      return "N";
    case OptionType::kNumber:
      return "X";
    case OptionType::kArray:
      return "FILE";
    case OptionType::kFlag:
      return "true|false";
    case OptionType::kChoice:
      return "NAME";
    case OptionType::kChoiceOrArray:
      return "NAME|FILE";
    case OptionType::kText:
      return "TEXT";
    case OptionType::kChoiceOrNumber:
      return "NAME|X";
    case OptionType::kIntegerOrArray:
      return "N|FILE";
  }
  return "";
}

const std::string_view kMainHelp =
    R"(craton: probabilistic models for tables, from the command line.

  craton models                                what there is, and its options
  craton select gmm data.csv                   how many components?
  craton cv nb data.csv --target y             how good is it, on other rows?
  craton compare nb gaussian-nb data.csv --target y
  craton split data.csv train.csv test.csv     rows to learn from, rows to test on
  craton fit gmm data.csv --n-components 4 -o m.craton --plot m.svg
  craton learn m.craton more.csv -o n.craton   learn on from more rows
  craton unlearn m.craton old.csv -o n.craton  as if rows had not been there
  craton merge a.craton b.craton -o c.craton   one model of several
  craton describe m.craton                     what was learned, or what is in a table
  craton profile m.craton data.csv             what its groups are, and what sets them apart
  craton outliers data.csv                     the strangest rows, and why
  craton predict m.craton new.csv              a label for each row
  craton score m.craton new.csv                how well it fits
  craton sample m.craton -n 100                new rows
  craton quantile m.craton 0.05 0.95           between what the values of a column lie
  craton condition m.craton --given age=40 -o n.craton
  craton plot m.craton new.csv -o new.svg      a picture
  craton report data.csv --target y -o y.html  a page to look at and to hand on
  craton explain CODE                          what an error means
  craton convert data.svm data.csv             one format into another
  craton vectorize news/ -o words.mtx          the words of texts, counted
  craton doctor                                what runs here; 'completion' and 'man' for your shell

Data are CSV, NPY, LIBSVM and other files (docs/data-files.md), packed or not; '-' is standard input
or output. Results go to stdout, notes and progress to stderr; --json prints results for programs.
Without --seed the seed is 0: the same command gives the same result.

'craton VERB --help' has the options of a verb and an example.
Exit codes: 0 ok, 1 usage, 2 data, 3 model file, 4 not converged (--strict), 5 files or memory,
130 interrupted.
)";

}  // namespace craton::cli
