#pragma once
#include <span>
#include <vector>

#include "craton/base/bytes.h"
#include "craton/base/row_of.h"

// Sums of rows, each in one of k, that have the same bits in any order, so that a row can be taken
// out again. A term is cut into multiples of two powers of two,
//
//   v = h + l + rest,  h = (v + C) - C,  l = (v - h + c) - c,  C = 1.5 2^52 q,  c = 1.5 2^52 q',
//
// where q is large enough for all sums of h to be exact in double, and q' for those of l. What is
// left out is at most q'/2: for n rows, about n^2 2^-102 of the largest term. (Demmel and Nguyen,
// "Fast reproducible floating-point summation", 2013.)

namespace craton {

// The sums of all clusters, row after row; the last column is the weight.
struct ExactView {
  const double *origin, *cut, *fine_cut;  // cuts: C and c
  double *high, *low;
  std::size_t stride;

  void add(std::size_t cluster, std::size_t j, double term) const {
    const double h = (term + cut[j]) - cut[j];
    high[cluster * stride + j] += h;
    low[cluster * stride + j] += (term - h + fine_cut[j]) - fine_cut[j];
  }
};

class ExactSums {
 public:
  ExactSums() = default;
  // Of w (x - origin), and of w. requires that of the rows in a sum, `rows` at most, all
  // |w (x - origin)_j| add up to at most most[j], and all |w| to at most most.back(), the one after
  // the columns.
  ExactSums(Index k, std::vector<double> origin, std::span<const double> most, Index rows);
  ExactSums zero() const;  // the same without any row

  // Rows of negative weight are taken out. Row: const T*, or RowEntries<T> when the origin is 0.
  template <class Row>
  void add(std::span<const Row> rows, const std::int32_t* labels, std::span<const double> weights);
  void merge(const ExactSums& next);

  Index size() const { return std::ssize(high_) / (std::ssize(origin_) + 1); }  // k
  const std::vector<double>& origin() const { return origin_; }
  // Those of c, in column j, of both together.
  double sum(const ExactSums& more, std::size_t c, std::size_t j) const {
    const std::size_t at = c * (origin_.size() + 1) + j;
    return (high_[at] + more.high_[at]) + (low_[at] + more.low_[at]);
  }
  double weight(const ExactSums& more, std::size_t c) const { return sum(more, c, origin_.size()); }

  void write(Writer& writer) const;
  void read(Reader& reader);
  Index words() const { return 2 * std::ssize(high_); }

 private:
  std::vector<double> origin_, cut_, fine_cut_;  // C, c: by column, and of the weights
  std::vector<double> high_, low_;               // k x (columns + 1): the last is the weight
};

}  // namespace craton
