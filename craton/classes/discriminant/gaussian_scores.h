#pragma once
#include <span>
#include <vector>

#include "craton/base/source.h"

// log p(x, c) = log p(c) + sum_j log N(x_j | mu_cj, sigma_cj^2) for the rows of a chunk.

namespace craton {

class GaussianScores {
 public:
  // Tables of classes x columns. requires variances > 0.
  GaussianScores(std::span<const double> log_prior, const Array& means, const Array& variances);

  // Row after row; -inf for a class that has no probability, or is too far. A value that is NaN is
  // left out of the sum. InputError (kNotFinite) for an infinite value, or a row so far from every
  // class that squares overflow. Of sparse rows O(entries x classes), see far_.
  void find(const Chunk& chunk, const Source& x, std::span<double> out) const;
  // The same of one row; false where find() would refuse it, or must leave missing values out.
  bool find_row(const double* row, std::span<double> out) const;

 private:
  template <class T>
  void find_rows(const Dense<T>& x, std::span<double> out) const;
  template <class T>
  void find_rows(const Sparse<T>& x, std::span<double> out) const;
  template <class T>
  void skip_missing(const Dense<T>& x, Index row, double* out) const;
  template <class T>
  void skip_missing(const Sparse<T>&, Index, double*) const {}  // find_rows() has
  double z(std::size_t at, double value) const { return (value - means_[at]) * scale_[at]; }

  std::size_t k_, d_;
  std::vector<double> log_prior_, means_, scale_, constant_;  // scale: 1 / sigma
  // Of sparse rows: the score of a row of zeros, but for the columns whose zero is so far from the
  // mean of some class that adding and taking it back would cost digits. Those are few, or the
  // table is not sparse, and are gone through for every row.
  std::vector<double> of_zeros_;
  std::vector<std::size_t> far_;
  std::vector<bool> is_far_;
};

}  // namespace craton
