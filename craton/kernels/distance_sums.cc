#include "craton/kernels/distance_sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/distance_sums.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 4>;
using Vector = hn::Vec<Tag>;
constexpr std::size_t kWidth = hn::MaxLanes(Tag());
constexpr std::size_t kLanes = static_cast<std::size_t>(kDistanceLanes);
constexpr std::size_t kVectors = kLanes / kWidth;
constexpr std::size_t kRows = static_cast<std::size_t>(kDistanceRows);

// The distances of one block, kVectors for each row.
HWY_INLINE void block_distances(const double* const* HWY_RESTRICT x, const double* HWY_RESTRICT y,
                                Index columns, Vector (&out)[kRows][kVectors]) {
  Vector sum[kRows][kVectors];
  for (auto& row : sum) {
    for (Vector& v : row) v = hn::Zero(Tag());
  }
  for (Index c = 0; c < columns; ++c, y += kLanes) {
    Vector values[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) values[v] = hn::LoadU(Tag(), y + v * kWidth);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r) {
      const Vector from = hn::Set(Tag(), x[r][c]);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) {
        const Vector difference = hn::Sub(values[v], from);
        sum[r][v] = hn::MulAdd(difference, difference, sum[r][v]);
      }
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) out[r][v] = hn::Sqrt(sum[r][v]);
  }
}

void distance_sums(const double* const* x, const double* group, Index rows, Index columns,
                   double* out) {
  Vector sums[kRows][kVectors], distances[kRows][kVectors];
  for (auto& row : sums) {
    for (Vector& v : row) v = hn::Zero(Tag());
  }
  const auto block = static_cast<std::size_t>(columns) * kLanes;
  Index left = rows;
  for (; left >= kDistanceLanes; left -= kDistanceLanes, group += block) {
    block_distances(x, group, columns, distances);
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::Add(sums[r][v], distances[r][v]);
    }
  }
  if (left > 0) block_distances(x, group, columns, distances);
  for (std::size_t r = 0; r < kRows; ++r) {
    double lanes[kLanes], last[kLanes];
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[r][v], Tag(), lanes + v * kWidth);
      if (left > 0) hn::StoreU(distances[r][v], Tag(), last + v * kWidth);
    }
    for (std::size_t j = 0; j < static_cast<std::size_t>(left); ++j) lanes[j] += last[j];
    for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
      for (std::size_t j = 0; j < half; ++j) lanes[j] += lanes[j + half];
    }
    out[r] = lanes[0];
  }
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {
HWY_EXPORT(distance_sums);

void distance_sums(const double* const x[kDistanceRows], const double* group, Index rows,
                   Index columns, double out[kDistanceRows]) {
  HWY_DYNAMIC_DISPATCH(distance_sums)(x, group, rows, columns, out);
}

}  // namespace craton
#endif
