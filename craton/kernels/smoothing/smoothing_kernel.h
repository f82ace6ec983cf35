#pragma once
#include <cstdint>

#include "craton/base/random.h"

// Kernels of density estimates. A kernel is its profile k, 1 at 0 and never rising, of the distance
// u from a point in units of the bandwidth:
//
//   gaussian      exp(-u^2 / 2)          tophat        1
//   exponential   exp(-u)                epanechnikov  1 - u^2
//   logistic      1 / cosh(u / 2)^2      biweight      (1 - u^2)^2
//   linear        1 - u                  triweight     (1 - u^2)^3
//   cosine        cos(pi u / 2)          tricube       (1 - u^3)^3
//
// All but gaussian, exponential and logistic are 0 from u = 1 on. The kernel of d columns is
// k(|x| / h) / (c h^d); with the moments m_j = integral of k(u) u^j over u > 0
//
//   c = 2 pi^(d/2) / Gamma(d/2) m_(d-1),   E x_1^2 = h^2 m_(d+1) / (d m_(d-1)).

namespace craton {

enum class SmoothingKernel : std::int8_t {
  kGaussian,
  kTophat,
  kEpanechnikov,
  kExponential,
  kLinear,
  kCosine,
  kBiweight,
  kTriweight,
  kTricube,
  kLogistic
};
inline constexpr int kSmoothingKernels = 10;

constexpr bool is_compact(SmoothingKernel kernel) {
  return kernel != SmoothingKernel::kGaussian && kernel != SmoothingKernel::kExponential &&
         kernel != SmoothingKernel::kLogistic;
}

double log_volume(SmoothingKernel kernel, Index columns);        // log c
double kernel_deviation(SmoothingKernel kernel, Index columns);  // of a coordinate, at h = 1

// Of the kernel of one column at h = 1, what lies beyond u >= 0; half of it at 0.
double kernel_tail(SmoothingKernel kernel, double u);

// A point of the kernel about 0 at h = 1, `columns` numbers.
void draw_kernel(SmoothingKernel kernel, Index columns, Random& random, double* out);

}  // namespace craton
