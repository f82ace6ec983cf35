#include "craton/linear/inference.h"

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/algebra/products.h"
#include "craton/kernels/special.h"
#include "craton/linear/triangles.h"

// Matrices of the size of the coefficients cost their cube; a pass over the rows costs rows x
// coefficients^2.

namespace craton {
namespace {

// [T', -b] of rows in the frame of the covariance: coordinates of a row, then its residual.
std::vector<double> influence_transform(const LeastSquares& fit, const CoefficientCovariance& v) {
  const Index width = v.frame().width(), d = width - 2;
  std::vector<double> rows = v.transform();
  std::vector<double> residual(usize(width));
  // About the means y - b0 - x b = (y - t) - (x - c) b, with what the shift lacks of them.
  residual[0] = v.centred() ? -v.offset().back() : -fit.intercept;
  for (Index j = 0; j < d; ++j) {
    const double b = fit.coefficients[usize(j)];
    residual[usize(1 + j)] = -b;
    if (v.centred()) residual[0] += b * v.offset()[usize(j)];
  }
  residual.back() = 1;
  rows.insert(rows.end(), residual.begin(), residual.end());
  return rows;
}

struct RowValues {
  double residual, leverage;  // of one copy, or sqrt(w) e and w h
};

// Calls use(row of the chunk, coordinates, values) for every row of positive weight.
template <class Use>
void for_row_values(const Chunk& chunk, const CoefficientCovariance& v,
                    const std::vector<double>& transform, WeightKind kind, const Use& use) {
  const Index width = v.frame().width(), outputs = v.inner() + 1;
  std::vector<double> out(usize(kBlockRows * outputs));
  for_row_blocks(chunk, v.frame(), [&](const RowBlock& block) {
    row_products(block.z, block.rows, block.stride, transform.data(), outputs, width, width,
                 out.data(), outputs);
    for (Index i = 0; i < block.rows; ++i) {
      const double w = block.weights == nullptr ? 1 : block.weights[i];
      double* const row = out.data() + i * outputs;
      double leverage = 0;
      for (Index k = 0; k < v.inner(); ++k) leverage += squared(row[k]);
      RowValues values{row[v.inner()], leverage};
      if (kind == WeightKind::kPrecision) values = {std::sqrt(w) * row[v.inner()], w * leverage};
      use(block.first_row + i, w, row, values);
    }
  });
}

// sum_i weight_i u_i u_i' of coordinates u.
class MeatSums {
 public:
  MeatSums(const CoefficientCovariance& v, const std::vector<double>& transform, WeightKind kind,
           Robust robust)
      : v_(&v),
        transform_(&transform),
        kind_(kind),
        robust_(robust),
        sums_(usize(v.inner() * v.inner())) {}

  std::vector<double> symmetric() const {
    std::vector<double> full = sums_;
    const Index k = v_->inner();
    for (Index i = 0; i < k; ++i) {
      for (Index j = 0; j < i; ++j) full[usize(j * k + i)] = full[usize(i * k + j)];
    }
    return full;
  }

  void accumulate(const Chunk& chunk) {
    const Index k = v_->inner();
    std::vector<double> rows, weights;
    for_row_values(chunk, *v_, *transform_, kind_,
                   [&](Index, double w, const double* u, const RowValues& values) {
                     if (w == 0) return;
                     const double left = std::max(1 - values.leverage, 1e-300);
                     double weight = w * squared(values.residual);
                     if (robust_ == Robust::kHC2) weight /= left;
                     if (robust_ == Robust::kHC3) weight /= left * left;
                     // A row that its own coefficient fits has no residual to tell of.
                     if (values.leverage > 1 - 1e-12) weight = 0;
                     rows.insert(rows.end(), u, u + k);
                     weights.push_back(weight);
                     if (std::ssize(weights) == kBlockRows) flush(rows, weights);
                   });
    flush(rows, weights);
  }
  void merge(const MeatSums& next) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += next.sums_[i];
  }
  void write(Writer& writer) const { writer.put(sums_); }
  void read(Reader& reader) { reader.get(sums_); }
  Index words() const { return std::ssize(sums_); }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  void flush(std::vector<double>& rows, std::vector<double>& weights) {
    const Index k = v_->inner();
    add_gram(rows.data(), std::ssize(weights), k, k, weights.data(), sums_.data(), k);
    rows.clear();
    weights.clear();
  }

  const CoefficientCovariance* v_;
  const std::vector<double>* transform_;
  WeightKind kind_;
  Robust robust_;
  std::vector<double> sums_;
};

}  // namespace

