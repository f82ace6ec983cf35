#include "cli/confusion.h"

#include <fmt/core.h>

#include <cmath>

#include "cli/output.h"
#include "cli/to_json.h"
#include "craton/select/metric.h"

namespace craton::cli {
namespace {

constexpr Index kMostShown = 12, kMostKept = 1000;  // classes: as a person, a program wants them

std::string cell(double value) { return std::isnan(value) ? "-" : shown(value); }

}  // namespace

std::optional<Confusion> find_confusion(const Fitted& fitted, const Data& data, const Exec& exec) {
  if (!fitted.info().abilities.labels || !data.schema().target) return std::nullopt;
  const HeldOut out(*fitted.model, data.source(), exec);
  const LabelPairs pairs{out.truth(), out.predicted(), out.weights()};
  const ClassTotals totals = class_totals(pairs, out.classes());
  Confusion result{{}, {}, totals.truth, class_scores(totals, 1, NAN), data.weighted};
  for (Index c = 0; c < out.classes(); ++c) {
    result.labels.push_back(label_name(data.schema(), c));
  }
  if (out.classes() <= kMostKept) result.matrix = confusion_matrix(pairs, out.classes());
  return result;
}

std::string to_text(const Confusion& confusion) {
  const auto& [labels, matrix, rows, scores, weighted] = confusion;
  const bool with_matrix = ssize(labels) <= kMostShown;
  std::string text;
  if (with_matrix) {
    SummaryTable table{"true labels (rows), and what they were taken for (columns)", labels, {}};
    table.header.insert(table.header.begin(), "");
    for (Index a = 0; a < matrix.rows(); ++a) {
      std::vector<std::string>& row = table.rows.emplace_back();
      row.push_back(labels[usize(a)]);
      for (Index b = 0; b < matrix.cols(); ++b) row.push_back(shown(matrix.view().row(a)[b]));
    }
    text = format(table) + "\n";
  }
  SummaryTable table{"", {"label", weighted ? "weight" : "rows", "precision", "recall", "f1"}, {}};
  for (std::size_t c = 0; c < labels.size(); ++c) {
    table.rows.push_back({labels[c], shown(rows[c]), cell(scores.precision[c]),
                          cell(scores.recall[c]), cell(scores.f[c])});
  }
  text += format(table);
  if (with_matrix) return text;
  return text + fmt::format("  (which of the {} are taken for which: {})\n", labels.size(),
                            matrix.empty() ? "too many to say" : "--json says");
}

void add_to_json(const Confusion& confusion, Json& json) {
  const auto& [labels, matrix, rows, scores, weighted] = confusion;
  json.set("labels", labels);
  json.set("label_weights", rows);
  json.set("precision", scores.precision);
  json.set("recall", scores.recall);
  json.set("f1", scores.f);
  if (!matrix.empty()) json.set("confusion", to_json(matrix));
}

}  // namespace craton::cli
