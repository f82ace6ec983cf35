#include "craton/linear/logistic_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/kernels/algebra/linalg.h"
#include "craton/linear/logistic_inference.h"
#include "craton/tables/view.h"

namespace craton {
namespace {

// A form of the step is 0, for the question on which side of it rows lie, below this share of its
// greatest value.
constexpr double kFlat = 1e-6;
// Steps are looked at once some row is this certain: before that they need not point anywhere.
constexpr double kCertain = 10;
constexpr double kFurthest = 1e4;  // of a step, to look for rows that are told apart by now

double penalty_share(const LogisticTerms& terms) {
  return terms.classes == 2 ? 0 : 1 / static_cast<double>(terms.classes);
}

}  // namespace

double LogisticPenalty::strength(const LogisticTerms& terms, Index term, Index other) const {
  constexpr double kStrongest = 1e100;
  if (term == terms.columns || other == terms.columns) return 0;
  const double of = precision.empty() ? (term == other ? alpha[usize(term)] : 0)
                                      : precision[usize(term * terms.columns + other)];
  return std::clamp(of * terms.unit[usize(term)] * terms.unit[usize(other)], -kStrongest,
                    kStrongest);
}

std::vector<double> LogisticPenalty::gap(const LogisticTerms& terms,
                                         std::span<const double> theta) const {
  std::vector<double> result(theta.begin(), theta.end());
  const std::size_t q = usize(terms.terms()), d = usize(terms.columns);
  for (std::size_t at = 0; at < mean.size(); ++at) {
    const double unit = terms.unit[at % d];
    if (unit > 0) result[at / d * q + at % d] -= mean[at] / unit;
  }
  return result;
}

void LogisticPenalty::times(const LogisticTerms& terms, std::span<const double> v,
                            std::span<double> out) const {
  const Index d = terms.columns;
  for (Index i = 0; i < terms.terms(); ++i) {
    double sum = precision.empty() ? strength(terms, i) * v[usize(i)] : 0;
    for (Index j = 0; j < d && !precision.empty(); ++j) sum += strength(terms, i, j) * v[usize(j)];
    out[usize(i)] = sum;
  }
}

PenalisedLikelihood::PenalisedLikelihood(Source& x, const LogisticTerms& terms,
                                         const LogisticPenalty& penalty, const Exec& exec)
    : x_(x), terms_(terms), penalty_(penalty), exec_(exec) {
  for (Index j = 0; j < terms.columns && !penalty.firth; ++j) {
    free_ = free_ || (penalty.alpha[usize(j)] == 0 && terms.unit[usize(j)] > 0);
  }
}

// Columns that are left out stay where they are.
void PenalisedLikelihood::hold_left_out(std::vector<double>& curvature) const {
  const std::size_t size = usize(terms_.size()), q = usize(terms_.terms());
  for (std::size_t at = 0; at < size; ++at) {
    const std::size_t j = at % q;
    if (j < usize(terms_.columns) && terms_.unit[j] == 0) curvature[at * size + at] = 1;
  }
}

void PenalisedLikelihood::add_penalty(std::span<const double> theta, Evaluation& result) const {
  const std::size_t q = usize(terms_.terms()), forms = usize(terms_.forms()), size = forms * q;
  const double share = penalty_share(terms_);
  const std::vector<double> gap = penalty_.gap(terms_, theta);
  std::vector<double> sum(q), from(q), slope(q);
  for (std::size_t at = 0; at < size; ++at) sum[at % q] += gap[at];
  for (std::size_t r = 0; r < forms; ++r) {
    for (std::size_t j = 0; j < q; ++j) from[j] = gap[r * q + j] - share * sum[j];
    penalty_.times(terms_, from, slope);
    for (std::size_t j = 0; j < q; ++j) {
      result.value += gap[r * q + j] * slope[j] / 2;
      result.gradient[r * q + j] += slope[j];
    }
  }
  if (result.curvature.empty()) return;
  const bool diagonal = penalty_.precision.empty();
  for (std::size_t i = 0; i < usize(terms_.columns); ++i) {
    for (std::size_t j = diagonal ? i : 0; j < (diagonal ? i + 1 : usize(terms_.columns)); ++j) {
      const double strength =
          penalty_.strength(terms_, static_cast<Index>(i), static_cast<Index>(j));
      if (strength == 0) continue;
      for (std::size_t r = 0; r < forms; ++r) {
        for (std::size_t s = 0; s < forms; ++s) {
          result.curvature[(r * q + i) * size + s * q + j] += strength * ((r == s ? 1 : 0) - share);
        }
      }
    }
  }
}

Evaluation PenalisedLikelihood::at(std::span<const double> theta, Curvature wanted) {
  if (penalty_.firth) wanted = Curvature::kFull;
  const SumsOf what = wanted == Curvature::kNone    ? SumsOf::kGradient
                      : wanted == Curvature::kPart  ? SumsOf::kPartCurvature
                      : wanted == Curvature::kRough ? SumsOf::kFloatCurvature
                                                    : SumsOf::kCurvature;
  const LogisticSums sums = fold(x_, LogisticSums(terms_, theta, what), exec_);
  margin_ = sums.margin();
  top_ = sums.top();
  Evaluation result{sums.loss(), sums.loss(), sums.gradient(), {}, wanted};
  if (wanted != Curvature::kNone) {
    result.curvature = sums.curvature();
    hold_left_out(result.curvature);
  }
  if (!penalty_.firth) {
    add_penalty(theta, result);
    return result;
  }
  const Index size = terms_.size();
  std::vector<double> lower = result.curvature;
  const auto inverse = inverse_of_symmetric(result.curvature, size);
  if (!inverse || !cholesky(lower, size)) {
    result.value = INFINITY;
    return result;
  }
  for (Index i = 0; i < size; ++i) result.value -= std::log(lower[usize(i * size + i)]);
  result.gradient =
      fold(x_, LogisticSums(terms_, theta, SumsOf::kFirth, *inverse), exec_).gradient();
  return result;
}

std::vector<double> main_parts(std::vector<double> direction, const LogisticTerms& terms) {
  constexpr double kPart = 1e-4;
  const auto column = [&](std::size_t at) {
    return static_cast<Index>(at) % terms.terms() < terms.columns;
  };
  double greatest = 0;
  for (std::size_t at = 0; at < direction.size(); ++at) {
    if (column(at)) greatest = std::max(greatest, std::abs(direction[at]));
  }
  for (std::size_t at = 0; at < direction.size(); ++at) {
    if (column(at) && std::abs(direction[at]) < kPart * greatest) direction[at] = 0;
  }
  return direction;
}

// Newton's steps go on for ever in a direction of separation, and turn into it.
bool PenalisedLikelihood::stop(std::span<const double> theta, const Evaluation&,
                               std::span<const double> step) {
  if (!free_) return false;
  const auto penalised = [&](std::size_t at) {
    const std::size_t j = at % usize(terms_.terms());
    return j < usize(terms_.columns) && penalty_.alpha[j] > 0;
  };
  const auto without_penalised = [&](std::span<const double> all) {
    std::vector<double> result(all.begin(), all.end());
    for (std::size_t at = 0; at < result.size(); ++at) result[at] *= penalised(at) ? 0 : 1;
    return result;
  };
  using Kind = Separation::Kind;
  const auto look = [&](const std::vector<double>& direction) {
    const LogisticSums sums = fold(x_, LogisticSums(terms_, direction, SumsOf::kGradient), exec_);
    if (!(sums.top() > 0) || sums.margin() < -kFlat * sums.top()) return Kind::kNone;
    return sums.margin() > 0 ? Kind::kComplete : Kind::kPartial;
  };
  std::vector<double> direction = without_penalised(theta);
  Kind kind = margin_ > 0 ? look(direction) : Kind::kNone;
  if (kind == Kind::kNone && top_ >= kCertain) {
    const std::vector<double> last = direction;
    direction = without_penalised(step);
    kind = look(direction);
    // Rows that the step leaves where they are may be told apart already.
    std::vector<double> both = direction;
    for (double far = 1; kind == Kind::kPartial && far <= kFurthest; far *= 10) {
      for (std::size_t at = 0; at < both.size(); ++at) both[at] = last[at] + far * direction[at];
      if (look(both) != Kind::kComplete) continue;
      kind = Kind::kComplete;
      direction = both;
    }
  }
  if (kind != Kind::kNone) {
    std::vector<double> parts = main_parts(direction, terms_);
    if (look(parts) == kind) direction = std::move(parts);
  }
  separation_ = {kind, std::move(direction)};
  return kind != Kind::kNone;
}

std::vector<Dependence> find_dependent(std::span<const double> curvature,
                                       const LogisticTerms& terms, const LogisticPenalty& penalty) {
  constexpr double kNothingLeft = 1e-11;  // of the square of a column
  constexpr double kPart = 1e-6;          // of the greatest share in a column
  const std::size_t q = usize(terms.terms()), d = usize(terms.columns);
  std::vector<std::size_t> order, kept;
  if (terms.intercept) order.push_back(d);
  for (std::size_t j = 0; j < d; ++j) {
    if (penalty.alpha[j] == 0 && !penalty.firth && terms.unit[j] > 0) order.push_back(j);
    if (penalty.firth && terms.unit[j] > 0) order.push_back(j);
  }
  std::vector<Dependence> found;
  std::vector<std::vector<double>> lower;  // a row of the factor for each that is kept
  for (const std::size_t j : order) {
    std::vector<double> row;
    double left = curvature[j * q + j];
    for (std::size_t a = 0; a < kept.size(); ++a) {
      double sum = curvature[j * q + kept[a]];
      for (std::size_t b = 0; b < a; ++b) sum -= row[b] * lower[a][b];
      row.push_back(sum / lower[a][a]);
      left -= row[a] * row[a];
    }
    if (left > kNothingLeft * curvature[j * q + j]) {
      row.push_back(std::sqrt(left));
      lower.push_back(std::move(row));
      kept.push_back(j);
      continue;
    }
    // Its shares of the others: L' s = row.
    double greatest = 0;
    for (std::size_t a = kept.size(); a-- > 0;) {
      row[a] /= lower[a][a];
      for (std::size_t b = 0; b < a; ++b) row[b] -= lower[a][b] * row[a];
      if (kept[a] < d) greatest = std::max(greatest, std::abs(row[a]));
    }
    Dependence dependence{static_cast<Index>(j), {}};
    for (std::size_t a = 0; a < kept.size(); ++a) {
      if (kept[a] < d && std::abs(row[a]) > kPart * greatest && greatest > kPart) {
        dependence.on.push_back(static_cast<Index>(kept[a]));
      }
    }
    found.push_back(std::move(dependence));
  }
  return found;
}

std::vector<double> null_theta(const LogisticTerms& terms, std::span<const double> class_weight) {
  std::vector<double> theta(usize(terms.size()));
  for (Index r = 0; terms.intercept && r < terms.forms(); ++r) {
    theta[usize((r + 1) * terms.terms() - 1)] =
        std::log(class_weight[usize(r + 1)]) - std::log(class_weight[0]);
  }
  return theta;
}

std::vector<double> start_theta(Source& x, const LogisticTerms& terms,
                                const LogisticPenalty& penalty, std::vector<double> null,
                                const Exec& exec) {
  constexpr Index kMany = 1 << 17, kRun = 1024, kRowsEach = 32;
  const Index rows = x.shape().rows;
  std::vector<double> theta = std::move(null);
  if (penalty.firth || rows < kMany) return theta;
  for (const Index one_in : {128, 16}) {  // the small one has the steps from afar
    if (rows / one_in < kRowsEach * terms.size()) continue;
    View sample(x);
    sample.rows(RowSet::where(rows, [&](Index row) { return row / kRun % one_in == 0; }));
    LogisticPenalty less = penalty;
    for (double& alpha : less.alpha) alpha /= static_cast<double>(one_in);
    for (double& p : less.precision) p /= static_cast<double>(one_in);
    PenalisedLikelihood part(sample, terms, less, exec);
    // A sample says no more than this.
    const NewtonOptions options{.max_iter = 12,
                                .tol = 0.5,
                                .at_the_start = Curvature::kRough,
                                .on_the_way = Curvature::kRough,
                                .silent = true};
    theta = minimise(part, std::move(theta), options, exec).x;
  }
  return theta;
}

}  // namespace craton
