#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "craton/base/matrix.h"

// Cells of space by their numbers in each column: which one is it? Only cells that were added take
// memory, however far apart they are.

namespace craton {

using CellKey = std::array<Index, 3>;

class CellTable {
 public:
  CellTable() : slots_(kLeast, -1) {}

  // Where it is in keys(); -1: it is not there.
  std::int32_t find(const CellKey& key) const { return slots_[slot_of(key)]; }
  // The same; a new one is put at the end. requires fewer than 2^31 cells.
  std::int32_t add(const CellKey& key) {
    const std::size_t slot = slot_of(key);
    if (slots_[slot] >= 0) return slots_[slot];
    slots_[slot] = static_cast<std::int32_t>(keys_.size());
    keys_.push_back(key);
    if (2 * keys_.size() > slots_.size()) grow();
    return static_cast<std::int32_t>(keys_.size()) - 1;
  }
  std::span<const CellKey> keys() const { return keys_; }
  Index size() const { return std::ssize(keys_); }

 private:
  static constexpr std::size_t kLeast = 16;

  // The slot that has it, or could: after that of its hash, the first that is free.
  std::size_t slot_of(const CellKey& key) const {
    std::uint64_t hash = 0;
    for (const Index number : key) {
      hash = (hash + static_cast<std::uint64_t>(number)) * 0x9E3779B97F4A7C15;
      hash ^= hash >> 32;
    }
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = static_cast<std::size_t>(hash) & mask;
    while (slots_[slot] >= 0 && keys_[static_cast<std::size_t>(slots_[slot])] != key) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
  void grow() {
    slots_.assign(2 * slots_.size(), -1);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      slots_[slot_of(keys_[i])] = static_cast<std::int32_t>(i);
    }
  }

  std::vector<CellKey> keys_;
  std::vector<std::int32_t> slots_;  // a power of two of them
};

}  // namespace craton
