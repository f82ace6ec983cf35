#include "craton/kernels/counts.h"

#include <array>
#include <bit>
#include <cmath>

#include "craton/base/value_hash.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/counts.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef CRATON_KERNELS_COUNTS
#define CRATON_KERNELS_COUNTS
namespace craton {

// An integer v in [0, 2^32) is the lower half of the bits of 2^52 + v, whose upper half is that of
// 2^52; and taking 2^52 away again gives v.
inline constexpr double kTwo52 = 4503599627370496.0;
inline constexpr std::uint64_t kUpperHalf = std::bit_cast<std::uint64_t>(kTwo52) >> 32;

// The lanes whose bits are set, first; then zeros.
inline constexpr auto kLanesOf = [] {
  std::array<std::array<std::uint8_t, 8>, 256> result{};
  for (std::size_t bits = 0; bits < 256; ++bits) {
    std::size_t at = 0;
    for (std::uint8_t lane = 0; lane < 8; ++lane) {
      if (bits >> lane & 1) result[bits][at++] = lane;
    }
  }
  return result;
}();

inline void look_at_entry(double value, std::uint64_t column, CountedEntries& seen) {
  const double shifted = value + kTwo52;
  const auto bits = std::bit_cast<std::uint64_t>(shifted);
  seen.hash += hash_entry(value, column);
  seen.finite = seen.finite && std::isfinite(value);
  seen.counts = seen.counts && bits >> 32 == kUpperHalf && shifted - kTwo52 == value;
  seen.sum += static_cast<std::uint32_t>(bits);
}

}  // namespace craton
#endif

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
using Tag = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Tag>;
using Words = hn::RebindToUnsigned<Tag>;
using Halves = hn::Repartition<std::uint32_t, Tag>;
using Word = hn::Vec<Words>;

HWY_INLINE Vector load_values(const double* at) { return hn::LoadU(Tag(), at); }
HWY_INLINE Vector load_values(const float* at) {
  return hn::PromoteTo(Tag(), hn::LoadU(hn::Rebind<float, Tag>(), at));
}
// The product of the lower halves of words.
HWY_INLINE Word times(Word a, Word b) {
  return hn::MulEven(hn::BitCast(Halves(), a), hn::BitCast(Halves(), b));
}

// As many entries as whole vectors hold; returns where it ended.
template <class T>
HWY_INLINE Index look_at_vectors(const T* values, const std::int32_t* columns, Index count,
                                 CountedEntries& seen) {
  const Tag tag;
  const Words words;
  const hn::Rebind<std::uint32_t, Tag> few;
  const Index lanes = static_cast<Index>(hn::Lanes(tag));
  const Vector two52 = hn::Set(tag, kTwo52), zero = hn::Zero(tag);
  const Word lower_half = hn::Set(words, 0xffffffffu);
  Word hashes = hn::Zero(words), sums = hn::Zero(words), strange = hn::Zero(words);
  auto finite = hn::Eq(zero, zero);
  Index e = 0;
  for (; e + lanes <= count; e += lanes) {
    const Vector value = hn::Add(load_values(values + e), zero);  // -0 is 0
    const Word bits = hn::BitCast(words, value);
    const Word column =
        columns
            ? hn::PromoteTo(
                  words, hn::BitCast(few, hn::LoadU(hn::Rebind<std::int32_t, Tag>(), columns + e)))
            : hn::Iota(words, static_cast<std::uint64_t>(e));
    const Word next = hn::Add(column, hn::Set(words, 1));
    const Word key = hn::Add(times(next, hn::Set(words, kColumnKey & 0xffffffffu)),
                             hn::ShiftLeft<32>(times(next, hn::Set(words, kColumnKey >> 32))));
    const Word high = hn::Add(hn::ShiftRight<32>(bits), hn::ShiftRight<32>(key));
    const Word hash = hn::Add(times(hn::Add(bits, key), high), bits);
    hashes = hn::Add(hashes, hn::BitCast(words, hn::IfThenZeroElse(hn::Eq(value, zero),
                                                                   hn::BitCast(tag, hash))));
    finite = hn::And(finite, hn::Eq(hn::Sub(value, value), zero));
    const Vector shifted = hn::Add(value, two52);
    const Word count_bits = hn::BitCast(words, shifted);
    const Word upper = hn::Xor(hn::ShiftRight<32>(count_bits), hn::Set(words, kUpperHalf));
    const Word same = hn::Xor(hn::BitCast(words, hn::Sub(shifted, two52)), bits);
    strange = hn::Or(strange, hn::Or(upper, same));
    sums = hn::Add(sums, hn::And(count_bits, lower_half));
  }
  // Lane by lane: SumOfLanes adds words as signed numbers, which may not wrap around.
  HWY_ALIGN std::uint64_t lane_hashes[hn::MaxLanes(words)];
  hn::Store(hashes, words, lane_hashes);
  for (const std::uint64_t lane : lane_hashes) seen.hash += lane;
  seen.sum += hn::GetLane(hn::SumOfLanes(words, sums));
  seen.finite = seen.finite && hn::AllTrue(tag, finite);
  seen.counts = seen.counts && hn::AllTrue(words, hn::Eq(strange, hn::Zero(words)));
  return e;
}
#else
template <class T>
Index look_at_vectors(const T*, const std::int32_t*, Index, CountedEntries&) {
  return 0;
}
#endif

