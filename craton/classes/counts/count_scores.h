#pragma once
#include <span>
#include <vector>

#include "craton/base/large_pages.h"
#include "craton/base/matrix.h"

// A linear form of the counts of a row for each class: w_c . x + b_c, where some events may be
// impossible.

namespace craton {

class CountScores {
 public:
  // Of multinomial and complement models: b, and a table of w, classes x columns; -inf: a feature
  // that never is there.
  static CountScores of_counts(std::span<const double> intercepts, const Array& weights);
  // Of features that are there, above the threshold, or not: log p(class), and log p(there).
  static CountScores of_presence(std::span<const double> log_prior, const Array& log_p,
                                 double threshold);

  // Row after row; -inf: impossible. requires finite values. Of presence, sparse rows need a
  // threshold of 0 or more: InputError (kBadOption).
  void find(const Chunk& chunk, std::span<double> out) const;

  // The scores of one row; false where find() would refuse it. requires row_work() places of work.
  Index row_work() const { return 2 * (columns_ + stride_); }
  bool find_row(const double* row, double* work, std::span<double> out) const;
  Index entries_work() const { return 2 * stride_; }
  bool find_entries(const Sparse<double>& row, double* work, std::span<double> out) const;

  bool has_impossible() const { return !never_.empty(); }
  // w, features x classes, padded (kernels/linear_scores.h), and b.
  std::span<const double> weights() const { return {weights_.data(), weights_.size()}; }
  std::span<const double> intercepts() const { return intercepts_; }

 private:
  CountScores(Index classes, Index columns);
  void never(Index feature, Index label, double events);
  template <class F>
  void for_all(const F& f) const;
  template <class T>
  void add_entries(const T* values, const std::int32_t* columns, Index count, Index known,
                   double* scores, double* events) const;
  void begin(double* scores, double* events) const;
  void end(const double* scores, const double* events, double* out) const;

  Index classes_, columns_, stride_;
  bool presence_ = false;
  double threshold_ = 0;
  LargePageTable<double> weights_;
  std::vector<double> intercepts_;
  // What a feature adds to the number of impossible events: 1; or -1 for one that must be there,
  // and `must_` has the number of those. Empty: there is none, and all weights are finite.
  std::vector<double> never_, must_;
};

}  // namespace craton
