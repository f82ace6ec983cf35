#pragma once
#include <span>
#include <vector>

#include "craton/engine/exec.h"

// Newton's method for a smooth convex function whose value, gradient and curvature come from one
// read of a table:
//
//   step = -C^-1 g,   decrement = sqrt(g' C^-1 g),   x <- x + t step,  t = 1, 1/2, 1/4, ...
//
// until the function does not rise. Of a log-likelihood, C^-1 is the covariance of its parameters:
// the decrement is the length of the step in standard errors, whatever the units. Where it ends
// does not depend on the way: near the end each step has twice the digits of the one before.

namespace craton {

enum class Curvature {
  kNone,
  kPart,   // of some of the rows, in floats: enough for a step from afar
  kRough,  // of all of them: enough for any other
  kFull,
};

struct Evaluation {
  double value = 0;
  double loss = 0;                          // the part of it that the rows have
  std::vector<double> gradient, curvature;  // curvature: size x size, or none
  Curvature kind = Curvature::kNone;
};

class SmoothFunction {
 public:
  virtual ~SmoothFunction() = default;
  virtual Index size() const = 0;
  virtual Evaluation at(std::span<const double> x, Curvature wanted) = 0;
  // Asked after every pass, with the step that would follow: true ends the search.
  virtual bool stop(std::span<const double>, const Evaluation&, std::span<const double>) {
    return false;
  }
};

struct NewtonOptions {
  Index max_iter = 100;
  double tol = 1e-10;  // of the decrement
  Curvature at_the_start = Curvature::kFull;
  Curvature on_the_way = Curvature::kFull;
  Curvature at_the_end = Curvature::kNone;  // what the last evaluation is to have
  double scale = 1;                         // the trace has -value / scale
  bool silent = false;                      // progress is not told
};

struct NewtonResult {
  std::vector<double> x;
  Evaluation last;  // at x
  double decrement = 0;
  Index iterations = 0;
  bool converged = false;
  bool stopped = false;       // by the function
  bool singular = false;      // the curvature was, and was made a little larger
  std::vector<double> trace;  // higher is better
};

NewtonResult minimise(SmoothFunction& f, std::vector<double> start, const NewtonOptions& options,
                      const Exec& exec);

}  // namespace craton
