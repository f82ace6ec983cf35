#include "craton/classes/discriminant/discriminant.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "craton/base/error.h"
#include "craton/base/hash.h"
#include "craton/classes/discriminant/discriminant_axes.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/linear_scores.h"
#include "craton/kernels/special.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

// One pass sums the moments of each class: O(rows x columns^2) of full covariances, O(rows x
// columns) of the others. A model comes from these sums alone, in O(columns^3) for each covariance;
// they add up and can be taken back, so that models learn on, merge and unlearn rows. A prediction
// is O(classes x columns) a row where the covariance is shared or diagonal, and O(classes x
// columns^2) where each class has a matrix (gaussian_classes.h).

namespace craton {
namespace {

void check(DiscriminantKind kind, DiscriminantOptions options, Index classes, Index columns) {
  check_options([&](OptionVisitor& v) { describe(v, kind, options); });
  const Index most = std::min(classes - 1, columns);
  if (options.n_components <= most) return;
  throw InputError(
      Code::kBadOption, {},
      {"{} is not allowed", Ref::option("n_components", options.n_components)},
      fmt::format("{} classes of {} features have {} at most.", classes, columns, most));
}

// Calls f with the type of the sums that the options need.
template <class F>
auto with_sums(const CovarianceRule& rule, const F& f) {
  if (rule.type == CovarianceType::kFull) return f(std::type_identity<ClassScatter>());
  return f(std::type_identity<ClassMoments>());
}

bool remembers(std::span<const Parameter> memory, std::string_view name) {
  return std::any_of(memory.begin(), memory.end(),
                     [&](const Parameter& p) { return p.name == name; });
}

[[noreturn]] void fail_memory(const Ref& option) {
  throw InputError(Code::kBadOption, {}, {"{} needs sums that the model did not keep", option},
                   "Go on with the options that it was fitted with, or fit anew.");
}

// The sums that a fit left. InputError (kBadOption) where it left others than the options need.
template <class Sums>
Sums recall(const FitOf<Discriminant>& so_far, const CovarianceRule& rule) {
  constexpr bool kFull = std::is_same_v<Sums, ClassScatter>;
  const std::vector<Parameter>& memory = so_far.memory.get();
  if (remembers(memory, kFull ? "shifted_square" : "shifted_scatter")) {
    fail_memory(Ref::option("covariance_type", kFull ? "full" : "diag or spherical"));
  }
  Sums sums = Sums::from(memory, so_far.model.classes(), so_far.model.columns(),
                         hash_number(so_far.report.data_hash));
  if (rule.order() > sums.order()) fail_memory(Ref::option("shrinkage", "auto"));
  return sums;
}

ClassCovariances covariances(const ClassScatter& sums, const CovarianceRule& rule, bool shared,
                             const Schema& schema) {
  return full_covariances(sums, rule, shared, schema);
}
ClassCovariances covariances(const ClassMoments& sums, const CovarianceRule& rule, bool shared,
                             const Schema& schema) {
  return diagonal_covariances(sums, rule, shared, schema);
}

// A covariance that all classes share may be flat in some directions, which are left out, with a
// note; that of a single class may not.
void note_singular(const GaussianClasses& gaussians, const Schema& schema,
                   std::vector<Note>& notes) {
  for (const Whitening& w : gaussians.whitenings()) {
    const bool finite =
        std::all_of(w.lower.begin(), w.lower.end(), [](double v) { return std::isfinite(v); });
    if (w.rank == gaussians.columns() && finite) continue;
    if (w.rank == 0 || !finite || !gaussians.shared()) {
      throw InputError(Code::kNoSpread, {.column = schema.name(w.column)},
                       "within each class all rows are the same, or the columns spread so "
                       "differently that their covariance is singular",
                       "Give rows that differ within a class, or columns in like units.");
    }
    notes.push_back(
        {"singular-covariance",
         fmt::format("within classes the rows spread in {} of {} directions; the others, mostly "
                     "that of '{}' (the least eigenvalue of the correlations is {:.2g}), are left "
                     "out. Columns that depend on each other, or are constant in every class, do "
                     "this; shrinkage above 0 keeps them",
                     w.rank, gaussians.columns(), schema.name(w.column), w.least)});
  }
}

// The sum over the rows of log p(x | c), from the sums over the rows of each class.
double log_likelihood(const ClassScatter& sums, const GaussianClasses& gaussians,
                      const Array& own) {
  const std::size_t size = usize(sums.columns() * sums.columns());
  double total = 0;
  std::vector<double> precision;
  for (Index c = 0; c < sums.classes(); ++c) {
    if (precision.empty() || !gaussians.shared()) precision = gaussians.precision_of(c);
    const double n = sums.class_weight()[usize(c)];
    if (n == 0) continue;
    const Index rank = gaussians.whitenings()[gaussians.shared() ? 0 : usize(c)].rank;
    double square = 0;
    for (std::size_t i = 0; i < size; ++i) {
      square += precision[i] * own.values[usize(c) * size + i];
    }
    total += n * (gaussians.log_scale(c) - static_cast<double>(rank) * kHalfLogTwoPi - square / 2);
  }
  return total;
}
double log_likelihood(const ClassMoments& sums, const GaussianClasses& gaussians, const Array&) {
  double total = 0;
  for (Index c = 0; c < sums.classes(); ++c) {
    for (Index j = 0; j < sums.columns(); ++j) {
      const Moments m = sums.of(c, j);
      const double v = gaussians.variance(c, j);
      if (m.weight > 0) {
        total -= m.weight * (kHalfLogTwoPi + (std::log(v) + m.variance() / v) / 2);
      }
    }
  }
  return total;
}

}  // namespace

// From sums over the rows of each class to a model, at once or bit by bit.

Fit<Discriminant> Discriminant::fit(DiscriminantKind kind, Source& x, const Options& options,
                                    const Exec& exec) {
  const Index classes = count_classes(x);
  check(kind, options, classes, x.shape().cols);
  return with_sums(options.covariance, [&]<class Sums>(std::type_identity<Sums>) {
    const Sums sums = fold(x, Sums(x, classes, options.covariance.order()), exec);
    std::vector<Note> notes;
    check_classes(x, sums.class_weight(), sums.unlabelled(), notes);
    return estimate(kind, sums, options, x.schema(), std::move(notes));
  });
}

template <class Sums>
Fit<Discriminant> Discriminant::estimate(DiscriminantKind kind, const Sums& sums,
                                         const Options& options, const Schema& schema,
                                         std::vector<Note> notes) {
  const bool linear = kind == DiscriminantKind::kLinear;
  CovarianceRule rule = options.covariance;
  rule.tol = options.tol;
  if (linear) rule.pooling = 1;
  ClassCovariances found = covariances(sums, rule, linear, schema);
  const std::vector<double>& weights = sums.class_weight();
  Array log_prior{{sums.classes()}, log_class_prior(options.prior, weights)};
  double objective = 0, weight = 0;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    weight += weights[c];
    if (weights[c] > 0) objective += weights[c] * log_prior.values[c];
  }
  GaussianClasses gaussians(std::move(log_prior), std::move(found.means),
                            std::move(found.covariance), linear, options.tol);
  notes.insert(notes.end(), found.notes.begin(), found.notes.end());
  note_singular(gaussians, schema, notes);
  objective += log_likelihood(sums, gaussians, found.own);
  FitReport report;
  report.converged = true;
  report.objective = objective / weight;
  report.trace = {report.objective};
  report.notes = std::move(notes);
  report.data_hash = hash_text(sums.hash());
  return {Discriminant(kind, std::move(gaussians), options.tol, options.n_components),
          std::move(report), sums.arrays()};
}

