#include "craton/kernels/row_moments.h"

#include <algorithm>

#include "craton/base/value_hash.h"

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

HWY_INLINE hn::Vec<hn::RebindToUnsigned<Tag>> hashes_of(Vector value, const std::uint64_t* keys) {
  const hn::RebindToUnsigned<Tag> words;
  const hn::Repartition<std::uint32_t, Tag> halves;
  const auto bits = hn::BitCast(words, hn::Add(value, hn::Zero(Tag())));
  const auto key = hn::LoadU(words, keys);
  const auto low = hn::Add(bits, key);
  const auto high = hn::Add(hn::ShiftRight<32>(bits), hn::ShiftRight<32>(key));
  const auto product = hn::MulEven(hn::BitCast(halves, low), hn::BitCast(halves, high));
  return hn::Add(hn::BitCast(words, product), bits);
}

// Lane by lane: SumOfLanes adds words as signed numbers, which may not wrap around.
HWY_INLINE std::uint64_t sum_of(hn::Vec<hn::RebindToUnsigned<Tag>> hashes) {
  const hn::RebindToUnsigned<Tag> words;
  HWY_ALIGN std::uint64_t lanes[hn::MaxLanes(words)];
  hn::Store(hashes, words, lanes);
  std::uint64_t sum = 0;
  for (const std::uint64_t lane : lanes) sum += lane;
  return sum;
}

template <Index kRows, class T>
HWY_INLINE Index move_columns(const T* const* rows, const NextRows& next, Index columns,
                              const std::uint64_t* keys, const ColumnMoments& to) {
  const Tag tag;
  const hn::RebindToUnsigned<Tag> words;
  const Index lanes = static_cast<Index>(hn::Lanes(tag));
  hn::Vec<decltype(words)> hashes[usize(kRows)];
  for (auto& hash : hashes) hash = hn::Zero(words);
  Index j = 0;
  for (; j + lanes <= columns; j += lanes) {
    Vector mean = hn::LoadU(tag, to.mean + j), scatter = hn::LoadU(tag, to.scatter + j);
    Vector low = hn::LoadU(tag, to.low + j), high = hn::LoadU(tag, to.high + j);
    for (Index r = 0; r < kRows; ++r) {
      const Vector value = load_row(tag, rows[r] + j), delta = hn::Sub(value, mean);
      mean = hn::Add(mean, hn::Mul(hn::Set(tag, next.shares[r]), delta));
      const Vector weighed = hn::Mul(hn::Set(tag, next.weights[r]), delta);
      scatter = hn::Add(scatter, hn::Mul(weighed, hn::Sub(value, mean)));
      low = hn::Min(value, low);
      high = hn::Max(value, high);
      hashes[r] = hn::Add(hashes[r], hashes_of(value, keys + j));
    }
    hn::StoreU(mean, tag, to.mean + j);
    hn::StoreU(scatter, tag, to.scatter + j);
    hn::StoreU(low, tag, to.low + j);
    hn::StoreU(high, tag, to.high + j);
  }
  for (Index r = 0; r < kRows; ++r) next.hashes[r] = sum_of(hashes[r]);
  return j;
}

// As many columns as whole vectors hold; returns where it ended.
template <class T>
HWY_INLINE Index add_columns(const T* row, Index columns, double weight, const double* shift,
                             const std::uint64_t* keys, double* HWY_RESTRICT sum,
                             double* HWY_RESTRICT square, std::uint64_t& hash) {
  const Tag tag;
  const hn::RebindToUnsigned<Tag> words;
  const Index lanes = static_cast<Index>(hn::Lanes(tag));
  const Vector w = hn::Set(tag, weight);
  hn::Vec<decltype(words)> hashes = hn::Zero(words);
  Index j = 0;
  for (; j + lanes <= columns; j += lanes) {
    const Vector value = load_row(tag, row + j);
    const Vector y = hn::Sub(value, hn::LoadU(tag, shift + j)), wy = hn::Mul(w, y);
    hn::StoreU(hn::Add(hn::LoadU(tag, sum + j), wy), tag, sum + j);
    hn::StoreU(hn::MulAdd(wy, y, hn::LoadU(tag, square + j)), tag, square + j);
    hashes = hn::Add(hashes, hashes_of(value, keys + j));
  }
  hash += sum_of(hashes);
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

template <class T>
HWY_INLINE void move(const T* const* rows, const NextRows& next, Index columns,
                     const std::uint64_t* keys, const ColumnMoments& to) {
  for (Index r = 0; r < next.count; ++r) next.hashes[r] = 0;
  Index j = 0;
#if HWY_TARGET != HWY_SCALAR
  j = next.count == NextRows::kMost ? move_columns<NextRows::kMost>(rows, next, columns, keys, to)
                                    : move_columns<1>(rows, next, columns, keys, to);
#endif
  for (; j < columns; ++j) {
    for (Index r = 0; r < next.count; ++r) {
      const double value = static_cast<double>(rows[r][j]), delta = value - to.mean[j];
      to.mean[j] += next.shares[r] * delta;
      to.scatter[j] += next.weights[r] * delta * (value - to.mean[j]);
      to.low[j] = std::min(to.low[j], value);
      to.high[j] = std::max(to.high[j], value);
      next.hashes[r] += hash_value(value, keys[j]);
    }
  }
}
void move_floats(const float* const* rows, const NextRows& next, Index columns,
                 const std::uint64_t* keys, const ColumnMoments& to) {
  craton::HWY_NAMESPACE::move(rows, next, columns, keys, to);
}
void move_doubles(const double* const* rows, const NextRows& next, Index columns,
                  const std::uint64_t* keys, const ColumnMoments& to) {
  craton::HWY_NAMESPACE::move(rows, next, columns, keys, to);
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
HWY_EXPORT(move_floats);
HWY_EXPORT(move_doubles);

template <>
void add_to_moments(const float* const* rows, const NextRows& next, Index columns,
                    const std::uint64_t* keys, const ColumnMoments& to) {
  HWY_DYNAMIC_DISPATCH(move_floats)(rows, next, columns, keys, to);
}
template <>
void add_to_moments(const double* const* rows, const NextRows& next, Index columns,
                    const std::uint64_t* keys, const ColumnMoments& to) {
  HWY_DYNAMIC_DISPATCH(move_doubles)(rows, next, columns, keys, to);
}

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
