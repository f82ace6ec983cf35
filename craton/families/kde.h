#pragma once
#include <memory>
#include <span>
#include <vector>

#include "craton/families/family.h"
#include "craton/kernels/smoothing/kernel_sums.h"

// A kernel density estimate as a family of one column: a Gaussian kernel about each value that was
// seen (Rosenblatt 1956, Parzen 1962),
//
//   p(x) = 1 / (W h sqrt(2 pi)) sum_i w_i exp(-((x - y_i) / h)^2 / 2),   W = sum_i w_i.
//
// The parameters are h, the distinct values y_1 < y_2 < ... < y_n, and then their weights
// w_1, ..., w_n. The estimate keeps all values; h is known (Estimation::known[0]) or found by a
// rule (Estimation::bandwidth). What has no bandwidth, as values that are all equal, gets the least
// spread. Densities are within 1e-10 of the sum, relative, as kernel_sums.h proves.

namespace craton {

// Parameters as what they are. A view.
struct KernelParameters {
  double bandwidth;
  std::span<const double> values, weights;

  explicit KernelParameters(std::span<const double> parameters)
      : bandwidth(parameters[0]),
        values(parameters.subspan(1, parameters.size() / 2)),
        weights(parameters.subspan(1 + parameters.size() / 2)) {}
};

// A distribution of the family, made ready for many values: O(n) once, then O(1) for a density
// where many values are near, O(n) elsewhere.
class KernelLine {
 public:
  explicit KernelLine(std::span<const double> parameters);

  double log_density(double x) const;  // 0 of NaN
  void log_density(std::span<const double> x, std::span<double> out) const;
  // As if `weight` of the value x had not been seen: to a few last places. requires that it was,
  // and that something else was, too.
  double log_density_without(double x, double weight) const;
  double cdf(double x) const;
  double quantile(double p) const;
  double sample(Random& random) const;
  double mean() const;
  double variance() const;
  double entropy() const;  // by quadrature

 private:
  KernelParameters seen() const { return KernelParameters(parameters_); }
  double total() const { return up_to_.back(); }
  Index first_above(double x) const;  // of the values

  Parameters parameters_;
  std::vector<double> up_to_;  // up_to_[i]: the weight of the first i values
  KernelSums sums_;
  double log_scale_;  // -log(W h sqrt(2 pi))
};

using KernelLines = std::vector<std::shared_ptr<const KernelLine>>;

// Null where the family is another one.
std::shared_ptr<const KernelLine> kernel_line(const Family& family,
                                              std::span<const double> parameters);

// log p of a block: by `line`, which was made from the parameters, or null.
void log_density(const Family& family, const KernelLine* line, std::span<const double> parameters,
                 std::span<const double> values, std::span<double> out);

// The family of the table.
class KdeFamily final : public Family {
 public:
  static constexpr std::string_view kName = "kde";
  KdeFamily();
  Statistics empty(Index levels) const override;
  void accumulate(std::span<const double> values, std::span<const double> weights,
                  Statistics& statistics) const override;
  Parameters estimate(const Statistics& statistics, const Estimation& how) const override;
  bool valid(std::span<const double> parameters) const override;
  std::vector<NamedNumber> summary(std::span<const double> parameters) const override;
  void log_density(std::span<const double> values, std::span<const double> parameters,
                   std::span<double> out) const override;
  void cdf(std::span<const double> values, std::span<const double> parameters,
           std::span<double> out) const override;
  void quantile(std::span<const double> p, std::span<const double> parameters,
                std::span<double> out) const override;
  void sample(std::span<const double> parameters, Random& random,
              std::span<double> out) const override;
  double mean(std::span<const double> parameters) const override;
  double variance(std::span<const double> parameters) const override;
  double entropy(std::span<const double> parameters) const override;
  Parameters standard_errors(std::span<const double> parameters, double weight) const override;
  std::optional<Natural> natural(std::span<const double> parameters) const override;
  std::optional<Sufficient> sufficient(double x, std::span<const double> parameters) const override;
  Parameters from_natural(std::span<const double> natural,
                          std::span<const double> like) const override;
};

}  // namespace craton
