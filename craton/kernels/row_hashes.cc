#include "craton/kernels/row_hashes.h"

#include <vector>

#include "craton/base/random.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/row_hashes.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// The terms of a dense row do not wait for each other, and keys of columns are made once.

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Values = hn::CappedTag<double, 8>;
using Bits = hn::CappedTag<std::uint64_t, 8>;
constexpr std::size_t kLanes = hn::MaxLanes(Values());

HWY_INLINE hn::Vec<Values> load(const double* from) { return hn::LoadU(Values(), from); }
HWY_INLINE hn::Vec<Values> load(const float* from) {
  return hn::PromoteTo(Values(), hn::LoadU(hn::Rebind<float, Values>(), from));
}

// The last step of mix().
HWY_INLINE hn::Vec<Bits> last_step(hn::Vec<Bits> x) {
  const Bits tag;
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<30>(x)), hn::Set(tag, kMixFirst));
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<27>(x)), hn::Set(tag, kMixSecond));
  return hn::Xor(x, hn::ShiftRight<31>(x));
}

// keys: as many as columns, and zeros up to a whole vector.
template <class T>
HWY_INLINE std::uint64_t hash_of(const T* row, const std::uint64_t* keys, std::size_t columns) {
  const Bits tag;
  auto sum = hn::Zero(tag);
  std::uint64_t nonzeros = 0;
  const auto add = [&](const T* values, std::size_t j) HWY_ATTR {
    const auto value = load(values);
    const auto some = hn::Ne(value, hn::Zero(Values()));
    if (hn::AllFalse(Values(), some)) return;
    nonzeros += hn::CountTrue(Values(), some);
    const auto term = last_step(hn::Add(hn::LoadU(tag, keys + j), hn::BitCast(tag, value)));
    sum = hn::Add(sum, hn::IfThenElseZero(hn::RebindMask(tag, some), term));
  };
  std::size_t j = 0;
  for (; j + kLanes <= columns; j += kLanes) add(row + j, j);
  if (j < columns) {
    T rest[kLanes] = {};
    for (std::size_t i = j; i < columns; ++i) rest[i - j] = row[i];
    add(rest, j);
  }
  std::uint64_t parts[kLanes];
  hn::StoreU(sum, tag, parts);
  std::uint64_t all = 0;
  for (const std::uint64_t part : parts) all += part;
  return mix(all, nonzeros);
}

void hash_floats(const Dense<float>& x, const std::uint64_t* keys, std::uint64_t* out) {
  for (Index i = 0; i < x.rows; ++i) out[i] = hash_of(x.row(i), keys, usize(x.cols));
}
void hash_doubles(const Dense<double>& x, const std::uint64_t* keys, std::uint64_t* out) {
  for (Index i = 0; i < x.rows; ++i) out[i] = hash_of(x.row(i), keys, usize(x.cols));
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(hash_floats);
HWY_EXPORT(hash_doubles);

template <class View>
void row_hashes(const View& x, std::uint64_t* out) {
  if constexpr (requires { x.offsets; }) {  // columns may be far more than entries: no keys
    for (Index i = 0; i < x.rows; ++i) out[i] = row_hash(x, i);
  } else {
    constexpr Index kMostLanes = 8;
    std::vector<std::uint64_t> keys(usize(x.cols + kMostLanes));
    for (Index j = 0; j < x.cols; ++j) keys[usize(j)] = mix_key(j);
    if constexpr (sizeof(x.data[0]) == sizeof(float)) {
      HWY_DYNAMIC_DISPATCH(hash_floats)(x, keys.data(), out);
    } else {
      HWY_DYNAMIC_DISPATCH(hash_doubles)(x, keys.data(), out);
    }
  }
}

template void row_hashes(const Dense<float>&, std::uint64_t*);
template void row_hashes(const Dense<double>&, std::uint64_t*);
template void row_hashes(const Sparse<float>&, std::uint64_t*);
template void row_hashes(const Sparse<double>&, std::uint64_t*);

}  // namespace craton
#endif