Discriminant::Discriminant(DiscriminantKind kind, GaussianClasses gaussians, double tol,
                           Index n_components)
    : kind_(kind), gaussians_(std::move(gaussians)), tol_(tol) {
  if (!linear()) return;
  DiscriminantAxes axes = find_axes(gaussians_, n_components, tol);
  scalings_ = std::move(axes.scalings);
  explained_variance_ratio_ = std::move(axes.explained_variance_ratio);
}

Fit<Discriminant> Discriminant::partial_fit(FitOf<Discriminant> so_far, Source& x,
                                            const Options& options, const Exec& exec) {
  const DiscriminantKind kind = so_far.model.kind();
  check(kind, options, so_far.model.classes(), x.shape().cols);
  return with_sums(options.covariance, [&]<class Sums>(std::type_identity<Sums>) {
    Sums sums = recall<Sums>(so_far, options.covariance);
    const Sums more = fold(x, Sums(x, sums.classes(), sums.order()), exec);
    check_more_weight(x, more.class_weight());
    sums.merge(more);
    return estimate(kind, sums, options, x.schema(), {});
  });
}

Fit<Discriminant> Discriminant::unlearn(FitOf<Discriminant> so_far, Source& x,
                                        const Options& options, const Exec& exec) {
  const DiscriminantKind kind = so_far.model.kind();
  check(kind, options, so_far.model.classes(), x.shape().cols);
  return with_sums(options.covariance, [&]<class Sums>(std::type_identity<Sums>) {
    Sums sums = recall<Sums>(so_far, options.covariance);
    sums.subtract(fold(x, Sums(x, sums.classes(), sums.order()), exec), x);
    return estimate(kind, sums, options, x.schema(), {});
  });
}

