#include "craton/base/large_pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "craton/base/grown.h"

namespace craton {

void wish_large_pages([[maybe_unused]] void* first, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t kMany = std::size_t{1} << 22;  // two large pages of x86-64
  constexpr std::uintptr_t kPage = 4096;
  if (bytes < kMany) return;
  const auto at = reinterpret_cast<std::uintptr_t>(first);
  const std::uintptr_t from = (at + kPage - 1) / kPage * kPage, to = (at + bytes) / kPage * kPage;
  madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE);  // NOLINT: a wish
#endif
}

namespace {

constexpr std::size_t kLargePage = std::size_t{1} << 21;  // of x86-64
constexpr std::size_t kLarge = kLargePage / 2;            // so many bytes are worth one

std::size_t rounded(std::size_t bytes) {
  return (bytes + kLargePage - 1) / kLargePage * kLargePage;
}

}  // namespace

namespace {

// Of `size` bytes, which are whole large pages.
char* take_large_pages(std::size_t size) {
  // One large page more than needed, to begin where one does; the rest goes back.
  const std::size_t all = size + kLargePage;
  void* const memory =
      mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  const auto at = reinterpret_cast<std::uintptr_t>(memory), first = rounded(at);
  char* const begin = static_cast<char*>(memory) + (first - at);
  if (first > at) munmap(memory, first - at);
  if (at + all > first + size) munmap(begin + size, at + all - first - size);
  wish_large_pages(begin, size);
  return begin;
}

}  // namespace

void* take_zeros(std::size_t bytes) {
  if (bytes >= kLarge) return take_large_pages(rounded(bytes));
  void* const memory = std::calloc(bytes, 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void give_zeros(void* first, std::size_t bytes) {
  if (bytes < kLarge) {
    std::free(first);
  } else {
    munmap(first, rounded(bytes));
  }
}

void* take_more_zeros(void* first, std::size_t bytes, std::size_t more_bytes) {
#ifdef MREMAP_FIXED
  if (bytes >= kLarge) {
    const std::size_t size = rounded(bytes), more = rounded(more_bytes);
    if (size == more) return first;
    char* const larger = take_large_pages(more);
    // Into the place of its first pages: there, large pages stay whole.
    if (mremap(first, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, larger) != MAP_FAILED) {
      return larger;
    }
    munmap(larger, more);
  }
#endif
  void* const larger = take_zeros(more_bytes);
  std::memcpy(larger, first, bytes);
  give_zeros(first, bytes);
  return larger;
}

}  // namespace craton
