#pragma once
#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "craton/base/large_pages.h"

namespace craton {

// Memory of take_zeros with more bytes: what it held, then zeros. Many bytes are not copied: their
// pages go along.
void* take_more_zeros(void* first, std::size_t bytes, std::size_t more_bytes);

// A vector of plain values for many of them: in large pages, as they are visited at random, and
// with no more than its values in memory when it grows.
template <class T>
class Grown {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Grown() = default;
  Grown(const Grown& other) {
    std::copy_n(other.cells_, other.size_, room(other.size_));
    add(other.size_);
  }
  Grown(Grown&& other) noexcept { swap(other); }
  Grown& operator=(Grown other) noexcept {
    swap(other);
    return *this;
  }
  ~Grown() {
    if (cells_ != nullptr) give_zeros(cells_, capacity_ * sizeof(T));
  }

  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return cells_[i]; }
  const T& operator[](std::size_t i) const { return cells_[i]; }
  const T* begin() const { return cells_; }
  const T* end() const { return cells_ + size_; }
  T* begin() { return cells_; }
  T* end() { return cells_ + size_; }
  void push_back(const T& value) {
    *room(1) = value;
    ++size_;
  }
  // Room for so many more, behind the last; add() then says how many they are.
  T* room(std::size_t more) {
    if (size_ + more > capacity_) grow(std::max({kFew, size_ + more, 2 * size_}));
    return cells_ + size_;
  }
  void add(std::size_t more) { size_ += more; }

 private:
  static constexpr std::size_t kFew = 64;
  void grow(std::size_t count) {
    void* const larger = cells_ == nullptr
                             ? take_zeros(count * sizeof(T))
                             : take_more_zeros(cells_, capacity_ * sizeof(T), count * sizeof(T));
    cells_ = static_cast<T*>(larger);
    capacity_ = count;
  }
  void swap(Grown& other) {
    std::swap(cells_, other.cells_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  T* cells_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace craton
