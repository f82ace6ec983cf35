#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

// Fresh memory is handed out page by page, and that takes longer than most of what is then done
// with it. So tables of many megabytes ask for large pages.

namespace craton {

// For memory that nobody has written to yet; of little it asks for nothing.
void wish_large_pages(void* first, std::size_t bytes);
// Zeros, and back; throws std::bad_alloc. Many come in large pages of their own.
void* take_zeros(std::size_t bytes);
void give_zeros(void* first, std::size_t bytes);

// No values, but room for so many.
template <class T>
std::vector<T> room_in_large_pages(std::size_t count) {
  std::vector<T> room;
  room.reserve(count);
  wish_large_pages(room.data(), count * sizeof(T));
  return room;
}
template <class T>
std::vector<T> zeros_in_large_pages(std::size_t count) {
  std::vector<T> zeros = room_in_large_pages<T>(count);
  zeros.resize(count);
  return zeros;
}

// Zeros to begin with, like the pages that the system hands out: a vector would write them again.
template <class T>
class LargePageTable {
 public:
  LargePageTable() = default;
  explicit LargePageTable(std::size_t count) : size_(count) {
    if (count == 0) return;
    cells_ = static_cast<T*>(take_zeros(count * sizeof(T)));
  }
  LargePageTable(const LargePageTable& other) : LargePageTable(other.size_) {
    std::copy_n(other.cells_, size_, cells_);
  }
  LargePageTable(LargePageTable&& other) noexcept { swap(other); }
  LargePageTable& operator=(LargePageTable other) noexcept {
    swap(other);
    return *this;
  }
  ~LargePageTable() {
    if (cells_ != nullptr) give_zeros(cells_, size_ * sizeof(T));
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T* data() { return cells_; }
  const T* data() const { return cells_; }

 private:
  void swap(LargePageTable& other) {
    std::swap(cells_, other.cells_);
    std::swap(size_, other.size_);
  }
  T* cells_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace craton
