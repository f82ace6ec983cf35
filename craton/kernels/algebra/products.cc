#include "craton/kernels/algebra/products.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "craton/base/error.h"
#include "craton/kernels/scratch.h"

#ifndef CRATON_PRODUCTS_PANELS
#define CRATON_PRODUCTS_PANELS
namespace craton {
namespace {

constexpr std::size_t kBlockHeight = 8208;  // bytes of 1026 doubles of a, 2 MB with all k
constexpr std::size_t kBlockBytes = 768;    // of a column of a block of b: 192 kB with all k
constexpr std::size_t kDepth = usize(kProductDepth);

// Where panels are packed. A thread keeps its own: memory of this size is new to the process at
// every call otherwise, and clearing its pages takes as long as a product of 100 x 100 matrices.
struct Panels {
  Scratch a{kBlockHeight * kDepth / sizeof(double)};
  Scratch b{kBlockBytes * kDepth / sizeof(double)};
};
Panels& panels_of_thread() {
  thread_local Panels panels;
  return panels;
}

}  // namespace
}  // namespace craton
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/algebra/products.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// A tile of kTileRows rows times two vectors of columns stays in registers along a block of k. What
// a tile reads lies in the order of reading: rows of a in panels of kTileRows, rows of b in panels
// of two vectors, with zeros beyond the last row, so that tiles at the edges sum like all others.
// A panel of a, which is small, stays in the first cache, a block of b in the second: the wide
// panels of b are read in order, which the CPU does ahead of time, and half of the caches is enough
// where another thread uses the same.

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::CappedTag<T, 64 / sizeof(T)>;
template <class T>
using Vector = hn::Vec<Tag<T>>;

constexpr std::size_t kTileRows = 6;
template <class T>
constexpr std::size_t kTileColumns = 2 * hn::MaxLanes(Tag<T>());
template <class T>
constexpr std::size_t kBlockRows = kBlockHeight / sizeof(T);
template <class T>
constexpr std::size_t kBlockColumns = kBlockBytes / sizeof(T);
constexpr std::size_t kFewRows = 16 * kTileRows;  // of a, beside all of a narrow b
static_assert(kBlockRows<float> % kTileRows == 0 && kBlockRows<double> % kTileRows == 0 &&
              kBlockBytes % (sizeof(float) * kTileColumns<float>) == 0);

// Two rows side by side: out[k * kWidth] and the next. Both loops of a panel stay in the first
// cache; one row after the other, since rows that lie a power of two apart share its lines.
template <std::size_t kWidth, class T>
HWY_INLINE void pack_pair(const T* HWY_RESTRICT x, const T* HWY_RESTRICT y, std::size_t depth,
                          T* HWY_RESTRICT out) {
  std::size_t k = 0;
#if HWY_TARGET != HWY_SCALAR
  constexpr std::size_t step = 16 / sizeof(T);
  constexpr hn::FixedTag<T, step> tag;
  for (; k + step <= depth; k += step, out += step * kWidth) {
    const auto u = hn::LoadU(tag, x + k), v = hn::LoadU(tag, y + k);
    const auto low = hn::InterleaveLower(tag, u, v), high = hn::InterleaveUpper(tag, u, v);
    if constexpr (step == 2) {
      hn::StoreU(low, tag, out);
      hn::StoreU(high, tag, out + kWidth);
    } else {
      constexpr hn::Half<decltype(tag)> half;
      hn::StoreU(hn::LowerHalf(half, low), half, out);
      hn::StoreU(hn::UpperHalf(half, low), half, out + kWidth);
      hn::StoreU(hn::LowerHalf(half, high), half, out + 2 * kWidth);
      hn::StoreU(hn::UpperHalf(half, high), half, out + 3 * kWidth);
    }
  }
#endif
  for (; k < depth; ++k, out += kWidth) out[0] = x[k], out[1] = y[k];
}

