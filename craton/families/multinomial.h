#pragma once
#include <span>
#include <vector>

#include "craton/base/random.h"
#include "craton/families/statistics.h"

namespace craton {

// P(x) = trials! / prod_k x_k! prod_k p_k^x_k for counts x with sum `trials`. A view: the
// probabilities belong to the caller. Its statistics are Counts, added up over rows by
// add_counts(); its estimate and priors are those of the categorical family.
struct Multinomial {
  double trials;
  std::span<const double> p;

  bool valid() const;
  double log_density(std::span<const double> x) const;
  std::vector<double> mean() const;
  std::vector<double> covariance() const;  // row-major
  double entropy() const;                  // costs trials x levels
  void sample(Random& random, std::span<double> x) const;

  // eta = log p, T = x, A = 0, h = trials! / prod x!.
  double log_base(std::span<const double> x) const;
};

void add_counts(Counts& to, std::span<const double> row, double weight = 1);

}  // namespace craton
