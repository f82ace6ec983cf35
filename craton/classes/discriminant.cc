#include "craton/classes/discriminant.h"

#include <algorithm>
#include <cmath>

#include "craton/classes/discriminant_axes.h"
#include "craton/core/columns.h"
#include "craton/core/error.h"
#include "craton/core/for_each.h"
#include "craton/kernels/linear_scores.h"

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

}  // namespace craton