// A panel of a factor whose rows lie side by side already.
template <std::size_t kWidth, class T>
HWY_INLINE void pack_side_by_side(const T* HWY_RESTRICT at, Index step, const T* weights,
                                  std::size_t count, std::size_t depth, T* HWY_RESTRICT out) {
  if (count < kWidth) {
    // All but the last rows are followed by others: what is beyond is read, and left out.
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    Bits kept[kWidth];
    for (std::size_t i = 0; i < kWidth; ++i) kept[i] = i < count ? ~Bits{0} : Bits{0};
    const std::size_t followed =
        depth - std::min(depth, (kWidth - count + usize(step) - 1) / usize(step));
    std::size_t k = 0;
    for (; k < followed; ++k, at += step, out += kWidth) {
      const T w = weights ? weights[k] : T{1};
#pragma GCC unroll 64
      for (std::size_t i = 0; i < kWidth; ++i) {
        out[i] = std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(w * at[i]) & kept[i]));
      }
    }
    for (; k < depth; ++k, at += step, out += kWidth) {
      const T w = weights ? weights[k] : T{1};
      for (std::size_t i = 0; i < kWidth; ++i) out[i] = i < count ? w * at[i] : T{0};
    }
  } else if (weights) {
    for (std::size_t k = 0; k < depth; ++k, at += step, out += kWidth) {
#pragma GCC unroll 64
      for (std::size_t i = 0; i < kWidth; ++i) out[i] = weights[k] * at[i];
    }
  } else {
    for (std::size_t k = 0; k < depth; ++k, at += step, out += kWidth) {
      hwy::CopyBytes<kWidth * sizeof(T)>(at, out);
    }
  }
}

// The rows of a factor as panels: out[k * kWidth + i]. Rows beyond the last are zeros.
template <std::size_t kWidth, class T>
HWY_INLINE void pack(const Factor<T>& factor, const T* weights, std::size_t rows, std::size_t depth,
                     T* HWY_RESTRICT out) {
  HWY_ALIGN static constexpr T kZeros[kDepth] = {};
  for (std::size_t first = 0; first < rows; first += kWidth, out += kWidth * depth) {
    const std::size_t count = std::min(kWidth, rows - first);
    const T* const at = factor.data + static_cast<Index>(first) * factor.row_step;
    if (factor.row_step == 1) {
      pack_side_by_side<kWidth>(at, factor.step, weights, count, depth, out);
      continue;
    }
    const auto row = [&](std::size_t i) {
      return i < count ? at + static_cast<Index>(i) * factor.row_step : kZeros;
    };
    for (std::size_t i = 0; i < kWidth; i += 2)
      pack_pair<kWidth>(row(i), row(i + 1), depth, out + i);
  }
}

template <class T>
HWY_INLINE T joined(Into into, T c, T s) {
  return into == Into::kSet ? s : into == Into::kAdd ? c + s : c - s;
}

