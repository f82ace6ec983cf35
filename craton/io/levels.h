#pragma once
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "craton/base/matrix.h"

// The levels of category columns, as they turn up in the parts of a file.

namespace craton {

// A column with more different texts than this, or a longer one, is text and no category...
inline constexpr Index kMostLevels = 1000;
inline constexpr std::size_t kLongestLevel = 256;
// ...unless the user says that it is one.
inline constexpr Index kMostChosenLevels = 1000000;

// One column as one worker sees it: codes in the order of turning up.
class Levels {
 public:
  explicit Levels(Index at_most = kMostLevels) : at_most_(at_most) {}

  // The code of a text; -1 from the moment on that the column is no category.
  Index code(std::string_view text);
  bool has(std::string_view text) const { return codes_.contains(text); }
  bool full() const { return full_; }
  Index size() const { return ssize(texts_); }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  Index at_most_;
  bool full_ = false;
  std::unordered_map<std::string, Index, Hash, std::equal_to<>> codes_;
  std::vector<std::string> texts_;
};

// All levels of a column, sorted, and for each worker what its codes become.
struct MergedLevels {
  std::vector<std::string> texts;
  std::vector<std::vector<double>> codes;  // by worker
};
MergedLevels merge_levels(std::span<const Levels* const> workers);

}  // namespace craton
