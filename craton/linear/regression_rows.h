#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "craton/base/function_ref.h"
#include "craton/engine/fold.h"
#include "craton/tables/columns.h"

// Rows as least squares takes them: with a 1 before the features x and the target y behind them,
//
//   z = [1, (x - c) f, (y - t) g],
//
// about a shift (c, t) near the means, so that an offset costs no digits, and in units f and g that
// are powers of two and make every column about as long as the first.

namespace craton {

struct RowFrame {
  std::vector<double> shift;  // c, then t
  std::vector<double> unit;   // f, then g

  Index columns() const { return std::ssize(shift) - 1; }
  Index width() const { return std::ssize(shift) + 1; }  // of z
};

// Up to kBlockRows rows z, one after the other, `stride` apart.
struct RowBlock {
  Index first_row = 0;  // in the chunk
  Index rows = 0;
  const double* z = nullptr;
  Index stride = 0;
  const double* weights = nullptr;  // null: all are 1
};
inline constexpr Index kBlockRows = 256;

// The rows of the chunk, block by block. A chunk without targets has y = t.
void for_row_blocks(const Chunk& chunk, const RowFrame& frame,
                    FunctionRef<void(const RowBlock&)> use);

// What a regression asks of its table first: of the features (columns.h), and of the target.
class RegressionColumns {
 public:
  explicit RegressionColumns(const Source& x)
      : features_(x, Takes::kSparseToo), source_(&x), target_weight_(0) {}

  const ColumnStatistics& features() const { return features_; }
  double target_mean() const { return mean_; }
  double target_variance() const { return scatter_ / target_weight_; }
  double target_range() const { return high_ - low_; }
  double largest_target() const { return std::max(std::abs(low_), std::abs(high_)); }
  bool constant_target() const { return target_range() == 0; }
  double log_weight() const { return log_weight_; }  // sum of log w over rows of positive weight
  std::uint64_t hash() const;  // of the rows, targets and weights, in any order

  // A shift by means; sparse columns with zeros stay where they are, so that zeros stay zeros.
  RowFrame frame() const;

  void accumulate(const Chunk& chunk);
  void merge(const RegressionColumns& next);
  void write(Writer& writer) const;
  void read(Reader& reader);
  Index words() const { return features_.words() + 7; }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  ColumnStatistics features_;
  const Source* source_;
  double target_weight_, mean_ = 0, scatter_ = 0, log_weight_ = 0;
  double low_ = 1 / 0.0, high_ = -1 / 0.0;
  std::uint64_t hash_ = 0;  // of the targets, each with its weight and its row's first value
};

// Squares of what is summed neither overflow nor vanish: InputError (kNotFinite, kNoSpread) names
// the column. `centred`: about the means.
void check_sizes(const RegressionColumns& columns, bool centred, const Source& x);

// InputError (columns.h), and kBadTarget for a target that is missing or infinite.
RegressionColumns check_regression(Source& x, const Exec& exec);

}  // namespace craton
