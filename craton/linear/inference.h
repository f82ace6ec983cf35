#pragma once
#include <optional>
#include <span>
#include <vector>

#include "craton/linear/least_squares.h"

// What a fit of least squares says about its coefficients. With p of them (the intercept counted),
// Z = [1 X], weights W and the residual e = y - Z b:
//
//   sigma^2 = e'We / (n - p),     V = sigma^2 (Z'WZ)^-1,     t_j = b_j / sqrt(V_jj)
//   R^2 = 1 - rss / tss,          F = ((tss - rss) / (p - 1)) / sigma^2
//   log L = -n/2 (log(2 pi rss / n) + 1),   AIC = -2 log L + 2 (p + 1),   BIC with log n for 2:
//           sigma^2 is a parameter too, as in R (statsmodels does not count it)
//   V_HC = (Z'WZ)^-1 Z' diag(w e^2 c) Z (Z'WZ)^-1,  c = 1, n / (n - p), 1 / (1 - h), 1 / (1 - h)^2
//           for HC0 to HC3 (MacKinnon and White, J. Econometrics 29, 1985)
//   h_i = z_i (Z'WZ)^-1 z_i',    Cook's distance = e_i^2 h_i / (p sigma^2 (1 - h_i)^2)
//
// A weight is so many copies of a row: n = sum w, and e and h are of one copy. Or it is a precision
// (the noise of the row has the variance sigma^2 / w): n is the number of rows of positive weight,
// sqrt(w) e and w h take the places of e and h, and log L has half the sum of log w: as R's lm and
// statsmodels' WLS.
//
// With a prior, Z'WZ + alpha P is in the place of Z'WZ, and n - tr(H) in that of n - p, H = Z (Z'WZ
// + alpha P)^-1 Z'W: V is the covariance of the posterior given sigma^2 (for a Gaussian it is
// Laplace's, exactly), and the sandwich with Z'WZ as its filling is what sampling would vary.
// Columns that depend on others have coefficients that the rows do not tell: their errors are
// infinite (only a prior tells them).

namespace craton {

enum class WeightKind { kCopies, kPrecision };
enum class Robust { kHC0, kHC1, kHC2, kHC3 };
enum class ErrorsOf { kModel, kHC0, kHC1, kHC2, kHC3 };  // V, or one of the robust ones

struct FitStatistics {
  double observations = 0;  // n
  double parameters = 0;    // p, or tr(H)
  double degrees = 0;       // of freedom, of the residual: n less those
  double rss = 0, tss = 0;
  double sigma = 0;  // infinite where no degrees are left
  double r2 = 0, adjusted_r2 = 0;
  double f = 0, f_p_value = 1, f_degrees = 0;  // of all coefficients but the intercept, if free
  double log_likelihood = 0, aic = 0, bic = 0;
};

// The sums that all of it follows from.
struct FitSums {
  double observations = 0;  // n
  double weight = 0;        // sum of the weights
  double log_weight = 0;    // sum of log w where these are precisions, else 0
  double parameters = 0;    // p, or tr(H)
  double rss = 0, tss = 0;
  bool free_intercept = true;
};
FitStatistics fit_statistics(const FitSums& sums);

FitSums fit_sums(const TriangularSums& sums, const LeastSquares& fit, Intercept intercept,
                 WeightKind kind);
inline FitStatistics fit_statistics(const TriangularSums& sums, const LeastSquares& fit,
                                    Intercept intercept, WeightKind kind) {
  return fit_statistics(fit_sums(sums, fit, intercept, kind));
}

// (Z'WZ + alpha P)^-1 as T T', and what follows of a row z = [1, x - mean].
class CoefficientCovariance {
 public:
  CoefficientCovariance(const TriangularSums& sums, Intercept intercept,
                        const CoefficientPrior& prior);

  Index size() const { return size_; }  // the terms: the intercept, if there is one, is the first
  bool told(Index term) const { return told_[usize(term)]; }
  double condition() const { return condition_; }
  // T M T' of a symmetric M, size x size. The intercept is that at 0, or that at the means.
  enum class At { kZero, kMeans };
  std::vector<double> around(std::span<const double> m, At at = At::kZero) const;
  std::vector<double> inverse() const;   // M = I
  std::vector<double> sandwich() const;  // M = T' Z'WZ T
  // z T T' z': what the mean of a prediction varies, over sigma^2. `x` is a row of the table.
  double variance_at(std::span<const double> x) const;

  // z T of rows, z in this frame, and as many numbers as T has columns: T' by rows.
  const RowFrame& frame() const { return frame_; }
  bool centred() const { return centred_; }  // about the means: the intercept is free
  const std::vector<double>& offset() const { return offset_; }  // of the means from the shift
  Index inner() const { return inner_; }
  const std::vector<double>& transform() const { return transform_; }  // inner x width

 private:
  Index size_ = 0, inner_ = 0;
  RowFrame frame_;
  std::vector<double> offset_;
  bool centred_ = false;
  std::vector<double> transform_, filling_;
  std::vector<double> root_;  // T of the terms, the intercept that at 0: size x inner
  std::vector<bool> told_;
  double condition_ = 1;
};

struct CoefficientTable {  // the intercept, if there is one, is the first
  std::vector<double> estimate, error, statistic, p_value, low, high;
};

// Errors are the roots of the diagonal of V. `degrees` infinite: by the normal distribution.
CoefficientTable coefficient_table(std::vector<double> estimate, std::span<const double> covariance,
                                   double degrees, double level);
std::vector<double> estimates_of(const LeastSquares& fit, Intercept intercept);

// Of each row: its residual, its leverage (h, or w h) and Cook's distance.
struct RowInfluence {
  std::vector<double> residual, leverage, cooks_distance;
};
RowInfluence row_influence(Source& x, const LeastSquares& fit, const CoefficientCovariance& v,
                           const FitStatistics& statistics, WeightKind kind, const Exec& exec);

// V of HC0 to HC3: another pass over the rows. The intercept is that at 0, or that at the means.
std::vector<double> robust_covariance(
    Source& x, const LeastSquares& fit, const CoefficientCovariance& v,
    const FitStatistics& statistics, WeightKind kind, Robust robust, const Exec& exec,
    CoefficientCovariance::At at = CoefficientCovariance::At::kZero);

// Is L b = c? With k rows of L: F = (L b - c)' (L V L')^-1 (L b - c) / k, on k and `degrees`.
// InputError (kBadOption) where rows of L depend on each other, or speak of what is not told.
struct WaldTest {
  double f = 0, p_value = 1;
  Index degrees = 0;
};
WaldTest wald_test(std::span<const double> estimate, std::span<const double> covariance,
                   std::span<const double> l, std::span<const double> c, double degrees);

// Two-sided tails and quantiles of Student's t, and the upper tail of F.
double t_two_sided(double t, double degrees);
double t_quantile(double level, double degrees);  // |t| is below it with probability `level`
double f_upper(double f, double first, double second);

}  // namespace craton
