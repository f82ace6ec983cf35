#pragma once
#include "craton/base/source.h"
#include "craton/classes/counts/count_rows.h"
#include "craton/engine/exec.h"

// Sums of numbers of 0 or more that have the same bits in any order: each number is cut into a high
// and a low part, of which sums are exact (kernels/exact_sums.h).

namespace craton {

// Adds the parts of a term to two sums, of the high parts and of the low ones.
struct OrderFreeAdder {
  double high = 0, low = 0;

  // For so many terms, none above the largest.
  static OrderFreeAdder of(double largest, Index terms);
  void add(double term, double& high_sum, double& low_sum) const {
    const double h = (term + high) - high;
    high_sum += h;
    low_sum += (term - h + low) - low;
  }
};

// What must be known of the terms weight x value (of a binary summand: weight) before they are
// summed so.
struct TermFacts {
  double largest = 0;
  bool whole_weights = true;  // all weights are integers

  bool can_be_cut() const { return whole_weights && largest > 1e-150 && largest < 1e250; }
};
// One pass over the rows.
TermFacts survey_terms(Source& x, const Summand& summand, const Exec& exec);

// An integer, or so large that every double is one.
bool is_whole(double value);

}  // namespace craton