Fit<Discriminant> Discriminant::merge(FitOf<Discriminant> a, FitOf<Discriminant> b,
                                      const Options& options) {
  const DiscriminantKind kind = a.model.kind();
  check(kind, options, a.model.classes(), a.model.columns());
  return with_sums(options.covariance, [&]<class Sums>(std::type_identity<Sums>) {
    Sums sums = recall<Sums>(a, options.covariance);
    Sums next = recall<Sums>(b, options.covariance);
    const MomentOrder order = std::min(sums.order(), next.order());
    sums.lower(order), next.lower(order);
    sums.merge(next);
    return estimate(kind, sums, options, numbered_schema(a.model.columns()), {});
  });
}

void Discriminant::check_memory(std::span<const Parameter> memory) const {
  if (remembers(memory, "shifted_square")) {
    ClassMoments::from(memory, classes(), columns(), 0);
  } else {
    ClassScatter::from(memory, classes(), columns(), 0);
  }
}

// What a model says of rows.

namespace {

// Calls f with Bayes' rule of log p(x, c), or of the same up to a term without c.
template <class F>
auto with_rule(const GaussianClasses& gaussians, Source& x, bool up_to_a_term, const F& f) {
  check_columns(x, gaussians.columns());
  const auto joint = [&](const Chunk& chunk, std::span<double> out) {
    up_to_a_term ? gaussians.scores(chunk, x, out) : gaussians.joint(chunk, x, out);
  };
  return f(BayesRule(gaussians.log_prior().values, joint));
}

}  // namespace

void Discriminant::predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const {
  with_rule(gaussians_, x, true, [&](const BayesRule& rule) { rule.predict(x, labels, exec); });
}

void Discriminant::predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const {
  with_rule(gaussians_, x, true,
            [&](const BayesRule& rule) { rule.predict_log_proba(x, out, exec); });
}

void Discriminant::score_samples(Source& x, std::span<double> out, const Exec& exec) const {
  with_rule(gaussians_, x, false, [&](const BayesRule& rule) { rule.score_samples(x, out, exec); });
}

std::int32_t Discriminant::predict_row(const double* row, double* work) const {
  const std::span<double> scores(work, usize(classes()));
  return gaussians_.scores_row(row, work + classes(), scores) ? best_class(scores) : -1;
}

bool Discriminant::predict_log_proba_row(const double* row, double* work, double* out) const {
  const std::span<double> scores(out, usize(classes()));
  return gaussians_.scores_row(row, work, scores) && normalise(scores, work);
}

double Discriminant::score_row(const double* row, double* work) const {
  const std::span<double> joint(work, usize(classes()));
  return gaussians_.joint_row(row, work + classes(), joint) ? log_sum(joint) : NAN;
}

double Discriminant::score(Source& x, const Exec& exec) const {
  return with_rule(gaussians_, x, true,
                   [&](const BayesRule& rule) { return rule.score(x, exec).accuracy; });
}

std::vector<Measure> Discriminant::measures(Source& x, const Exec& exec) const {
  std::vector<Measure> all = with_rule(
      gaussians_, x, false, [&](const BayesRule& rule) { return rule.score(x, exec).measures(); });
  all.pop_back();  // no row is impossible
  return all;
}

Index Discriminant::free_parameters(const Options& options) const {
  const Index k = classes(), d = columns();
  const bool prior = options.prior.fit_prior && options.prior.class_prior.empty();
  const CovarianceType type = options.covariance.type;
  const Index each = type == CovarianceType::kFull   ? d * (d + 1) / 2
                     : type == CovarianceType::kDiag ? d
                                                     : 1;
  const bool one = linear() || options.covariance.pooling == 1;
  return k * d + (one ? 1 : k) * each + (prior ? k - 1 : 0);
}

