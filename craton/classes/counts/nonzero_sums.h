#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "craton/base/matrix.h"
#include "craton/engine/exec.h"

namespace craton {

// The sums of the features over the rows of each class, without those that are 0. Of words most
// are.
struct NonzeroSums {
  struct OfClass {
    std::vector<std::int32_t> features;  // ascending
    std::vector<double> sums;
    double total = 0;

    // From all sums of a class; `low`, unless empty, is added to them.
    static OfClass of(std::span<const double> sums, std::span<const double> low);
  };
  Index columns = 0;
  std::vector<OfClass> of_class;
  std::vector<double> weight;  // of the rows of each class
  Index unlabelled = 0;
  std::uint64_t hash = 0;  // of the rows and weights, in any order

  Index classes() const { return std::ssize(weight); }
  std::vector<double> values() const;                  // with the zeros, classes x columns
  std::vector<double> of_all(const Exec& exec) const;  // of the rows of all classes
};

// Finds the sums that are not 0 among counts. Its memory is used again by every call.
class NonzeroCounts {
 public:
  explicit NonzeroCounts(std::size_t columns);
  NonzeroSums::OfClass among(std::span<const std::uint32_t> cells);  // one for each column

 private:
  std::unique_ptr<std::int32_t[]> places_;
  std::unique_ptr<std::uint32_t[]> counts_;
};

}  // namespace craton
