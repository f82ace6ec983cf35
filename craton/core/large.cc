#include "craton/core/large.h"

#include <sys/mman.h>

#include <cstdint>

namespace craton {
namespace {

constexpr std::size_t kMany = std::size_t{1} << 22;  // bytes: two large pages of x86-64
constexpr std::uintptr_t kPage = 4096;

}  // namespace

std::vector<double> large_room(std::size_t count) {
  std::vector<double> room;
  room.reserve(count);
#ifdef MADV_HUGEPAGE
  if (count * sizeof(double) >= kMany) {
    const auto first = reinterpret_cast<std::uintptr_t>(room.data());
    const auto last = (first + count * sizeof(double)) / kPage * kPage;
    const auto from = (first + kPage - 1) / kPage * kPage;
    madvise(reinterpret_cast<void*>(from), last - from, MADV_HUGEPAGE);  // NOLINT: a wish
  }
#endif
  return room;
}

std::vector<double> large_zeros(std::size_t count) {
  std::vector<double> zeros = large_room(count);
  zeros.resize(count);
  return zeros;
}

}  // namespace craton
