#include "craton/base/narrowest.h"

#include <algorithm>
#include <cstring>

// One pass of n for each width that is tried, given up within kBatch values of the first that does
// not fit.

namespace craton {
namespace {

constexpr std::size_t kBatch = 512;

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

float narrowed(double x, float) { return static_cast<float>(x); }

// Adding 1.5 * 2^52 leaves the nearest integer in the low bits of the sum; of values that are no
// small integer they hold something else, which the comparison finds.
std::int16_t narrowed(double x, std::int16_t) {
  const auto low = static_cast<std::int16_t>(bits(x + 0x1.8p52) & 0xffff);
  return x == x ? low : std::numeric_limits<std::int16_t>::min();
}

template <class T>
bool pack_as(std::span<const double> values, NarrowestValues& packed) {
  const std::size_t size = values.size() * sizeof(T);
  packed.room = std::make_unique_for_overwrite<std::byte[]>(size);
  packed.bytes = {packed.room.get(), size};
  std::byte* out = packed.room.get();
  while (!values.empty()) {
    const std::size_t count = std::min(kBatch, values.size());
    std::uint64_t differ = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const T value = narrowed(values[i], T{});
      differ |= bits(widened(value)) ^ bits(values[i]);
      std::memcpy(out + i * sizeof(T), &value, sizeof(T));
    }
    if (differ != 0) return false;
    values = values.subspan(count);
    out += count * sizeof(T);
  }
  return true;
}

}  // namespace

NarrowestValues::NarrowestValues(std::span<const double> values) {
  if (pack_as<std::int16_t>(values, *this)) {
    width = Width::kInt16;
  } else if (pack_as<float>(values, *this)) {
    width = Width::kFloat;
  } else {
    room = nullptr;
    bytes = std::as_bytes(values);
  }
}

void NarrowestValues::own() {
  if (room != nullptr) return;
  room = std::make_unique_for_overwrite<std::byte[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), room.get());
  bytes = {room.get(), bytes.size()};
}

}  // namespace craton
