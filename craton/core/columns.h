#pragma once
#include <string>
#include <variant>
#include <vector>

#include "craton/core/error.h"
#include "craton/core/fold.h"

// What every fit asks of its table first: is each value a number, does each weight make sense, and
// where do the columns lie. One pass.

namespace craton {

// Calls f with the dense view; a sparse one is refused.
template <class F>
decltype(auto) visit_dense(const Matrix& x, const F& f) {
  if (const auto* doubles = std::get_if<Dense<double>>(&x)) return f(*doubles);
  if (const auto* floats = std::get_if<Dense<float>>(&x)) return f(*floats);
  throw InputError(Code::kUnsupported, {}, "the data are sparse, and this model takes dense rows",
                   "Convert them: .toarray() in Python.");
}

// Throws InputError that names the first value of the chunk that is NaN or infinite.
void check_finite(const Chunk& chunk, const Schema& schema, const std::string& file);

// Weighted moments by column. Chan, Golub, LeVeque: "Updating formulae and a pairwise algorithm for
// computing sample variances" (1979).
class ColumnStatistics {
 public:
  explicit ColumnStatistics(const Source& x);

  double weight() const { return weight_; }  // the sum of the weights
  Index rows() const { return rows_; }       // those of positive weight
  const std::vector<double>& mean() const { return mean_; }
  std::vector<double> variance() const;  // divided by the sum of the weights
  double mean_variance() const;
  bool constant(Index column) const { return low_[usize(column)] == high_[usize(column)]; }

  void accumulate(const Chunk& chunk);
  void merge(const ColumnStatistics& next);
  void write(Writer& writer) const;
  void read(Reader& reader);
  Index words() const { return 2 + 4 * std::ssize(mean_); }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  template <class T>
  void add_row(const T* row, double weight);

  const Source* source_;  // for messages, during the pass
  double weight_ = 0;
  Index rows_ = 0;
  std::vector<double> mean_, scatter_, low_, high_;
};

// Throws InputError (file, row, column) for no rows, no columns, a value that is not finite, a bad
// weight, or a spread whose square overflows.
ColumnStatistics check_table(Source& x, const Exec& exec);

}  // namespace craton