// Sums of a tile over a block of k, into the entries with row < rows and column < columns, and
// column <= row + `below` (which lies below the diagonal). kVectors of the panel of b are needed.
template <std::size_t kVectors, class T>
HWY_INLINE void tile(const T* HWY_RESTRICT a, const T* HWY_RESTRICT b, std::size_t depth, Into into,
                     std::size_t rows, std::size_t columns, Index below, T* HWY_RESTRICT c,
                     Index stride) {
  constexpr Tag<T> tag;
  constexpr std::size_t lanes = hn::MaxLanes(tag);
  Vector<T> left[kTileRows], right[kTileRows];
#pragma GCC unroll 6
  for (std::size_t i = 0; i < kTileRows; ++i) left[i] = right[i] = hn::Zero(tag);
  for (std::size_t i = 0; i < rows; ++i) {  // a row may lie on two lines of the cache
    const T* const row = c + static_cast<Index>(i) * stride;
    hwy::Prefetch(row);
    hwy::Prefetch(row + columns - 1);
  }
  for (std::size_t k = 0; k < depth; ++k, a += kTileRows, b += 2 * lanes) {
    const Vector<T> b0 = hn::Load(tag, b), b1 = kVectors == 2 ? hn::Load(tag, b + lanes) : b0;
#pragma GCC unroll 6
    for (std::size_t i = 0; i < kTileRows; ++i) {
      const Vector<T> f = hn::Set(tag, a[i]);
      left[i] = hn::MulAdd(f, b0, left[i]);
      if constexpr (kVectors == 2) right[i] = hn::MulAdd(f, b1, right[i]);
    }
  }
  if (rows == kTileRows && columns == 2 * lanes && below + 1 >= static_cast<Index>(columns)) {
    const auto store = [&](const auto& join) HWY_ATTR {
      T* at = c;
#pragma GCC unroll 6
      for (std::size_t i = 0; i < kTileRows; ++i, at += stride) {
        hn::StoreU(join(at, left[i]), tag, at);
        hn::StoreU(join(at + lanes, right[i]), tag, at + lanes);
      }
    };
    if (into == Into::kSet) {
      store([](const T*, Vector<T> s) HWY_ATTR { return s; });
    } else if (into == Into::kAdd) {
      store([&](const T* at, Vector<T> s) HWY_ATTR { return hn::Add(hn::LoadU(tag, at), s); });
    } else {
      store([&](const T* at, Vector<T> s) HWY_ATTR { return hn::Sub(hn::LoadU(tag, at), s); });
    }
    return;
  }
  HWY_ALIGN T sums[kTileRows][2 * lanes];
#pragma GCC unroll 6
  for (std::size_t i = 0; i < kTileRows; ++i) {
    hn::Store(left[i], tag, sums[i]);
    hn::Store(right[i], tag, sums[i] + lanes);
  }
  for (std::size_t i = 0; i < rows; ++i, c += stride) {
    const Index last = std::min(static_cast<Index>(columns), static_cast<Index>(i) + below + 1);
    for (Index j = 0; j < last; ++j) c[j] = joined(into, c[j], sums[i][j]);
  }
}

// A block of the product, from panels of `rows` rows of a and `columns` of b: all tiles that reach
// below the diagonal. Its first entry lies `below` below it.
template <class T>
HWY_INLINE void multiply_block(const T* a, std::size_t rows, const T* b, std::size_t columns,
                               std::size_t depth, Into into, Index below, T* c, Index stride) {
  constexpr std::size_t width = kTileColumns<T>;
  for (std::size_t u = 0; u < rows; u += kTileRows) {
    for (std::size_t v = 0; v < columns; v += width) {
      const std::size_t high = std::min(kTileRows, rows - u);
      const Index under = below + static_cast<Index>(u) - static_cast<Index>(v);
      if (under + static_cast<Index>(high) <= 0) continue;
      const std::size_t wide =
          std::min({width, columns - v, usize(under + static_cast<Index>(high))});
      T* const at = c + static_cast<Index>(u) * stride + static_cast<Index>(v);
      const T *const left = a + u * depth, *const right = b + v * depth;
      if (wide > width / 2) {
        tile<2>(left, right, depth, into, high, wide, under, at, stride);
      } else {
        tile<1>(left, right, depth, into, high, wide, under, at, stride);
      }
    }
  }
}

