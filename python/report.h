#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "craton/report/pages/report.h"
#include "craton/report/pictures.h"
#include "craton/report/plots/stages.h"
#include "craton/report/plots/traces.h"
#include "craton/tables/view.h"
#include "python/progress.h"
#include "python/tables.h"
#include "python/values.h"
#include "python/wording.h"

// Pictures of models, as SVG, and reports, as HTML.

namespace craton {

using ColumnPair = std::pair<Index, Index>;  // across and up; up is -1 for one column

// Pictures are made of dense rows.
inline View dense_rows(Source& x) {
  View view(x);
  if (!has_sparse_rows(x)) return view;
  Selection all;
  for (Index j = 0; j < x.shape().cols; ++j) all.columns.push_back({.from = j});
  view.select(std::move(all));
  return view;
}

// As `craton plot` draws them: with the objective of these rows.
inline std::string plot_rows(const Fitted& m, const nb::object& table, const Weights& weights,
                             const Codes& labels, const Targets& numbers, int n_jobs,
                             const ColumnPair& columns, const std::string& title,
                             const std::string& kind) {
  const Rows x(table);
  MemorySource given = source_of(x, weights, m.schema, labels, numbers);
  View source = dense_rows(given);
  std::string picture;
  work(n_jobs, nb::none(), [&](const Exec& exec) {
    picture =
        draw_picture(kind, m, &source, {columns.first, columns.second}, exec, {.title = title});
  });
  return picture;
}

inline std::string plot_stages_of(std::string_view name, const nb::object& table,
                                  const nb::dict& options, const Weights& weights,
                                  const Names& names, int n_jobs, const Codes& labels,
                                  const Target& target, const Levels& levels,
                                  const std::vector<Index>& updates, const ColumnPair& columns) {
  const ModelInfo& model = find_model(name);
  const std::vector<NamedOption> values = to_options(options);
  const Rows x(table);
  MemorySource given =
      source_of(x, weights, schema_to_fit(model, x, names, levels, target), labels);
  View source = dense_rows(given);
  std::string picture;
  work(n_jobs, nb::none(), [&](const Exec& exec) {
    picture = plot_stages(model, values, source, updates, {columns.first, columns.second}, exec);
  });
  return picture;
}

// As HTML. Rows without labels, or numbers, are told without truth.
inline std::string report_rows(const Fitted& m, const nb::object& table, const Weights& weights,
                               const Codes& labels, const Targets& numbers, int n_jobs) {
  const Rows x(table);
  MemorySource given = source_of(x, weights, m.schema, labels, numbers);
  View source(given);
  if (!labels && !numbers) source.unlabel();
  std::string page;
  work(n_jobs, nb::none(),
       [&](const Exec& exec) { page = to_html(report_model(m, source, {}, exec)); });
  return page;
}

// (HTML, the model that was chosen, notes)
inline nb::tuple report_frame(const nb::object& table, const Names& names, const Levels& levels,
                              const std::string& target, const std::vector<std::string>& models,
                              int n_jobs) {
  const Rows x(table);
  auto source = std::make_unique<MemorySource>(
      source_of(x, {}, schema_to_fit(find_model("mixture"), x, names, levels, {})));
  ReportQuestion question;
  question.roles.target = target;
  for (const std::string& name : models) {
    const ModelInfo& model = find_model(name);
    question.models.push_back({std::string(model.name), {.model = &model}});
  }
  std::string page;
  TableReport report;
  work(n_jobs, nb::none(), [&](const Exec& exec) {
    report = report_table(opened("a table", std::move(source)), question, exec,
                          [](Index, Index, const std::string&) {});
    page = to_html(report.page);
  });
  std::vector<std::string> notes;
  for (const Note& note : report.notes) notes.push_back(note.text.in(PythonWording()));
  return nb::make_tuple(page, std::move(*report.model), notes);
}

inline void bind_report(nb::module_& m, nb::class_<Fitted>& model) {
  using namespace nb::literals;
  model.def("plot", &plot_rows, "x"_a, "weights"_a.none(), "labels"_a.none(), "numbers"_a.none(),
            "n_jobs"_a, "columns"_a, "title"_a, "picture"_a);
  model.def(
      "plot_alone",
      [](const Fitted& f, const std::string& title, const std::string& kind) {
        return draw_picture(kind, f, nullptr, {}, {}, {.title = title});
      },
      "title"_a, "picture"_a);
  model.def("plot_traces", [](const Fitted& f) { return plot_traces(f, ""); });
  model.def("report", &report_rows, "x"_a, "weights"_a.none(), "labels"_a.none(),
            "numbers"_a.none(), "n_jobs"_a);
  m.def("report", &report_frame, "x"_a, "names"_a.none(), "levels"_a.none(), "target"_a, "models"_a,
        "n_jobs"_a);
  m.def("plot_stages", &plot_stages_of, "name"_a, "x"_a, "options"_a, "weights"_a.none(),
        "names"_a.none(), "n_jobs"_a, "labels"_a.none(), "target"_a.none(), "levels"_a.none(),
        "updates"_a, "columns"_a);
}

}  // namespace craton
