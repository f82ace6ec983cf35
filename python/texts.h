#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "craton/engine/for_each.h"
#include "craton/model/archive.h"
#include "craton/model/fit_steps.h"
#include "craton/text/count.h"
#include "craton/text/stop_words.h"
#include "craton/text/text_step.h"
#include "craton/text/weights.h"
#include "python/one_row.h"
#include "python/progress.h"
#include "python/registry.h"
#include "python/tables.h"
#include "python/values.h"
#include "python/wording.h"

// What counts the words of texts, for Python's vectorisers: rows come as the three arrays of
// SciPy's compressed rows.

namespace craton {

inline TextOptions text_options_of(const nb::dict& options) {
  const std::vector<NamedOption> values = to_options(options);
  TextOptions result;
  set_options([&](OptionVisitor& v) { describe(v, result); }, values);
  check_options([&](OptionVisitor& v) { describe(v, result); });
  return result;
}

template <class T>
nb::object to_numpy(LargePageTable<T> values, std::size_t size) {
  auto owner = std::make_unique<LargePageTable<T>>(std::move(values));
  T* const data = owner->data();
  const nb::capsule capsule(owner.release(), [](void* pointer) noexcept {
    std::unique_ptr<LargePageTable<T>>(static_cast<LargePageTable<T>*>(pointer));
  });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::c_contig>(data, 1, &size, capsule));
}

// Whole numbers in the memory of the doubles that say them.
inline void make_whole(LargePageTable<double>& values, int n_jobs) {
  constexpr Index kTask = 1 << 16;
  const auto size = static_cast<Index>(values.size());
  for_each((size + kTask - 1) / kTask, {.threads = n_jobs}, [&](Index task) {
    for (Index i = task * kTask; i < std::min((task + 1) * kTask, size); ++i) {
      double& v = values.data()[i];
      v = std::bit_cast<double>(static_cast<std::int64_t>(v));
    }
  });
}

// (data, indices, indptr), as SciPy takes them. `whole`: the data as int64.
inline nb::tuple to_python(TermRows rows, bool whole, int n_jobs) {
  const auto entries = static_cast<std::size_t>(rows.entries());
  const Index ends = ssize(rows.offsets);
  nb::object indptr;
  if (rows.entries() <= std::numeric_limits<std::int32_t>::max()) {
    indptr = to_numpy(std::vector<std::int32_t>(rows.offsets.begin(), rows.offsets.end()), {ends});
  } else {
    indptr = to_numpy(std::move(rows.offsets), {ends});
  }
  if (whole) make_whole(rows.values, n_jobs);
  nb::object data = to_numpy(std::move(rows.values), entries);
  if (whole) data = data.attr("view")("int64");
  return nb::make_tuple(data, to_numpy(std::move(rows.columns), entries), indptr);
}

// f(the texts one by one)
template <class F>
void with_each(const TextColumn& texts, const F& f) {
  const auto text = [&](Index row, std::string& room) { return texts.text(row, room); };
  f(EachText{texts.rows(), texts.offsets(), text});
}

inline MemorySource source_of(const TextColumn& texts) {
  Schema schema;
  schema.texts = {{texts.name(), ColumnKind::kText}};
  return MemorySource(
      {.x = Dense<double>{nullptr, texts.view().rows, 0, 0}, .texts = {texts.view()}},
      std::move(schema));
}

inline TermRows rows_of(const TextColumn& texts, int n_jobs, CountRows count) {
  TermRows rows;
  work(n_jobs, nb::none(), [&](const Exec& exec) {
    with_each(texts, [&](const EachText& each) { rows = count_all(each, exec, count); });
  });
  return rows;
}

inline TermRows rows_of(const TextStep& step, const TextColumn& texts, int n_jobs) {
  return rows_of(texts, n_jobs, [&](const Texts& some, CountWork& work, SparseArray& out) {
    step.count(some, work, out);
  });
}

