#include "craton/model/registry.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "craton/base/error.h"
#include "craton/base/hash.h"
#include "craton/model/class_words.h"
#include "craton/text/text_step.h"

namespace craton {
namespace {

// Hashes what a Writer would write, without writing it.
class Digest final : public ParameterVisitor {
 public:
  std::string hex() const { return hash_.hex(); }

  template <class T>
  void put(const T& value) {
    hash_.add(std::as_bytes(std::span(&value, 1)));
  }
  template <class T>
  void put_all(const T& values) {
    put(Index{std::ssize(values)});
    hash_.add(std::as_bytes(std::span(values.data(), values.size())));
  }
  void put_option(const OptionValue& value) {
    put(value.index());
    const Array* const array = std::get_if<Array>(&value);
    if (array == nullptr) return put_all(to_text(value));
    put_all(array->shape);
    put_all(array->values);
  }

 private:
  void visit(ParameterView parameter, std::vector<double>) override {
    put_all(parameter.name);
    put_all(parameter.shape);
    const std::size_t type = parameter.elements.index();
    if (type != 0) put(type);  // there were doubles only, once
    std::visit([&](const auto& values) { put_all(values); }, parameter.elements);
  }

  HashOfParts hash_;
};

// What people type for them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kAlso{
    {{"lda", "linear-discriminant"},
     {"qda", "quadratic-discriminant"},
     {"k-means", "kmeans"},
     {"naive-bayes", "nb"},
     {"mixture-of-gaussians", "gmm"},
     {"gaussian-mixture", "gmm"}}};

}  // namespace

const ModelInfo& find_model(std::string_view name) {
  for (const auto& [also, model] : kAlso) {
    if (name == also) return find_model(model);
  }
  std::vector<std::string> names;
  for (const ModelInfo& model : models()) {
    if (model.name == name || model.python_name == name) return model;
    names.emplace_back(model.name);
    names.emplace_back(model.python_name);
  }
  const std::string near = did_you_mean(name, names);
  throw InputError(Code::kUnknownName, {}, fmt::format("there is no model '{}'", name),
                   name.find('.') != name.npos
                       ? Message("The model comes first, then the data file: craton "
                                 "fit nb data.csv. {} lists them.",
                                 Ref::verb("models"))
                   : near.empty() ? Message("{} lists them.", Ref::verb("models"))
                                  : near);
}

namespace {

using VisitParameters = void (AnyModel::*)(ParameterVisitor&) const;

std::string digest_of(const Fitted& fitted, VisitParameters visit_parameters) {
  Digest digest;
  digest.put_all(fitted.info().name);
  ((*fitted.model).*visit_parameters)(digest);
  // Those the fit was made with: an option that a later version adds does not change the digest.
  const std::vector<Option>& known = fitted.info().options();
  for (const auto& [name, value] : fitted.options) {
    const auto at = std::find_if(known.begin(), known.end(),
                                 [&n = name](const Option& option) { return option.name == n; });
    if (at == known.end() || !at->in_digest) continue;
    digest.put_all(name);
    digest.put_option(value);
  }
  return digest.hex();
}

}  // namespace

std::string digest(const Fitted& fitted) { return digest_of(fitted, &AnyModel::visit_parameters); }

std::string old_digest(const Fitted& fitted) {
  return digest_of(fitted, &AnyModel::visit_old_parameters);
}

std::vector<Option> all_options(const ModelInfo& model) {
  std::vector<Option> all = model.options();
  if (model.abilities.texts) std::ranges::move(text_options(), std::back_inserter(all));
  return all;
}

std::vector<ResultTable> all_tables(const Fitted& fitted) {
  std::vector<ResultTable> all = fitted.model->tables(fitted.schema);
  std::ranges::move(fitted.model->more_tables(fitted.schema), std::back_inserter(all));
  if (std::optional<ResultTable> words = class_words(fitted)) all.push_back(*std::move(words));
  return all;
}

void check_model(const Fitted& so_far, std::string_view name) {
  if (so_far.info().name == name) return;
  throw InputError(
      Code::kBadOption, {},
      fmt::format("the model to go on from is a {}, not a {}", so_far.info().name, name),
      {"Only a model of the same kind goes on; {} shows what a file is.", Ref::verb("describe")});
}

void check_objective(const FitReport& report, std::string_view model) {
  if (std::isfinite(report.objective)) return;
  throw InputError(
      Code::kNotFinite, {},
      fmt::format("the objective of {} is not finite: values or weights of the table are too "
                  "large or too small, or the options make some row impossible",
                  model),
      {"Multiply or divide the columns or the weights by a power of ten; look at options such as "
       "{}.",
       Ref::option("class_prior")});
}

