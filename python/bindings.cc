#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <optional>
#include <tuple>

#include "craton/base/error.h"
#include "craton/base/version.h"
#include "craton/families/family.h"
#include "craton/model/explain.h"
#include "craton/model/model_file.h"
#include "craton/model/registry.h"
#include "craton/report/outliers.h"
#include "craton/report/plots/density_plot.h"
#include "craton/report/profile.h"
#include "craton/report/row_scores.h"
#include "python/fitted.h"
#include "python/kernel.h"
#include "python/metrics.h"
#include "python/one_row.h"
#include "python/progress.h"
#include "python/registry.h"
#include "python/report.h"
#include "python/results.h"
#include "python/rows.h"
#include "python/select.h"
#include "python/tables.h"
#include "python/texts.h"
#include "python/values.h"
#include "python/wording.h"

// craton._craton: the registry and fitted models as Python objects. Arrays are borrowed from NumPy,
// results are written into arrays that the caller made, and work runs without the interpreter lock.
// The classes for people are in src/craton.

namespace nb = nanobind;
using namespace nb::literals;

namespace craton {
namespace {

using Labels = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

std::span<double> span_of(Out& out, Index size) {
  if (static_cast<Index>(out.size()) != size) throw nb::value_error("out has the wrong size");
  return {out.data(), out.size()};
}

// ---- Work

nb::list levels(const Fitted& m) {
  nb::list result;
  for (Index j = 0; j < m.schema.size(); ++j) {
    const Column column = m.schema.column(j);
    const bool category = column.kind == ColumnKind::kCategory;
    result.append(category ? nb::cast(column.levels) : nb::none());
  }
  return result;
}

Fitted fit(std::string_view name, const nb::object& table, const nb::dict& options,
           const Weights& weights, const Names& names, int n_jobs, nb::object callback,
           const Fitted* start, const Codes& labels, const Target& target, const Levels& levels,
           const Targets& numbers, const nb::object& kernel) {
  const ModelInfo& model = find_model(name);
  const std::vector<NamedOption> values = to_options(options);
  const Rows x(table);
  const Schema schema = schema_to_fit(model, x, names, levels, target);
  MemorySource source = source_of(x, weights, schema, labels, numbers);
  const ModelInfo::Function function = kernel_of(kernel);
  std::optional<Fitted> fitted;
  work(n_jobs, std::move(callback), [&](const Exec& exec) {
    fitted = function           ? model.fit_by(source, values, exec, function)
             : start == nullptr ? model.fit(source, values, exec)
                                : model.fit_from(*start, source, values, exec);
  });
  return *std::move(fitted);
}

// partial_fit or unlearn.
Fitted go_on(ModelInfo::GoOn ModelInfo::*how, const Fitted& so_far, const nb::object& table,
             const nb::dict& options, const Weights& weights, const Codes& labels, int n_jobs,
             const Targets& numbers = {}) {
  const std::vector<NamedOption> values = to_options(options);
  const Rows x(table);
  MemorySource source = source_of(x, weights, so_far.schema, labels, numbers);
  std::optional<Fitted> fitted;
  work(n_jobs, nb::none(),
       [&](const Exec& exec) { fitted = (so_far.info().*how)(so_far, source, values, exec); });
  return *std::move(fitted);
}

void predict(const Fitted& m, const nb::object& table, Labels& out, int n_jobs) {
  const Rows x(table);
  if (static_cast<Index>(out.size()) != x.size()) throw nb::value_error("out has the wrong size");
  MemorySource source = source_of(x, {}, m.schema);
  work(n_jobs, nb::none(), [&](const Exec& exec) {
    m.model->predict(source, {out.data(), out.size()}, exec);
  });
}

// predict_log_proba, predict_numbers, score_samples and transform differ in the method and the
// columns of the result.
using Method = void (AnyModel::*)(Source&, std::span<double>, const Exec&) const;

void apply(const Fitted& m, const nb::object& table, Out& out, Index columns, int n_jobs,
           Method method) {
  const Rows x(table);
  const std::span<double> values = span_of(out, x.size() * columns);
  MemorySource source = source_of(x, {}, m.schema);
  work(n_jobs, nb::none(), [&](const Exec& exec) { ((*m.model).*method)(source, values, exec); });
}

// Log-odds of each row's label against another: of the features, and of the labels themselves.
void explain_rows(const Fitted& m, const nb::object& table, std::int32_t other, Out& log_odds,
                  Out& prior, Labels& labels, Labels& others, int n_jobs) {
  const Rows x(table);
  const Index n = x.size(), d = m.model->told_columns();
  const std::span<double> odds = span_of(log_odds, n * d), of_labels = span_of(prior, n);
  MemorySource source = source_of(x, {}, m.schema);
  work(n_jobs, nb::none(), [&](const Exec& exec) {
    explain(*m.model, source, other, exec, [&](Index row, const Explanation& why) {
      std::copy(why.log_odds.begin(), why.log_odds.end(), odds.begin() + row * d);
      of_labels[usize(row)] = why.prior;
      labels.data()[row] = why.label;
      others.data()[row] = why.other;
    });
  });
}

nb::tuple diagnose(const Fitted& m, const nb::object& table, int n_jobs, const Targets& numbers) {
  const Rows x(table);
  MemorySource source = source_of(x, {}, m.schema, {}, numbers);
  ResultTable rows;
  work(n_jobs, nb::none(), [&](const Exec& exec) { rows = m.model->diagnose(source, exec); });
  return diagnosis(std::move(rows), m.schema);
}

nb::tuple score_rows(const Fitted& m, const nb::object& table, int n_jobs, const Targets& numbers) {
  const Rows x(table);
  MemorySource source = source_of(x, {}, m.schema, {}, numbers);
  RowScores scores;
  work(n_jobs, nb::none(), [&](const Exec& exec) { scores = find_row_scores(m, source, exec); });
  ResultTable rows = row_score_table(scores, m, source);
  const Index labels = ssize(scores.labels);
  const bool has_labels = rows.find("label") != nullptr;
  return nb::make_tuple(to_python(std::move(rows)),
                        has_labels ? to_numpy(std::move(scores.labels), {labels}) : nb::none());
}

nb::list profile(const Fitted& m, const nb::object& table, int n_jobs) {
  const Rows x(table);
  MemorySource source = source_of(x, {}, m.schema);
  std::vector<ResultTable> tables;
  work(n_jobs, nb::none(),
       [&](const Exec& exec) { tables = find_profile(m, source, exec).tables(); });
  nb::list result;
  for (ResultTable& each : tables) result.append(to_python(std::move(each)));
  return result;
}

// (model, the strangest rows, all rows, what was found, notes)
nb::tuple outliers(const nb::object& table, const Names& names, const Levels& levels, Index most,
                   int n_jobs) {
  const Rows x(table);
  const Schema schema = schema_to_fit(find_model("mixture"), x, names, levels, {});
  MemorySource source = source_of(x, {}, schema);
  std::optional<Outliers> found;
  work(n_jobs, nb::none(), [&](const Exec& exec) { found = find_outliers(source, exec); });
  std::vector<std::string> notes;
  for (const Note& note : found->notes) notes.push_back(note.text.plain());
  ResultTable strangest = found->strangest(source, most), rows = found->rows(source);
  const std::vector<std::string> said{found->model_text(), found->count_text()};
  return nb::make_tuple(std::move(found->fit.fitted), to_python(std::move(strangest)),
                        to_python(std::move(rows)), said, notes);
}

nb::tuple intervals(const Fitted& m, const nb::object& table, double level, int n_jobs) {
  const Rows x(table);
  MemorySource source = source_of(x, {}, m.schema);
  ResultTable rows;
  work(n_jobs, nb::none(),
       [&](const Exec& exec) { rows = m.model->intervals(source, level, exec); });
  return diagnosis(std::move(rows), m.schema);
}

// The labels that the fit found for its rows, once; None: predict them.
nb::object take_labels(Fitted& m) {
  const Index rows = std::ssize(m.labels);
  return rows == 0 ? nb::none() : to_numpy(std::move(m.labels), {rows});
}

// Of texts, in the counts of their words.
nb::tuple linear_form(const Fitted& m) {
  const bool texts = text_of(*m.model) != nullptr && m.model->steps().all().size() == 1;
  const LinearForm form = texts ? m.model->plain().linear_form() : m.model->linear_form();
  nb::list terms;  // (column, of), or a list of such: a product
  for (const LinearTerm& term : form.terms) {
    nb::list factors;
    for (const LinearFactor& factor : term.factors) {
      factors.append(nb::make_tuple(factor.column, factor.of));
    }
    terms.append(term.factors.size() == 1 ? nb::object(factors[0]) : nb::object(factors));
  }
  return nb::make_tuple(to_python(form.coef), to_python(form.intercept), terms);
}

double score(const Fitted& m, const nb::object& table, const Weights& weights, int n_jobs) {
  const Rows x(table);
  MemorySource source = source_of(x, weights, m.schema);
  double result = 0;
  work(n_jobs, nb::none(), [&](const Exec& exec) { result = m.model->score(source, exec); });
  return result;
}

double entropy(const Fitted& m, const nb::object& table, int n_jobs) {
  const Rows x(table);
  MemorySource source = source_of(x, {}, m.schema);
  double result = 0;
  work(n_jobs, nb::none(), [&](const Exec& exec) { result = m.model->entropy(source, exec); });
  return result;
}

nb::tuple sample(const Fitted& m, Index rows, std::uint64_t seed) {
  Sample result;
  {
    const nb::gil_scoped_release unlocked;
    result = m.model->sample(rows, seed);
  }
  return nb::make_tuple(to_numpy(std::move(result.x.values), result.x.shape),
                        to_numpy(std::move(result.labels), {rows}));
}

// AnyModel::cdf or quantile.
using OfNumbers = std::vector<double> (AnyModel::*)(std::span<const double>, const Exec&) const;
nb::object distribution(const Fitted& m, const std::vector<double>& values, int n_jobs,
                        OfNumbers method) {
  std::vector<double> found;
  work(n_jobs, nb::none(), [&](const Exec& exec) { found = ((*m.model).*method)(values, exec); });
  return to_numpy(std::move(found), {ssize(values)});
}

nb::bytes to_bytes(const Fitted& m) {
  const Bytes bytes = pack_model(m);
  return nb::bytes(bytes.data(), bytes.size());
}

Fitted from_bytes(const nb::bytes& bytes) {
  return unpack_model({static_cast<const std::byte*>(bytes.data()), bytes.size()}, "");
}

// Python's own class of exceptions, made by craton._errors.
void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const InputError& error) {
    const auto known = [](Index number) { return number < 0 ? nb::none() : nb::cast(number); };
    const auto text = [](const std::string& s) { return s.empty() ? nb::none() : nb::cast(s); };
    const Place& place = error.place();
    const nb::object exception =
        nb::module_::import_("craton._errors")
            .attr("from_core")(error.in(PythonWording()), error.in(PythonWording(true)),
                               info(error.code()).id, static_cast<int>(error.kind()),
                               text(place.file), known(place.line), known(place.row),
                               text(place.column));
    PyErr_SetObject(exception.type().ptr(), exception.ptr());
  }
}

}  // namespace
}  // namespace craton

