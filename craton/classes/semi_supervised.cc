#include "craton/classes/semi_supervised.h"

#include <fmt/core.h>

#include <limits>

#include "craton/base/error.h"
#include "craton/kernels/special.h"

namespace craton {

void describe(OptionVisitor& v, SemiSupervised& o) {
  v.choice("unlabelled", o.unlabelled, {"skip", "em"},
           "rows without a label: leave them out, or learn from them too by EM");
  v.number("unlabelled_weight", o.unlabelled_weight, 0, kInfinite,
           "weight of a row without a label in EM");
  v.integer("max_iter", o.max_iter, 0, Index{1} << 31, "updates of EM, at most");
  v.number("tol", o.tol, 0, kInfinite, "EM ends when its objective gains at most this");
}

void check_learns_on(const SemiSupervised& options, Calibrate calibrate) {
  const bool em = options.unlabelled == Unlabelled::kEm;
  if (!em && calibrate == Calibrate::kNone) return;
  throw InputError(
      Code::kNotAble, {},
      {"{} needs all rows at once: such a model cannot learn on, unlearn or merge",
       em ? Ref::option("unlabelled", "em") : Ref::option("calibrate", "leave-one-out")},
      {"Fit it on all rows, or with {}.",
       em ? Ref::option("unlabelled", "skip") : Ref::option("calibrate", "none")});
}

}  // namespace craton