double t_two_sided(double t, double degrees) {
  if (std::isinf(t)) return 0;
  if (std::isinf(degrees)) return 2 * normal_cdf(-std::abs(t));
  const double square = t * t, all = degrees + square;
  return beta_i(degrees / 2, 0.5, {degrees / all, square / all});
}

double t_quantile(double level, double degrees) {
  if (std::isinf(degrees)) return normal_quantile((1 + level) / 2);
  const Complements at = beta_i_inverse(degrees / 2, 0.5, 1 - level);
  return std::sqrt(degrees * at.one_minus_x / at.x);
}

double f_upper(double f, double first, double second) {
  if (!(f > 0)) return 1;
  if (std::isinf(f)) return 0;
  if (std::isinf(second)) return gamma_q(first / 2, first * f / 2);
  const double all = second + first * f;
  return beta_i(second / 2, first / 2, {second / all, first * f / all});
}

FitSums fit_sums(const TriangularSums& sums, const LeastSquares& fit, Intercept intercept,
                 WeightKind kind) {
  const bool copies = kind == WeightKind::kCopies;
  return {.observations = copies ? sums.weight() : static_cast<double>(sums.rows()),
          .weight = sums.weight(),
          .log_weight = copies ? 0 : sums.log_weight(),
          .parameters = fit.effective,
          .rss = fit.residual,
          .tss = fit.total,
          .free_intercept = intercept == Intercept::kFree};
}

FitStatistics fit_statistics(const FitSums& sums) {
  FitStatistics s;
  const double n = sums.observations, free = sums.free_intercept ? 1 : 0;
  s.observations = n;
  s.parameters = sums.parameters;
  s.degrees = std::max(n - sums.parameters, 0.0);
  if (s.degrees < 1e-9 * n) s.degrees = 0;
  s.rss = sums.rss;
  s.tss = sums.tss;
  s.sigma = s.degrees > 0 ? std::sqrt(s.rss / s.degrees) : kInfinite;
  s.r2 = s.tss > 0 ? 1 - s.rss / s.tss : (s.rss > 0 ? 0 : 1);
  s.adjusted_r2 = s.degrees > 0 ? 1 - (1 - s.r2) * (n - free) / s.degrees : s.r2;
  s.f_degrees = sums.parameters - free;
  if (s.degrees > 0 && s.f_degrees > 0) {
    const double explained = std::max(s.tss - s.rss, 0.0) / s.f_degrees;
    s.f = s.rss > 0 ? explained / (s.rss / s.degrees) : (explained > 0 ? kInfinite : 0);
    s.f_p_value = f_upper(s.f, s.f_degrees, s.degrees);
  }
  s.log_likelihood = -n / 2 * (kLogTwoPi + std::log(s.rss / n) + 1) + sums.log_weight / 2;
  s.aic = -2 * s.log_likelihood + 2 * (s.parameters + 1);
  s.bic = -2 * s.log_likelihood + std::log(n) * (s.parameters + 1);
  return s;
}

