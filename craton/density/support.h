#pragma once
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/schema.h"
#include "craton/kernels/smoothing/smoothing_kernel.h"

// Between what the values of columns lie, and how a density that knows nothing of it is folded into
// that: what lies beyond an end a is reflected at it, and of a column with a period D = b - a what
// lies beyond comes in at the other end. The value x is then x and its images,
//
//   2 a - x;  or 2 b - x;  or of both ends 2 a - x + 2 k D, x + 2 k D;  or of a period x + k D,
//
// and the density at x the sum of what it was at these: it integrates to one as before. (Silverman,
// "Density estimation for statistics and data analysis", 1986, 2.10.) Or a line is fitted where an
// end is near (linear_ends.h): then nothing is folded.

namespace craton {

struct ColumnSupport {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  enum class Ends { kReflected, kLinear, kPeriodic };
  Ends ends = Ends::kReflected;

  bool periodic() const { return ends == Ends::kPeriodic; }
  bool linear() const { return ends == Ends::kLinear && !whole(); }
  bool whole() const { return std::isinf(low) && std::isinf(high); }
  bool holds(double x) const { return low <= x && x <= high; }
  bool operator==(const ColumnSupport&) const = default;
};

// "age=0.. linear, angle=0..360 periodic": InputError (kBadOption) for what is none, names no
// column, or is empty. A column for each of the schema; none where the text is empty.
std::vector<ColumnSupport> read_support(std::string_view text, const Schema& schema);

// The same as it would be typed.
std::string written_support(std::span<const ColumnSupport> support, const Schema& schema);

// The images of a value, the first of which is itself. Beside the nearest of them, those that are
// left out have a share of at most e^-kFar of each kernel, the gaussian one or one of one column.
class Images {
 public:
  static constexpr double kFar = 41;

  // requires an interval.
  Images(const ColumnSupport& column, double bandwidth, SmoothingKernel kernel);
  Index count() const { return count_; }  // 0: so many that the density is all but constant
  double at(Index image, double x) const;
  double fold(double x) const;  // of a value anywhere, the image in the support

 private:
  ColumnSupport column_;
  Index count_ = 1;
};

}  // namespace craton
