#include "craton/classes/discriminant/gaussian_bayes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/base/error.h"
#include "craton/base/hash.h"
#include "craton/base/random.h"
#include "craton/classes/discriminant/class_moments.h"
#include "craton/classes/discriminant/gaussian_boundary.h"
#include "craton/kernels/special.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

// One pass sums the moments of every column in each class, O(rows x columns), and a model comes
// from these sums alone: so models learn on, merge and unlearn rows. A prediction is O(classes x
// columns) a row (gaussian_scores.h).

namespace craton {
namespace {

void check(GaussianNB::Options options, Index columns) {
  check_options([&](OptionVisitor& v) { describe(v, options); });
  const std::vector<double>& given = options.given_variance.values;
  const bool wanted = options.variance == GaussianNB::Variance::kGiven;
  if (wanted == given.empty()) {
    throw InputError(
        Code::kBadOption, {},
        wanted ? Message("variance is 'given', but {} is not", Ref::option("given_variance"))
               : Message("{} is given, but variance is not 'given'", Ref::option("given_variance")),
        "Give both, or neither.");
  }
  if (wanted && ssize(given) != columns) {
    throw InputError(
        Code::kBadShape, {},
        {"{} has {} values for {} features", Ref::option("given_variance"), given.size(), columns},
        "Give one for each feature, in their order.");
  }
  for (const double v : given) {
    if (std::isnormal(v) && v > 0) continue;
    throw InputError(Code::kBadOption, {},
                     {"{} has the value {}", Ref::option("given_variance"), v},
                     "A variance is above 0.");
  }
}

ClassMoments remembered(const Fit<GaussianNB>& so_far) {
  return ClassMoments::from(so_far.memory.get(), so_far.model.classes(), so_far.model.columns(),
                            hash_number(so_far.report.data_hash));
}

// The moments of every column over all rows, checked.
std::vector<Moments> columns_of(const ClassMoments& moments, const Schema& schema) {
  std::vector<Moments> columns;
  for (Index j = 0; j < moments.columns(); ++j) {
    columns.push_back(moments.of_column(j));
    const Moments& all = columns.back();
    if (all.weight == 0) {
      throw InputError(Code::kNotFinite, {.column = schema.name(j)},
                       "no row that counts has a value: all are missing (NaN)",
                       "Leave the column out.");
    }
    if (all.variance() <= kWidest * kWidest) continue;
    fail_too_wide(schema, j);
  }
  return columns;
}

double largest_variance(std::span<const Moments> columns) {
  double largest = 0;
  for (const Moments& all : columns) largest = std::max(largest, all.variance());
  return largest;
}

// Notes the columns that are constant in a class: epsilon alone is their variance there.
void note_constants(const ClassMoments& moments, double epsilon, const Schema& schema,
                    std::vector<Note>& notes) {
  Index columns = 0;
  Message first;
  for (Index c = 0; c < moments.classes(); ++c) {
    Index constant = 0;
    Message here;
    for (Index j = 0; j < moments.columns(); ++j) {
      const Moments m = moments.of(c, j);
      if (m.weight == 0 || m.variance() > 0) continue;
      if (constant++ == 0) {
        here = {"{} in class '{}'", Ref::column(schema.name(j)), label_name(schema, c)};
      }
    }
    if (constant == moments.columns()) {
      notes.push_back({"one-row-class",
                       fmt::format("the rows of class '{}' are all alike, or it has one only: its "
                                   "variances of 0 became {:.3g} (var_smoothing)",
                                   label_name(schema, c), epsilon)});
    } else if (constant > 0) {
      if (columns == 0) first = here;
      columns += constant;
    }
  }
  if (columns == 0) return;
  notes.push_back(
      {"constant-column",
       {"{} variance{} of 0 became {} (var_smoothing): {}{}", columns, columns == 1 ? "" : "s",
        fmt::format("{:.3g}", epsilon), columns == 1 ? "" : "first ", first}});
}

[[noreturn]] void fail_no_spread(const Schema& schema, Index label, Index column) {
  throw InputError(
      Code::kNoSpread, {.column = schema.name(column)},
      fmt::format(
          "all values{} are the same (or there is 1 sample only), so the variance is 0",
          label < 0 ? " of each class" : fmt::format(" of class '{}'", label_name(schema, label))),
      {"Give {} above 0 and a column that varies, {}, or the variances.",
       Ref::option("var_smoothing"), Ref::option("variance", "shared")});
}

}  // namespace

void describe(OptionVisitor& v, GaussianNB::Options& o) {
  v.number("var_smoothing", o.var_smoothing, 0, std::numeric_limits<double>::infinity(),
           "added to every variance: this share of the largest variance of a feature");
  v.choice("variance", o.variance, {"own", "shared", "given"},
           "a variance for each class, one for all of them, or given_variance");
  v.array("given_variance", o.given_variance, "the variance of each feature, if known");
  describe(v, o.prior);
}

Fit<GaussianNB> GaussianNB::estimate(const ClassMoments& moments, const Options& options,
                                     const Schema& schema, std::vector<Note> notes) {
  const Index k = moments.classes(), d = moments.columns();
  const std::vector<Moments> columns = columns_of(moments, schema);
  const bool given = options.variance == Variance::kGiven;
  const double epsilon = given ? 0 : options.var_smoothing * largest_variance(columns);
  Array log_prior{{k}, log_class_prior(options.prior, moments.class_weight())};
  Array theta{{k, d}, std::vector<double>(usize(k * d))}, variances = theta;
  double deviance = 0, weight = 0;
  for (Index j = 0; j < d; ++j) {
    double shared = 0;
    for (Index c = 0; c < k; ++c) {
      const Moments m = moments.of(c, j);
      if (m.weight > 0) shared += m.weight / columns[usize(j)].weight * m.variance();
    }
    for (Index c = 0; c < k; ++c) {
      const Moments own = moments.of(c, j);
      const bool seen = own.weight > 0;  // else the class is as the rows are as a whole
      const Moments& m = seen ? own : columns[usize(j)];
      const std::size_t at = usize(c * d + j);
      theta.values[at] = m.mean();
      variances.values[at] = given ? options.given_variance.values[usize(j)]
                             : options.variance == Variance::kShared ? shared + epsilon
                                                                     : m.variance() + epsilon;
      const double v = variances.values[at];
      if (!std::isfinite(v) || !std::isfinite(theta.values[at])) fail_too_wide(schema, j);
      if (!std::isnormal(v)) {
        fail_no_spread(schema, options.variance == Variance::kShared ? -1 : c, j);
      }
      if (seen) deviance += own.weight * (kLogTwoPi + std::log(v) + own.variance() / v);
    }
  }
  if (options.variance == Variance::kOwn) note_constants(moments, epsilon, schema, notes);
  // The mean of log p(x, c) over the rows, from the moments.
  double objective = -deviance / 2;
  for (std::size_t c = 0; c < usize(k); ++c) {
    const double w = moments.class_weight()[c];
    weight += w;
    if (w > 0) objective += w * log_prior.values[c];
  }
  FitReport report;
  report.converged = true;
  report.objective = objective / weight;
  report.trace = {report.objective};
  report.notes = std::move(notes);
  report.data_hash = hash_text(moments.hash());
  return {GaussianNB(std::move(log_prior), std::move(theta), std::move(variances), epsilon),
          std::move(report), moments.arrays()};
}

Fit<GaussianNB> GaussianNB::fit(Source& x, const Options& options, const Exec& exec) {
  check(options, x.shape().cols);
  const ClassMoments moments = fold(x, ClassMoments(x, count_classes(x)), exec);
  std::vector<Note> notes;
  check_classes(x, moments.class_weight(), moments.unlabelled(), notes);
  return estimate(moments, options, x.schema(), std::move(notes));
}

Fit<GaussianNB> GaussianNB::partial_fit(const Fit<GaussianNB>& so_far, Source& x,
                                        const Options& options, const Exec& exec) {
  check(options, x.shape().cols);
  ClassMoments moments = remembered(so_far);
  const ClassMoments more = fold(x, ClassMoments(x, so_far.model.classes()), exec);
  check_more_weight(x, more.class_weight());
  moments.merge(more);
  return estimate(moments, options, x.schema(), {});
}

Fit<GaussianNB> GaussianNB::unlearn(const Fit<GaussianNB>& so_far, Source& x,
                                    const Options& options, const Exec& exec) {
  check(options, x.shape().cols);
  ClassMoments moments = remembered(so_far);
  moments.subtract(fold(x, ClassMoments(x, so_far.model.classes()), exec), x);
  return estimate(moments, options, x.schema(), {});
}

Fit<GaussianNB> GaussianNB::merge(const Fit<GaussianNB>& a, const Fit<GaussianNB>& b,
                                  const Options& options) {
  check(options, a.model.columns());
  ClassMoments moments = remembered(a);
  moments.merge(remembered(b));
  return estimate(moments, options, numbered_schema(a.model.columns()), {});
}

void GaussianNB::check_memory(std::span<const Parameter> memory) const {
  ClassMoments::from(memory, classes(), columns(), 0);
}

GaussianNB::GaussianNB(Array class_log_prior, Array theta, Array variances, double epsilon)
    : class_log_prior_(std::move(class_log_prior)),
      theta_(std::move(theta)),
      variances_(std::move(variances)),
      epsilon_(epsilon),
      scores_(class_log_prior_.values, theta_, variances_) {}

// What a model says of rows.

template <class F>
auto GaussianNB::with_rule(Source& x, const F& f) const {
  check_columns(x, columns());
  const auto scores = [&](const Chunk& chunk, std::span<double> out) {
    scores_.find(chunk, x, out);
  };
  return f(BayesRule(class_log_prior_.values, scores));
}

void GaussianNB::predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict(x, labels, exec); });
}

