#pragma once
#include <cstdint>
#include <vector>

#include "craton/base/report.h"
#include "craton/engine/fold.h"
#include "craton/families/statistics.h"

// The moments of every column over the rows of each class: what Gaussian naive Bayes learns from.

namespace craton {

// kFourth: also what the squares vary by, of which rules of shrinkage are made.
enum class MomentOrder { kSecond = 1, kFourth = 2 };

// For each class c and column j, classes x columns: n = sum w, sum w (x - s) and sum w (x - s)^2
// over the values that are there, and to the fourth order the third and the fourth powers. The
// shift s is one of them (Moments of families/statistics.h), so an offset costs no digits, and
// integers with integer weights stay exact: then no order of merging changes a bit of what is
// estimated (of fourth powers, whose shift does not cancel, but for rounding).
class ClassMoments {
 public:
  using Order = MomentOrder;

  // Borrows the source, for messages.
  ClassMoments(const Source& x, Index classes, Order order = Order::kSecond);

  Index classes() const { return ssize(class_weight_); }
  Index columns() const { return columns_; }
  Order order() const { return order_; }
  Moments of(Index label, Index column) const;
  Moments of_column(Index column) const;  // in all classes
  // sum w (x - mean)^4. requires kFourth, and weight in the class.
  double fourth_power(Index label, Index column) const;
  const std::vector<double>& class_weight() const { return class_weight_; }
  Index unlabelled() const { return unlabelled_; }
  std::uint64_t hash() const { return hash_; }  // of the rows and weights, in any order

  // A value that is NaN is left out, an infinite one refused: InputError (kNotFinite). Dense rows
  // take O(rows x columns), sparse ones O(entries + classes x columns): zeros are counted.
  void accumulate(const Chunk& chunk);
  void merge(const ClassMoments& next);  // requires the same order
  void lower(Order order);               // forgets what is above it
  // As if the rows of `other` had not been there; InputError (kBadTarget), with the name of the
  // source, if it had never seen them.
  void subtract(const ClassMoments& other, const Source& x);
  void write(Writer& writer) const;
  void read(Reader& reader);
  Index words() const { return 4 * ssize(sum_) + 2 * ssize(fourth_) + classes() + 2; }
  Merge merge_kind() const { return Merge::kTree; }

  // What a model remembers of its rows, and back: InputError (kDamagedModel) for
  // numbers that no rows could have left.
  std::vector<Parameter> arrays() const;
  static ClassMoments from(std::span<const Parameter> arrays, Index classes, Index columns,
                           std::uint64_t hash);

 private:
  ClassMoments(Index classes, Index columns, Order order);
  ClassMoments empty() const;
  template <class T>
  void add_rows(const Dense<T>& x, const Chunk& chunk);
  template <class T>
  void add_rows(const Sparse<T>& x, const Chunk& chunk);
  template <class T>
  Moments present(const Dense<T>& x, const Chunk& chunk, Index label, Index column) const;
  template <class T>
  void add_powers(const Dense<T>& x, const Chunk& chunk);
  void move_powers(std::size_t at, double by);  // the third and fourth, to y + by
  bool use(const Chunk& chunk, Index row);      // does it count? The others are counted here.
  void set(std::size_t at, const Moments& m);

  const Source* x_ = nullptr;
  Order order_;
  Index columns_ = 0, unlabelled_ = 0;
  std::uint64_t hash_ = 0;
  std::vector<std::uint64_t> keys_;  // of the columns, in the hash
  std::vector<double> class_weight_, weight_, shift_, sum_, square_;
  std::vector<double> cube_, fourth_;  // empty to the second order
};

// InputError (kNotFinite): the values of a column spread so widely that their squares overflow.
[[noreturn]] void fail_too_wide(const Schema& schema, Index column);

}  // namespace craton
