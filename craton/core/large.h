#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

// Fresh memory is handed out page by page, and that takes longer than most of what is then done
// with it. So tables of many megabytes ask for large pages.

namespace craton {

// For memory that nobody has written to yet; of little it asks for nothing.
void wish_large_pages(void* first, std::size_t bytes);

// No values, but room for so many.
template <class T>
std::vector<T> large_room(std::size_t count) {
  std::vector<T> room;
  room.reserve(count);
  wish_large_pages(room.data(), count * sizeof(T));
  return room;
}
template <class T>
std::vector<T> large_zeros(std::size_t count) {
  std::vector<T> zeros = large_room<T>(count);
  zeros.resize(count);
  return zeros;
}

// Zeros to begin with, like the pages that the system hands out: a vector would write them again.
template <class T>
class LargeTable {
 public:
  LargeTable() = default;
  explicit LargeTable(std::size_t count) : size_(count) {
    if (count == 0) return;
    cells_.reset(static_cast<T*>(std::calloc(count, sizeof(T))));
    if (!cells_) throw std::bad_alloc();
    wish_large_pages(cells_.get(), count * sizeof(T));
  }
  LargeTable(const LargeTable& other) : LargeTable(other.size_) {
    std::copy_n(other.cells_.get(), size_, cells_.get());
  }
  LargeTable(LargeTable&& other) noexcept { swap(other); }
  LargeTable& operator=(LargeTable other) noexcept {
    swap(other);
    return *this;
  }
  ~LargeTable() = default;

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T* data() { return cells_.get(); }
  const T* data() const { return cells_.get(); }

 private:
  struct Free {
    void operator()(T* cells) const { std::free(cells); }
  };
  void swap(LargeTable& other) {
    std::swap(cells_, other.cells_);
    std::swap(size_, other.size_);
  }
  std::unique_ptr<T[], Free> cells_;
  std::size_t size_ = 0;
};

}  // namespace craton
