#pragma once
#include "craton/linear/newton.h"

// The limited-memory method of Broyden, Fletcher, Goldfarb and Shanno, for functions of so many
// numbers that their curvature cannot be written down. The step is -H g, where H is the inverse of
// a rough curvature that the function has, corrected by the last changes s of x and y of g:
//
//   H <- (I - s y' / y's) H (I - y s' / y's) + s s' / y's
//
// J. Nocedal: "Updating quasi-Newton matrices with limited storage", Mathematics of Computation 35,
// 1980. A step needs one read of the table, unless it is halved.

namespace craton {

class LargeFunction {
 public:
  virtual ~LargeFunction() = default;
  virtual Index size() const = 0;
  virtual Evaluation at(std::span<const double> x) = 0;  // without curvature
  // Makes the rough curvature that of x; and v <- its inverse times v.
  virtual void learn_curvature(std::span<const double> x) = 0;
  virtual void precondition(std::span<double> v) const = 0;
  virtual bool stop() { return false; }  // after every evaluation that is gone on from
};

struct LbfgsOptions {
  Index max_iter = 1000;
  double tol = 1e-6;  // of sqrt(g' H g), as the decrement of newton.h
  Index memory = 20;  // pairs of s and y
  double scale = 1;   // the trace has -value / scale
};

NewtonResult minimise(LargeFunction& f, std::vector<double> start, const LbfgsOptions& options,
                      const Exec& exec);

}  // namespace craton