// The step, and the rows of the texts that it was learned from, if they are wanted.
inline nb::tuple learn_texts(const TextColumn& texts, const nb::dict& options, int n_jobs,
                             bool wanted, bool whole) {
  const TextOptions how = text_options_of(options);
  std::optional<TextStep> step;
  TermRows counted;
  work(n_jobs, nb::none(), [&](const Exec& exec) {
    with_each(texts,
              [&](const EachText& each) { step = TextStep::learn(each, how, exec, counted); });
  });
  nb::object rows = nb::none();
  if (wanted) {
    if (how.hashed > 0) counted = rows_of(*step, texts, n_jobs);
    rows = to_python(std::move(counted), whole, n_jobs);
  }
  return nb::make_tuple(nb::cast(*std::move(step)), rows);
}

// The step of the texts of this one and of more.
inline TextStep with_more(const TextStep& step, const TextColumn& more, int n_jobs) {
  if (step.options().hashed > 0) return step;
  MemorySource source = source_of(more);
  std::optional<TextStep> both;
  work(n_jobs, nb::none(), [&](const Exec& exec) {
    std::vector<Index> of_old, of_new;
    both = TextStep::merged(step, step.all_terms(source, exec), of_old, of_new);
  });
  return *std::move(both);
}

inline nb::list terms_of(const TextStep& step) {
  nb::list terms;
  for (Index j = 0; j < step.columns(); ++j) terms.append(nb::cast(step.term(j)));
  return terms;
}

inline nb::dict options_of(const TextStep& step) {
  TextOptions own = step.options();
  nb::dict result;
  for (const Option& option : list_options([&](OptionVisitor& v) { describe(v, own); })) {
    result[option.name.c_str()] = to_python(option.value);
  }
  return result;
}

inline nb::bytes bytes_of(const TextStep& step) {
  const ParameterList parameters = ParameterList::of(step);
  const Bytes bytes =
      pack_archive(Json::object({{"columns", Json(step.columns())}}), parameters.all());
  return nb::bytes(bytes.data(), bytes.size());
}

inline TextStep step_of(const nb::bytes& bytes) {
  Archive archive = unpack_archive({static_cast<const std::byte*>(bytes.data()), bytes.size()}, "");
  const Json* const columns = archive.metadata.find("columns");
  const auto* const count = columns == nullptr ? nullptr : std::get_if<Index>(&columns->value);
  std::optional<TextStep> step;
  if (count != nullptr) {
    step = TextStep::from_parameters(ParameterList(std::move(archive.sections)), *count);
  }
  if (!step) fail_damaged("", "it holds no terms");
  return *std::move(step);
}

// Terms that somebody else chose, in an order of theirs.
class GivenTerms {
 public:
  GivenTerms(const nb::dict& options, const std::vector<std::string>& terms)
      : tokeniser_(text_options_of(options).tokens), finder_(Vocabulary::of(terms), tokeniser_) {}
  nb::tuple count(const TextColumn& texts, int n_jobs, bool whole) const {
    TermRows rows =
        rows_of(texts, n_jobs, [&](const Texts& some, CountWork& work, SparseArray& out) {
          count_terms(some, tokeniser_, finder_, work, out);
        });
    return to_python(std::move(rows), whole, n_jobs);
  }

 private:
  Tokeniser tokeniser_;
  TermFinder finder_;
};

// Weighs rows of counts in place.
inline void weigh_rows(const TermWeights& weights, const Vector<Index>& indptr,
                       const Vector<std::int32_t>& indices,
                       nb::ndarray<double, nb::ndim<1>, nb::c_contig>& data, int n_jobs) {
  const Index rows = static_cast<Index>(indptr.size()) - 1;
  constexpr Index kRowsOfTask = 256;
  work(n_jobs, nb::none(), [&](const Exec& exec) {
    for_each((rows + kRowsOfTask - 1) / kRowsOfTask, exec, [&](Index task) {
      for (Index i = task * kRowsOfTask; i < std::min((task + 1) * kRowsOfTask, rows); ++i) {
        const Index first = indptr.data()[i], last = indptr.data()[i + 1];
        weights.weigh(indices.data() + first, data.data() + first, last - first);
      }
    });
  });
}

// The short way of one text after another.
class TextReader {
 public:
  explicit TextReader(nb::object model)
      : model_(std::move(model)),
        fitted_(&nb::cast<const Fitted&>(model_)),
        work_(*fitted_->model) {}

