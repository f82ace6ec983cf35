#include "craton/kernels/algebra/block_products.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/algebra/block_products.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// A tile of up to four classes times two vectors of rows, or two terms, stays in registers.

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Tag>;
constexpr Tag kTag;

HWY_INLINE Vector load(const double* at) { return hn::LoadU(kTag, at); }
HWY_INLINE double total(Vector v) { return hn::GetLane(hn::SumOfLanes(kTag, v)); }

bool standardise(const double* HWY_RESTRICT x, std::size_t rows, double origin, double factor,
                 double* HWY_RESTRICT z, double* HWY_RESTRICT square) {
  const Vector o = hn::Set(kTag, origin), f = hn::Set(kTag, factor);
  Vector sum = hn::Zero(kTag);  // of 0 x: NaN where x is not finite
  for (std::size_t b = 0; b < rows; b += hn::Lanes(kTag)) {
    const Vector v = load(x + b), y = hn::Mul(hn::Sub(v, o), f);
    sum = hn::MulAdd(v, hn::Zero(kTag), sum);
    hn::StoreU(y, kTag, z + b);
    hn::StoreU(hn::Mul(y, y), kTag, square + b);
  }
  return total(sum) == 0;
}

bool all_within(const double* x, std::size_t rows, double low, double high, bool whole) {
  const Vector least = hn::Set(kTag, low), most = hn::Set(kTag, high);
  auto fine = hn::Eq(least, least);
  for (std::size_t b = 0; b < rows; b += hn::Lanes(kTag)) {
    const Vector v = load(x + b);
    fine = hn::And(fine, hn::And(hn::Ge(v, least), hn::Le(v, most)));
    if (whole) fine = hn::And(fine, hn::Eq(hn::Floor(v), v));
  }
  return hn::AllTrue(kTag, fine);
}

template <std::size_t kClasses>
HWY_INLINE void score_tile(const double* HWY_RESTRICT t, std::size_t terms,
                           const double* HWY_RESTRICT h, const double* constant, std::size_t rows,
                           double* HWY_RESTRICT out) {
  const std::size_t lanes = hn::Lanes(kTag);
  for (std::size_t b = 0; b < rows; b += 2 * lanes) {
    Vector left[kClasses], right[kClasses];
#pragma GCC unroll 4
    for (std::size_t c = 0; c < kClasses; ++c) left[c] = right[c] = hn::Set(kTag, constant[c]);
    for (std::size_t p = 0; p < terms; ++p) {
      const double* const at = t + p * kProgramRows + b;
      const Vector x = load(at), y = load(at + lanes);
#pragma GCC unroll 4
      for (std::size_t c = 0; c < kClasses; ++c) {
        const Vector f = hn::Set(kTag, h[c * terms + p]);
        left[c] = hn::MulAdd(f, x, left[c]);
        right[c] = hn::MulAdd(f, y, right[c]);
      }
    }
#pragma GCC unroll 4
    for (std::size_t c = 0; c < kClasses; ++c) {
      hn::StoreU(left[c], kTag, out + c * kProgramRows + b);
      hn::StoreU(right[c], kTag, out + c * kProgramRows + b + lanes);
    }
  }
}

template <std::size_t kClasses, std::size_t kTerms>
HWY_INLINE void sum_tile(const double* HWY_RESTRICT t, const double* HWY_RESTRICT r,
                         std::size_t terms, std::size_t rows, double* HWY_RESTRICT sums) {
  const std::size_t lanes = hn::Lanes(kTag);
  Vector sum[kClasses][kTerms];
#pragma GCC unroll 4
  for (auto& row : sum) {
    for (Vector& v : row) v = hn::Zero(kTag);
  }
  for (std::size_t b = 0; b < rows; b += lanes) {
    Vector x[kTerms];
#pragma GCC unroll 2
    for (std::size_t p = 0; p < kTerms; ++p) x[p] = load(t + p * kProgramRows + b);
#pragma GCC unroll 4
    for (std::size_t c = 0; c < kClasses; ++c) {
      const Vector w = load(r + c * kProgramRows + b);
#pragma GCC unroll 2
      for (std::size_t p = 0; p < kTerms; ++p) sum[c][p] = hn::MulAdd(w, x[p], sum[c][p]);
    }
  }
#pragma GCC unroll 4
  for (std::size_t c = 0; c < kClasses; ++c) {
    for (std::size_t p = 0; p < kTerms; ++p) sums[c * terms + p] += total(sum[c][p]);
  }
}

