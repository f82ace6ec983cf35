#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/matrix.h"

namespace craton {

// Texts that own their bytes.
struct TextArray {
  std::string bytes = {};
  std::vector<Index> offsets = {0};

  Index rows() const { return static_cast<Index>(offsets.size()) - 1; }
  Texts view() const { return {bytes.data(), offsets.data(), rows()}; }
  void clear() {
    bytes.clear();
    offsets.assign(1, 0);
  }
  void add(std::string_view text) {
    bytes += text;
    offsets.push_back(static_cast<Index>(bytes.size()));
  }
  void add(const Texts& texts);
  bool operator==(const TextArray&) const = default;
};

}  // namespace craton
