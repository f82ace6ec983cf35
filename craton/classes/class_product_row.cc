#include <algorithm>
#include <cmath>

#include "craton/classes/bayes_rule.h"
#include "craton/classes/class_product.h"

// One row by itself: a block of it alone, on memory that is lent.

namespace craton {

bool ClassProduct::joint_row(const double* row, double* work, std::span<double> out) const {
  const auto number = [](double v) { return std::isfinite(v); };
  if (!std::all_of(row, row + columns(), number)) return false;
  ProductBlock block(program_, work);
  block.load(Dense<double>{row, 1, columns(), columns()}, 0, 1);
  const double* const joint = block.find_joint();
  for (std::size_t z = 0; z < out.size(); ++z) out[z] = joint[z * kProgramRows] + block.base()[0];
  return true;
}

// The block lies first in the work, since it wants a boundary.
std::int32_t ClassProduct::predict_row(const double* row, double* work) const {
  const std::span<double> joint(work + ProductBlock::size(program_), usize(classes()));
  return joint_row(row, work, joint) ? best_class(joint) : -1;
}

bool ClassProduct::predict_log_proba_row(const double* row, double* work, double* out) const {
  const std::span<double> joint(out, usize(classes()));
  return joint_row(row, work, joint) && normalise(joint, work);
}

double ClassProduct::score_row(const double* row, double* work) const {
  const std::span<double> joint(work + ProductBlock::size(program_), usize(classes()));
  return joint_row(row, work, joint) ? log_sum(joint) : NAN;
}

}  // namespace craton
