#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "craton/base/report.h"
#include "craton/classes/discriminant/class_moments.h"
#include "craton/engine/fold.h"

// The scatter of the rows of each class: what discriminant analysis learns from.

namespace craton {

// For each class, with y = x - s: n = sum w, sum w t and the lower half of sum w t t'. The shift s
// has in each column the value of some row, so an offset costs no digits, and integers with integer
// weights stay exact: then no order of merging changes a bit of what is estimated.
//
//   kSecond  t = y: the covariance
//   kFourth  t = (y, y^2): also the mean of products of squares, which Ledoit and Wolf's rule needs
class ClassScatter {
 public:
  using Order = MomentOrder;

  // Borrows the source, for messages.
  ClassScatter(const Source& x, Index classes, Order order);

  Index classes() const { return ssize(class_weight_); }
  Index columns() const { return columns_; }
  Order order() const { return order_; }
  const std::vector<double>& class_weight() const { return class_weight_; }
  Index unlabelled() const { return unlabelled_; }
  std::uint64_t hash() const { return hash_; }  // of the rows and weights, in any order

  // requires a class that has weight.
  std::vector<double> mean(Index label) const;
  std::vector<double> scatter(Index label) const;  // sum w (x - mean)(x - mean)', d x d
  // sum w (sum_j ((x_j - mean_j) / scale_j)^2)^2. requires kFourth.
  double fourth_power(Index label, std::span<const double> scale) const;

  // InputError (kNotFinite) for a value that is missing or infinite. O(d^2) a row.
  void accumulate(const Chunk& chunk);
  void merge(const ClassScatter& next);  // requires the same order
  void lower(Order order);               // forgets what is above it
  // As if the rows of `other` had not been there; InputError (kBadTarget), with the name of the
  // source, if it had never seen them.
  void subtract(const ClassScatter& other, const Source& x);
  void write(Writer& writer) const;
  void read(Reader& reader);
  Index words() const { return ssize(scatter_) + ssize(sum_) + ssize(shift_) + classes() + 2; }
  Merge merge_kind() const { return Merge::kTree; }

  // What a model remembers of its rows, and back: InputError (kDamagedModel) for
  // numbers that no rows could have left.
  std::vector<Parameter> arrays() const;
  static ClassScatter from(std::span<const Parameter> arrays, Index classes, Index columns,
                           std::uint64_t hash);

 private:
  ClassScatter(Index classes, Index columns, Order order);
  ClassScatter empty() const;
  template <class T>
  void add_rows(const Dense<T>& x, const Chunk& chunk);
  // The sums of one class about its shift - by: y becomes y + by.
  struct Sums {
    double weight;
    std::span<double> sum, scatter;
  };
  Sums of(Index label);
  void move(const Sums& sums, std::span<const double> by) const;

  const Source* x_ = nullptr;
  Order order_;
  Index columns_ = 0, unlabelled_ = 0;
  std::size_t d_, t_, half_;  // columns, numbers in t, and in the lower half of t t'
  std::uint64_t hash_ = 0;
  std::vector<std::uint64_t> keys_;  // of the columns, in the hash
  std::vector<double> class_weight_, shift_, sum_, scatter_;
};

}  // namespace craton
