#pragma once
#include <string>
#include <vector>

#include "craton/core/fold.h"

// Sums of the features over the rows of each class: what models of counts learn from.

namespace craton {

// What of a value is summed: itself, a count that is not negative; or whether it is above a number.
struct Summand {
  bool binary = false;
  double threshold = 0;
};

class FeatureSums {
 public:
  // Borrows the source, for messages. `merge`: kExact needs whole() afterwards.
  FeatureSums(const Source& x, Index classes, Summand summand, Merge merge)
      : FeatureSums(x, x.shape().cols, classes, summand, merge) {}
  // Of rows that are made of those of x, with other columns.
  FeatureSums(const Source& x, Index columns, Index classes, Summand summand, Merge merge);

  Index classes() const { return ssize(weight_); }
  Index columns() const { return columns_; }
  const std::vector<double>& sums() const { return sums_; }  // classes x columns
  std::vector<double> take_sums() { return std::move(sums_); }
  const std::vector<double>& weight() const { return weight_; }  // of the rows of each class
  Index unlabelled() const { return unlabelled_; }
  std::uint64_t hash() const { return hash_; }  // of the rows and weights, in any order
  std::uint64_t unlabelled_hash() const { return unlabelled_hash_; }  // of those without a label
  // Every term was an integer and every sum is below 2^53: then no order of adding changes a bit.
  bool whole() const;

  void add(const FeatureSums& other, double sign);  // -1: as if those rows had not been there
  // After a subtraction: InputError (kBadTarget) if it took away what was never there. What is left
  // of fractions, within rounding, becomes 0.
  void check_subtracted(const Source& x);
  void accumulate(const Chunk& chunk);
  // So much of a row for a class; it is no part of the hash.
  void share(const Chunk& chunk, std::span<const double> weights);
  void merge(const FeatureSums& next);
  void write(Writer& writer) const;
  void read(Reader& reader);
  Index words() const { return classes() * columns_ + 1; }
  Merge merge_kind() const { return merge_; }

  // What a model remembers of its rows.
  static FeatureSums from(std::vector<double> sums, std::vector<double> weight, std::uint64_t hash);

 private:
  FeatureSums() = default;
  // Adds the row, and returns a hash of its entries.
  template <class X>
  std::uint64_t add_row(const X& x, Index row, double weight, double* sums);
  void fill();  // sums_ is empty until there is something to add
  [[noreturn]] void refuse(double value, Index row, Index column) const;

  const Source* x_ = nullptr;
  Index columns_ = 0, unlabelled_ = 0, first_row_ = 0;
  Summand summand_;
  Merge merge_ = Merge::kTree;
  bool fractions_ = false;
  std::uint64_t hash_ = 0, unlabelled_hash_ = 0;
  std::vector<double> sums_, weight_;
};

std::string hash_text(std::uint64_t hash);  // 16 hexadecimal digits, as reports have it

// A threshold below 0 makes the zeros of sparse rows count, which are not there: InputError.
[[noreturn]] void fail_threshold();

// One pass when every value and weight is an integer, two otherwise.
FeatureSums sum_features(Source& x, Index classes, Summand summand, const Exec& exec);

}  // namespace craton
