#pragma once
#include "craton/base/source.h"
#include "craton/classes/counts/count_rows.h"
#include "craton/engine/exec.h"

// Sums of any terms of 0 or more that have the same bits in any order.

namespace craton {

// What a term v adds: h, and what is left of it, as in kernels/exact_sums.h, for terms of 0 or
// more.
struct OrderFreeAdder {
  double high = 0, low = 0;

  static OrderFreeAdder of(double largest, Index terms);
  void add(double term, double& high_sum, double& low_sum) const {
    const double h = (term + high) - high;
    high_sum += h;
    low_sum += (term - h + low) - low;
  }
};

// The largest weight x value, or weight of a binary summand; and are all weights integers?
struct TermFacts {
  double largest = 0;
  bool whole_weights = true;

  bool fit_order_free() const { return whole_weights && largest > 1e-150 && largest < 1e250; }
};
// One pass.
TermFacts survey_terms(Source& x, const Summand& summand, const Exec& exec);

// An integer, or so large that all are.
bool is_whole(double value);

}  // namespace craton
