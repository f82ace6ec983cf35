#pragma once
#include <span>
#include <string_view>
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

struct Points {
  Index columns = 0;
  std::vector<double> rows;     // size() x columns
  std::vector<double> weights;  // positive

  Index size() const { return std::ssize(weights); }
  Dense<double> view() const { return {rows.data(), size(), columns, columns}; }
  double weight() const;  // of all
  double range(Index column) const;
  bool operator==(const Points&) const = default;
};

// Rows of weight 0 are left out, and -0 becomes 0. requires a table that check_table() passed.
Points points_of(Source& x, const Exec& exec);

// The same with the target of each row behind it, as one more column. InputError (kBadTarget) names
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
