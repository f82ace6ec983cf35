#pragma once
#include <cstddef>
#include <memory>
#include <new>

namespace craton {

// Doubles for a kernel to work on: on a 64-byte boundary, not initialised, gone with the call.
class Scratch {
 public:
  explicit Scratch(std::size_t size)
      : data_(static_cast<double*>(::operator new(size * sizeof(double), kBoundary))) {}
  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }

 private:
  static constexpr std::align_val_t kBoundary{64};
  struct Free {
    void operator()(double* data) const { ::operator delete(data, kBoundary); }
  };
  std::unique_ptr<double, Free> data_;
};

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
