#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/lazy.h"
#include "craton/density/line_distribution.h"
#include "craton/density/parts_of_kernels.h"
#include "craton/density/row_kernels.h"
#include "craton/families/bandwidth.h"
#include "craton/model/registry.h"
#include "craton/tables/points.h"

// A kernel density estimate: the mean of one kernel about each row y_i that was learned from,
//
//   p(x) = 1 / (W c prod_j h_j) sum_i w_i k(u_i),   u_i^2 = sum_j ((x_j - y_ij) / h_j)^2,
//
// W = sum_i w_i (Rosenblatt 1956, Parzen 1962). kernels/smoothing/smoothing_kernel.h has the
// kernels k and their volumes c, bandwidth.h the rules for h, and bandwidth_matrix.h the matrices H
// that may stand in their place; support.h and linear_ends.h are about columns with ends. Each
// density is within `rtol` of that sum, relative, and the bound is proved for each row
// (kernel_sums.h).

namespace craton {

class KernelDensity {
 public:
  static constexpr std::string_view kName = "kde";
  static constexpr std::string_view kPythonName = "KernelDensity";
  static constexpr std::string_view kHelp = "kernel density estimate";
  static constexpr std::string_view kObjective = "mean log density";
  static constexpr TargetKind kTarget = TargetKind::kNone;
  static constexpr ScoreKind kScore = ScoreKind::kLogDensity;
  static const Usage kUsage;

  enum class BandwidthAs { kScale, kDeviation };
  enum class EffectiveN { kWeight, kKish };
  enum class BandwidthMatrix { kNone, kCovariance };
  struct Options {
    BandwidthRule bandwidth = BandwidthRule::kScott;
    double given_bandwidth = 1;  // of kNumber, in every column
    SmoothingKernel kernel = SmoothingKernel::kGaussian;
    BandwidthAs bandwidth_as = BandwidthAs::kScale;  // what a number is; rules give deviations
    double rtol = 1e-8;
    BandwidthMatrix bandwidth_matrix = BandwidthMatrix::kNone;
    Array given_matrix = {};  // H, or its diagonal: wins
    EffectiveN effective_n = EffectiveN::kWeight;
    bool adaptive = false;     // kernels of their own width about each row (adaptive_sums.h)
    std::string support = {};  // "age=0.., angle=0..360 periodic" (support.h)
  };

  static Fit<KernelDensity> fit(Source& x, const Options& options, const Exec& exec);
  // With a function in place of the kernel: InputError (kBadOption) for one that is none
  // (given_kernel.h). It is shared with all models that are made of this one; a file does not have
  // it, so that a model that was read needs it again, the same as it was.
  static Fit<KernelDensity> fit(Source& x, const Options& options, const Exec& exec,
                                std::shared_ptr<const GivenKernel> kernel);
  static Fit<KernelDensity> with_kernel(const Fit<KernelDensity>& fit,
                                        std::shared_ptr<const GivenKernel> kernel);
  static Fit<KernelDensity> partial_fit(const Fit<KernelDensity>& so_far, Source& x,
                                        const Options& options, const Exec& exec);
  static Fit<KernelDensity> unlearn(const Fit<KernelDensity>& so_far, Source& x,
                                    const Options& options, const Exec& exec);
  static Fit<KernelDensity> merge(const Fit<KernelDensity>& a, const Fit<KernelDensity>& b,
                                  const Options& options);

  Index columns() const { return kernels_.columns(); }
  // The scales h; of a bandwidth matrix the roots of its diagonal.
  std::span<const double> bandwidth() const { return shape().bandwidth; }
  const KernelShape& shape() const { return kernels_.shape(); }
  // Read from a file that has not the function that is its kernel: densities are refused.
  bool asleep() const { return shape().of_function && !shape().given; }
  SmoothingKernel kernel() const { return kernels_.kernel(); }
  Points points() const { return kernels_.points(); }

  // The density at x, columns() finite numbers: its logarithm, and the proved bound of its relative
  // error. Where squares of distances overflow and no logarithm is known, the bound is infinite.
  KernelSum density(const double* x) const;