void Discriminant::contributions(const Chunk& chunk, Index row, Index label,
                                 std::span<double> out) const {
  gaussians_.contributions(chunk, row, label, out);
}

void Discriminant::transform(Source& x, std::span<double> out, const Exec& exec) const {
  check_columns(x, columns());
  const std::size_t d = usize(columns()), m = usize(outputs());
  const std::size_t stride = usize(padded_classes(outputs()));
  std::vector<double> weights(d * stride);
  for (std::size_t at = 0; at < d * m; ++at) {
    weights[at / m * stride + at % m] = scalings_.values[at];
  }
  const std::vector<double> centre = gaussians_.centre(), zeros(stride);
  if (m == 0) return;
  for_rows(x, exec, [&](const Chunk& chunk) {
    gaussians_.full() ? check_finite(chunk, x) : check_not_infinite(chunk, x);
    visit_dense(chunk.x, [&](const auto& rows) {
      const auto to = out.subspan(usize(chunk.first_row) * m, usize(rows.rows) * m);
      centred_scores(rows, centre.data(), weights.data(), zeros.data(), outputs(), to.data());
      if (gaussians_.full()) return;
      std::vector<double> row(d);  // what is missing adds nothing
      for (std::size_t i = 0; i < usize(rows.rows); ++i) {
        copy_row(rows, static_cast<Index>(i), row.data());
        if (std::none_of(row.begin(), row.end(), [](double v) { return std::isnan(v); })) continue;
        for (std::size_t j = 0; j < d; ++j) row[j] = std::isnan(row[j]) ? centre[j] : row[j];
        const Dense<double> one{row.data(), 1, columns(), columns()};
        centred_scores(one, centre.data(), weights.data(), zeros.data(), outputs(),
                       to.subspan(i * m, m).data());
      }
    });
    const auto values = out.subspan(usize(chunk.first_row) * m, usize(chunk.rows()) * m);
    const auto far = std::ranges::find_if(values, [](double v) { return !std::isfinite(v); });
    if (far != values.end()) {
      fail_too_far(x, chunk.first_row + (far - values.begin()) / static_cast<Index>(m));
    }
  });
}

// Model files, tables for people, options.

namespace {

void check_covariance(const ArrayView& covariance, Index count, Index columns) {
  const Index each = ssize(covariance.values) / count;
  for (const double v : covariance.values) {
    if (!std::isfinite(v)) fail_parameters("a covariance is not finite");
  }
  const bool full = covariance.shape.size() == 3;
  for (Index at = 0; at < ssize(covariance.values); ++at) {
    const Index i = at % each / columns, j = at % columns;
    const double v = covariance.values[usize(at)];
    if ((!full || i == j) && v < 0) fail_parameters("a variance is negative");
    if (full && v != covariance.values[usize(at / each * each + j * columns + i)]) {
      fail_parameters("a covariance is not symmetric");
    }
  }
}

}  // namespace

void Discriminant::visit_parameters(ParameterVisitor& v) const {
  v.doubles("class_log_prior", "log probability of each class", gaussians_.log_prior());
  v.doubles("means", "mean of each feature in each class", gaussians_.means());
  v.doubles("covariance",
            linear() ? "the covariance within classes: a matrix, or its diagonal, or the variance"
                     : "the covariance of each class: matrices, or diagonals, or variances",
            gaussians_.covariance());
  v.number("tol", "eigenvalues of the correlations up to its square count as 0", tol_);
  if (linear()) {
    v.doubles("scalings", "the axes that tell the classes apart, one a column", scalings_);
    v.doubles("explained_variance_ratio", "share of each axis in the spread of the class means",
              explained_variance_ratio_);
  }
}