void check_learned(const Fitted& next) {
  try {
    next.info().from_parameters(ParameterList::of(*next.model));
    if (next.info().abilities.memory) next.model->check_memory(next.memory.get());
  } catch (const InputError& error) {
    throw InputError(
        Code::kNotFinite, {},
        {"together with what was learned before there is no model: {}", error.complaint()},
        "Values or weights are too large or too small: multiply or divide them by a power of ten.");
  }
}

void check_unlearned(const Fitted& next) {
  try {
    next.info().from_parameters(ParameterList::of(*next.model));
    if (next.info().abilities.memory) next.model->check_memory(next.memory.get());
  } catch (const InputError&) {
    throw InputError(Code::kBadTarget, {}, "the model has not seen all of these rows",
                     "Only rows that it was fitted on can be unlearned.");
  }
}

void check_columns(const Source& x, Index columns) {
  if (x.shape().cols == columns) return;
  throw InputError(
      Code::kWrongColumns, {.file = x.name()},
      fmt::format("the data have {} column{}, but the model was fitted on {}", x.shape().cols,
                  x.shape().cols == 1 ? "" : "s", columns),
      {"Give the columns the model was fitted on; {} lists them.", Ref::verb("describe")});
}

void check_choice(const Fitted& of, std::span<const Index> columns, bool may_be_all) {
  const Index d = of.schema.size();
  if (!of.model->steps().empty()) {
    throw InputError(Code::kNotAble, {},
                     "rows are prepared before this model sees them, and its columns do not part",
                     "Fit without scale, fill and unit_rows.");
  }
  std::vector<bool> chosen(usize(d));
  for (const Index j : columns) {
    if (j < 0 || j >= d) {
      throw InputError(Code::kWrongColumns, {}, fmt::format("there is no column {} among {}", j, d),
                       fmt::format("Give columns from 0 to {}.", d - 1));
    }
    if (chosen[usize(j)]) {
      throw InputError(Code::kDuplicateName, {.column = of.schema.name(j)}, "the column is twice",
                       "Give it once.");
    }
    chosen[usize(j)] = true;
  }
  if (columns.empty() || (ssize(columns) == d && !may_be_all)) {
    throw InputError(Code::kWrongColumns, {},
                     columns.empty() ? "no columns are chosen" : "no columns are left",
                     "Choose some of them.");
  }
}

void check_same_columns(const Schema& a, const Schema& b) {
  if (a.size() != b.size()) {
    throw InputError(
        Code::kWrongColumns, {},
        fmt::format("one model was fitted on {} columns, the other on {}", a.size(), b.size()),
        {"Models of the same columns merge; {} lists them.", Ref::verb("describe")});
  }
  for (Index j = 0; j < a.size(); ++j) {
    if (a.name(j) == b.name(j)) continue;
    throw InputError(Code::kWrongColumns, {.column = a.name(j)},
                     fmt::format("column {} of one model is '{}', of the other '{}'", j + 1,
                                 a.name(j), b.name(j)),
                     "Models of the same columns, in the same order, merge.");
  }
  check_same_labels(a, b);
}

Ref models_that(bool Abilities::*able) {
  std::vector<std::string> names, in_python;
  for (const ModelInfo& model : models()) {
    if (!(model.abilities.*able)) continue;
    names.emplace_back(model.name);
    in_python.emplace_back(model.python_name);
  }
  return Ref::either(listed(names, 100), listed(in_python, 100));
}

void check_target(const ModelInfo& model, const Source& x) {
  const Schema& schema = x.schema();
  const Place place{.file = x.name(), .column = schema.target ? schema.target->name : ""};
  if (model.target == TargetKind::kNumber && schema.labelled()) {
    throw InputError(Code::kBadTarget, place,
                     fmt::format("{} learns from numbers, and these are labels of classes ({})",
                                 model.name, listed(schema.target->levels)),
                     {"Models of classes are: {}.", models_that(&Abilities::labels)});
  }
  const bool labels =
      model.target == TargetKind::kLabels || model.target == TargetKind::kSomeLabels;
  if (labels && schema.number_target()) {
    throw InputError(
        Code::kBadTarget, place,
        fmt::format("{} learns classes, and the target is a number of each row", model.name),
        {"Models of numbers are: {}.", models_that(&Abilities::numbers)});
  }
}

void check_same_labels(const Schema& model, const Schema& x) {
  if (!model.target) return;
  if (model.number_target() && !x.labelled()) return;
  if (x.target && x.target->levels == model.target->levels) return;
  const std::vector<std::string> none;
  throw InputError(
      Code::kBadTarget, {.column = model.target->name},
      fmt::format("the labels are {}, but those of the model {}",
                  listed(x.target ? x.target->levels : none), listed(model.target->levels)),
      "Give rows, or a model, with the same labels in the same order.");
}

}  // namespace craton
