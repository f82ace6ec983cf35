#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "craton/families/bandwidth.h"
#include "craton/kernels/smoothing/kernel_sums.h"
#include "craton/model/registry.h"
#include "craton/tables/points.h"

// A kernel density estimate: the mean of one kernel about each row y_i that was learned from,
//
//   p(x) = 1 / (W c prod_j h_j) sum_i w_i k(u_i),   u_i^2 = sum_j ((x_j - y_ij) / h_j)^2,
//
// W = sum_i w_i (Rosenblatt 1956, Parzen 1962). kernels/smoothing/smoothing_kernel.h has the
// kernels k and their volumes c, bandwidth.h the rules for h. Each density is within `rtol` of that
// sum, relative, and the bound is proved for each row (kernel_sums.h).

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
  struct Options {
    BandwidthRule bandwidth = BandwidthRule::kScott;
    double given_bandwidth = 1;  // of kNumber, in every column
    SmoothingKernel kernel = SmoothingKernel::kGaussian;
    BandwidthAs bandwidth_as = BandwidthAs::kScale;  // what a number is; rules give deviations
    double rtol = 1e-8;
  };

  static Fit<KernelDensity> fit(Source& x, const Options& options, const Exec& exec);
  static Fit<KernelDensity> partial_fit(const Fit<KernelDensity>& so_far, Source& x,
                                        const Options& options, const Exec& exec);
  static Fit<KernelDensity> unlearn(const Fit<KernelDensity>& so_far, Source& x,
                                    const Options& options, const Exec& exec);
  static Fit<KernelDensity> merge(const Fit<KernelDensity>& a, const Fit<KernelDensity>& b,
                                  const Options& options);

  Index columns() const { return ssize(bandwidth_); }
  std::span<const double> bandwidth() const { return bandwidth_; }  // the scale h of each column
  SmoothingKernel kernel() const { return sums_.kernel(); }
  Points points() const { return {columns(), rows_.wide(), weights_.wide()}; }

  // The density at x, columns() finite numbers: its logarithm, and the proved bound of its relative
  // error. Where squares of distances overflow and no logarithm is known, the bound is infinite.
  KernelSum density(const double* x) const { return density(x, columns()); }

  // Of one column: the probability of at most x, and the least x of which that is p; 0 < p < 1.
  // O(rows), and 60 times that. InputError (kNotAble) of more columns.
  double cdf(double x) const;
  double quantile(double p) const;

  void score_samples(Source& x, std::span<double> log_density, const Exec& exec) const;
  Index row_work() const { return 0; }
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
  void diagnose(Source& x, ResultTable& rows, const Exec& exec) const;  // adds the proved error

 private:
  KernelDensity(SmoothingKernel kernel, std::vector<double> bandwidth, double rtol,
                const Points& points, const Exec& exec);
  static Fit<KernelDensity> estimate(const Points& points, const Options& options,
                                     const Schema& schema, std::uint64_t data_hash,
                                     const Exec& exec);
  KernelSum density(const double* x, Index first) const;  // of the first columns
  double cdf(double x, const Points& line) const;
  void for_densities(Source& x, const Exec& exec,
                     FunctionRef<void(Index, const KernelSum&)> use) const;

  std::vector<double> bandwidth_;
  double rtol_;
  std::vector<Index> shape_;  // of the rows
  NarrowNumbers rows_, weights_;
  KernelSums sums_;
  std::vector<double> log_scales_;  // -log(W c prod_j h_j), of the first columns
};

void describe(OptionVisitor& v, KernelDensity::Options& o);

}  // namespace craton