void GaussianNB::predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict_log_proba(x, out, exec); });
}

void GaussianNB::score_samples(Source& x, std::span<double> out, const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.score_samples(x, out, exec); });
}

std::int32_t GaussianNB::predict_row(const double* row, double* work) const {
  const std::span<double> joint(work, usize(classes()));
  return scores_.find_row(row, joint) ? best_class(joint) : -1;
}

bool GaussianNB::predict_log_proba_row(const double* row, double* work, double* out) const {
  const std::span<double> joint(out, usize(classes()));
  return scores_.find_row(row, joint) && normalise(joint, work);
}

double GaussianNB::score_row(const double* row, double* work) const {
  const std::span<double> joint(work, usize(classes()));
  return scores_.find_row(row, joint) ? log_sum(joint) : NAN;
}

double GaussianNB::score(Source& x, const Exec& exec) const {
  return with_rule(x, [&](const BayesRule& rule) { return rule.score(x, exec).accuracy; });
}

std::vector<Measure> GaussianNB::measures(Source& x, const Exec& exec) const {
  std::vector<Measure> all =
      with_rule(x, [&](const BayesRule& rule) { return rule.score(x, exec).measures(); });
  all.pop_back();  // no row is impossible
  return all;
}

Sample GaussianNB::sample(Index rows, std::uint64_t seed) const {
  const std::size_t d = usize(columns());
  std::vector<double> prior;
  for (const double l : class_log_prior_.values) prior.push_back(std::exp(l));
  Sample sample{{{rows, columns()}, std::vector<double>(usize(rows) * d)},
                std::vector<std::int32_t>(usize(rows))};
  for (std::size_t i = 0; i < usize(rows); ++i) {
    Random random(seed, Purpose::kSample, 0, i);
    const std::size_t c = usize(random.categorical(prior));
    sample.labels[i] = static_cast<std::int32_t>(c);
    for (std::size_t j = 0; j < d; ++j) {
      const double deviation = std::sqrt(variances_.values[c * d + j]);
      sample.x.values[i * d + j] = theta_.values[c * d + j] + deviation * random.normal();
    }
  }
  return sample;
}

