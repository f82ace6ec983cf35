#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "craton/base/matrix.h"
#include "craton/engine/exec.h"

namespace craton {

// The sums of each class that are not 0: of words few are.
struct NonzeroSums {
  struct OfClass {
    std::vector<std::int32_t> features;  // ascending
    std::vector<double> sums;
    double total = 0;

    // Sums, and what is to be added to each (none: nothing).
    static OfClass of(std::span<const double> sums, std::span<const double> low);
  };
  Index columns = 0;
  std::vector<OfClass> of_class;
  std::vector<double> weight;  // of the rows of each class
  Index unlabelled = 0;
  std::uint64_t hash = 0;  // of the rows and weights, in any order

  Index classes() const { return std::ssize(weight); }
  std::vector<double> values() const;                  // all of them, classes x columns
  std::vector<double> of_all(const Exec& exec) const;  // of the rows of all classes
};

// Finds those of counts; has room of its own, and uses it again.
class NonzeroCounts {
 public:
  explicit NonzeroCounts(std::size_t columns);
  NonzeroSums::OfClass among(std::span<const std::uint32_t> cells);  // one for each column

 private:
  std::unique_ptr<std::int32_t[]> places_;
  std::unique_ptr<std::uint32_t[]> counts_;
};

}  // namespace craton
