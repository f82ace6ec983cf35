#include <cmath>

#include "cli/data.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/to_json.h"
#include "cli/verbs.h"
#include "craton/io/csv_write.h"

namespace craton::cli {
namespace {

// `rows` are the numbers of the rows, to be written before the labels; empty: every row has a line.
std::string to_csv(std::span<const Index> rows, std::span<const std::int32_t> labels,
                   const Array& proba) {
  std::string text = rows.empty() ? "label" : "row,label";
  for (Index c = 0; c < proba.cols() && !proba.empty(); ++c) text += ",p_" + std::to_string(c);
  text += "\n";
  for (Index i = 0; i < ssize(labels); ++i) {
    if (!rows.empty()) text += std::to_string(rows[usize(i)]) + ",";
    text += std::to_string(labels[usize(i)]);
    for (Index c = 0; c < proba.cols() && !proba.empty(); ++c) {
      text += "," + csv_field(proba.view().row(i)[c]);
    }
    text += "\n";
  }
  return text;
}

Json to_json(std::span<const Index> rows, std::span<const std::int32_t> labels,
             const Array& proba) {
  Json::List list(labels.begin(), labels.end());
  Json json = Json::object({{"labels", Json(Json::Value(std::move(list)))}});
  if (!rows.empty()) json.set("rows", Json(Json::Value(Json::List(rows.begin(), rows.end()))));
  if (!proba.empty()) json.set("probabilities", cli::to_json(proba));
  return json;
}

}  // namespace

int predict(const Command& command) {
  check_writable(command.output);
  const Fitted fitted = read_model(command);
  const auto [table, kept] = read_for_model(command, fitted.schema);

  ConsoleProgress progress(command, table.x.rows());
  const Exec exec{.threads = command.threads, .progress = &progress};
  MemorySource source = table.source();
  const Index rows = table.x.rows(), classes = fitted.model->classes();
  std::vector<std::int32_t> labels(usize(rows));
  fitted.model->predict(source, labels, exec);
  Array proba;
  if (command.proba) {
    proba = {{rows, classes}, std::vector<double>(usize(rows * classes))};
    fitted.model->predict_log_proba(source, proba.values, exec);
    for (double& p : proba.values) p = std::exp(p);
  }
  progress.finish();

  const std::string text =
      command.json ? write_json(to_json(kept, labels, proba)) + "\n" : to_csv(kept, labels, proba);
  save(command.output.empty() ? "-" : command.output, text);
  return kOk;
}

}  // namespace craton::cli
