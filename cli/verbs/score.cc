#include <fmt/core.h>

#include <cctype>
#include <cmath>

#include "cli/parsing/data.h"
#include "cli/parsing/flags.h"
#include "cli/parsing/validation.h"
#include "cli/parsing/values.h"
#include "cli/showing/output.h"
#include "cli/showing/progress.h"
#include "cli/showing/to_json.h"
#include "cli/verbs.h"
#include "craton/report/confusion.h"
#include "craton/report/result_text.h"
#include "craton/report/row_scores.h"
#include "craton/select/criteria.h"
#include "craton/select/cross_validation.h"

namespace craton::cli {
namespace {

// "mean log p(row)" is mean_log_p_row in JSON.
std::string key_of(const std::string& name) {
  std::string key;
  for (const char c : name) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (letter) {
      key += c;
    } else if (!key.empty() && key.back() != '_') {
      key += '_';
    }
  }
  while (!key.empty() && key.back() == '_') key.pop_back();
  return key;
}

// How --positive is told from the other labels, of the rows that have one.
std::vector<Measure> measures_of_label(const Command& command, const Fitted& fitted,
                                       const Data& data, const Exec& exec) {
  if (command.positive.empty()) return {};
  const std::int32_t label = find_positive(data.schema(), command.positive);
  const std::vector<std::int32_t> truth = labels_of(data.source(), exec);
  const RowSet labelled =
      RowSet::where(ssize(truth), [&](Index row) { return truth[usize(row)] >= 0; });
  View rows(data.source());
  rows.rows(labelled);
  const HeldOut out(*fitted.model, rows, exec, label);
  std::vector<Measure> result;
  for (const char* name : {"precision", "recall", "f1", "roc-auc", "average-precision", "brier"}) {
    result.push_back({name, find_metric(name).measure(out)});
  }
  return result;
}

void add_measures(const Command& command, std::span<const Measure> of_label, SummaryTable& lines,
                  Json& json) {
  if (of_label.empty()) return;
  Json own = Json::object({{"label", command.positive}});
  for (const Measure& m : of_label) {
    own.set(key_of(m.name), m.value);
    lines.rows.push_back({fmt::format("{} of {}", m.name, command.positive),
                          std::isnan(m.value) ? "not defined" : shown(m.value)});
  }
  json.set("positive", own);
}

std::string to_text(const Confusion& confusion) {
  std::string text;
  const std::vector<SummaryTable> tables = confusion_tables(confusion);
  for (const SummaryTable& table : tables) text += (text.empty() ? "" : "\n") + laid_out(table);
  if (tables.size() > 1) return text;
  return text + fmt::format("  (which of the {} are taken for which: {})\n",
                            confusion.labels.size(),
                            confusion.matrix.empty() ? "too many to say" : "--json says");
}

void add_to_json(const Confusion& confusion, Json& json) {
  json.set("labels", confusion.labels);
  json.set("label_weights", confusion.rows);
  json.set("precision", confusion.scores.precision);
  json.set("recall", confusion.scores.recall);
  json.set("f1", confusion.scores.f);
  if (!confusion.matrix.empty()) json.set("confusion", to_json(confusion.matrix));
}

// What is said of each row, to its file. On standard output it is all that is printed.
void save_rows(const Command& command, const Fitted& fitted, const Data& data, const Exec& exec) {
  if (command.rows_file.empty()) return;
  const RowScores scores = find_row_scores(fitted, data.source(), exec);
  save(command.rows_file, row_score_table(scores, fitted, data.source()));
}

// What --metric asks for, and what it says of columns.
struct Asked {
  std::vector<Measure> measures = {};
  std::optional<ResultTable> importance = {};
};

Asked measure_asked(const Command& command, const Fitted& fitted, const Data& data,
                    const Exec& exec) {
  const Validation& v = command.validation;
  if (v.metrics.empty() && !v.importance) return {};
  const ModelInfo* const models[] = {&fitted.info()};
  const bool target = data.schema().target.has_value();
  const std::vector<const Metric*> metrics = choose_metrics(v.metrics, models, target);
  const std::int32_t positive = positive_of(command, data);
  View rows(data.source());
  if (data.schema().labelled()) {
    const std::vector<std::int32_t> truth = labels_of(data.source(), exec);
    rows.rows(RowSet::where(ssize(truth), [&](Index row) { return truth[usize(row)] >= 0; }));
  }
  Asked asked;
  const HeldOut out(*fitted.model, rows, exec, positive);
  for (const Metric* metric : metrics) {
    if (v.metrics.empty()) break;
    asked.measures.push_back({std::string(metric->name), metric->measure(out)});
  }
  if (!v.importance) return asked;
  const Importance found =
      find_importance(*fitted.model, rows, *metrics[0], positive, *shuffles_of(command), exec);
  std::vector<double> means, deviations;
  for (Index j = 0; j < found.drops.rows(); ++j) {
    means.push_back(found.mean(j));
    deviations.push_back(found.deviation(j));
  }
  asked.importance = importance_table(*metrics[0], columns_of_importance(data.schema()), means,
                                      deviations, "over shuffles");
  return asked;
}

void add_measures(const Asked& asked, SummaryTable& lines, Json& json) {
  if (asked.importance) json.set("importance", to_json(*asked.importance));
  if (asked.measures.empty()) return;
  Json own = Json::object({});
  for (const Measure& m : asked.measures) {
    own.set(m.name, m.value);
    lines.rows.push_back({m.name, std::isnan(m.value) ? "not defined" : shown(m.value)});
  }
  json.set("metrics", own);
}

int tell_score(const Command& command, const Fitted& fitted, const Data& data, const Asked& asked,
               const SummaryTable& lines, const std::optional<Confusion>& confusion, Json& json) {
  if (command.rows_file == "-") return kOk;
  if (command.json) {
    if (confusion) add_to_json(*confusion, json);
    print_json(json);
  } else {
    print(field("data", describe(data)) + field("model", fitted.info().help) + "\n" +
          laid_out(lines) + (confusion ? "\n" + to_text(*confusion) : "") +
          (asked.importance ? "\n" + laid_out(*asked.importance) : ""));
  }
  return kOk;
}

int tell_measures(const Command& command, const Fitted& fitted, const Data& data,
                  ConsoleProgress& progress, const Exec& exec) {
  const std::vector<Measure> measures = fitted.model->measures(data.source(), exec);
  const std::vector<Measure> of_label = measures_of_label(command, fitted, data, exec);
  const std::optional<Confusion> confusion = find_confusion(fitted, data.source(), exec);
  const Asked asked = measure_asked(command, fitted, data, exec);
  save_rows(command, fitted, data, exec);
  progress.finish();
  Json json = Json::object({{"rows", data.size()}, {"total_weight", total_weight(data.source())}});
  SummaryTable lines{"", {measures[0].name, shown(measures[0].value)}, {}};
  for (const Measure& m : measures) {
    json.set(key_of(m.name), m.value);
    if (&m != &measures[0]) lines.rows.push_back({m.name, shown(m.value)});
  }
  add_measures(command, of_label, lines, json);
  add_measures(asked, lines, json);
  return tell_score(command, fitted, data, asked, lines, confusion, json);
}

int run_score(const Command& command) {
  check_writable(command.rows_file);
  const Fitted fitted = read_model(command);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  const Validation& asked_for = command.validation;
  const bool rows_only = fitted.info().abilities.some_labels && command.positive.empty() &&
                         asked_for.metrics.empty() && !asked_for.importance;
  const Want want = rows_only ? Want::kRows : Want::kTarget;
  const Data data = read_for_model(command, fitted, want, exec);
  progress.start_passes(data.size());
  if (fitted.info().abilities.measures) return tell_measures(command, fitted, data, progress, exec);
  const double value = fitted.model->score(data.source(), exec),
               weight = total_weight(data.source());
  const bool labels = fitted.info().abilities.entropy;
  const double entropy = labels ? fitted.model->entropy(data.source(), exec) : NAN;
  const std::vector<Measure> of_label = measures_of_label(command, fitted, data, exec);
  const std::optional<Confusion> confusion = find_confusion(fitted, data.source(), exec);
  const Asked asked = measure_asked(command, fitted, data, exec);
  save_rows(command, fitted, data, exec);
  progress.finish();

  Json json = Json::object({{"score", value},
                            {"score_name", fitted.info().objective},
                            {"rows", data.size()},
                            {"total_weight", weight}});
  SummaryTable lines{"", {std::string(fitted.info().objective), shown(value)}, {}};
  if (fitted.model->counts_parameters()) {
    const Criteria c = find_criteria(fitted, value, weight, entropy);
    lines.rows = {{"log-likelihood", shown(c.log_likelihood)},
                  {"free parameters", std::to_string(c.free_parameters)},
                  {"BIC", shown(c.bic)},
                  {"AIC", shown(c.aic)}};
    if (labels) lines.rows.push_back({"ICL", shown(c.icl)});
    json.set("log_likelihood", c.log_likelihood);
    json.set("free_parameters", c.free_parameters);
    json.set("bic", c.bic);
    json.set("aic", c.aic);
    if (labels) json.set("icl", c.icl);
  }
  if (fitted.info().abilities.free_parameters && !fitted.model->counts_parameters()) {
    lines.rows.push_back({"BIC, AIC", "none: nothing counts the parameters"});
  }
  add_measures(command, of_label, lines, json);
  add_measures(asked, lines, json);
  return tell_score(command, fitted, data, asked, lines, confusion, json);
}

void add_score_flags(Flags& flags) {
  Command& command = flags.command();
  flags.model_and_data();
  flags.text("--target", command.target, "COLUMN",
             "the labels or numbers, if not called as when fitted");
  flags.text("--positive", command.positive, "LABEL", "add how well it is told from the others");
  flags.metrics("add these, too; the first is that of --importance");
  flags.importance();
  flags.text("--rows", command.rows_file, "FILE",
             "write here what is said of each row: its log density, how many rows of the model are "
             "as strange, its label, and the columns that make it strange; JSON by its name, else "
             "CSV; '-' is stdout");
  flags.weights();
  flags.seed("seed of the shuffles (default 0)");
  flags.run_options();
  flags.quiet("no notes");
  flags.after([&command] {
    if (command.rows_file != "-" || !command.json) return;
    refuse("--rows - and --json cannot both go to stdout", "Give a file for the rows.");
  });
}

}  // namespace

extern constinit const Verb kScore{
    .name = "score",
    .help = "Say how well a model fits a table.",
    .example =
        "craton fit gmm examples/data/islands.csv --n-components 4 -o islands.craton\n"
        "craton score islands.craton examples/data/islands.csv --rows rows.csv",
    .add = add_score_flags,
    .run = run_score,
};

}  // namespace craton::cli
