#include "craton/classes/semi_supervised.h"

namespace craton {

void describe(OptionVisitor& v, SemiSupervised& o) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  v.choice("unlabelled", o.unlabelled, {"skip", "em"},
           "rows without a label: leave them out, or learn from them too by EM");
  v.number("unlabelled_weight", o.unlabelled_weight, 0, kInfinite,
           "weight of a row without a label in EM");
  v.integer("max_iter", o.max_iter, 0, Index{1} << 31, "updates of EM, at most");
  v.number("tol", o.tol, 0, kInfinite, "EM ends when its objective gains at most this");
}

}  // namespace craton
