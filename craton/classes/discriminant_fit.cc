#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "craton/classes/discriminant.h"
#include "craton/core/error.h"
#include "craton/kernels/special.h"

// From sums over the rows of each class to a model, at once or bit by bit: one pass over the rows.

namespace craton {
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

}  // namespace craton
