#pragma once
#include <cstdint>
#include <vector>

#include "craton/base/report.h"
#include "craton/engine/fold.h"

// The means of the columns of rows z = [x y], y their targets, and the products about these means,
//
//   m = sum w z / sum w,   S = sum w (z - m)(z - m)',
//
// merged by Chan, Golub and LeVeque's formula: S = S_a + S_b + w_a w_b / w (m_b - m_a)(m_b - m_a)'.

namespace craton {

class CentredSums {
 public:
  explicit CentredSums(const Source& x);  // borrows it, for messages

  Index columns() const { return size_ - 1; }  // of x; the target is the column after them
  double weight() const { return weight_; }
  Index rows() const { return rows_; }  // those of positive weight
  double mean(Index column) const { return mean_[usize(column)]; }
  double product(Index a, Index b) const;  // S_ab
  double range(Index column) const { return high_[usize(column)] - low_[usize(column)]; }
  double largest(Index column) const;           // by its absolute value
  std::uint64_t hash() const { return hash_; }  // of the rows, targets and weights, in any order

  // A value or a target that is not finite, and a bad weight, are InputErrors that name the row.
  void accumulate(const Chunk& chunk);
  void merge(const CentredSums& next);
  void write(Writer& writer) const;
  void read(Reader& reader);
  Index words() const { return 4 + 3 * size_ + ssize(products_); }
  Merge merge_kind() const { return Merge::kTree; }

  // What a model remembers of its rows, and back: InputError (kDamagedModel) for what is none.
  std::vector<Parameter> arrays() const;
  static CentredSums from(std::span<const Parameter> arrays, Index columns, std::uint64_t hash);

 private:
  explicit CentredSums(Index columns);

  const Source* x_ = nullptr;
  Index size_, rows_ = 0;
  double weight_ = 0;
  std::uint64_t hash_ = 0;
  std::vector<double> mean_, low_, high_;
  std::vector<double> products_;  // the lower triangle of S, row by row
};

}  // namespace craton
