#pragma once
#include "craton/families/family.h"

// Which family describes some values best? Each is fitted by maximum likelihood; Akaike's and the
// Bayesian criterion charge it for its k parameters:
//
//   AIC = 2 k - 2 log L,   BIC = k log n - 2 log L,   lower is better.

namespace craton {

enum class Criterion { kBic, kAic };

struct Candidate {
  const Family* family = nullptr;
  Parameters parameters = {};
  double log_likelihood = 0, weight = 0;
  Index free_parameters = 0;

  double aic() const;
  double bic() const;
  double value(Criterion criterion) const { return criterion == Criterion::kAic ? aic() : bic(); }
};

// Those that can be compared with each other on values of this extent: probabilities of counts
// where all values are counts, else densities. Without angles, categories, families that must be
// told something, and those whose parameters nothing counts.
std::vector<const Family*> comparable_families(const Extent& extent);

// The place of the best; of two that are equal, the first.
Index best_of(std::span<const Candidate> candidates, Criterion criterion);

// One family fitted to values in memory. requires that its support holds them.
Candidate fit_family(const Family& family, std::span<const double> values,
                     std::span<const double> weights = {}, const Estimation& how = {});
// Every comparable one, the best first. requires values that are not all equal.
std::vector<Candidate> compare_families(std::span<const double> values,
                                        std::span<const double> weights = {},
                                        Criterion criterion = Criterion::kBic);

}  // namespace craton