template <class T>
CountedEntries look_at(const T* values, const std::int32_t* columns, Index count) {
  CountedEntries seen;
  for (Index e = look_at_vectors(values, columns, count, seen); e < count; ++e) {
    look_at_entry(static_cast<double>(values[e]), usize(columns ? Index{columns[e]} : e), seen);
  }
  return seen;
}
CountedEntries look_at_floats(const float* values, const std::int32_t* columns, Index count) {
  return look_at(values, columns, count);
}
CountedEntries look_at_doubles(const double* values, const std::int32_t* columns, Index count) {
  return look_at(values, columns, count);
}

Index find_cells(const std::uint32_t* cells, Index count, std::int32_t* places,
                 std::uint32_t* values) {
  Index e = 0, found = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<std::int32_t, 8> tag;
  const hn::Rebind<std::uint8_t, decltype(tag)> bytes;
  const hn::RebindToUnsigned<decltype(tag)> cell;
  const Index lanes = static_cast<Index>(hn::Lanes(tag));
  for (; e + lanes <= count; e += lanes) {
    const auto these = hn::LoadU(cell, cells + e);
    std::uint8_t bits[8];  // StoreMaskBits() may write as many
    hn::StoreMaskBits(cell, hn::Ne(these, hn::Zero(cell)), bits);
    const auto lane = hn::PromoteTo(tag, hn::LoadU(bytes, kLanesOf[bits[0]].data()));
    hn::StoreU(hn::Add(lane, hn::Set(tag, static_cast<std::int32_t>(e))), tag, places + found);
    hn::StoreU(hn::TableLookupLanes(these, hn::IndicesFromVec(cell, lane)), cell, values + found);
    found += std::popcount(bits[0]);
  }
#endif
  for (; e < count; ++e) {
    if (cells[e] == 0) continue;
    places[found] = static_cast<std::int32_t>(e);
    values[found++] = cells[e];
  }
  return found;
}

Index count_falls(const std::int32_t* values, Index count) {
  Index i = 0, falls = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<std::int32_t, 8> tag;
  const Index lanes = static_cast<Index>(hn::Lanes(tag));
  while (i + lanes < count) {
    auto counts = hn::Zero(tag);  // of few enough steps that no lane overflows
    for (const Index end = i + (Index{1} << 20); i < end && i + lanes < count; i += lanes) {
      const auto rises = hn::Lt(hn::LoadU(tag, values + i), hn::LoadU(tag, values + i + 1));
      counts = hn::Add(counts, hn::IfThenZeroElse(rises, hn::Set(tag, 1)));
    }
    falls += hn::GetLane(hn::SumOfLanes(tag, counts));
  }
#endif
  for (; i + 1 < count; ++i) falls += values[i] >= values[i + 1] ? 1 : 0;
  return falls;
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(look_at_floats);
HWY_EXPORT(look_at_doubles);
HWY_EXPORT(find_cells);
HWY_EXPORT(count_falls);

template <>
CountedEntries look_at_entries(const float* values, const std::int32_t* columns, Index count) {
  return HWY_DYNAMIC_DISPATCH(look_at_floats)(values, columns, count);
}
template <>
CountedEntries look_at_entries(const double* values, const std::int32_t* columns, Index count) {
  return HWY_DYNAMIC_DISPATCH(look_at_doubles)(values, columns, count);
}

Index find_nonzero(const std::uint32_t* cells, Index count, std::int32_t* places,
                   std::uint32_t* values) {
  return HWY_DYNAMIC_DISPATCH(find_cells)(cells, count, places, values);
}

Index count_descents(const std::int32_t* values, Index count) {
  return HWY_DYNAMIC_DISPATCH(count_falls)(values, count);
}

}  // namespace craton
#endif