Index GaussianNB::free_parameters(const Options& options) const {
  const Index k = classes(), d = columns();
  const bool prior = options.prior.fit_prior && options.prior.class_prior.empty();
  const Index variances = options.variance == Variance::kOwn      ? k * d
                          : options.variance == Variance::kShared ? d
                                                                  : 0;
  return k * d + variances + (prior ? k - 1 : 0);
}

LinearForm GaussianNB::linear_form() const {
  const std::size_t k = usize(classes()), d = usize(columns());
  LinearForm form{theta_, class_log_prior_};
  for (std::size_t at = 0; at < k * d; ++at) {
    const double variance = variances_.values[at % d], mean = theta_.values[at];
    if (variances_.values[at] != variance) {
      throw InputError(Code::kNotAble, {},
                       "the classes have variances of their own, so there is no linear form",
                       {"Fit with {} or given.", Ref::option("variance", "shared")});
    }
    form.coef.values[at] = mean / variance;
    form.intercept.values[at / d] -= mean * mean / variance / 2;
  }
  return form;
}

void GaussianNB::contributions(const Chunk& chunk, Index row, Index label,
                               std::span<double> out) const {
  out[0] = class_log_prior_.values[usize(label)];
  const std::span<double> terms = out.subspan(1);
  std::visit([&](const auto& x) { copy_row(x, row, terms.data()); }, chunk.x);
  for (std::size_t j = 0; j < terms.size(); ++j) {
    const double variance = variances_.view().row(label)[j];
    const double apart = terms[j] - theta_.view().row(label)[j];
    const double exponent = kLogTwoPi + std::log(variance) + apart * apart / variance;
    terms[j] = std::isnan(apart) ? 0 : -exponent / 2;  // a missing value adds nothing
  }
}

