#include "craton/io/levels.h"

#include <algorithm>

namespace craton {

Index Levels::code(std::string_view text) {
  if (full_) return -1;
  const auto at = codes_.find(text);
  if (at != codes_.end()) return at->second;
  if (size() == at_most_ || (text.size() > kLongestLevel && at_most_ <= kMostLevels)) {
    full_ = true;
    codes_.clear();
    return -1;
  }
  codes_.emplace(text, size());
  texts_.emplace_back(text);
  return size() - 1;
}

MergedLevels merge_levels(std::span<const Levels* const> workers) {
  MergedLevels merged;
  for (const Levels* levels : workers) {
    merged.texts.insert(merged.texts.end(), levels->texts().begin(), levels->texts().end());
  }
  std::sort(merged.texts.begin(), merged.texts.end());
  merged.texts.erase(std::unique(merged.texts.begin(), merged.texts.end()), merged.texts.end());
  for (const Levels* levels : workers) {
    std::vector<double>& codes = merged.codes.emplace_back();
    for (const std::string& text : levels->texts()) {
      const auto at = std::lower_bound(merged.texts.begin(), merged.texts.end(), text);
      codes.push_back(static_cast<double>(at - merged.texts.begin()));
    }
  }
  return merged;
}

}  // namespace craton