  // None: a string that is no text.
  std::optional<std::int32_t> predict(nb::handle text) {
    const std::optional<std::string_view> utf8 = view_of(text);
    if (!utf8) return {};
    return fitted_->model->predict_text(*utf8, work_);
  }
  bool predict_log_proba(nb::handle text, nb::handle out) {
    const OneRow log_p(out.ptr(), 1, fitted_->model->classes(), true);
    const std::optional<std::string_view> utf8 = view_of(text);
    if (!utf8 || !log_p.fits()) return false;
    fitted_->model->predict_log_proba_text(*utf8, work_, log_p.values());
    return true;
  }

 private:
  static std::optional<std::string_view> view_of(nb::handle text) {
    Py_ssize_t size = 0;
    const char* const utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (utf8 != nullptr) return std::string_view(utf8, static_cast<std::size_t>(size));
    PyErr_Clear();
    return {};
  }
  nb::object model_;
  const Fitted* fitted_;
  RowWork work_;
};

inline void bind_texts(nb::module_& m, nb::class_<Fitted>& model) {
  using namespace nb::literals;
  m.def("text_options", [] {
    nb::list all;
    for (const Option& option : text_options()) all.append(to_python(option));
    return all;
  });
  m.def("murmur3", [](std::string_view term) { return murmur3(term); });
  m.def("stop_words", [](const std::string& option) { return stop_words(option); });
  m.def("learn_texts", &learn_texts, "texts"_a, "options"_a, "n_jobs"_a, "wanted"_a, "whole"_a);
  nb::class_<TextStep>(m, "TextStep")
      .def("more", &with_more)
      .def("rows",
           [](const TextStep& step, const TextColumn& texts, int n_jobs, bool whole) {
             return to_python(rows_of(step, texts, n_jobs), whole, n_jobs);
           })
      .def_prop_ro("columns", &TextStep::columns)
      .def_prop_ro("terms", &terms_of)
      .def_prop_ro("idf",
                   [](const TextStep& step) -> nb::object {
                     const std::vector<double>& idf = step.weights().idf();
                     return idf.empty() ? nb::none() : to_numpy(idf, {ssize(idf)});
                   })
      .def_prop_ro("options", &options_of)
      .def("to_bytes", &bytes_of)
      .def_static("from_bytes", &step_of);
  nb::class_<GivenTerms>(m, "GivenTerms")
      .def(nb::init<const nb::dict&, const std::vector<std::string>&>())
      .def("count", &GivenTerms::count);
  nb::class_<Tokeniser>(m, "Tokeniser")
      .def("__init__",
           [](Tokeniser* made, const nb::dict& options) {
             new (made) Tokeniser(text_options_of(options).tokens);
           })
      .def("terms", [](const Tokeniser& own, std::string_view text) { return own.terms(text); })
      .def("notes", [](const Tokeniser& own) {
        std::vector<std::string> texts;
        for (const Note& note : own.notes()) texts.push_back(note.text.in(PythonWording()));
        return texts;
      });
  nb::class_<TermWeights>(m, "TermWeights")
      .def("__init__",
           [](TermWeights* made, const nb::dict& options, const Vector<Index>& df, Index documents,
              double length) {
             new (made) TermWeights(text_options_of(options).weights, {df.data(), df.size()},
                                    documents, length);
           })
      .def_prop_ro("idf",
                   [](const TermWeights& own) { return to_numpy(own.idf(), {ssize(own.idf())}); })
      .def("weigh", &weigh_rows);
  nb::class_<TextReader>(m, "TextReader")
      .def(nb::init<nb::object>())
      .def("predict", &TextReader::predict)
      .def("predict_log_proba", &TextReader::predict_log_proba);
  model
      .def_prop_ro("text_step",
                   [](const Fitted& f) -> std::optional<TextStep> {
                     const TextStep* const step = text_of(*f.model);
                     return step == nullptr ? std::nullopt : std::optional(*step);
                   })
      .def_prop_ro("text_names", [](const Fitted& f) {
        std::vector<std::string> names;
        for (const Column& column : f.schema.texts) names.push_back(column.name);
        return names;
      });
}

}  // namespace craton
