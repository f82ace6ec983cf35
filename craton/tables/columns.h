#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "craton/base/error.h"
#include "craton/engine/fold.h"

// What every fit asks of its table first: is each value a number, does each weight make sense, and
// where do the columns lie. One pass.

namespace craton {

// Calls f with the dense view; a sparse one is refused.
[[noreturn]] void refuse_sparse();
template <class F>
decltype(auto) visit_dense(const Matrix& x, const F& f) {
  if (const auto* doubles = std::get_if<Dense<double>>(&x)) return f(*doubles);
  if (const auto* floats = std::get_if<Dense<float>>(&x)) return f(*floats);
  refuse_sparse();
}

// Which rows a model takes; sparse ones are refused by those that take dense ones only.
enum class Takes { kDense, kSparseToo };

// Throws InputError that names the first value of the chunk that is NaN or infinite.
void check_finite(const Chunk& chunk, const Source& x);

// The same for models that take missing values: infinite only.
void check_not_infinite(const Chunk& chunk, const Source& x);
// The same for infinite values of one row of the chunk: NaN is a value that is missing.
void check_infinite(const Chunk& chunk, Index row, const Source& x);

// The same for a weight that is negative, NaN or infinite.
void check_weights(const Chunk& chunk, const Source& x);

// The same for a target that is NaN or infinite: InputError (kBadTarget). Also for rows that have
// none.
void check_targets(const Chunk& chunk, const Source& x);

// What a look at all rows can leave of each, by number: a hash of its values, if its weight is
// positive, and its weight.
struct RowKeys {
  explicit RowKeys(Index rows) : hash(usize(rows)), weight(usize(rows), 1.0) {}
  std::vector<std::uint64_t> hash;
  std::vector<double> weight;
};

// Weighted moments by column. Chan, Golub, LeVeque: "Updating formulae and a pairwise algorithm for
// computing sample variances" (1979).
class ColumnStatistics {
 public:
  // Fills `keys` unless that is null.
  explicit ColumnStatistics(const Source& x, Takes takes = Takes::kDense, RowKeys* keys = nullptr);

  double weight() const { return weight_; }  // the sum of the weights
  Index rows() const { return rows_; }       // those of positive weight
  bool sparse() const { return sparse_; }    // are the rows?
  const std::vector<double>& mean() const { return mean_; }
  std::vector<double> variance() const;  // divided by the sum of the weights
  double mean_variance() const;
  double range(Index column) const { return high_[usize(column)] - low_[usize(column)]; }
  double largest(Index column) const {  // by its absolute value
    return std::max(std::abs(low_[usize(column)]), std::abs(high_[usize(column)]));
  }
  bool constant(Index column) const { return range(column) == 0; }
  // 16 hex digits over the rows of positive weight and their weights: the same in any order, from
  // any source, in float and double.
  std::string data_hash() const;

  // What a model remembers of its columns (registry.h): weight, rows, the two halves of the hash,
  // then the means, sums of squares about them, least and greatest values. And back: InputError
  // (kDamagedModel) for what is none.
  Array to_array() const;
  static ColumnStatistics from_array(const Array& array, Index columns);

  void accumulate(const Chunk& chunk);
  void merge(const ColumnStatistics& next);
  void write(Writer& writer) const;
  void read(Reader& reader);
  Index words() const { return 4 + 4 * std::ssize(mean_); }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  explicit ColumnStatistics(Index columns);
  template <std::size_t kRows, class T>
  void add_rows(const T* const* rows, const double* weights, const std::size_t* numbers);
  template <class T>
  void add_sparse(const Sparse<T>& x, const Chunk& chunk);

  const Source* source_ = nullptr;  // for messages, during the pass
  Takes takes_ = Takes::kDense;
  bool sparse_ = false;
  double weight_ = 0;
  Index rows_ = 0;
  std::uint64_t hash_ = 0;           // the sum of a hash of each row and its weight
  std::vector<std::uint64_t> keys_;  // of the columns in it
  RowKeys* of_rows_ = nullptr;
  std::vector<double> mean_, scatter_, low_, high_;
};

// Squares of differences, times weights, times columns, must neither overflow nor vanish: columns
// may spread over at most kWidest (and a Gaussian needs kNarrowest), and all weights together lie
// between 1 / kHeaviest and kHeaviest.
inline constexpr double kWidest = 1e120, kNarrowest = 1e-120, kHeaviest = 1e50;

// InputError (kBadWeight) where the sum of all weights is 0 or beyond those limits.
void check_total_weight(double weight, const Source& x);

// InputError for no rows or no columns.
void check_some(const Source& x);

// Throws InputError (file, row, column) for no rows, no columns, a value that is not finite, a bad
// weight, or a spread beyond the limits above. Fills `keys` unless that is null, with those of all
// rows if `exec` has no other ranks.
ColumnStatistics check_table(Source& x, const Exec& exec, Takes takes = Takes::kDense,
                             RowKeys* keys = nullptr);

// Starts given by the user lie within kWidest of the data; otherwise InputError names the option.
void check_start(const Message& what, const Array& rows, const ColumnStatistics& columns);

// A row of new data so far away that the square of its distance overflows.
[[noreturn]] void fail_too_far(const Source& x, Index row);

}  // namespace craton
