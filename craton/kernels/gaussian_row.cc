#include "craton/kernels/gaussian_row.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/gaussian_row.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Four = hn::CappedTag<double, 4>;
using One = hn::CappedTag<double, 1>;
constexpr Four kFour;
constexpr One kOne;

// a b + c, in one rounding where the blocks of gaussian.cc have one.
HWY_INLINE double multiply_add(double a, double b, double c) {
  return hn::GetLane(hn::MulAdd(hn::Set(kOne, a), hn::Set(kOne, b), hn::Set(kOne, c)));
}

HWY_INLINE double log_density(double square, double constant) {
  return square >= 0 ? multiply_add(-0.5, square, constant) : -INFINITY;
}

// Four rows of A side by side; each sum has the order that it has in a block of rows.
double full_row(const double* row, const double* mean, const double* packed, double constant,
                std::size_t d, double* work) {
  const std::size_t lanes = hn::Lanes(kFour);
  for (std::size_t j = 0; j < d; ++j) work[j] = row[j] - mean[j];
  double square = 0;
  HWY_ALIGN double sums[4];
  for (std::size_t i = 0; i < d; i += 4) {
    const std::size_t columns = std::min(i + 4, d);
    for (std::size_t part = 0; part < 4; part += lanes) {
      auto sum = hn::Zero(kFour);
      for (std::size_t j = 0; j < columns; ++j) {
        sum = hn::MulAdd(hn::LoadU(kFour, packed + 4 * j + part), hn::Set(kFour, work[j]), sum);
      }
      hn::Store(sum, kFour, sums + part);
    }
    for (const double s : sums) square = multiply_add(s, s, square);
    packed += 4 * columns;
  }
  return log_density(square, constant);
}

double diagonal_row(const double* row, const double* mean, const double* scale, double constant,
                    std::size_t d) {
  double square = 0;
  for (std::size_t j = 0; j < d; ++j) {
    const double y = (row[j] - mean[j]) * scale[j];
    square = multiply_add(y, y, square);
  }
  return log_density(square, constant);
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(full_row);
HWY_EXPORT(diagonal_row);

double full_log_density(const double* row, const double* mean, const double* packed,
                        double constant, std::size_t d, double* work) {
  return HWY_DYNAMIC_DISPATCH(full_row)(row, mean, packed, constant, d, work);
}
double diagonal_log_density(const double* row, const double* mean, const double* scale,
                            double constant, std::size_t d) {
  return HWY_DYNAMIC_DISPATCH(diagonal_row)(row, mean, scale, constant, d);
}

}  // namespace craton
#endif
