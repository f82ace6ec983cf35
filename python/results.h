#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "craton/model/registry.h"
#include "craton/report/result_text.h"
#include "python/values.h"

// Tables of results as Python values: craton._result_table makes objects of them.

namespace craton {

inline nb::object to_python(ResultColumn& column) {
  if (column.words() != nullptr) return nb::cast(*column.words());
  ResultColumn::Numbers& numbers = std::get<ResultColumn::Numbers>(column.cells);
  const Index rows = column.size();
  if (!column.counts()) return to_numpy(std::move(numbers), {rows});
  return to_numpy(std::vector<Index>(numbers.begin(), numbers.end()), {rows});
}

// (name, title, columns, text, cells): of each column (name, unit, values), the cells of the first
// rows as people read them, with the header first.
inline nb::tuple to_python(ResultTable table) {
  constexpr Index kMostRows = 20;  // in a notebook
  const std::string text = format(table, "to_frame() has them all");
  SummaryTable shown = cells_of(table, kMostRows);
  shown.rows.insert(shown.rows.begin(), shown.header);
  const std::vector<std::string> names = column_names(table);
  nb::list columns;
  for (std::size_t j = 0; j < names.size(); ++j) {
    columns.append(nb::make_tuple(names[j], table.columns[j].unit, to_python(table.columns[j])));
  }
  return nb::make_tuple(table.name, shown.title, columns, text, shown.rows);
}

// What was learned; more: also what is shown only when it is asked for.
inline nb::list tables(const Fitted& m, bool more) {
  nb::list result;
  for (ResultTable& table : more ? all_tables(m) : m.model->tables(m.schema)) {
    result.append(to_python(std::move(table)));
  }
  return result;
}

// The same as describe() prints it.
inline std::vector<std::string> table_texts(const Fitted& m) {
  std::vector<std::string> texts;
  for (const ResultTable& table : m.model->tables(m.schema)) {
    texts.push_back(format(table, "tables() has them all"));
  }
  return texts;
}

// The table, and its labels as numbers; None: it has none.
inline nb::tuple diagnosis(ResultTable table, const Schema& schema) {
  ResultColumn labels;
  if (const ResultColumn* column = table.find("label")) labels = *column;
  name_labels(table, schema);
  return nb::make_tuple(to_python(std::move(table)),
                        labels.name.empty() ? nb::none() : to_python(labels));
}

}  // namespace craton
