#include "craton/linear/ridge.h"

#include <limits>

#include "craton/base/error.h"
#include "craton/model/registered_model.h"

namespace craton {
namespace {

LinearTask ridge_task(const Ridge::Options& o) {
  if (o.penalise_intercept && !o.fit_intercept) {
    throw InputError(
        Code::kBadOption, {},
        {"{} asks for an intercept, and {} for none", Ref::option("penalise_intercept", "true"),
         Ref::option("fit_intercept", "false")},
        "Leave one of them out.");
  }
  return {.intercept = !o.fit_intercept       ? Intercept::kNone
                       : o.penalise_intercept ? Intercept::kPenalised
                                              : Intercept::kFree,
          .prior = {.alpha = o.alpha,
                    .precision = o.precision.values,
                    .covariance = o.prior_covariance.values,
                    .mean = o.prior_mean.values},
          .precise = o.precise,
          .weights = o.weight_kind,
          .errors = o.errors};
}

}  // namespace

void describe(OptionVisitor& v, Ridge::Options& o) {
  v.number("alpha", o.alpha, 0, std::numeric_limits<double>::max(),
           "how much squares of coefficients count beside those of residuals; lambda sigma^2 for a "
           "prior of precision lambda and noise of variance sigma^2");
  v.flag("fit_intercept", o.fit_intercept, "add a constant; else the line goes through 0");
  v.flag("penalise_intercept", o.penalise_intercept, "let the prior pull the constant to 0, too");
  v.flag("precise", o.precise,
         "compute with 106 bits, twenty times as long: as right as the numbers of the table are");
  v.choice("weight_kind", o.weight_kind, {"copies", "precision"},
           "what a weight is: so many copies of the row, or the precision of its target");
  describe_errors(v, o.errors);
  v.array("precision", o.precision,
          "the prior's precision of each coefficient, times alpha; 0 leaves it free");
  v.array("prior_mean", o.prior_mean, "what coefficients are pulled to, instead of 0");
  v.array(
      "prior_covariance", o.prior_covariance,
      "the prior's covariance of the coefficients, times sigma^2 / alpha, instead of precision");
}

Fit<Ridge> Ridge::fitted(Learned learned) {
  return {Ridge(std::move(learned.model)), std::move(learned.report), std::move(learned.memory)};
}

Fit<Ridge> Ridge::fit(Source& x, const Options& options, const Exec& exec) {
  check_options([o = options](OptionVisitor& v) mutable { describe(v, o); });
  const LinearTask task = ridge_task(options);
  return fitted(learn(sum_rows(x, task.intercept, exec), x, task, exec));
}

Fit<Ridge> Ridge::partial_fit(const Fit<Ridge>& so_far, Source& x, const Options& options,
                              const Exec& exec) {
  return fitted(learn_on(so_far.memory.get(), so_far.report, so_far.model.columns(), x,
                         ridge_task(options), exec));
}

Fit<Ridge> Ridge::merge(const Fit<Ridge>& a, const Fit<Ridge>& b, const Options& options) {
  return fitted(learn_merged(a.memory.get(), b.memory.get(), a.report, b.report, a.model.columns(),
                             ridge_task(options)));
}

Ridge Ridge::from_parameters(const ParameterList& parameters) { return Ridge(parameters); }

const Usage Ridge::kUsage{
    .example =
        "examples/data/people.csv --target weight_kg --missing skip --alpha 10 -o people.craton",
    .python = R"(
>>> from craton import Ridge
>>> model = Ridge(alpha=1).fit([[0], [1], [2]], [1, 3, 5])
>>> model.coef_.round(9).tolist(), round(model.intercept_, 9)
([1.333333333], 1.666666667)
)",
    .sklearn = "linear_model.Ridge"};

template ModelInfo registered<Ridge>();

}  // namespace craton
