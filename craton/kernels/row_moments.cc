#include "craton/kernels/row_moments.h"

#include "craton/base/value_hash.h"

// Between SSE2 and AVX2 nothing is gained, and each target costs compile time.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/row_moments.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Memory sets the pace: a value is read once, for the sums and for the hash.

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
using Tag = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Tag>;

HWY_INLINE Vector load_row(Tag tag, const double* at) { return hn::LoadU(tag, at); }
HWY_INLINE Vector load_row(Tag tag, const float* at) {
  return hn::PromoteTo(tag, hn::LoadU(hn::Rebind<float, Tag>(), at));
}

// As many columns as whole vectors hold; returns where it ended.
template <class T>
HWY_INLINE Index add_columns(const T* row, Index columns, double weight, const double* shift,
                             const std::uint64_t* keys, double* HWY_RESTRICT sum,
                             double* HWY_RESTRICT square, std::uint64_t& hash) {
  const Tag tag;
  const hn::RebindToUnsigned<Tag> words;
  const hn::Repartition<std::uint32_t, Tag> halves;
  const Index lanes = static_cast<Index>(hn::Lanes(tag));
  const Vector w = hn::Set(tag, weight);
  hn::Vec<decltype(words)> hashes = hn::Zero(words);
  Index j = 0;
  for (; j + lanes <= columns; j += lanes) {
    const Vector value = load_row(tag, row + j);
    const Vector y = hn::Sub(value, hn::LoadU(tag, shift + j)), wy = hn::Mul(w, y);
    hn::StoreU(hn::Add(hn::LoadU(tag, sum + j), wy), tag, sum + j);
    hn::StoreU(hn::MulAdd(wy, y, hn::LoadU(tag, square + j)), tag, square + j);
    const auto bits = hn::BitCast(words, hn::Add(value, hn::Zero(tag)));
    const auto key = hn::LoadU(words, keys + j);
    const auto low = hn::Add(bits, key);
    const auto high = hn::Add(hn::ShiftRight<32>(bits), hn::ShiftRight<32>(key));
    const auto product = hn::MulEven(hn::BitCast(halves, low), hn::BitCast(halves, high));
    hashes = hn::Add(hashes, hn::Add(hn::BitCast(words, product), bits));
  }
  // Lane by lane: SumOfLanes adds words as signed numbers, which may not wrap around.
  HWY_ALIGN std::uint64_t lane_hashes[hn::MaxLanes(words)];
  hn::Store(hashes, words, lane_hashes);
  for (const std::uint64_t lane : lane_hashes) hash += lane;
  return j;
}
#endif

template <class T>
std::uint64_t add_row(const T* row, Index columns, double weight, const double* shift,
                      const std::uint64_t* keys, double* sum, double* square) {
  std::uint64_t hash = 0;
  Index j = 0;
#if HWY_TARGET != HWY_SCALAR
  j = add_columns(row, columns, weight, shift, keys, sum, square, hash);
#endif
  for (; j < columns; ++j) {
    const double value = static_cast<double>(row[j]), y = value - shift[j];
    sum[j] += weight * y;
    square[j] += weight * y * y;
    hash += hash_value(value, keys[j]);
  }
  return hash;
}

std::uint64_t add_floats(const float* row, Index columns, double weight, const double* shift,
                         const std::uint64_t* keys, double* sum, double* square) {
  return add_row(row, columns, weight, shift, keys, sum, square);
}
std::uint64_t add_doubles(const double* row, Index columns, double weight, const double* shift,
                          const std::uint64_t* keys, double* sum, double* square) {
  return add_row(row, columns, weight, shift, keys, sum, square);
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(add_floats);
HWY_EXPORT(add_doubles);

template <>
std::uint64_t add_row_moments(const float* row, Index columns, double weight, const double* shift,
                              const std::uint64_t* keys, double* sum, double* square) {
  return HWY_DYNAMIC_DISPATCH(add_floats)(row, columns, weight, shift, keys, sum, square);
}
template <>
std::uint64_t add_row_moments(const double* row, Index columns, double weight, const double* shift,
                              const std::uint64_t* keys, double* sum, double* square) {
  return HWY_DYNAMIC_DISPATCH(add_doubles)(row, columns, weight, shift, keys, sum, square);
}

}  // namespace craton
#endif
