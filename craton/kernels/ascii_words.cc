#include "craton/kernels/ascii_words.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/ascii_words.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using ByteTag = hn::CappedTag<std::uint8_t, kAsciiBlock>;
using ByteVector = hn::Vec<ByteTag>;

// One block; its bytes are added to `seen` by "or".
HWY_INLINE std::uint64_t scan_block(const std::uint8_t* from, ByteVector lower_bit,
                                    std::uint8_t* out, ByteVector& seen) {
  constexpr std::size_t kLanes = hn::MaxLanes(ByteTag());
  const ByteTag tag;
  const auto below = [&](ByteVector v, char first, std::uint8_t count) {
    return hn::Lt(hn::Sub(v, hn::Set(tag, static_cast<std::uint8_t>(first))), hn::Set(tag, count));
  };
  std::uint8_t bits[kAsciiBlock / 8 + 8];  // StoreMaskBits may write 8 bytes at a time
  for (std::size_t i = 0; i < kAsciiBlock; i += kLanes) {
    const ByteVector v = hn::LoadU(tag, from + i);
    seen = hn::Or(seen, v);
    const auto capital = below(v, 'A', 26);
    const ByteVector lower = hn::Or(v, hn::IfThenElseZero(capital, lower_bit));
    const auto letter = below(hn::Or(v, hn::Set(tag, std::uint8_t{0x20})), 'a', 26);
    const auto digit = below(v, '0', 10);
    const auto line = hn::Eq(v, hn::Set(tag, static_cast<std::uint8_t>('_')));
    hn::StoreU(lower, tag, out + i);
    hn::StoreMaskBits(tag, hn::Or(letter, hn::Or(digit, line)), bits + i / 8);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, bits, sizeof(word));  // StoreMaskBits: bit i of byte j is lane 8 j + i
  return word;
}

bool scan_ascii_t(const std::uint8_t* text, std::size_t size, bool lower, std::uint8_t* out,
                  std::uint64_t* words) {
  const ByteTag tag;
  const ByteVector lower_bit = hn::Set(tag, lower ? std::uint8_t{0x20} : std::uint8_t{0});
  ByteVector seen = hn::Zero(tag);
  std::size_t i = 0;
  for (; i + kAsciiBlock <= size; i += kAsciiBlock) {
    *words++ = scan_block(text + i, lower_bit, out + i, seen);
  }
  if (i < size) {
    std::uint8_t last[kAsciiBlock] = {};
    std::memcpy(last, text + i, size - i);
    *words = scan_block(last, lower_bit, out + i, seen);
  }
  return hn::AllTrue(tag, hn::Lt(seen, hn::Set(tag, std::uint8_t{0x80})));
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(scan_ascii_t);

bool scan_ascii(const char* text, std::size_t size, Letters letters, char* out,
                std::uint64_t* words) {
  return HWY_DYNAMIC_DISPATCH(scan_ascii_t)(reinterpret_cast<const std::uint8_t*>(text), size,
                                            letters == Letters::kLower,
                                            reinterpret_cast<std::uint8_t*>(out), words);
}

}  // namespace craton
#endif