CoefficientCovariance::CoefficientCovariance(const TriangularSums& sums, Intercept intercept,
                                             const CoefficientPrior& prior) {
  const ReducedProblem p = reduced(sums, intercept);
  const CoefficientRoot r = coefficient_root(p, prior);
  const Index d = sums.columns(), first = intercept == Intercept::kFree ? 1 : 0;
  const Index shown = intercept == Intercept::kPenalised ? 1 : 0;  // among the columns
  size_ = p.cols + first;
  inner_ = r.rank + first;
  condition_ = r.condition;
  frame_.unit.assign(usize(d + 1), 1.0);
  frame_.shift.assign(usize(d + 1), 0.0);
  centred_ = first == 1;
  if (centred_) frame_.shift = p.shift;
  offset_ = p.offset;
  told_.assign(r.told.begin(), r.told.end());
  root_.assign(usize(size_ * inner_), 0.0);
  transform_.assign(usize(inner_ * (d + 2)), 0.0);
  for (Index j = 0; j < p.cols; ++j) {
    for (Index k = 0; k < r.rank; ++k) {
      const double value = r.root[usize(j * r.rank + k)];
      root_[usize((j + first) * inner_ + k + first)] = value;
      transform_[usize((k + first) * (d + 2) + j + 1 - shown)] = value;
    }
  }
  if (first == 1) {  // b0 = a - mean b, where a is the fit at the means
    const double own = 1 / std::sqrt(sums.weight());
    root_[0] = transform_[0] = own;
    for (Index k = 0; k < r.rank; ++k) {
      double sum = 0;
      for (Index j = 0; j < d; ++j) {
        const double value = r.root[usize(j * r.rank + k)];
        sum -= (p.shift[usize(j)] + p.offset[usize(j)]) * value;
        transform_[usize((k + 1) * (d + 2))] -= p.offset[usize(j)] * value;
      }
      root_[usize(k + 1)] = sum;
    }
    // The intercept is told unless a column that is not told moves it.
    bool told = true;
    for (Index j = 0; j < d; ++j)
      told = told && (r.told[usize(j)] || p.shift[usize(j)] + p.offset[usize(j)] == 0);
    told_.insert(told_.begin(), told);
  }
  // T'Z'WZ T: of the coordinates of the rows that the sums stand for.
  std::vector<double> turned(usize(p.rows * r.rank));
  for (Index i = 0; i < p.rows; ++i) {
    for (Index j = 0; j < p.cols; ++j) {
      const double a = p.a[usize(i * p.cols + j)] / p.unit[usize(j)];
      if (a == 0) continue;
      for (Index k = 0; k < r.rank; ++k) {
        turned[usize(i * r.rank + k)] += a * r.root[usize(j * r.rank + k)];
      }
    }
  }
  filling_.assign(usize(inner_ * inner_), 0.0);
  if (first == 1) filling_[0] = 1;
  for (Index i = 0; i < p.rows; ++i) {
    const double* const row = turned.data() + i * r.rank;
    for (Index a = 0; a < r.rank; ++a) {
      for (Index b = 0; b < r.rank; ++b) {
        filling_[usize((a + first) * inner_ + b + first)] += row[a] * row[b];
      }
    }
  }
}

std::vector<double> CoefficientCovariance::around(std::span<const double> m, At at) const {
  std::vector<double> root = root_, half(usize(size_ * inner_)), result(usize(size_ * size_));
  if (centred_ && at == At::kMeans) std::fill_n(root.begin() + 1, inner_ - 1, 0.0);
  for (Index i = 0; i < size_; ++i) {
    for (Index a = 0; a < inner_; ++a) {
      const double factor = root[usize(i * inner_ + a)];
      if (factor == 0) continue;
      for (Index b = 0; b < inner_; ++b) {
        half[usize(i * inner_ + b)] += factor * m[usize(a * inner_ + b)];
      }
    }
  }
  row_products(half.data(), size_, inner_, root.data(), size_, inner_, inner_, result.data(),
               size_);
  const Index first = centred_ && at == At::kMeans ? 1 : 0;  // what is at the means is told
  for (Index i = first; i < size_; ++i) {
    if (!told_[usize(i)]) result[usize(i * size_ + i)] = kInfinite;
  }
  return result;
}

std::vector<double> CoefficientCovariance::inverse() const {
  std::vector<double> identity(usize(inner_ * inner_));
  for (Index k = 0; k < inner_; ++k) identity[usize(k * inner_ + k)] = 1;
  return around(identity);
}

std::vector<double> CoefficientCovariance::sandwich() const { return around(filling_); }

double CoefficientCovariance::variance_at(std::span<const double> x) const {
  const Index width = frame_.width();
  double variance = 0;
  for (Index k = 0; k < inner_; ++k) {
    const double* const t = transform_.data() + k * width;
    double sum = t[0];
    for (std::size_t j = 0; j < x.size(); ++j) sum += (x[j] - frame_.shift[j]) * t[1 + j];
    variance += sum * sum;
  }
  return variance;
}

std::vector<double> estimates_of(const LeastSquares& fit, Intercept intercept) {
  std::vector<double> estimates = fit.coefficients;
  if (intercept != Intercept::kNone) estimates.insert(estimates.begin(), fit.intercept);
  return estimates;
}

CoefficientTable coefficient_table(std::vector<double> estimate, std::span<const double> covariance,
                                   double degrees, double level) {
  CoefficientTable t;
  const std::size_t size = estimate.size();
  const double wide = degrees > 0 ? t_quantile(level, degrees) : kInfinite;
  for (std::size_t j = 0; j < size; ++j) {
    const double b = estimate[j], variance = covariance[j * size + j];
    const double error =
        degrees > 0 && std::isfinite(variance) ? std::sqrt(std::max(variance, 0.0)) : kInfinite;
    t.error.push_back(error);
    t.statistic.push_back(b == 0 || std::isinf(error) ? 0 : b / error);
    t.p_value.push_back(degrees > 0 ? t_two_sided(t.statistic.back(), degrees) : 1);
    const double reach = error == 0 ? 0 : wide * error;
    t.low.push_back(b - reach);
    t.high.push_back(b + reach);
  }
  t.estimate = std::move(estimate);
  return t;
}

