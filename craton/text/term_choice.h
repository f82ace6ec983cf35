#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "craton/base/matrix.h"
#include "craton/text/text_options.h"

// Which terms are kept, by the documents that hold them and by how often they occur.

namespace craton {

class TermChoice {
 public:
  TermChoice(const CutOptions& cuts, Index documents);

  // Of a term in df documents that occurs cf times in all; what the cuts take is counted.
  bool keeps(std::uint64_t df, std::uint64_t cf) {
    ++terms_;
    const auto documents = static_cast<double>(df);
    if (documents < low_) return ++rare_, false;
    if (documents > high_) return ++common_, false;
    if (cf < least_count_) return ++few_, false;
    return true;
  }
  void merge(const TermChoice& other);  // that asked about other terms

  // InputError: nothing is left, and which cut took how many; or more than columns can be.
  void check() const;

 private:
  CutOptions cuts_;
  Index documents_;
  double low_, high_;
  std::uint64_t least_count_;
  Index terms_ = 0, rare_ = 0, common_ = 0, few_ = 0;
};

// Columns of the `most` most frequent, in their order; of equals the first. -1: the others.
std::vector<std::int32_t> most_frequent(std::span<const std::uint64_t> frequency, std::size_t most);

}  // namespace craton