template <class T>
HWY_INLINE void multiply_all(const Product<T>& p, T* c, Index stride) {
  Panels& panels = panels_of_thread();
  T* const a = reinterpret_cast<T*>(panels.a.data());
  T* const b = reinterpret_cast<T*>(panels.b.data());
  constexpr Index most_columns = kBlockColumns<T>;
  const bool narrow = p.columns <= most_columns;  // b is packed once, and a stays near
  const Index most_rows = narrow ? kFewRows : kBlockRows<T>;
  for (Index k = 0; k < p.depth; k += kProductDepth) {
    const Index depth = std::min(kProductDepth, p.depth - k);
    const Into into = p.into == Into::kSet && k > 0 ? Into::kAdd : p.into;
    const T* const weights = p.weights ? p.weights + k : nullptr;
    const auto slice = [&](const Factor<T>& f, Index row) {
      return Factor<T>{f.data + row * f.row_step + k * f.step, f.row_step, f.step};
    };
    for (Index i = 0; i < p.rows; i += most_rows) {
      const Index rows = std::min(most_rows, p.rows - i);
      pack<kTileRows, T>(slice(p.a, i), weights, usize(rows), usize(depth), a);
      for (Index j = 0; j < p.columns; j += most_columns) {
        if (p.part == Part::kLower && i + rows <= j) break;
        const Index columns = std::min(most_columns, p.columns - j);
        if (i == 0 || !narrow) {
          pack<kTileColumns<T>, T>(slice(p.b, j), nullptr, usize(columns), usize(depth), b);
        }
        const Index below = p.part == Part::kLower ? i - j : p.columns;
        multiply_block(a, usize(rows), b, usize(columns), usize(depth), into, below,
                       c + i * stride + j, stride);
      }
    }
  }
}

void multiply_floats(const Product<float>& p, float* c, Index stride) {
  multiply_all(p, c, stride);
}
void multiply_doubles(const Product<double>& p, double* c, Index stride) {
  multiply_all(p, c, stride);
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(multiply_floats);
HWY_EXPORT(multiply_doubles);

namespace {

template <class T>
void check(const Product<T>& p, T* c, Index stride) {
  CRATON_ASSERT(p.rows >= 0 && p.columns >= 0 && p.depth >= 0);
  CRATON_ASSERT(!p.weights || p.a.row_step == 1);
  if (p.depth > 0 || p.into != Into::kSet) return;
  for (Index i = 0; i < p.rows; ++i) {
    const Index last = p.part == Part::kWhole ? p.columns : std::min(p.columns, i + 1);
    std::fill(c + i * stride, c + i * stride + last, T{0});
  }
}

}  // namespace

void multiply(const Product<float>& product, float* c, Index stride) {
  check(product, c, stride);
  HWY_DYNAMIC_DISPATCH(multiply_floats)(product, c, stride);
}
void multiply(const Product<double>& product, double* c, Index stride) {
  check(product, c, stride);
  HWY_DYNAMIC_DISPATCH(multiply_doubles)(product, c, stride);
}

void row_products(const float* a, Index a_rows, Index a_stride, const float* b, Index b_rows,
                  Index b_stride, Index k, float* c, Index c_stride) {
  multiply({.a = by_rows(a, a_stride),
            .b = by_rows(b, b_stride),
            .rows = a_rows,
            .columns = b_rows,
            .depth = k},
           c, c_stride);
}
void row_products(const double* a, Index a_rows, Index a_stride, const double* b, Index b_rows,
                  Index b_stride, Index k, double* c, Index c_stride) {
  multiply({.a = by_rows(a, a_stride),
            .b = by_rows(b, b_stride),
            .rows = a_rows,
            .columns = b_rows,
            .depth = k},
           c, c_stride);
}

void add_gram(const float* x, Index rows, Index stride, Index cols, const float* weights,
              float* gram, Index gram_stride) {
  const Factor<float> columns = transposed(x, stride);
  multiply({columns, columns, cols, cols, rows, Into::kAdd, Part::kLower, weights}, gram,
           gram_stride);
}
void add_gram(const double* x, Index rows, Index stride, Index cols, const double* weights,
              double* gram, Index gram_stride) {
  const Factor<double> columns = transposed(x, stride);
  multiply({columns, columns, cols, cols, rows, Into::kAdd, Part::kLower, weights}, gram,
           gram_stride);
}

}  // namespace craton
#endif
