#include "craton/linear/ridge_cv.h"

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/model/registered_model.h"

namespace craton {
namespace {

std::vector<double> alphas_of(const RidgeCV::Options& o) {
  if (!o.alphas.empty()) return o.alphas.values;
  std::vector<double> alphas;
  for (int k = -6; k <= 6; ++k) alphas.push_back(std::pow(10.0, k / 2.0));
  return alphas;
}

}  // namespace

void describe(OptionVisitor& v, RidgeCV::Options& o) {
  v.array("alphas", o.alphas, "the strengths to choose from; 13 from 0.001 to 1000 if not given");
  v.flag("fit_intercept", o.fit_intercept, "add a constant; else the line goes through 0");
  v.choice("criterion", o.criterion, {"leave-one-out", "gcv"},
           "what the strength has the least of: squared errors of rows left out, or generalised "
           "cross-validation");
  v.choice("weight_kind", o.weight_kind, {"copies", "precision"},
           "what a weight is: so many copies of the row, or the precision of its target");
  describe_errors(v, o.errors);
  v.array("precision", o.precision,
          "the prior's precision of each coefficient, times alpha; 0 leaves it free");
  v.array("prior_mean", o.prior_mean, "what coefficients are pulled to, instead of 0");
}

Fit<RidgeCV> RidgeCV::fit(Source& x, const Options& options, const Exec& exec) {
  check_options([o = options](OptionVisitor& v) mutable { describe(v, o); });
  const std::vector<double> alphas = alphas_of(options);
  for (const double alpha : alphas) {
    if (alpha >= 0 && std::isfinite(alpha)) continue;
    throw InputError(Code::kBadOption, {}, {"{} has the value {}", Ref::option("alphas"), alpha},
                     "Give numbers of at least 0.");
  }
  LinearTask task{.intercept = options.fit_intercept ? Intercept::kFree : Intercept::kNone,
                  .prior = {.alpha = alphas[0],
                            .precision = options.precision.values,
                            .mean = options.prior_mean.values},
                  .weights = options.weight_kind,
                  .errors = options.errors};
  const Summed summed = sum_rows(x, task.intercept, exec);
  const RidgePath path = ridge_path(x, summed.sums, task.intercept, task.prior, alphas, exec);
  const Index best =
      path.best(options.criterion == Criterion::kGcv ? path.gcv : path.leave_one_out);
  task.prior.alpha = alphas[usize(best)];
  Learned chosen = learn(summed, x, task, exec);
  RidgeCV model(std::move(chosen.model));
  const Index count = std::ssize(alphas);
  const auto kept = [&](const std::vector<double>& values) {
    Array array{{count}, values};
    for (double& v : array.values) v = std::isfinite(v) ? v : -1;
    return array;
  };
  model.alpha_ = task.prior.alpha;
  model.alphas_ = kept(path.alphas);
  model.leave_one_out_ = kept(path.leave_one_out);
  model.gcv_ = kept(path.gcv);
  model.effective_ = kept(path.effective);
  model.path_ = path.coefficients;
  const auto [low, high] = std::minmax_element(alphas.begin(), alphas.end());
  if (*low < *high && (model.alpha_ == *high || (model.alpha_ == *low && *low > 0))) {
    chosen.report.notes.push_back(
        {"alpha-at-the-end", Message("the best alpha, {}, is at the end of {}: try others beyond",
                                     model.alpha_, Ref::option("alphas"))});
  }
  return {std::move(model), std::move(chosen.report)};
}

void RidgeCV::visit_parameters(ParameterVisitor& v) const {
  LinearModel::visit_parameters(v);
  v.number("alpha", "the strength that was chosen", alpha_);
  v.doubles("alphas", "those it was chosen from", alphas_);
  v.doubles("leave_one_out", "their mean squared errors of rows left out; -1: not told",
            leave_one_out_);
  v.doubles("gcv", "their generalised cross-validation; -1: not told", gcv_);
  v.doubles("effective", "their degrees of freedom", effective_);
  v.doubles("path", "their coefficients, a row for each", path_);
}

RidgeCV RidgeCV::from_parameters(const ParameterList& parameters) {
  RidgeCV model(parameters);
  model.alpha_ = parameters.number("alpha");
  model.alphas_ = parameters.doubles("alphas", {-1}).copy();
  const Index count = std::ssize(model.alphas_.values);
  model.leave_one_out_ = parameters.doubles("leave_one_out", {count}).copy();
  model.gcv_ = parameters.doubles("gcv", {count}).copy();
  model.effective_ = parameters.doubles("effective", {count}).copy();
  model.path_ = parameters.doubles("path", {count, model.columns()}).copy();
  bool sound = count > 0 && model.alpha_ >= 0 && std::isfinite(model.alpha_);
  for (const Array* array :
       {&model.alphas_, &model.leave_one_out_, &model.gcv_, &model.effective_, &model.path_}) {
    for (const double v : array->values) sound = sound && std::isfinite(v);
  }
  if (!sound) fail_parameters("the path over alphas makes no sense");
  return model;
}

ResultTable RidgeCV::path_table() const {
  ResultTable table{.name = "path", .title = "strengths"};
  const auto told = [](const Array& array) {
    std::vector<double> values = array.values;
    for (double& v : values) v = v < 0 ? std::nan("") : v;
    return values;
  };
  table.add_numbers("alpha", alphas_.values);
  table.add_numbers("leave_one_out", told(leave_one_out_)).lacks = true;
  table.add_numbers("gcv", told(gcv_)).lacks = true;
  table.add_numbers("degrees", effective_.values);
  return table;
}

std::vector<ResultTable> RidgeCV::tables(const Schema& schema) const {
  std::vector<ResultTable> all = LinearModel::tables(schema);
  all.push_back(path_table());
  return all;
}

std::vector<ResultTable> RidgeCV::more_tables(const Schema& schema) const {
  ResultTable table{.name = "path_coefficients", .title = "coefficients for each strength"};
  table.add_numbers("alpha", alphas_.values);
  const std::size_t d = usize(columns());
  for (std::size_t j = 0; j < d; ++j) {
    std::vector<double> values;
    for (std::size_t i = j; i < path_.values.size(); i += d) values.push_back(path_.values[i]);
    table.add_numbers(schema.name(static_cast<Index>(j)), std::move(values));
  }
  return {table};
}

std::optional<std::vector<ResultTable>> RidgeCV::tables_before(const Schema& schema,
                                                               const Affine& scaled) const {
  auto all = LinearModel::tables_before(schema, scaled);
  if (all) all->push_back(path_table());
  return all;
}

const Usage RidgeCV::kUsage{
    .example = "examples/data/people.csv --target weight_kg --missing skip -o people.craton",
    .python = R"(
>>> from craton import RidgeCV
>>> X = [[0, 1], [1, 0], [2, 2], [3, 1], [4, 4]]
>>> model = RidgeCV(alphas=[0.01, 1, 100]).fit(X, [4, 5, 9, 10, 15])
>>> float(model.alpha_)
0.01
)",
    .sklearn = "linear_model.RidgeCV"};

template ModelInfo registered<RidgeCV>();

}  // namespace craton
