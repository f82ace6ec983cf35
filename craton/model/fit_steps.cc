#include "craton/model/fit_steps.h"

#include "craton/base/error.h"
#include "craton/tables/view.h"

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

Steps learn_steps(Source& x, const StepOptions& options, const Exec& exec) {
  Steps steps;
  std::vector<double> fill;
  if (options.preparation.any()) {
    auto preparation =
        std::make_unique<Preparation>(Preparation::learn(x, options.preparation, exec));
    fill = preparation->fill();
    steps.add(std::move(preparation));
  }
  if (!options.design) return steps;
  const SteppedRows prepared = steps.over(x);
  std::optional<Design> design =
      Design::learn(*prepared, *options.design,
                    {.intercept = options.intercept, .sparse = options.sparse, .fill = fill}, exec);
  if (design) steps.add(std::make_unique<Design>(*std::move(design)));
  return steps;
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
  if (!(options.preparation == preparation_of(so_far.options))) {
    throw InputError(
        Code::kBadOption, {}, "the model to go on from prepares its rows in another way",
        {"Give the {}, {} and {} that it was fitted with; {} shows them.", Ref::option("fill"),
         Ref::option("scale"), Ref::option("unit_rows"), Ref::verb("describe")});
  }
  return so_far.model->steps();
}

void check_same_steps(const Fitted& a, const Fitted& b) {
  if (a.model->steps() == b.model->steps()) return;
  throw InputError(Code::kBadOption, {},
                   "the two models prepare their rows differently: what one has learned means "
                   "something else to the other",
                   "Scale the tables alike before they are fitted, or let one model learn on from "
                   "the other's rows.");
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
  for (const ParameterView& p : parameters.all()) {
    if (Preparation::is_parameter(p.name)) prepared.push_back(copy_of(p));
    if (terms && Design::is_parameter(p.name)) made.push_back(copy_of(p));
  }
  std::unique_ptr<PlainModel> model = make(parameters);  // which passes over those
  const std::optional<Design> design = Design::from_parameters(made, model->columns());
  Steps steps;
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

}  // namespace craton
