#pragma once
#include <cstddef>
#include <span>

// The arithmetic of series in two or three columns (tensor_cells.h): tensors of p^d numbers, the
// last index the nearest one. The order p is a multiple of 4, at most kHighestOrder.

namespace craton {

constexpr std::size_t kHighestOrder = 20, kMostTensorColumns = 3;

// For each point i: moments_i[b_1, ..., b_d] += w_i prod_j z_ij^b_j / b_j!
struct PointOfCell {
  double z[kMostTensorColumns];
  double weight;
  double* moments;
};
void add_moments(std::size_t order, std::size_t columns, std::span<const PointOfCell> points);

// One column of the series: out[r, a] = sum_k sum_b tensor_k[b, r] table_k[b, a], r < p^(d-1), so
// that after d of them the indices have their order again.
struct SeriesPart {
  const double* tensor;
  const double* table;
};
void contract(std::size_t order, std::size_t columns, std::span<const SeriesPart> parts,
              double* out);

// sum_(a_1, ..., a_d) coefficients[a_1, ..., a_d] prod_j t_j^a_j / a_j!
double series_value(std::size_t order, std::size_t columns, const double* t,
                    const double* coefficients);

}  // namespace craton
