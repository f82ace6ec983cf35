#include "craton/model/fit_steps.h"

#include "craton/base/error.h"
#include "craton/base/notes.h"
#include "craton/tables/columns.h"
#include "craton/tables/view.h"
#include "craton/text/count.h"
#include "craton/text/spooled_rows.h"

namespace craton {
namespace {

void shift(FitReport& report, double by) {
  report.objective += by;
  for (double& v : report.trace) v += by;
  for (auto& trace : report.start_traces) {
    for (double& v : trace) v += by;
  }
  for (HalfStep& step : report.half_steps) step.expected += by;
}

}  // namespace

TextPlace text_place(const Abilities& able) {
  if (able.texts_beside) return TextPlace::kBeside;
  return able.sparse ? TextPlace::kColumns : TextPlace::kPositions;
}

LearnedSteps learn_steps(Source& x, const StepOptions& options, const Exec& exec) {
  LearnedSteps learned;
  Steps& steps = learned.steps;
  std::vector<double> fill;
  if (!options.text && x.schema().inner.empty()) check_some(x);
  if (options.text) {
    TermRows counted;
    auto text = std::make_unique<TextStep>(
        TextStep::learn(x, *options.text, exec, &counted, options.place));
    learned.notes = text->notes();
    if (counted.rows() > 0) {
      learned.counted = counted_rows(std::move(counted), text->columns(), x, exec, options.place);
    } else if (!x.in_memory() && options.place != TextPlace::kPositions) {
      learned.counted = spooled_rows(*text, x, exec);
    }
    steps.add(std::move(text));
    const Index empty = rows_without_terms(*learned.rows_so_far(x), exec);
    if (empty > 0) learned.notes.push_back(texts_without_terms(empty, x.shape().rows));
  }
  const bool beside = options.text && options.place == TextPlace::kBeside;
  if (options.preparation.any() && !(beside && x.shape().cols == 0)) {
    const SteppedRows rows = learned.rows_so_far(x);
    auto preparation =
        std::make_unique<Preparation>(Preparation::learn(*rows, options.preparation, exec));
    fill = preparation->fill();
    steps.add(std::move(preparation));
  }
  if (!options.design || options.text) return learned;
  const SteppedRows prepared = learned.rows_so_far(x);
  std::optional<Design> design =
      Design::learn(*prepared, *options.design,
                    {.intercept = options.intercept, .sparse = options.sparse, .fill = fill}, exec);
  if (design) steps.add(std::make_unique<Design>(*std::move(design)));
  return learned;
}

Schema given_schema(Schema schema, const StepOptions& options) {
  if (options.text && options.place != TextPlace::kBeside) schema.columns.clear();
  return schema;
}

SteppedRows LearnedSteps::rows_so_far(Source& x) const {
  if (counted == nullptr) return steps.over(x);
  SteppedRows rows(*counted);
  for (const auto& step : steps.all().subspan(1)) rows.add(step->over(*rows));
  return rows;
}

SteppedRows LearnedSteps::rows_to_fit(Source& x, const Exec& exec) const {
  if (counted == nullptr) return craton::rows_to_fit(steps, x, exec);
  return rows_so_far(x);  // sparse ones, which are not kept twice
}

SteppedRows rows_to_fit(const Steps& steps, Source& x, const Exec& exec) {
  SteppedRows rows = steps.over(x);
  if (steps.empty() || !x.in_memory()) return rows;
  auto kept = std::make_unique<View>(*rows);
  kept->keep(exec);
  rows.add(std::move(kept));
  return rows;
}

Steps steps_to_go_on(const Fitted& so_far, const StepOptions& options) {
  if (options.design && !(*options.design == design_of(so_far.options))) {
    throw InputError(Code::kBadOption, {},
                     "the model to go on from makes other terms of its columns",
                     {"Give the {}, {}, {} and {} that it was fitted with; {} shows them.",
                      Ref::option("terms"), Ref::option("coding"), Ref::option("reference"),
                      Ref::option("unseen"), Ref::verb("describe")});
  }
  const TextStep* const text = text_of(*so_far.model);
  if (text != nullptr && options.text && !(text->options() == *options.text)) {
    throw InputError(Code::kBadOption, {},
                     "the model to go on from counts other things in its texts",
                     {"Give the options of texts that it was fitted with; {} shows them.",
                      Ref::verb("describe")});
  }
  if (!(options.preparation == preparation_of(so_far.options))) {
    throw InputError(
        Code::kBadOption, {}, "the model to go on from prepares its rows in another way",
        {"Give the {}, {} and {} that it was fitted with; {} shows them.", Ref::option("fill"),
         Ref::option("scale"), Ref::option("unit_rows"), Ref::verb("describe")});
  }
  return so_far.model->steps();
}

namespace {

// With the step of texts in the place of the first one.
Steps with_text(const Steps& steps, TextStep text) {
  Steps result;
  result.add(std::make_unique<TextStep>(std::move(text)));
  for (const auto& step : steps.all().subspan(1)) result.add(step->copy());
  return result;
}

UnitedSteps united(const Steps& steps, const TextStep& a, const TextStep& b) {
  UnitedSteps result;
  TextStep both = TextStep::merged(a, b, result.places_of_a, result.places_of_b);
  result.columns = both.columns();
  if (both.columns() == a.columns() && both.columns() == b.columns()) {
    result.places_of_a = {};
    result.places_of_b = {};
  }
  result.steps = with_text(steps, std::move(both));
  return result;
}

}  // namespace

UnitedSteps unite_steps(const Fitted& a, const Fitted& b) {
  const TextStep *const text = text_of(*a.model), *const other = text_of(*b.model);
  if (text != nullptr && other != nullptr && a.model->steps().all().size() == 1 &&
      b.model->steps().all().size() == 1) {
    return united(a.model->steps(), *text, *other);
  }
  if (a.model->steps() == b.model->steps()) return {a.model->steps()};
  throw InputError(Code::kBadOption, {},
                   "the two models prepare their rows differently: what one has learned means "
                   "something else to the other",
                   "Scale the tables alike before they are fitted, or let one model learn on from "
                   "the other's rows.");
}

UnitedSteps grow_steps(const Fitted& so_far, Source& x, bool may_grow, const Exec& exec) {
  const Steps& steps = so_far.model->steps();
  const TextStep* const text = text_of(*so_far.model);
  if (text == nullptr || text->options().hashed > 0) return {steps};
  const TextStep more = text->all_terms(x, exec);
  if (text->grows() && may_grow && steps.all().size() == 1) return united(steps, *text, more);
  UnitedSteps same{steps};
  if (const Index unknown = text->unknown_in(more); unknown > 0) {
    same.notes.push_back({"unknown-words",
                          {"{} of the {} terms of the new texts are not among the {} of the model, "
                           "and are passed over",
                           unknown, more.columns(), text->columns()}});
  }
  return same;
}

FitReport with_steps(FitReport report, const AnyModel& model) {
  if (!model.steps().empty()) shift(report, model.log_volume());
  return report;
}

FitReport plain_report(const Fitted& fitted) {
  FitReport report = fitted.report;
  if (!fitted.model->steps().empty()) shift(report, -fitted.model->log_volume());
  return report;
}

std::unique_ptr<AnyModel> make_with_steps(
    const ParameterList& parameters, bool terms,
    FunctionRef<std::unique_ptr<PlainModel>(const ParameterList&)> make) {
  std::vector<Parameter> prepared, made;
  const bool texts = parameters.has("text.how");
  for (const ParameterView& p : parameters.all()) {
    if (Preparation::is_parameter(p.name)) prepared.push_back(copy_of(p));
    if (terms && Design::is_parameter(p.name)) made.push_back(copy_of(p));
  }
  std::unique_ptr<PlainModel> model = make(parameters);  // which passes over those
  const std::optional<Design> design = Design::from_parameters(made, model->columns());
  Steps steps;
  if (texts) {
    if (design) fail_parameters("it makes terms of texts");
    const Abilities& able = model->info().abilities;
    const TextPlace place = text_place(able);
    const bool beside = place == TextPlace::kBeside;
    if (!able.texts || (beside && model->inner_columns() == 0)) {
      fail_parameters("it takes no texts");
    }
    steps.add(std::make_unique<TextStep>(*TextStep::from_parameters(
        parameters, beside ? model->inner_columns() : model->columns(), place)));
  } else if (model->inner_columns() > 0) {
    fail_parameters("the words of its texts are missing");
  }
  if (!prepared.empty()) {
    const Index columns = design ? design->inputs(model->columns()) : model->columns();
    steps.add(std::make_unique<Preparation>(*Preparation::from_parameters(prepared, columns)));
  }
  if (design) steps.add(std::make_unique<Design>(*design));
  return std::make_unique<AnyModel>(std::move(steps), std::move(model));
}

namespace {

template <class S>
const S* find_step(const AnyModel& model) {
  for (const auto& step : model.steps().all()) {
    if (step->prefix() == S::kPrefix) return static_cast<const S*>(step.get());
  }
  return nullptr;
}

}  // namespace

const Preparation* preparation_of(const AnyModel& model) { return find_step<Preparation>(model); }
const Design* design_of(const AnyModel& model) { return find_step<Design>(model); }
const TextStep* text_of(const AnyModel& model) { return find_step<TextStep>(model); }

}  // namespace craton
