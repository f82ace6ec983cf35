#pragma once
#include <span>
#include <string>
#include <vector>

#include "craton/base/large_pages.h"
#include "craton/classes/counts/nonzero_sums.h"
#include "craton/classes/counts/order_free_sums.h"
#include "craton/engine/fold.h"

// Sums of the features over the rows of each class: what models of counts learn from.

namespace craton {

// How sums are made. In the first two ways the order of the rows does not change a bit of a sum.
enum class Summing {
  kCounts,     // integers below 2^32
  kOrderFree,  // any numbers, by integer weights, each cut into two that add up exactly
  kNumbers,    // any numbers and weights, in the order of the fold's tree
};

class FeatureSums {
 public:
  // Borrows the source, for messages. `largest`: of the terms, which kOrderFree has to know.
  FeatureSums(const Source& x, Index classes, Summand summand, Summing summing, double largest = 0)
      : FeatureSums(x, x.shape().cols, classes, summand, summing, largest) {}
  // Of rows that are made of those of x, with other columns.
  FeatureSums(const Source& x, Index columns, Index classes, Summand summand, Summing summing,
              double largest = 0);

  Index classes() const { return ssize(weight_); }
  Index columns() const { return columns_; }
  double of(Index label, Index column) const;
  NonzeroSums nonzero(const Exec& exec) const;
  const std::vector<double>& weight() const { return weight_; }  // of the rows of each class
  Index unlabelled() const { return unlabelled_; }
  std::uint64_t hash() const { return hash_; }  // of the rows and weights, in any order
  std::uint64_t unlabelled_hash() const { return unlabelled_hash_; }  // of those without a label
  // Are the sums of kCounts of any use? Not if some term was no count, or they are too large.
  bool sound() const { return summing_ != Summing::kCounts || (!fractions_ && !too_large_); }

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
  Merge merge_kind() const { return summing_ == Summing::kNumbers ? Merge::kTree : Merge::kExact; }

  // What a model remembers of its rows; from a file, InputError (kDamagedModel) for what is no sum.
  static FeatureSums from(std::vector<double> sums, std::vector<double> weight, std::uint64_t hash);
  static FeatureSums remembered(const Array& sums, const Array& weight, std::uint64_t hash);
  // None, for share() alone, whose rows were looked at before.
  static FeatureSums none(Index columns, Index classes);

 private:
  FeatureSums() = default;
  // Adds the row, and returns a hash of its entries.
  template <class X>
  std::uint64_t add_row(const X& x, Index row, double weight, Index label);
  template <class X>
  std::uint64_t add_numbers(const X& x, Index row, double weight, std::size_t first);
  template <class X>
  void look_closer(const X& x, Index row);
  void fill();  // sums_ or counts_ is empty until there is something to add
  void widen();
  [[noreturn]] void refuse(double value, Index row, Index column) const;

  const Source* x_ = nullptr;
  Index columns_ = 0, unlabelled_ = 0, first_row_ = 0;
  Summand summand_;
  Summing summing_ = Summing::kNumbers;
  OrderFreeAdder adder_;
  bool fractions_ = false, too_large_ = false;
  double total_ = 0;  // of counts: none is larger
  std::uint64_t hash_ = 0, unlabelled_hash_ = 0;
  LargePageTable<std::uint32_t> counts_;     // of kCounts, classes x columns
  std::vector<double> sums_, low_, weight_;  // low_: of kOrderFree, to be added to sums_
};

// A threshold below 0 makes the zeros of sparse rows count, which are not there: InputError.
[[noreturn]] void fail_threshold();

// The fastest way of summing that holds. sum(way, largest) makes a pass, survey() finds TermFacts.
template <class Sum, class Survey>
FeatureSums sum_soundly(const Sum& sum, const Survey& survey) {
  FeatureSums sums = sum(Summing::kCounts, 0);
  if (!sums.sound()) {
    const TermFacts terms = survey();
    sums = sum(terms.can_be_cut() ? Summing::kOrderFree : Summing::kNumbers, terms.largest);
  }
  return sums;
}
FeatureSums sum_features(Source& x, Index classes, Summand summand, const Exec& exec);

// Sums of which squares and products can be taken; else InputError (kNotFinite) names the column.
NonzeroSums checked(NonzeroSums sums, const Schema& schema, const std::string& file);

}  // namespace craton
