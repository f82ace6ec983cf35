#pragma once
#include <cstddef>
#include <memory>
#include <new>

namespace craton {

// Numbers for a kernel to work on: on a 64-byte boundary, not initialised, gone with the call.
template <class T>
class ScratchOf {
 public:
  explicit ScratchOf(std::size_t size)
      : data_(static_cast<T*>(::operator new(size * sizeof(T), kBoundary))) {}
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }

 private:
  static constexpr std::align_val_t kBoundary{64};
  struct Free {
    void operator()(T* data) const { ::operator delete(data, kBoundary); }
  };
  std::unique_ptr<T, Free> data_;
};
using Scratch = ScratchOf<double>;

// Room for so many values, not initialised: at hand when they are at most kFew, else from the heap.
template <class T, std::size_t kFew>
class Room {
 public:
  explicit Room(std::size_t size) {
    if (size > kFew) many_ = std::make_unique_for_overwrite<T[]>(size);
  }
  T* data() { return many_ ? many_.get() : few_; }

 private:
  alignas(64) T few_[kFew];
  std::unique_ptr<T[]> many_;
};

}  // namespace craton