RowInfluence row_influence(Source& x, const LeastSquares& fit, const CoefficientCovariance& v,
                           const FitStatistics& statistics, WeightKind kind, const Exec& exec) {
  const std::size_t rows = usize(x.shape().rows);
  RowInfluence result{std::vector<double>(rows), std::vector<double>(rows),
                      std::vector<double>(rows)};
  const std::vector<double> transform = influence_transform(fit, v);
  const double unit = statistics.parameters * squared(statistics.sigma);
  for_rows(x, exec, [&](const Chunk& chunk) {
    for_row_values(
        chunk, v, transform, kind, [&](Index i, double w, const double*, const RowValues& values) {
          const std::size_t row = usize(chunk.first_row + i);
          const double e = values.residual, h = std::min(values.leverage, 1.0);
          result.residual[row] = kind == WeightKind::kPrecision && w > 0 ? e / std::sqrt(w) : e;
          result.leverage[row] = h;
          const double left = squared(1 - h) * unit;
          result.cooks_distance[row] = left > 0 ? e * e * h / left : (h == 1 ? kInfinite : 0);
        });
  });
  return result;
}

std::vector<double> robust_covariance(Source& x, const LeastSquares& fit,
                                      const CoefficientCovariance& v,
                                      const FitStatistics& statistics, WeightKind kind,
                                      Robust robust, const Exec& exec,
                                      CoefficientCovariance::At at) {
  const std::vector<double> transform = influence_transform(fit, v);
  std::vector<double> meat = fold(x, MeatSums(v, transform, kind, robust), exec).symmetric();
  if (robust == Robust::kHC1 && statistics.degrees > 0) {
    for (double& m : meat) m *= statistics.observations / statistics.degrees;
  }
  return v.around(meat, at);
}

WaldTest wald_test(std::span<const double> estimate, std::span<const double> covariance,
                   std::span<const double> l, std::span<const double> c, double degrees) {
  const Index p = std::ssize(estimate), k = std::ssize(l) / p;
  CRATON_ASSERT(k > 0 && std::ssize(c) == k && std::ssize(covariance) == p * p);
  std::vector<double> gap(usize(k)), half(usize(k * p)), middle(usize(k * k));
  for (Index i = 0; i < k; ++i) {
    gap[usize(i)] = -c[usize(i)];
    for (Index j = 0; j < p; ++j) {
      const double factor = l[usize(i * p + j)];
      if (factor == 0) continue;
      gap[usize(i)] += factor * estimate[usize(j)];
      for (Index m = 0; m < p; ++m) {
        half[usize(i * p + m)] += factor * covariance[usize(j * p + m)];
      }
    }
  }
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j < k; ++j) {
      for (Index m = 0; m < p; ++m) {
        if (l[usize(j * p + m)] == 0) continue;
        middle[usize(i * k + j)] += half[usize(i * p + m)] * l[usize(j * p + m)];
      }
    }
  }
  std::vector<double> lower = middle;
  double square = 0;
  // Cholesky by hand: it must say which row depends on those before it.
  for (Index j = 0; j < k; ++j) {
    for (Index i = j; i < k; ++i) {
      double sum = middle[usize(i * k + j)];
      for (Index m = 0; m < j; ++m) sum -= lower[usize(i * k + m)] * lower[usize(j * k + m)];
      if (i > j) {
        lower[usize(i * k + j)] = sum / lower[usize(j * k + j)];
      } else if (sum > 1e-12 * middle[usize(i * k + i)] && std::isfinite(sum)) {
        lower[usize(i * k + i)] = std::sqrt(sum);
      } else {
        throw InputError(Code::kBadOption, {},
                         {"row {} of the hypothesis follows from those before it, or speaks of a "
                          "coefficient that the rows do not tell",
                          i},
                         "Leave it out.");
      }
    }
    double sum = gap[usize(j)];
    for (Index m = 0; m < j; ++m) sum -= lower[usize(j * k + m)] * gap[usize(m)];
    gap[usize(j)] = sum / lower[usize(j * k + j)];
    square += squared(gap[usize(j)]);
  }
  WaldTest test{square / static_cast<double>(k), 1, k};
  if (degrees > 0) test.p_value = f_upper(test.f, static_cast<double>(k), degrees);
  return test;
}

}  // namespace craton
