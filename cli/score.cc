#include <fmt/core.h>

#include <cctype>
#include <cmath>

#include "cli/confusion.h"
#include "cli/criteria.h"
#include "cli/data.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/verbs.h"
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

int tell(const Command& command, const Fitted& fitted, const Data& data, const SummaryTable& lines,
         const std::optional<Confusion>& confusion, Json& json) {
  if (command.json) {
    if (confusion) add_to_json(*confusion, json);
    print_json(json);
  } else {
    print(field("data", describe(data)) + field("model", fitted.info().help) + "\n" +
          format(lines) + (confusion ? "\n" + to_text(*confusion) : ""));
  }
  return kOk;
}

int tell_measures(const Command& command, const Fitted& fitted, const Data& data,
                  ConsoleProgress& progress, const Exec& exec) {
  const std::vector<Measure> measures = fitted.model->measures(data.source(), exec);
  const std::vector<Measure> of_label = measures_of_label(command, fitted, data, exec);
  const std::optional<Confusion> confusion = find_confusion(fitted, data, exec);
  progress.finish();
  Json json = Json::object({{"rows", data.size()}, {"total_weight", total_weight(data)}});
  SummaryTable lines{"", {measures[0].name, shown(measures[0].value)}, {}};
  for (const Measure& m : measures) {
    json.set(key_of(m.name), m.value);
    if (&m != &measures[0]) lines.rows.push_back({m.name, shown(m.value)});
  }
  add_measures(command, of_label, lines, json);
  return tell(command, fitted, data, lines, confusion, json);
}

}  // namespace

int score(const Command& command) {
  const Fitted fitted = read_model(command);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  const bool rows_only = fitted.info().abilities.some_labels && command.positive.empty();
  const Want want = rows_only ? Want::kRows : Want::kLabels;
  const Data data = read_for_model(command, fitted, want, exec);
  progress.start_passes(data.size());
  if (fitted.info().abilities.measures) return tell_measures(command, fitted, data, progress, exec);
  const double value = fitted.model->score(data.source(), exec), weight = total_weight(data);
  const bool labels = fitted.info().abilities.entropy;
  const double entropy = labels ? fitted.model->entropy(data.source(), exec) : NAN;
  const std::vector<Measure> of_label = measures_of_label(command, fitted, data, exec);
  const std::optional<Confusion> confusion = find_confusion(fitted, data, exec);
  progress.finish();

  Json json = Json::object({{"score", value},
                            {"score_name", fitted.info().objective},
                            {"rows", data.size()},
                            {"total_weight", weight}});
  SummaryTable lines{"", {std::string(fitted.info().objective), shown(value)}, {}};
  if (fitted.info().abilities.free_parameters) {
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
  add_measures(command, of_label, lines, json);
  return tell(command, fitted, data, lines, confusion, json);
}

}  // namespace craton::cli
