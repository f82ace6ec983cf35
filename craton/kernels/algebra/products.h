#pragma once
#include "craton/base/matrix.h"

// Products of matrices and weighted Gram matrices, float and double:
//
//   c_ij = sum_k a_ik b_jk,        gram_uv += sum_i w_i x_iu x_iv  for u >= v.
//
// The order of summation of an output depends on the length of its sum alone: the terms are taken
// kProductDepth at a time, each such block is summed in order by fused multiply-adds (a
// multiplication and an addition where the CPU has no other), and the sums of the blocks are added
// in order. Neither the other rows and columns nor how many there are changes a bit, so batches and
// threads may divide rows and columns as they like, and a part of a product is the product of
// parts.
//
// Sums are of the type of the entries, floats too: that is what makes them fast. With u the unit
// roundoff of the type (2^-24, 2^-53) and n terms, short of overflow and underflow,
//
//   |c_ij - exact| <= (kProductDepth + n / kProductDepth + 3) u sum_k |a_ik b_jk|,
//
// to first order in u. K. Goto, R. van de Geijn: Anatomy of high-performance matrix multiplication
// (ACM TOMS 34, 2008); the ratios to OpenBLAS are in bench/results/products.md.

namespace craton {

inline constexpr Index kProductDepth = 256;

// c = a b', for a of a_rows x k and b of b_rows x k, all by rows. c overlaps neither.
void row_products(const float* a, Index a_rows, Index a_stride, const float* b, Index b_rows,
                  Index b_stride, Index k, float* c, Index c_stride);
void row_products(const double* a, Index a_rows, Index a_stride, const double* b, Index b_rows,
                  Index b_stride, Index k, double* c, Index c_stride);

// The lower triangle of gram += x' diag(weights) x. No weights: all are 1. The terms of an output
// are (w_i x_iu) x_iv, all numbers finite; weights may be negative.
void add_gram(const float* x, Index rows, Index stride, Index cols, const float* weights,
              float* gram, Index gram_stride);
void add_gram(const double* x, Index rows, Index stride, Index cols, const double* weights,
              double* gram, Index gram_stride);

// A factor of a product in any of its two layouts: entry (i, k) lies at data[i * row_step + k *
// step], and one of the two is 1. A matrix by rows, and the transpose of one:
template <class T>
struct Factor {
  const T* data = nullptr;
  Index row_step = 0, step = 1;
};
template <class T>
Factor<T> by_rows(const T* data, Index stride) {
  return {data, stride, 1};
}
template <class T>
Factor<T> transposed(const T* data, Index stride) {
  return {data, 1, stride};
}

enum class Into { kSet, kAdd, kSubtract };  // c = s, c += s, c -= s; s the sum of a block
enum class Part { kWhole, kLower };         // kLower: only c_ij with i >= j is written

// c_ij = sum_k a_ik b_jk (or added to, or subtracted from, what is there: block by block), with
// the a_ik multiplied by weights[k] if there are any (then a.row_step is 1). c overlaps neither.
template <class T>
struct Product {
  Factor<T> a, b;
  Index rows = 0, columns = 0, depth = 0;  // i, j, k
  Into into = Into::kSet;
  Part part = Part::kWhole;
  const T* weights = nullptr;
};
void multiply(const Product<float>& product, float* c, Index stride);
void multiply(const Product<double>& product, double* c, Index stride);

}  // namespace craton
