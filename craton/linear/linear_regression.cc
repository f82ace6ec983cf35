#include "craton/linear/linear_regression.h"

#include "craton/model/registered_model.h"

namespace craton {
namespace {

LinearTask linear_task(const LinearRegression::Options& o) {
  return {.intercept = o.fit_intercept ? Intercept::kFree : Intercept::kNone,
          .precise = o.precise,
          .weights = o.weight_kind,
          .errors = o.errors};
}

}  // namespace

void describe(OptionVisitor& v, LinearRegression::Options& o) {
  v.flag("fit_intercept", o.fit_intercept, "add a constant; else the line goes through 0");
  v.flag("precise", o.precise,
         "compute with 106 bits, twenty times as long: as right as the numbers of the table are");
  v.choice("weight_kind", o.weight_kind, {"copies", "precision"},
           "what a weight is: so many copies of the row, or the precision of its target");
  describe_errors(v, o.errors);
}

Fit<LinearRegression> LinearRegression::fitted(Learned learned) {
  return {LinearRegression(std::move(learned.model)), std::move(learned.report),
          std::move(learned.memory)};
}

Fit<LinearRegression> LinearRegression::fit(Source& x, const Options& options, const Exec& exec) {
  check_options([o = options](OptionVisitor& v) mutable { describe(v, o); });
  const LinearTask task = linear_task(options);
  return fitted(learn(sum_rows(x, task.intercept, exec), x, task, exec));
}

Fit<LinearRegression> LinearRegression::partial_fit(const Fit<LinearRegression>& so_far, Source& x,
                                                    const Options& options, const Exec& exec) {
  return fitted(learn_on(so_far.memory.get(), so_far.report, so_far.model.columns(), x,
                         linear_task(options), exec));
}

Fit<LinearRegression> LinearRegression::merge(const Fit<LinearRegression>& a,
                                              const Fit<LinearRegression>& b,
                                              const Options& options) {
  return fitted(learn_merged(a.memory.get(), b.memory.get(), a.report, b.report, a.model.columns(),
                             linear_task(options)));
}

LinearRegression LinearRegression::from_parameters(const ParameterList& parameters) {
  return LinearRegression(parameters);
}

const Usage LinearRegression::kUsage{
    .example = "examples/data/people.csv --target weight_kg --missing skip -o people.craton",
    .python = R"(
>>> from craton import LinearRegression
>>> X = [[0, 1], [1, 0], [2, 2], [3, 1]]
>>> model = LinearRegression().fit(X, [4, 5, 9, 10])
>>> model.coef_.round(9).tolist(), round(model.intercept_, 9)
([2.0, 1.0], 3.0)
>>> model.predict([[4, 0]]).round(9).tolist()
[11.0]
)",
    .sklearn = "linear_model.LinearRegression"};

template ModelInfo registered<LinearRegression>();

}  // namespace craton