NB_MODULE(_craton, m) {
  using namespace craton;  // NOLINT
  nb::register_exception_translator(translate);
  m.def("version", &version);
  m.def("models", &list_models);
  m.def("families", &family_parameters);
  m.def("standard_errors",
        [](std::string_view family, const std::vector<double>& parameters, double weight) {
          return get_family(family).standard_errors(parameters, weight);
        });
  m.def("fit", &fit, "name"_a, "x"_a, "options"_a, "weights"_a.none(), "names"_a.none(), "n_jobs"_a,
        "callback"_a.none(), "start"_a.none() = nb::none(), "labels"_a.none() = nb::none(),
        "target"_a.none() = nb::none(), "levels"_a.none() = nb::none(),
        "numbers"_a.none() = nb::none(), "kernel"_a.none() = nb::none());
  m.def("outliers", &outliers, "x"_a, "names"_a.none(), "levels"_a.none(), "most"_a, "n_jobs"_a);
  bind_sparse_rows(m);
  bind_text_column(m);
  nb::class_<Fitted> model(m, "Model");
  bind_one_row(model);
  model.def_prop_ro("name", [](const Fitted& f) { return f.info().name; })
      .def_prop_ro("python_name", [](const Fitted& f) { return f.info().python_name; })
      .def_prop_ro("classes", [](const Fitted& f) { return f.model->classes(); })
      .def_prop_ro("outputs", [](const Fitted& f) { return f.model->outputs(); })
      .def_prop_ro("free_parameters",
                   [](const Fitted& f) { return f.model->free_parameters(f.options); })
      .def_prop_ro("columns", [](const Fitted& f) { return f.schema.size(); })
      .def_prop_ro("told_columns", [](const Fitted& f) { return f.model->told_columns(); })
      .def_prop_ro("named", [](const Fitted& f) { return named(f.schema); })
      .def_prop_ro("names", [](const Fitted& f) { return f.schema.names(); })
      .def_prop_ro("terms",
                   [](const Fitted& f) { return f.model->steps().schema(f.schema).names(); })
      .def_prop_ro("levels", &levels)
      .def_prop_ro("target", &target)
      .def(
          "partial_fit",
          [](const Fitted& f, const nb::object& x, const nb::dict& options, const Weights& weights,
             int n_jobs, const Codes& labels, const Targets& numbers) {
            return go_on(&ModelInfo::partial_fit, f, x, options, weights, labels, n_jobs, numbers);
          },
          "x"_a, "options"_a, "weights"_a.none(), "n_jobs"_a, "labels"_a.none() = nb::none(),
          "numbers"_a.none() = nb::none())
      .def(
          "unlearn",
          [](const Fitted& f, const nb::object& x, const nb::dict& options, const Weights& weights,
             int n_jobs, const Codes& labels) {
            return go_on(&ModelInfo::unlearn, f, x, options, weights, labels, n_jobs);
          },
          "x"_a, "options"_a, "weights"_a.none(), "n_jobs"_a, "labels"_a.none() = nb::none())
      .def("merge", [](const Fitted& a, const Fitted& b) { return a.info().merge(a, b); })
      .def("marginal", [](const Fitted& f,
                          const std::vector<Index>& kept) { return f.info().marginal(f, kept); })
      .def("condition",
           [](const Fitted& f, const std::vector<Index>& given, const std::vector<double>& values) {
             return f.info().condition(f, given, values);
           })
      .def_prop_ro("asleep", [](const Fitted& f) { return f.model->plain().asleep(); })
      .def("with_kernel",
           [](const Fitted& f, const nb::object& kernel) {
             return f.info().with_kernel(f, kernel_of(kernel));
           })
      .def("predict", &predict, "x"_a, "out"_a.noconvert(), "n_jobs"_a)
      .def(
          "predict_log_proba",
          [](const Fitted& f, const nb::object& x, Out& out, int n_jobs) {
            apply(f, x, out, f.model->classes(), n_jobs, &AnyModel::predict_log_proba);
          },
          "x"_a, "out"_a.noconvert(), "n_jobs"_a)
      .def(
          "predict_numbers",
          [](const Fitted& f, const nb::object& x, Out& out, int n_jobs) {
            apply(f, x, out, 1, n_jobs, &AnyModel::predict_numbers);
          },
          "x"_a, "out"_a.noconvert(), "n_jobs"_a)
      .def(
          "score_samples",
          [](const Fitted& f, const nb::object& x, Out& out, int n_jobs) {
            apply(f, x, out, 1, n_jobs, &AnyModel::score_samples);
          },
          "x"_a, "out"_a.noconvert(), "n_jobs"_a)
      .def(
          "transform",
          [](const Fitted& f, const nb::object& x, Out& out, int n_jobs) {
            apply(f, x, out, f.model->outputs(), n_jobs, &AnyModel::transform);
          },
          "x"_a, "out"_a.noconvert(), "n_jobs"_a)
      .def("explain", &explain_rows, "x"_a, "other"_a, "log_odds"_a.noconvert(),
           "prior"_a.noconvert(), "labels"_a.noconvert(), "others"_a.noconvert(), "n_jobs"_a)
      .def("diagnose", &diagnose, "x"_a, "n_jobs"_a, "numbers"_a.none() = nb::none())
      .def("profile", &profile, "x"_a, "n_jobs"_a)
      .def("score_rows", &score_rows, "x"_a, "n_jobs"_a, "numbers"_a.none() = nb::none())
      .def("intervals", &intervals, "x"_a, "level"_a, "n_jobs"_a)
      .def("take_labels", &take_labels)
      .def("linear_form", &linear_form)
      .def("boundaries", &boundaries)
      .def("score", &score, "x"_a, "weights"_a.none(), "n_jobs"_a)
      .def("entropy", &entropy, "x"_a, "n_jobs"_a)
      .def("sample", &sample, "rows"_a, "seed"_a)
      .def(
          "cdf",
          [](const Fitted& f, const std::vector<double>& x, int n_jobs) {
            return distribution(f, x, n_jobs, &AnyModel::cdf);
          },
          "x"_a, "n_jobs"_a)
      .def(
          "quantile",
          [](const Fitted& f, const std::vector<double>& p, int n_jobs) {
            return distribution(f, p, n_jobs, &AnyModel::quantile);
          },
          "p"_a, "n_jobs"_a)
      .def("parameters", &parameters)
      .def("parameter", &parameter)
      .def("memory", &memory)
      .def("preparation", &preparation)
      .def("parameter_help", &parameter_help)
      .def("options", &options)
      .def("report", &report)
      .def("about", &about)
      .def("tables", &tables, "more"_a)
      .def("table_texts", &table_texts)
      .def("density_chart", [](const Fitted& f) { return density_chart(f); })
      .def("digest", [](const Fitted& f) { return digest(f); })
      .def("to_bytes", &to_bytes)
      .def_static("from_bytes", &from_bytes)
      .def("save", [](const Fitted& f, const std::string& path) { save_model(f, path); })
      .def_static("load", [](const std::string& path) { return load_model(path); });
  bind_report(m, model);
  bind_texts(m, model);
  nb::module_ metrics = m.def_submodule("metrics");
  bind_metrics(metrics);
  nb::module_ select = m.def_submodule("select");
  bind_select(select);
}
