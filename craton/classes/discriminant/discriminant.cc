#include "craton/classes/discriminant/discriminant.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "craton/base/digits.h"
#include "craton/base/error.h"
#include "craton/classes/discriminant/discriminant_axes.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/linear_scores.h"
#include "craton/kernels/special.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

// Calls f with Bayes' rule of log p(x, c), or of what it is up to a term without c.
template <class F>
auto with_rule(const GaussianClasses& gaussians, Source& x, bool up_to_a_term, const F& f) {
  check_columns(x, gaussians.columns());
  const auto joint = [&](const Chunk& chunk, std::span<double> out) {
    up_to_a_term ? gaussians.scores(chunk, x, out) : gaussians.joint(chunk, x, out);
  };
  return f(BayesRule(gaussians.log_prior().values, joint));
}

void check_covariance(const Array& covariance, Index count, Index columns) {
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

template <Discriminance kKind>
Discriminant<kKind>::Discriminant(GaussianClasses gaussians, double tol, Index n_components)
    : gaussians_(std::move(gaussians)), tol_(tol) {
  if constexpr (!kLinear) return;
  DiscriminantAxes axes = find_axes(gaussians_, n_components, tol);
  scalings_ = std::move(axes.scalings);
  explained_variance_ratio_ = std::move(axes.explained_variance_ratio);
}

template <Discriminance kKind>
void Discriminant<kKind>::predict(Source& x, std::span<std::int32_t> labels,
                                  const Exec& exec) const {
  with_rule(gaussians_, x, true, [&](const BayesRule& rule) { rule.predict(x, labels, exec); });
}

template <Discriminance kKind>
void Discriminant<kKind>::predict_log_proba(Source& x, std::span<double> out,
                                            const Exec& exec) const {
  with_rule(gaussians_, x, true,
            [&](const BayesRule& rule) { rule.predict_log_proba(x, out, exec); });
}

template <Discriminance kKind>
void Discriminant<kKind>::score_samples(Source& x, std::span<double> out, const Exec& exec) const {
  with_rule(gaussians_, x, false, [&](const BayesRule& rule) { rule.score_samples(x, out, exec); });
}

template <Discriminance kKind>
std::int32_t Discriminant<kKind>::predict_row(const double* row, double* work) const {
  const std::span<double> scores(work, usize(classes()));
  return gaussians_.scores_row(row, work + classes(), scores) ? best_class(scores) : -1;
}

template <Discriminance kKind>
bool Discriminant<kKind>::predict_log_proba_row(const double* row, double* work,
                                                double* out) const {
  const std::span<double> scores(out, usize(classes()));
  return gaussians_.scores_row(row, work, scores) && normalise(scores, work);
}

template <Discriminance kKind>
double Discriminant<kKind>::score_row(const double* row, double* work) const {
  const std::span<double> joint(work, usize(classes()));
  return gaussians_.joint_row(row, work + classes(), joint) ? log_sum(joint) : NAN;
}

template <Discriminance kKind>
double Discriminant<kKind>::score(Source& x, const Exec& exec) const {
  return with_rule(gaussians_, x, true,
                   [&](const BayesRule& rule) { return rule.score(x, exec).accuracy; });
}

template <Discriminance kKind>
std::vector<Measure> Discriminant<kKind>::measures(Source& x, const Exec& exec) const {
  std::vector<Measure> all = with_rule(
      gaussians_, x, false, [&](const BayesRule& rule) { return rule.score(x, exec).measures(); });
  all.pop_back();  // no row is impossible
  return all;
}

template <Discriminance kKind>
Index Discriminant<kKind>::free_parameters(const Options& options) const {
  const Index k = classes(), d = columns();
  const bool prior = options.prior.fit_prior && options.prior.class_prior.empty();
  const CovarianceType type = options.covariance.type;
  const Index each = type == CovarianceType::kFull   ? d * (d + 1) / 2
                     : type == CovarianceType::kDiag ? d
                                                     : 1;
  const bool one = kLinear || options.covariance.pooling == 1;
  return k * d + (one ? 1 : k) * each + (prior ? k - 1 : 0);
}

template <Discriminance kKind>
void Discriminant<kKind>::contributions(const Chunk& chunk, Index row, Index label,
                                        std::span<double> out) const {
  gaussians_.contributions(chunk, row, label, out);
}

template <Discriminance kKind>
void Discriminant<kKind>::transform(Source& x, std::span<double> out, const Exec& exec) const
    requires(kLinear) {
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

template <Discriminance kKind>
std::vector<Parameter> Discriminant<kKind>::parameters() const {
  std::vector<Parameter> all{
      {"class_log_prior", "log probability of each class", gaussians_.log_prior()},
      {"means", "mean of each feature in each class", gaussians_.means()},
      {"covariance",
       kLinear ? "the covariance within classes: a matrix, or its diagonal, or the variance"
               : "the covariance of each class: matrices, or diagonals, or variances",
       gaussians_.covariance()},
      {"tol", "eigenvalues of the correlations up to its square count as 0", {{1}, {tol_}}}};
  if constexpr (kLinear) {
    all.push_back({"scalings", "the axes that tell the classes apart, one a column", scalings_});
    all.push_back({"explained_variance_ratio",
                   "share of each axis in the spread of the class means",
                   explained_variance_ratio_});
  }
  return all;
}

template <Discriminance kKind>
Discriminant<kKind> Discriminant<kKind>::from_parameters(std::span<const Parameter> parameters) {
  const Array& prior = get_parameter(parameters, "class_log_prior", std::array<Index, 1>{-1});
  const Index k = prior.rows();
  const Array& means = get_parameter(parameters, "means", std::array<Index, 2>{k, -1});
  const double tol = get_parameter(parameters, "tol", std::array<Index, 1>{1}).values[0];
  const Index d = means.cols();
  check_log_prior(prior.values);
  if (means.empty()) fail_parameters("there are no features");
  for (const double mean : means.values) {
    if (!std::isfinite(mean)) fail_parameters("a mean is not finite");
  }
  if (!(tol >= 0 && tol <= 1)) fail_parameters("tol is not between 0 and 1");
  const auto named = std::find_if(parameters.begin(), parameters.end(),
                                  [](const Parameter& p) { return p.name == "covariance"; });
  std::vector<Index> shape{kLinear ? 1 : k, d, d};
  if (named != parameters.end()) {  // full, diagonal or spherical
    while (shape.size() > named->value.shape.size() && shape.size() > 1) shape.pop_back();
  }
  const Array& covariance = get_parameter(parameters, "covariance", shape);
  check_covariance(covariance, kLinear ? 1 : k, d);
  GaussianClasses gaussians(prior, means, covariance, kLinear, tol);
  for (Index c = 0; c < k; ++c) {
    const bool singular =
        gaussians.full() && gaussians.whitenings()[kLinear ? 0 : usize(c)].rank < (kLinear ? 1 : d);
    if (singular) fail_parameters("a covariance is singular");
    for (Index j = 0; j < d && !gaussians.full(); ++j) {
      if (!std::isnormal(gaussians.variance(c, j))) fail_parameters("a variance is not positive");
    }
  }
  Discriminant result(std::move(gaussians), tol, 0);
  if constexpr (kLinear) {  // as they were found: where two matter alike, machines may not agree
    result.scalings_ = get_parameter(parameters, "scalings", std::array<Index, 2>{d, -1});
    const Index axes = result.outputs();
    result.explained_variance_ratio_ =
        get_parameter(parameters, "explained_variance_ratio", std::array<Index, 1>{axes});
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

template class Discriminant<Discriminance::kLinear>;
template class Discriminant<Discriminance::kQuadratic>;

// From sums over the rows of each class to a model, at once or bit by bit: one pass over the rows.

namespace {

template <class Options>
void check(Options options, Index classes, Index columns) {
  check_options([&](OptionVisitor& v) { describe(v, options); });
  const Index most = std::min(classes - 1, columns);
  if (options.n_components <= most) return;
  throw InputError(
      Code::kBadOption, {}, fmt::format("n_components = {} is not allowed", options.n_components),
      fmt::format("{} classes of {} features have {} at most.", classes, columns, most));
}

std::uint64_t hash_of(const FitReport& report) {
  std::uint64_t hash = 0;
  const std::string& digits = report.data_hash;
  std::from_chars(digits.data(), digits.data() + digits.size(), hash, 16);
  return hash;
}

bool remembers(std::span<const Parameter> memory, std::string_view name) {
  return std::any_of(memory.begin(), memory.end(),
                     [&](const Parameter& p) { return p.name == name; });
}

[[noreturn]] void fail_memory(const char* what) {
  throw InputError(Code::kBadOption, {},
                   fmt::format("{} needs sums that the model did not keep", what),
                   "Go on with the options that it was fitted with, or fit anew.");
}

// The sums that a fit left, and none yet of new rows: of the same kind.
template <class M>
ClassScatter recall(const Fit<M>& so_far, const CovarianceRule& rule, const ClassScatter*) {
  if (remembers(so_far.memory.get(), "shifted_square")) fail_memory("covariance_type = full");
  ClassScatter sums = ClassScatter::from(so_far.memory.get(), so_far.model.classes(),
                                         so_far.model.columns(), hash_of(so_far.report));
  if (rule.order() > sums.order()) fail_memory("shrinkage = auto");
  return sums;
}
template <class M>
ClassMoments recall(const Fit<M>& so_far, const CovarianceRule& rule, const ClassMoments*) {
  if (remembers(so_far.memory.get(), "shifted_scatter"))
    fail_memory("covariance_type = diag or spherical");
  ClassMoments sums = ClassMoments::from(so_far.memory.get(), so_far.model.classes(),
                                         so_far.model.columns(), hash_of(so_far.report));
  if (rule.order() > sums.order()) fail_memory("shrinkage = auto");
  return sums;
}
ClassScatter none_yet(const Source& x, const ClassScatter& like) {
  return ClassScatter(x, like.classes(), like.order());
}
ClassMoments none_yet(const Source& x, const ClassMoments& like) {
  return ClassMoments(x, like.classes(), like.order());
}

// Calls f with a null pointer that says which sums the options need.
template <class F>
auto with_sums(const CovarianceRule& rule, const F& f) {
  if (rule.type == CovarianceType::kFull) return f(static_cast<const ClassScatter*>(nullptr));
  return f(static_cast<const ClassMoments*>(nullptr));
}

ClassCovariances covariances(const ClassScatter& sums, const CovarianceRule& rule, bool shared,
                             const Schema& schema) {
  return full_covariances(sums, rule, shared, schema);
}
ClassCovariances covariances(const ClassMoments& sums, const CovarianceRule& rule, bool shared,
                             const Schema& schema) {
  return diagonal_covariances(sums, rule, shared, schema);
}

// One covariance that is flat leaves those directions out.
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

// Sums over the rows of log p(x | c), from what was summed.
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

void describe_covariance(OptionVisitor& v, CovarianceRule& rule) {
  v.choice("covariance_type", rule.type, {"full", "diag", "spherical"},
           "a matrix, a variance for each feature, or one for all features");
  v.choice_or_number("shrinkage", rule.shrinkage, rule.amount, 0, 1, {"none", "auto", "oas"},
                     "pull covariances so far towards a multiple of the identity; auto: as Ledoit "
                     "and Wolf have it");
}

void describe_divisor(OptionVisitor& v, DiscriminantOptions& o) {
  v.integer("ddof", o.covariance.ddof, 0, 1,
            "scatter is divided by the weight of the rows, less this for each class");
  v.number("tol", o.tol, 0, 1,
           "directions are flat where the standard deviation is below this, beside the columns'");
  describe(v, o.prior);
}

}  // namespace

void describe(OptionVisitor& v, LinearDiscriminantAnalysis::Options& o) {
  describe_covariance(v, o.covariance);
  v.integer("n_components", o.n_components, 0, 1'000'000, "axes that transform gives; 0: all");
  describe_divisor(v, o);
}

void describe(OptionVisitor& v, QuadraticDiscriminantAnalysis::Options& o) {
  describe_covariance(v, o.covariance);
  v.number("pooling", o.covariance.pooling, 0, 1,
           "mix this share of the covariance of all classes into each; 1: all have the same");
  v.number("reg_param", o.covariance.reg_param, 0, 1,
           "mix this share of the identity into each covariance");
  describe_divisor(v, o);
}

template <Discriminance kKind>
template <class Sums>
Fit<Discriminant<kKind>> Discriminant<kKind>::estimate(const Sums& sums, const Options& options,
                                                       const Schema& schema,
                                                       std::vector<Note> notes) {
  CovarianceRule rule = options.covariance;
  rule.tol = options.tol;
  if (kLinear) rule.pooling = 1;
  ClassCovariances found = covariances(sums, rule, kLinear, schema);
  const std::vector<double>& weights = sums.class_weight();
  Array log_prior{{sums.classes()}, log_class_prior(options.prior, weights)};
  double objective = 0, weight = 0;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    weight += weights[c];
    if (weights[c] > 0) objective += weights[c] * log_prior.values[c];
  }
  GaussianClasses gaussians(std::move(log_prior), std::move(found.means),
                            std::move(found.covariance), kLinear, options.tol);
  notes.insert(notes.end(), found.notes.begin(), found.notes.end());
  note_singular(gaussians, schema, notes);
  objective += log_likelihood(sums, gaussians, found.own);
  FitReport report;
  report.converged = true;
  report.objective = objective / weight;
  report.trace = {report.objective};
  report.notes = std::move(notes);
  report.data_hash = fmt::format("{:016x}", sums.hash());
  return {Discriminant(std::move(gaussians), options.tol, options.n_components), std::move(report),
          sums.arrays()};
}

template <Discriminance kKind>
Fit<Discriminant<kKind>> Discriminant<kKind>::fit(Source& x, const Options& options,
                                                  const Exec& exec) {
  const Index classes = count_classes(x);
  check(options, classes, x.shape().cols);
  const auto fit_with = [&]<class Sums>(const Sums& empty) {
    const Sums sums = fold(x, empty, exec);
    std::vector<Note> notes;
    check_classes(x, sums.class_weight(), sums.unlabelled(), notes);
    return estimate(sums, options, x.schema(), std::move(notes));
  };
  const CovarianceRule& rule = options.covariance;
  if (rule.type == CovarianceType::kFull) return fit_with(ClassScatter(x, classes, rule.order()));
  return fit_with(ClassMoments(x, classes, rule.order()));
}

template <Discriminance kKind>
Fit<Discriminant<kKind>> Discriminant<kKind>::partial_fit(const Fit<Discriminant>& so_far,
                                                          Source& x, const Options& options,
                                                          const Exec& exec) {
  check(options, so_far.model.classes(), x.shape().cols);
  return with_sums(options.covariance, [&](const auto* kind) {
    auto sums = recall(so_far, options.covariance, kind);
    const auto more = fold(x, none_yet(x, sums), exec);
    check_more_weight(x, more.class_weight());
    sums.merge(more);
    return estimate(sums, options, x.schema(), {});
  });
}

template <Discriminance kKind>
Fit<Discriminant<kKind>> Discriminant<kKind>::unlearn(const Fit<Discriminant>& so_far, Source& x,
                                                      const Options& options, const Exec& exec) {
  check(options, so_far.model.classes(), x.shape().cols);
  return with_sums(options.covariance, [&](const auto* kind) {
    auto sums = recall(so_far, options.covariance, kind);
    sums.subtract(fold(x, none_yet(x, sums), exec), x);
    return estimate(sums, options, x.schema(), {});
  });
}

template <Discriminance kKind>
Fit<Discriminant<kKind>> Discriminant<kKind>::merge(const Fit<Discriminant>& a,
                                                    const Fit<Discriminant>& b,
                                                    const Options& options) {
  check(options, a.model.classes(), a.model.columns());
  return with_sums(options.covariance, [&](const auto* kind) {
    auto sums = recall(a, options.covariance, kind);
    auto next = recall(b, options.covariance, kind);
    const MomentOrder order = std::min(sums.order(), next.order());
    sums.lower(order), next.lower(order);
    sums.merge(next);
    return estimate(sums, options, numbered_schema(a.model.columns()), {});
  });
}

template <Discriminance kKind>
void Discriminant<kKind>::check_memory(std::span<const Parameter> memory) const {
  if (remembers(memory, "shifted_square")) {
    ClassMoments::from(memory, classes(), columns(), 0);
  } else {
    ClassScatter::from(memory, classes(), columns(), 0);
  }
}

using Linear = LinearDiscriminantAnalysis;
using Quadratic = QuadraticDiscriminantAnalysis;
template Fit<Linear> Linear::fit(Source&, const Options&, const Exec&);
template Fit<Linear> Linear::partial_fit(const Fit<Linear>&, Source&, const Options&, const Exec&);
template Fit<Linear> Linear::unlearn(const Fit<Linear>&, Source&, const Options&, const Exec&);
template Fit<Linear> Linear::merge(const Fit<Linear>&, const Fit<Linear>&, const Options&);
template void Linear::check_memory(std::span<const Parameter>) const;
template Fit<Quadratic> Quadratic::fit(Source&, const Options&, const Exec&);
template Fit<Quadratic> Quadratic::partial_fit(const Fit<Quadratic>&, Source&, const Options&,
                                               const Exec&);
template Fit<Quadratic> Quadratic::unlearn(const Fit<Quadratic>&, Source&, const Options&,
                                           const Exec&);
template Fit<Quadratic> Quadratic::merge(const Fit<Quadratic>&, const Fit<Quadratic>&,
                                         const Options&);
template void Quadratic::check_memory(std::span<const Parameter>) const;

namespace {

constexpr Index kFeaturesOfAxes = 12;  // features of a model to show

std::string of_first(Index shown, Index all) {
  return shown < all ? fmt::format(" of the first {} of {} features", shown, all) : "";
}

// Each class with its probability, and the mean and standard deviation of its first features.
SummaryTable means_table(const GaussianClasses& gaussians, const Schema& schema) {
  const Index d = gaussians.columns(), shown = std::min(d, kFeaturesOfAxes);
  SummaryTable table{
      "means (standard deviations)" + of_first(shown, d), {"class", "probability"}, {}};
  for (Index j = 0; j < shown; ++j) table.header.push_back(schema.name(j));
  for (Index c = 0; c < gaussians.classes(); ++c) {
    const double p = std::exp(gaussians.log_prior().values[usize(c)]);
    std::vector<std::string> row{label_name(schema, c), shown_beside(p, 0, 4)};
    for (Index j = 0; j < shown; ++j) {
      const double deviation = std::sqrt(gaussians.variance(c, j));
      row.push_back(fmt::format("{} ({})",
                                shown_beside(gaussians.means().view().row(c)[j], deviation, 4),
                                shown_beside(deviation, 0, 3)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// The correlations of the first features, below the diagonal.
SummaryTable correlation_table(const GaussianClasses& gaussians, Index label,
                               const Schema& schema) {
  const Index d = gaussians.columns(), shown = std::min(d, kFeaturesOfAxes);
  const std::string whose =
      gaussians.shared() ? "" : fmt::format(" in class '{}'", label_name(schema, label));
  SummaryTable table{"correlations within classes" + of_first(shown, d), {""}, {}};
  if (!whose.empty()) table.title = "correlations" + whose + of_first(shown, d);
  const std::vector<double> covariance = gaussians.covariance_of(label);
  for (Index j = 0; j < shown; ++j) table.header.push_back(schema.name(j));
  for (Index i = 0; i < shown; ++i) {
    std::vector<std::string> row{schema.name(i)};
    for (Index j = 0; j < shown; ++j) {
      const double scale = std::sqrt(gaussians.variance(label, i) * gaussians.variance(label, j));
      const double r = scale > 0 ? covariance[usize(i * d + j)] / scale : 0;
      row.push_back(j < i ? fmt::format("{:.2f}", r) : j == i ? "1" : "");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// The axes, in units of the features' standard deviations within classes.
SummaryTable axes_table(const GaussianClasses& gaussians, const Array& scalings, const Array& ratio,
                        const Schema& schema) {
  const Index axes = std::min(scalings.cols(), kFeaturesOfAxes), d = gaussians.columns();
  const Index shown = std::min(d, kFeaturesOfAxes);
  SummaryTable table{"axes, by standard deviations of the features" + of_first(shown, d),
                     {"axis", "explained"},
                     {}};
  for (Index j = 0; j < shown; ++j) table.header.push_back(schema.name(j));
  for (Index a = 0; a < axes; ++a) {
    std::vector<std::string> row{std::to_string(a),
                                 fmt::format("{:.2f} %", 100 * ratio.values[usize(a)])};
    for (Index j = 0; j < shown; ++j) {
      const double deviation = std::sqrt(gaussians.variance(0, j));
      row.push_back(fmt::format("{:.3f}", scalings.view().row(j)[a] * deviation));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

template <Discriminance kKind>
std::vector<SummaryTable> Discriminant<kKind>::summary(const Schema& schema) const {
  constexpr Index kMostMatrices = 4;
  std::vector<SummaryTable> tables{means_table(gaussians_, schema)};
  const Index matrices = kLinear ? 1 : std::min(classes(), kMostMatrices);
  for (Index c = 0; gaussians_.full() && columns() > 1 && c < matrices; ++c) {
    tables.push_back(correlation_table(gaussians_, c, schema));
  }
  if (kLinear && columns() > 1 && scalings_.cols() > 0) {
    tables.push_back(axes_table(gaussians_, scalings_, explained_variance_ratio_, schema));
  }
  return tables;
}

template std::vector<SummaryTable> LinearDiscriminantAnalysis::summary(const Schema&) const;
template std::vector<SummaryTable> QuadraticDiscriminantAnalysis::summary(const Schema&) const;

template ModelInfo registered<LinearDiscriminantAnalysis>();
template ModelInfo registered<QuadraticDiscriminantAnalysis>();

}  // namespace craton
