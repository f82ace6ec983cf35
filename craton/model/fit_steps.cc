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

Steps learn_steps(Source& x, const PreparationOptions& options, const Exec& exec) {
  Steps steps;
  if (options.any()) {
    steps.add(std::make_unique<Preparation>(Preparation::learn(x, options, exec)));
  }
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

Steps steps_to_go_on(const Fitted& so_far, const PreparationOptions& options) {
  if (!(options == preparation_of(so_far.options))) {
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
    const ParameterList& parameters,
    FunctionRef<std::unique_ptr<PlainModel>(const ParameterList&)> make) {
  std::vector<Parameter> of_steps;
  for (const ParameterView& p : parameters.all()) {
    if (Preparation::is_parameter(p.name)) of_steps.push_back(copy_of(p));
  }
  std::unique_ptr<PlainModel> model = make(parameters);  // which passes over those
  Steps steps;
  if (!of_steps.empty()) {
    steps.add(
        std::make_unique<Preparation>(*Preparation::from_parameters(of_steps, model->columns())));
  }
  return std::make_unique<AnyModel>(std::move(steps), std::move(model));
}

const Preparation* preparation_of(const AnyModel& model) {
  for (const auto& step : model.steps().all()) {
    if (step->prefix() == Preparation::kPrefix) {
      return static_cast<const Preparation*>(step.get());
    }
  }
  return nullptr;
}

}  // namespace craton
