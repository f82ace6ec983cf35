#include "cli/showing/explain_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/showing/output.h"
#include "craton/io/csv_write.h"
#include "craton/model/explain.h"

namespace craton::cli {
namespace {

struct Term {
  Index feature;
  double value, log_odds;
};

struct Reasons {
  std::int32_t label = 0, other = 0;
  double p = 0, p_other = 0, prior = 0;
  std::vector<Term> terms;  // those that speak for the label, the loudest first
};

Reasons reasons_of(const Explanation& why, Index features) {
  Reasons result{why.label, why.other, std::exp(why.log_p), std::exp(why.log_p_other),
                 why.prior, {}};
  const std::span<const double> odds = why.log_odds;
  std::vector<Index> order;
  for (Index j = 0; j < ssize(odds); ++j) {
    if (odds[usize(j)] > 0) order.push_back(j);
  }
  const Index count = std::min(features, ssize(order));
  std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](Index a, Index b) {
    return odds[usize(a)] > odds[usize(b)] || (odds[usize(a)] == odds[usize(b)] && a < b);
  });
  order.resize(usize(count));
  for (const Index j : order) result.terms.push_back({j, why.x[usize(j)], odds[usize(j)]});
  return result;
}

std::vector<Reasons> find_reasons(Index features, const Fitted& fitted, Source& rows,
                                  const Exec& exec) {
  std::vector<Reasons> result(usize(rows.shape().rows));
  explain(*fitted.model, rows, -1, exec, [&](Index row, const Explanation& why) {
    result[usize(row)] = reasons_of(why, features);
  });
  return result;
}

// "refund=3", or "colour=red" of a category, or of words by position.
std::string value_text(const Schema& told, const Column& column, double value) {
  if (!told.inner.empty() && value >= 0) return told.inner[0].level(static_cast<Index>(value));
  const bool level = column.kind == ColumnKind::kCategory && value >= 0 &&
                     value < static_cast<double>(column.levels.size());
  return level ? column.levels[static_cast<std::size_t>(value)] : csv_field(value);
}

}  // namespace

std::string explained_csv(Index features, const KeptColumns& keep, const Fitted& fitted,
                          Source& rows, Index first, const Exec& exec) {
  const Schema& schema = fitted.schema;
  const Schema told = fitted.model->told_schema(schema);
  std::string text;
  for (const Reasons& row : find_reasons(features, fitted, rows, exec)) {
    text += keep.fields(first++);
    std::string because;
    for (const Term& term : row.terms) {
      const Column column = told.column(term.feature);
      because +=
          fmt::format("{}{}={}: {}", because.empty() ? "" : "; ", column.name,
                      value_text(told, column, term.value),
                      std::isinf(term.log_odds) ? "impossible for " + label_name(schema, row.other)
                                                : fmt::format("{:+.2f}", term.log_odds));
    }
    text += fmt::format("{},{},{},{}\n", csv_field(label_name(schema, row.label)), csv_field(row.p),
                        csv_field(label_name(schema, row.other)), csv_field(because));
  }
  return text;
}

Json explained_json(Index features, const Data& data, const KeptColumns& keep, const Fitted& fitted,
                    const Exec& exec) {
  const Schema& schema = fitted.schema;
  const Schema told = fitted.model->told_schema(schema);
  Json::List list;
  for (const Reasons& row : find_reasons(features, fitted, data.source(), exec)) {
    Json::List terms;
    for (const Term& term : row.terms) {
      const Column column = told.column(term.feature);
      const bool number = column.kind == ColumnKind::kNumber && told.inner.empty();
      terms.push_back(Json::object(
          {{"feature", column.name},
           {"value", number ? Json(term.value) : Json(value_text(told, column, term.value))},
           {"log_odds", term.log_odds}}));
      if (std::isinf(term.log_odds)) terms.back().set("impossible_for_runner_up", true);
    }
    Json entry = Json::object({{"label", label_name(schema, row.label)},
                               {"probability", row.p},
                               {"runner_up", label_name(schema, row.other)},
                               {"probability_of_runner_up", row.p_other},
                               {"log_odds_of_labels", row.prior},
                               {"because", Json(Json::Value(std::move(terms)))}});
    if (data.kept) entry.set("row", (*data.kept)[ssize(list)]);
    for (std::size_t c = 0; c < keep.columns().size(); ++c) {
      if (c == 0) entry.set("kept", Json::object({}));
      std::get<Json::Object>(entry.value)
          .back()
          .second.set(keep.columns()[c].name, keep.value(c, ssize(list)));
    }
    list.push_back(std::move(entry));
  }
  return Json::object({{"rows", Json(Json::Value(std::move(list)))}});
}

}  // namespace craton::cli
