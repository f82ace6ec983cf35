#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "craton/families/bandwidth.h"
#include "craton/kernels/smoothing/kernel_sums.h"
#include "craton/model/registry.h"
#include "craton/tables/points.h"

// Kernel regression: the number at x is the mean of the numbers t_i of the rows y_i around it,
//
//   m(x) = sum_i w_i k(u_i) t_i / sum_i w_i k(u_i),   u_i^2 = sum_j ((x_j - y_ij) / h_j)^2
//
// (Nadaraya 1964, Watson 1964), or what a line has there that is fitted by these weights
// (local_fit.h; Stone 1977, Cleveland 1979). kernels/smoothing/smoothing_kernel.h has the kernels.
// Where x lies outside of all of them, the nearest rows have equal weights.
//
// The mean is two sums of kernels with positive weights, w_i and w_i (t_i - min t), each within
// rtol of what it is (kernel_sums.h). So its error is proved: with bounds e and f of the two it is
// at most (m - min t) (e + f) / (1 - e), and rounding.

namespace craton {

class KernelRegression {
 public:
  static constexpr std::string_view kName = "kernel-regression";
  static constexpr std::string_view kPythonName = "KernelRegression";
  static constexpr std::string_view kHelp = "regression by the rows around";
  static constexpr std::string_view kObjective = "minus the mean squared error of rows left out";
  static constexpr TargetKind kTarget = TargetKind::kNumber;
  static constexpr ScoreKind kScore = ScoreKind::kR2;
  static const Usage kUsage;

  // The least mean squared error of rows left out one by one; rules of density estimates.
  enum class Rule {
    kLeftOut,
    kScott,
    kSilverman,
    kNrd0,
    kNrd,
    kSolved,
    kPlugIn,
    kImproved,
    kNumber
  };
  enum class BandwidthAs { kScale, kDeviation };
  struct Options {
    Rule bandwidth = Rule::kLeftOut;
    double given_bandwidth = 1;  // of kNumber, in every column
    SmoothingKernel kernel = SmoothingKernel::kGaussian;
    BandwidthAs bandwidth_as = BandwidthAs::kScale;
    Index degree = 0;
    double rtol = 1e-8;
  };

  static Fit<KernelRegression> fit(Source& x, const Options& options, const Exec& exec);
  static Fit<KernelRegression> partial_fit(const Fit<KernelRegression>& so_far, Source& x,
                                           const Options& options, const Exec& exec);
  static Fit<KernelRegression> unlearn(const Fit<KernelRegression>& so_far, Source& x,
                                       const Options& options, const Exec& exec);
  static Fit<KernelRegression> merge(const Fit<KernelRegression>& a, const Fit<KernelRegression>& b,
                                     const Options& options);

  Index columns() const { return ssize(bandwidth_); }
  std::span<const double> bandwidth() const { return bandwidth_; }  // the scale h of each column
  SmoothingKernel kernel() const { return sums_.kernel(); }
  Index degree() const { return degree_; }
  const Points& points() const { return points_; }  // the number is the last column

  // m(x) of columns() finite numbers, and of degree 0 the proved bound of its error, absolute; else
  // NaN. `outside`: no row is inside of its kernel. An infinite value: squares overflow.
  struct Number {
    double value = 0, error = 0;
    bool outside = false;
  };
  Number number(const double* x) const;

  void predict_numbers(Source& x, std::span<double> out, const Exec& exec) const;
  Index row_work() const { return 0; }
  double predict_number_row(const double* row, double* work) const;  // registry.h
  // Adds the bound of the error, the standard error, the number of rows that it rests on, whether
  // the row lies outside; and what is left of the number of the row, if it has one.
  void diagnose(Source& x, ResultTable& rows, const Exec& exec) const;

  void visit_parameters(ParameterVisitor& v) const;
  static KernelRegression from_parameters(const ParameterList& parameters);
  std::vector<ResultTable> tables(const Schema& schema) const;
  std::optional<std::vector<ResultTable>> tables_before(const Schema& schema,
                                                        const Affine& scaled) const;

 private:
  KernelRegression(SmoothingKernel kernel, std::vector<double> bandwidth, Index degree, double rtol,
                   Points points);
  static Fit<KernelRegression> estimate(Points points, const Options& options, const Schema& schema,
                                        const Exec& exec);
  void for_numbers(Source& x, const Exec& exec, FunctionRef<void(Index, const Number&)> use) const;

  std::vector<double> bandwidth_;
  Index degree_;
  double rtol_;
  Points points_;
  std::vector<Index> shape_;  // of the rows with their numbers
  NarrowNumbers rows_, weights_;
  double low_, range_;             // of the numbers
  KernelSums sums_;                // of w
  std::vector<KernelSums> above_;  // of w (t - low) / range, of the rows where that is not 0
};

void describe(OptionVisitor& v, KernelRegression::Options& o);

}  // namespace craton
