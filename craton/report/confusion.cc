#include "craton/report/confusion.h"

#include <algorithm>
#include <cmath>

#include "craton/report/words.h"
#include "craton/select/metric.h"

namespace craton {
namespace {

constexpr Index kMostShown = 12, kMostKept = 1000;  // classes: as a person, a program wants them

std::string score_text(double value) { return std::isnan(value) ? "-" : shown(value); }

}  // namespace

Confusion find_confusion(const LabelPairs& rows, const Schema& schema) {
  Index classes = ssize(schema.target->levels);
  for (const std::int32_t label : rows.predicted) classes = std::max<Index>(classes, label + 1);
  const ClassTotals totals = class_totals(rows, classes);
  Confusion result{{}, {}, totals.truth, class_scores(totals, 1, NAN), !rows.weights.empty()};
  for (Index c = 0; c < classes; ++c) result.labels.push_back(label_name(schema, c));
  if (classes <= kMostKept) result.matrix = confusion_matrix(rows, classes);
  return result;
}

std::optional<Confusion> find_confusion(const Fitted& fitted, Source& x, const Exec& exec) {
  if (!fitted.info().abilities.labels || !x.schema().target) return std::nullopt;
  const HeldOut out(*fitted.model, x, exec);
  return find_confusion({out.truth(), out.predicted(), out.weights()}, x.schema());
}

std::vector<SummaryTable> confusion_tables(const Confusion& confusion) {
  const auto& [labels, matrix, rows, scores, weighted] = confusion;
  std::vector<SummaryTable> tables;
  if (ssize(labels) <= kMostShown) {
    SummaryTable& table = tables.emplace_back();
    table.title = "true labels (rows), and what they were taken for (columns)";
    table.header = labels;
    table.header.insert(table.header.begin(), "");
    for (Index a = 0; a < matrix.rows(); ++a) {
      std::vector<std::string>& row = table.rows.emplace_back();
      row.push_back(labels[usize(a)]);
      for (Index b = 0; b < matrix.cols(); ++b) row.push_back(shown(matrix.view().row(a)[b]));
    }
  }
  SummaryTable& table = tables.emplace_back();
  table.header = {"label", weighted ? "weight" : "rows", "precision", "recall", "f1"};
  for (std::size_t c = 0; c < labels.size(); ++c) {
    table.rows.push_back({labels[c], shown(rows[c]), score_text(scores.precision[c]),
                          score_text(scores.recall[c]), score_text(scores.f[c])});
  }
  return tables;
}

}  // namespace craton