Discriminant Discriminant::from_parameters(DiscriminantKind kind, const ParameterList& parameters) {
  const bool linear = kind == DiscriminantKind::kLinear;
  const ArrayView prior = parameters.doubles("class_log_prior", {-1});
  const Index k = prior.rows();
  const ArrayView means = parameters.doubles("means", {k, -1});
  const double tol = parameters.number("tol");
  const Index d = means.cols();
  check_log_prior(prior.values);
  if (means.empty()) fail_parameters("there are no features");
  for (const double mean : means.values) {
    if (!std::isfinite(mean)) fail_parameters("a mean is not finite");
  }
  if (!(tol >= 0 && tol <= 1)) fail_parameters("tol is not between 0 and 1");
  const ParameterView* const named = parameters.find("covariance");
  std::vector<Index> shape{linear ? 1 : k, d, d};
  if (named != nullptr) {  // full, diagonal or spherical
    while (shape.size() > named->shape.size() && shape.size() > 1) shape.pop_back();
  }
  const ArrayView covariance = parameters.doubles("covariance", shape);
  check_covariance(covariance, linear ? 1 : k, d);
  GaussianClasses gaussians(prior.copy(), means.copy(), covariance.copy(), linear, tol);
  for (Index c = 0; c < k; ++c) {
    const bool singular =
        gaussians.full() && gaussians.whitenings()[linear ? 0 : usize(c)].rank < (linear ? 1 : d);
    if (singular) fail_parameters("a covariance is singular");
    for (Index j = 0; j < d && !gaussians.full(); ++j) {
      if (!std::isnormal(gaussians.variance(c, j))) fail_parameters("a variance is not positive");
    }
  }
  Discriminant result(kind, std::move(gaussians), tol, 0);
  if (linear) {  // as they were found: where two matter alike, machines may not agree
    result.scalings_ = parameters.doubles("scalings", {d, -1}).copy();
    const Index axes = result.outputs();
    result.explained_variance_ratio_ =
        parameters.doubles("explained_variance_ratio", {axes}).copy();
    if (axes > std::min(k - 1, d)) fail_parameters("there are more axes than its classes have");
    for (const double v : result.scalings_.values) {
      if (!std::isfinite(v)) fail_parameters("an axis is not finite");
    }
    for (const double v : result.explained_variance_ratio_.values) {
      if (!(v >= 0 && v <= 1)) fail_parameters("the share of an axis is not between 0 and 1");
    }
  }
  return result;
}

namespace {

constexpr Index kFeaturesOfAxes = 12;  // features of a model to show

// Each class with its probability, and the mean and standard deviation of the features in it.
ResultTable means_table(const GaussianClasses& gaussians, const Schema& schema) {
  ResultTable table{
      .name = "means", .title = "means (standard deviations)", .features_shown = kFeaturesOfAxes};
  table.add_labels("class", schema, gaussians.classes());
  table.add_probabilities("probability", gaussians.log_prior().values);
  for (Index j = 0; j < gaussians.columns(); ++j) {
    ResultColumn::Numbers means, deviations;
    for (Index c = 0; c < gaussians.classes(); ++c) {
      means.push_back(gaussians.means().view().row(c)[j]);
      deviations.push_back(std::sqrt(gaussians.variance(c, j)));
    }
    table.add_means(schema.name(j), j, std::move(means), std::move(deviations));
  }
  return table;
}

// The correlations of the first features, below the diagonal.
ResultTable correlation_table(const GaussianClasses& gaussians, Index label, const Schema& schema) {
  const Index d = gaussians.columns(), shown = std::min(d, kFeaturesOfAxes);
  const std::string name = label_name(schema, label);
  ResultTable table{"correlations", "correlations within classes"};
  if (!gaussians.shared()) {
    table = {name + ".correlations", fmt::format("correlations in class '{}'", name)};
  }
  if (shown < d) table.title += fmt::format(" of the first {} of {} features", shown, d);
  const std::vector<double> covariance = gaussians.covariance_of(label);
  ResultColumn::Words names;
  for (Index j = 0; j < shown; ++j) names.push_back(schema.name(j));
  table.add_words("", names);
  for (Index j = 0; j < shown; ++j) {
    ResultColumn::Numbers correlations(usize(shown), NAN);
    correlations[usize(j)] = 1;
    for (Index i = j + 1; i < shown; ++i) {
      const double scale = std::sqrt(gaussians.variance(label, i) * gaussians.variance(label, j));
      correlations[usize(i)] = scale > 0 ? covariance[usize(i * d + j)] / scale : 0;
    }
    table.add_numbers(names[usize(j)], std::move(correlations), {2, Digits::Form::kDecimalsIfAny});
  }
  return table;
}

// The axes, in units of the features' standard deviations within classes.
ResultTable axes_table(const GaussianClasses& gaussians, const Array& scalings, const Array& ratio,
                       const Schema& schema) {
  const Index axes = std::min(scalings.cols(), kFeaturesOfAxes);
  ResultTable table{.name = "axes",
                    .title = "axes, by standard deviations of the features",
                    .features_shown = kFeaturesOfAxes};
  ResultColumn::Numbers percents;
  for (Index a = 0; a < axes; ++a) percents.push_back(100 * ratio.values[usize(a)]);
  table.add_count("axis", axes);
  table.add_numbers("explained", std::move(percents), {2, Digits::Form::kDecimals}).unit = "%";
  for (Index j = 0; j < gaussians.columns(); ++j) {
    const double deviation = std::sqrt(gaussians.variance(0, j));
    ResultColumn::Numbers weights;
    for (Index a = 0; a < axes; ++a) weights.push_back(scalings.view().row(j)[a] * deviation);
    table.add_numbers(schema.name(j), std::move(weights), {3, Digits::Form::kDecimals}).feature = j;
  }
  return table;
}

}  // namespace

