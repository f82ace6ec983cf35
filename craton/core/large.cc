#include "craton/core/large.h"

#include <sys/mman.h>

#include <cstdint>

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

}  // namespace craton
