#include "craton/linear/large_likelihood.h"

#include <algorithm>
#include <cmath>

#include "craton/engine/for_each.h"
#include "craton/kernels/algebra/linalg.h"
#include "craton/tables/view.h"

namespace craton {
namespace {

constexpr Index kMostOfMatrix = 1500;     // terms; more have a diagonal
constexpr Index kSampleRows = 16 * 1024;  // that the curvature is learned from

}  // namespace

LargeLikelihood::LargeLikelihood(Source& x, const LogisticTerms& terms,
                                 const LogisticPenalty& penalty, const Exec& exec)
    : x_(x),
      terms_(terms),
      penalty_(penalty),
      exec_(exec),
      forms_(terms.classes == 2 ? 1 : terms.classes),
      whole_(terms.terms() <= kMostOfMatrix && !has_sparse_rows(x)) {
  free_ = std::ranges::any_of(penalty.alpha, [](double alpha) { return alpha == 0; });
}

std::vector<double> LargeLikelihood::beta_of(std::span<const double> theta) const {
  if (forms_ == 1) return {theta.begin(), theta.end()};
  const std::size_t q = usize(terms_.terms());
  std::vector<double> beta(usize(size()));
  std::copy(theta.begin(), theta.end(), beta.begin() + static_cast<Index>(q));
  for (std::size_t j = 0; j < q; ++j) {
    double mean = 0;
    for (std::size_t c = 0; c < usize(forms_); ++c) {
      mean += beta[c * q + j] / static_cast<double>(forms_);
    }
    for (std::size_t c = 0; c < usize(forms_); ++c) beta[c * q + j] -= mean;
  }
  return beta;
}

std::vector<double> LargeLikelihood::theta_of(std::span<const double> beta) const {
  if (forms_ == 1) return {beta.begin(), beta.end()};
  const std::size_t q = usize(terms_.terms());
  std::vector<double> theta(usize(terms_.size()));
  for (std::size_t at = 0; at < theta.size(); ++at) theta[at] = beta[at + q] - beta[at % q];
  return theta;
}

Evaluation LargeLikelihood::at(std::span<const double> beta) {
  const std::size_t q = usize(terms_.terms());
  last_ = theta_of(beta);
  const LogisticSums sums = fold(x_, LogisticSums(terms_, last_, SumsOf::kGradient), exec_);
  margin_ = sums.margin();
  const std::vector<double> gradient = sums.gradient();
  Evaluation result{sums.loss(), sums.loss(), std::vector<double>(beta.size()), {}};
  if (forms_ == 1) {
    result.gradient = gradient;
  } else {  // residuals of all classes sum to 0
    for (std::size_t at = 0; at < gradient.size(); ++at) {
      result.gradient[at + q] = gradient[at];
      result.gradient[at % q] -= gradient[at];
    }
  }
  // beta less the mean of the prior, about 0 as beta is.
  std::vector<double> gap = beta_of(penalty_.gap(terms_, last_)), slope(q);
  for (std::size_t first = 0; first < beta.size(); first += q) {
    penalty_.times(terms_, std::span(gap).subspan(first, q), slope);
    for (std::size_t j = 0; j < q; ++j) {
      result.value += gap[first + j] * slope[j] / 2;
      result.gradient[first + j] += slope[j];
    }
  }
  return result;
}

void LargeLikelihood::learn_curvature(std::span<const double> beta) {
  const Index q = terms_.terms(), rows = x_.shape().rows;
  const std::vector<double> theta = theta_of(beta);
  constexpr Index kRun = 256;
  const Index one_in = std::max<Index>(1, rows / kSampleRows);
  const double share = 1 / static_cast<double>(one_in);
  inverse_.assign(usize(forms_), {});
  const auto held = [&](Index term) {  // what has no curvature of its own
    return term < terms_.columns && terms_.unit[usize(term)] == 0 ? 1.0 : 0.0;
  };
  if (!whole_) {
    const LogisticSums sums = fold(x_, LogisticSums(terms_, theta, SumsOf::kDiagonal), exec_);
    const std::vector<double> diagonal = sums.diagonal();
    for (Index c = 0; c < forms_; ++c) {
      for (Index j = 0; j < q; ++j) {
        const Index form = forms_ == 1 ? 1 : c;
        const double curvature =
            diagonal[usize(form * q + j)] + penalty_.strength(terms_, j) + held(j);
        inverse_[usize(c)].push_back(curvature > 0 ? 1 / curvature : 1);
      }
    }
    return;
  }
  const RowSet chosen = RowSet::where(rows, [&](Index row) { return row / kRun % one_in == 0; });
  for_each(forms_, exec_, [&](Index c) {
    const std::unique_ptr<Source> own = x_.reopen();
    View sample(*own);
    sample.rows(chosen);
    const Index form = forms_ == 1 ? 1 : c;
    const LogisticSums sums =
        fold(sample, LogisticSums(terms_, theta, SumsOf::kBlock, {}, form), {.threads = 1});
    std::vector<double>& lower = inverse_[usize(c)];
    lower.assign(usize(q * q), 0.0);
    double trace = 0;
    for (Index i = 0; i < q && !sums.block().empty(); ++i) {
      trace += static_cast<double>(sums.block()[usize(i * q + i)]);
    }
    // A little more, so that what the sample does not know does not run away.
    const double more = 1e-5 * trace / static_cast<double>(q) + 1e-12;
    for (double ridge = more;; ridge *= 100) {
      for (Index i = 0; i < q; ++i) {
        for (Index j = 0; j <= i && !sums.block().empty(); ++j) {
          lower[usize(i * q + j)] = static_cast<double>(sums.block()[usize(i * q + j)]) / share;
        }
        lower[usize(i * q + i)] += ridge / share + penalty_.strength(terms_, i) + held(i);
      }
      if (cholesky(lower, q)) break;
    }
  });
}

void LargeLikelihood::precondition(std::span<double> v) const {
  const std::size_t q = usize(terms_.terms());
  for_each(forms_, exec_, [&](Index c) {
    double* const part = &v[usize(c) * q];
    const std::vector<double>& inverse = inverse_[usize(c)];
    if (!whole_) {
      for (std::size_t j = 0; j < q; ++j) part[j] *= inverse[j];
      return;
    }
    for (std::size_t i = 0; i < q; ++i) {
      for (std::size_t j = 0; j < i; ++j) part[i] -= inverse[i * q + j] * part[j];
      part[i] /= inverse[i * q + i];
    }
    for (std::size_t i = q; i-- > 0;) {
      part[i] /= inverse[i * q + i];
      for (std::size_t j = 0; j < i; ++j) part[j] -= inverse[i * q + j] * part[i];
    }
  });
}

// Coefficients that tell all rows apart are a direction of separation, if no prior holds them.
bool LargeLikelihood::stop() {
  if (!free_ || !(margin_ > 0)) return false;
  for (std::size_t at = 0; at < last_.size(); ++at) {
    const Index j = static_cast<Index>(at) % terms_.terms();
    if (j < terms_.columns && penalty_.alpha[usize(j)] > 0 && last_[at] != 0) return false;
  }
  std::vector<double> parts = main_parts(last_, terms_);
  const LogisticSums sums = fold(x_, LogisticSums(terms_, parts, SumsOf::kGradient), exec_);
  separation_ = {Separation::Kind::kComplete, sums.margin() > 0 ? std::move(parts) : last_};
  return true;
}

}  // namespace craton
