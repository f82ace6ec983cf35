#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "craton/base/parameters.h"
#include "craton/base/source.h"
#include "craton/engine/exec.h"

// The rows of a table, for models that keep them: each distinct row once, in ascending order of its
// first column, then its second, and so on, with the weights of equal rows added. So neither the
// order of the rows nor writing a row twice instead of giving it the weight 2 changes a bit. (Whole
// weights are added first, which is exact up to 2^53, then the others from the least on.)

namespace craton {

// Of so many rows. While all are 1 nothing is stored.
class RowWeights {
 public:
  RowWeights() = default;
  RowWeights(std::vector<double> values);  // NOLINT: they are weights
  static RowWeights ones(Index size);

  std::size_t size() const { return size_; }
  bool all_one() const { return values_.empty(); }
  double operator[](std::size_t row) const { return all_one() ? 1 : values_[row]; }
  void push_back(double weight);
  void add_to_last(double weight);

  // As sums take them: none where all are 1. And away.
  std::span<const double> given() const { return values_; }
  std::vector<double> take() && { return std::move(values_); }
  std::vector<double> all() const;

  class Iterator {
   public:
    using value_type = double;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const RowWeights& of, std::size_t row) : of_(&of), row_(row) {}
    double operator*() const { return (*of_)[row_]; }
    Iterator& operator++() { return ++row_, *this; }
    Iterator operator++(int) { return {*of_, row_++}; }
    bool operator==(const Iterator& other) const { return row_ == other.row_; }

   private:
    const RowWeights* of_ = nullptr;
    std::size_t row_ = 0;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size_}; }
  friend bool operator==(const RowWeights&, const RowWeights&) = default;

 private:
  std::size_t size_ = 0;
  std::vector<double> values_;
};

struct Points {
  Index columns = 0;
  std::vector<double> rows;  // size() x columns
  RowWeights weights;        // positive

  Index size() const { return static_cast<Index>(weights.size()); }
  Dense<double> view() const { return {rows.data(), size(), columns, columns}; }
  double weight() const;  // of all
  double range(Index column) const;
  bool operator==(const Points&) const = default;
};

// Rows of weight 0 are left out, and -0 becomes 0. Throws what check_table() throws of the table;
// `data_hash` becomes that of its columns, unless it is null.
Points points_of(Source& x, const Exec& exec, std::uint64_t* data_hash = nullptr);
// The same of rows and weights in any order, finite and positive.
Points sorted_points(Points points, const Exec& exec);

// Those of a table with the target of each row behind it, as one more column. requires a table that
// check_table() passed. InputError (kBadTarget) names
// the first target that is missing or infinite.
Points points_with_targets(Source& x, const Exec& exec);

Points merged(const Points& a, const Points& b);
// As if a had not had the rows of b; InputError (kBadTarget) when it has not.
Points without(const Points& a, const Points& b);

// Numbers in two or four bytes each where that loses no bit (base/narrowest.h), as model files have
// them.
class NarrowNumbers {
 public:
  NarrowNumbers() = default;
  explicit NarrowNumbers(std::span<const double> values);
  std::vector<double> wide() const;
  void visit(ParameterVisitor& v, std::string_view name, std::string_view help,
             std::span<const Index> shape) const;

 private:
  std::variant<std::vector<double>, std::vector<float>, std::vector<std::int16_t>> values_;
};

// A parameter that NarrowNumbers visited, at whatever width it is: InputError (kDamagedModel) when
// its shape is another one. -1 stands for any size.
Array wide_parameter(const ParameterList& parameters, std::string_view name,
                     std::span<const Index> shape);

}  // namespace craton
