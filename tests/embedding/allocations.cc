#include "tests/embedding/allocations.h"

#include <cerrno>
#include <cstddef>

// glibc's own, under the names that it keeps for this.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t counted, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t boundary, std::size_t size);
}

namespace {
constinit thread_local std::int64_t counted = 0;
}

namespace craton {
std::int64_t allocations() { return counted; }
}  // namespace craton

extern "C" {
void* malloc(std::size_t size) noexcept {
  ++counted;
  return __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) noexcept {
  ++counted;
  return __libc_calloc(number, size);
}
void* realloc(void* old, std::size_t size) noexcept {
  ++counted;
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t boundary, std::size_t size) noexcept {
  ++counted;
  return __libc_memalign(boundary, size);
}
int posix_memalign(void** result, std::size_t boundary, std::size_t size) noexcept {
  ++counted;
  *result = __libc_memalign(boundary, size);
  return *result == nullptr ? ENOMEM : 0;
}
}