template <std::size_t kClasses>
HWY_INLINE void sum_panel(const double* t, std::size_t terms, const double* r, std::size_t rows,
                          double* sums, double* weight) {
  std::size_t p = 0;
  for (; p + 2 <= terms; p += 2) {
    sum_tile<kClasses, 2>(t + p * kProgramRows, r, terms, rows, sums + p);
  }
  if (p < terms) sum_tile<kClasses, 1>(t + p * kProgramRows, r, terms, rows, sums + p);
  const std::size_t lanes = hn::Lanes(kTag);
  Vector left[kClasses], right[kClasses];
  for (std::size_t c = 0; c < kClasses; ++c) left[c] = right[c] = hn::Zero(kTag);
  for (std::size_t b = 0; b < rows; b += 2 * lanes) {
#pragma GCC unroll 4
    for (std::size_t c = 0; c < kClasses; ++c) {
      left[c] = hn::Add(left[c], load(r + c * kProgramRows + b));
      right[c] = hn::Add(right[c], load(r + c * kProgramRows + b + lanes));
    }
  }
  for (std::size_t c = 0; c < kClasses; ++c) weight[c] += total(hn::Add(left[c], right[c]));
}

// Calls f<count>(first) for classes first.., four at a time.
template <class F>
HWY_INLINE void for_panels(std::size_t classes, const F& f) {
  std::size_t c = 0;
  for (; c + 4 <= classes; c += 4) f.template operator()<4>(c);
  if (classes - c == 3) f.template operator()<3>(c);
  if (classes - c == 2) f.template operator()<2>(c);
  if (classes - c == 1) f.template operator()<1>(c);
}

void block_scores(const double* t, std::size_t terms, const double* h, const double* constant,
                  std::size_t classes, std::size_t rows, double* out) {
  for_panels(classes, [&]<std::size_t kClasses>(std::size_t c) HWY_ATTR {
    score_tile<kClasses>(t, terms, h + c * terms, constant + c, rows, out + c * kProgramRows);
  });
}

void add_block_sums(const double* t, std::size_t terms, const double* r, std::size_t classes,
                    std::size_t rows, double* sums, double* weight) {
  for_panels(classes, [&]<std::size_t kClasses>(std::size_t c) HWY_ATTR {
    sum_panel<kClasses>(t, terms, r + c * kProgramRows, rows, sums + c * terms, weight + c);
  });
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(standardise);
HWY_EXPORT(all_within);
HWY_EXPORT(block_scores);
HWY_EXPORT(add_block_sums);

bool standardise(const double* x, std::size_t rows, double origin, double factor, double* z,
                 double* square) {
  return HWY_DYNAMIC_DISPATCH(standardise)(x, rows, origin, factor, z, square);
}
bool all_within(const double* x, std::size_t rows, double low, double high, bool whole) {
  return HWY_DYNAMIC_DISPATCH(all_within)(x, rows, low, high, whole);
}
void block_scores(const double* t, std::size_t terms, const double* h, const double* constant,
                  std::size_t classes, std::size_t rows, double* out) {
  HWY_DYNAMIC_DISPATCH(block_scores)(t, terms, h, constant, classes, rows, out);
}
void add_block_sums(const double* t, std::size_t terms, const double* r, std::size_t classes,
                    std::size_t rows, double* sums, double* weight) {
  HWY_DYNAMIC_DISPATCH(add_block_sums)(t, terms, r, classes, rows, sums, weight);
}

}  // namespace craton
#endif