std::vector<Boundary> GaussianNB::boundaries() const {
  return find_boundaries(GaussianClasses(class_log_prior_, theta_, variances_, false, 0));
}

void GaussianNB::visit_parameters(ParameterVisitor& v) const {
  v.doubles("class_log_prior", "log probability of each class", class_log_prior_);
  v.doubles("theta", "mean of each feature in each class", theta_);
  v.doubles("var", "variance of each feature in each class, epsilon included", variances_);
  v.number("epsilon", "what was added to every variance", epsilon_);
}

GaussianNB GaussianNB::from_parameters(const ParameterList& parameters) {
  const ArrayView prior = parameters.doubles("class_log_prior", {-1});
  const ArrayView theta = parameters.doubles("theta", {prior.rows(), -1});
  const ArrayView variances = parameters.doubles("var", {prior.rows(), theta.cols()});
  const double epsilon = parameters.number("epsilon");
  check_log_prior(prior.values);
  if (theta.empty()) fail_parameters("there are no features");
  for (const double mean : theta.values) {
    if (!std::isfinite(mean)) fail_parameters("a mean is not finite");
  }
  for (const double v : variances.values) {
    if (!std::isnormal(v) || v < 0) fail_parameters("a variance is not positive");
  }
  if (!(epsilon >= 0 && std::isfinite(epsilon))) fail_parameters("epsilon is negative");
  return GaussianNB(prior.copy(), theta.copy(), variances.copy(), epsilon);
}

namespace {

constexpr Index kFeaturesShown = 12;  // features of a model to show

}  // namespace

// Each class with its probability, and the mean and standard deviation of the features in it.
std::vector<ResultTable> GaussianNB::tables(const Schema& schema) const {
  ResultTable table{
      .name = "means", .title = "means (standard deviations)", .features_shown = kFeaturesShown};
  table.add_labels("class", schema, classes());
  table.add_probabilities("probability", class_log_prior_.values);
  for (Index j = 0; j < columns(); ++j) {
    ResultColumn::Numbers means, deviations;
    for (Index c = 0; c < classes(); ++c) {
      means.push_back(theta_.view().row(c)[j]);
      deviations.push_back(std::sqrt(variances_.view().row(c)[j]));
    }
    table.add_means(schema.name(j), j, std::move(means), std::move(deviations));
  }
  return {table};
}

const Usage GaussianNB::kUsage{
    .example = "examples/data/letters.csv --target kind -o letters.craton",
    .python = R"(
>>> from craton import GaussianNB
>>> heights = [[178.0], [183.0], [175.0], [165.0], [160.0], [168.0]]
>>> model = GaussianNB().fit(heights, ["m", "m", "m", "f", "f", "f"])
>>> model.predict([[180.0], [162.0]]).tolist()
['m', 'f']
)",
    .sklearn = "naive_bayes.GaussianNB"};

template ModelInfo registered<GaussianNB>();

}  // namespace craton
