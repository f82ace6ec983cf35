#pragma once
#include <array>

#include "craton/families/family.h"

namespace craton {

// P(code) = p[code], code = 0, 1, ..., levels - 1. The estimate is the share of each code, exactly:
// 0 for one that was never seen, unless a prior says otherwise. A code beyond the table has
// probability 0. A view: the probabilities belong to the caller.
struct Categorical {
  std::span<const double> p;

  static constexpr std::array kParameters{ParameterInfo{"p", "probability of each level", 0, 1}};
  static constexpr FamilyInfo kInfo{"categorical", "one of several levels, by code",
                                    Support::kCategory, kParameters};
  static Parameters estimate(const Counts& seen);
  bool valid() const;  // they sum to 1 within 1e-9

  double log_density(double code) const;
  double cdf(double code) const;
  double quantile(double probability) const;
  double mean() const;
  double variance() const;
  double entropy() const;
  double sample(Random& random) const;
};

// The family of the table.
class CategoricalFamily final : public Family {
 public:
  CategoricalFamily() : Family(Categorical::kInfo) {}
  Statistics empty(Index levels) const override;
  void accumulate(std::span<const double> values, std::span<const double> weights,
                  Statistics& statistics) const override;
  Parameters estimate(const Statistics& statistics, const Estimation& how) const override;
  bool valid(std::span<const double> parameters) const override;
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
  // eta_k = log p_k, T_k = [x = k], A = 0.
  std::optional<Natural> natural(std::span<const double> parameters) const override;
  std::optional<Sufficient> sufficient(double x, std::span<const double> parameters) const override;
  Parameters from_natural(std::span<const double> natural,
                          std::span<const double> like) const override;
};

}  // namespace craton