  // Of one column: the probability of at most x, and the least x of which that is p, for each
  // (line_distribution.h). InputError (kNotAble) of more columns. requires 0 < p < 1.
  std::vector<double> cdf(std::span<const double> x, const Exec& exec) const;
  std::vector<double> quantile(std::span<const double> p, const Exec& exec) const;
  double cdf(double x) const { return cdf({&x, 1}, {})[0]; }
  double quantile(double p) const { return quantile({&p, 1}, {})[0]; }

  // The columns of a fit with gaussian kernels that are kept, by themselves; or those that are not
  // given, at these values of the others (parts_of_kernels.h). Options become those of a fit that
  // has the same kernels.
  static Fit<KernelDensity> marginal(const Fit<KernelDensity>& fit, std::span<const Index> kept,
                                     const Schema& schema, Options& options);
  static Fit<KernelDensity> condition(const Fit<KernelDensity>& fit, std::span<const Index> given,
                                      std::span<const double> values, const Schema& schema,
                                      Options& options);

  void score_samples(Source& x, std::span<double> log_density, const Exec& exec) const;
  Index row_work() const { return kernels_.work(); }
  double score_row(const double* row, double* work) const;  // registry.h
  // 0, then what the estimate of the first j columns by themselves says more than that of one
  // fewer: log p(x_j | x_1, ..., x_j-1) where the kernel is gaussian. The label is 0.
  void contributions(const Chunk& chunk, Index row, Index label, std::span<double> out) const;
  double score(Source& x, const Exec& exec) const;
  Sample sample(Index rows, std::uint64_t seed) const;

  void visit_parameters(ParameterVisitor& v) const;
  static KernelDensity from_parameters(const ParameterList& parameters);
  std::vector<ResultTable> tables(const Schema& schema) const;
  std::optional<std::vector<ResultTable>> tables_before(const Schema& schema,
                                                        const Affine& scaled) const;
  // Adds the proved error of each density, its standard error, both relative (row_kernels.h), log
  // densities of rows that were fitted without one copy of them, and of one column the cdf.
  void diagnose(Source& x, ResultTable& rows, const Exec& exec) const;
  // Between what the density that p estimates, smoothed as it is, lies: with m its expectation and
  // a variance that is proportional to m, (p - m)^2 = z^2 se^2 m / p.
  void intervals(Source& x, double level, ResultTable& rows, const Exec& exec) const;

 private:
  KernelDensity(KernelShape shape, double rtol, Points points, double weight_squares,
                const Exec& exec);
  // How many rows there are: the sum of the weights, or Kish's number, if their squares are known.
  double effective_n() const;
  static Fit<KernelDensity> part(const Fit<KernelDensity>& fit, ShapedRows rows,
                                 const Schema& schema, Options& options);
  FitReport report(const Points& some, const Exec& exec) const;  // of a fit, by some of its points
  static Fit<KernelDensity> estimate(Points points, double weight_squares, const Options& options,
                                     const Schema& schema, std::uint64_t data_hash,
                                     const Exec& exec, const KernelShape& of);
  static Fit<KernelDensity> fit_shape(Source& x, const Options& options, const Exec& exec,
                                      const KernelShape& of);
  Exec may_call(Exec exec) const {  // functions are called by one thread
    if (shape().of_function) exec.threads = 1;
    return exec;
  }
  KernelSum density(const double* x, Index first, double* work) const;  // of the first columns
  LineDistribution line(const Points& all) const;
  void for_densities(Source& x, const Exec& exec,
                     FunctionRef<void(Index, const double*, const KernelSum&)> use) const;

  // What a bandwidth was chosen by, and where it is best near by, as deviations.
  struct Choice {
    BandwidthRule rule = BandwidthRule::kNumber;  // kNumber: by no such criterion
    std::vector<LocalBandwidth> optima = {};      // ascending by what is to be small
  };

  double rtol_, weight_squares_;  // their sum; 0: weights are copies
  std::vector<Index> size_;       // of the rows
  RowKernels kernels_;
  struct FileRows {
    NarrowNumbers rows, weights;
  };
  Lazy<FileRows> file_rows_ = Lazy<FileRows>::unmade();
  Choice choice_;
};

void describe(OptionVisitor& v, KernelDensity::Options& o);

}  // namespace craton