std::vector<ResultTable> Discriminant::tables(const Schema& schema) const {
  constexpr Index kMostMatrices = 4;
  std::vector<ResultTable> tables{means_table(gaussians_, schema)};
  const Index matrices = linear() ? 1 : std::min(classes(), kMostMatrices);
  for (Index c = 0; gaussians_.full() && columns() > 1 && c < matrices; ++c) {
    tables.push_back(correlation_table(gaussians_, c, schema));
  }
  if (linear() && columns() > 1 && scalings_.cols() > 0) {
    tables.push_back(axes_table(gaussians_, scalings_, explained_variance_ratio_, schema));
  }
  return tables;
}

void describe(OptionVisitor& v, DiscriminantKind kind, DiscriminantOptions& o) {
  CovarianceRule& rule = o.covariance;
  v.choice("covariance_type", rule.type, {"full", "diag", "spherical"},
           "a matrix, a variance for each feature, or one for all features");
  v.choice_or_number("shrinkage", rule.shrinkage, rule.amount, 0, 1, {"none", "auto", "oas"},
                     "pull covariances so far towards a multiple of the identity; auto: as Ledoit "
                     "and Wolf have it");
  if (kind == DiscriminantKind::kLinear) {
    v.integer("n_components", o.n_components, 0, 1'000'000, "axes that transform gives; 0: all");
  } else {
    v.number("pooling", rule.pooling, 0, 1,
             "mix this share of the covariance of all classes into each; 1: all have the same");
    v.number("reg_param", rule.reg_param, 0, 1,
             "mix this share of the identity into each covariance");
  }
  v.integer("ddof", rule.ddof, 0, 1,
            "scatter is divided by the weight of the rows, less this for each class");
  v.number("tol", o.tol, 0, 1,
           "directions are flat where the standard deviation is below this, beside the columns'");
  describe(v, o.prior);
}

const Usage LinearDiscriminantAnalysis::kUsage{
    .example = "examples/data/letters.csv --target kind -o letters.craton",
    .python = R"(
>>> from craton import LinearDiscriminantAnalysis
>>> X = [[1, 2], [2, 1], [3, 3], [5, 4], [6, 6], [7, 5]]
>>> model = LinearDiscriminantAnalysis().fit(X, ["low", "low", "low", "high", "high", "high"])
>>> model.predict([[2, 2], [6, 5]]).tolist()
['low', 'high']
>>> model.transform([[4, 3.5]]).shape
(1, 1)
)",
    .sklearn = "discriminant_analysis.LinearDiscriminantAnalysis"};

const Usage QuadraticDiscriminantAnalysis::kUsage{
    .example = "examples/data/letters.csv --target kind -o letters.craton",
    .python = R"(
>>> from craton import QuadraticDiscriminantAnalysis
>>> X = [[1, 2], [2, 1], [3, 3], [2, 2], [9, 9], [-5, 8], [4, -7], [-6, -5]]
>>> y = ["near", "near", "near", "near", "far", "far", "far", "far"]
>>> model = QuadraticDiscriminantAnalysis().fit(X, y)
>>> model.predict([[2, 2.5], [-8, 0]]).tolist()
['near', 'far']
)",
    .sklearn = "discriminant_analysis.QuadraticDiscriminantAnalysis"};

template ModelInfo registered<LinearDiscriminantAnalysis>();
template ModelInfo registered<QuadraticDiscriminantAnalysis>();

}  // namespace craton
