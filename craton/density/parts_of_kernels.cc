#include "craton/density/parts_of_kernels.h"

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/base/some_columns.h"
#include "craton/density/bandwidth_matrix.h"
#include "craton/kernels/algebra/linalg.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

void need_gaussian(const KernelShape& shape) {
  if (!shape.row_scales.empty()) {
    throw InputError(Code::kNotAble, {},
                     "equal rows may have kernels of other widths once columns are left out",
                     {"Fit without {}.", Ref::option("adaptive")});
  }
  if (shape.kernel == SmoothingKernel::kGaussian && !shape.of_function) return;
  throw InputError(Code::kNotAble, {},
                   "kernels that are not gaussian have another shape in some of their columns",
                   {"Fit with {}.", Ref::option("kernel", "gaussian")});
}

// Rows of H by `left`, columns by `right`.
std::vector<double> block_of(const KernelShape& shape, std::span<const Index> left,
                             std::span<const Index> right) {
  const Index d = ssize(shape.bandwidth);
  std::vector<double> block;
  for (const Index a : left) {
    for (const Index b : right) {
      double sum = 0;
      for (Index k = 0; k <= std::min(a, b) && !shape.factor.empty(); ++k) {
        sum += shape.factor[usize(a * d + k)] * shape.factor[usize(b * d + k)];
      }
      if (shape.factor.empty() && a == b)
        sum = shape.bandwidth[usize(a)] * shape.bandwidth[usize(a)];
      block.push_back(sum);
    }
  }
  return block;
}

KernelShape shape_of(const KernelShape& shape, std::span<const Index> columns,
                     std::vector<double> matrix) {
  KernelShape part{.kernel = shape.kernel};
  if (shape.factor.empty()) {
    for (const Index j : columns) part.bandwidth.push_back(shape.bandwidth[usize(j)]);
  } else {
    set_matrix(std::move(matrix), numbered_schema(ssize(columns)), part);
  }
  for (const Index j : columns) {
    if (!shape.support.empty()) part.support.push_back(shape.support[usize(j)]);
  }
  const auto whole = [](const ColumnSupport& column) { return column.whole(); };
  if (std::ranges::all_of(part.support, whole)) part.support.clear();
  return part;
}

std::vector<double> rows_of(const Points& points, std::span<const Index> columns) {
  std::vector<double> rows;
  for (Index i = 0; i < points.size(); ++i) {
    for (const Index j : columns) rows.push_back(points.view().row(i)[j]);
  }
  return rows;
}

// In canonical order, without those of weight 0.
Points in_order(const std::vector<double>& rows, const RowWeights& weights, Index columns) {
  Points kept{columns, {}, {}};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] > 0)) continue;
    kept.weights.push_back(weights[i]);
    for (std::size_t j = 0; j < usize(columns); ++j) {
      kept.rows.push_back(rows[i * usize(columns) + j] + 0.0);  // -0 + 0 is 0
    }
  }
  return sorted_points(std::move(kept), {.threads = 1});
}

}  // namespace

ShapedRows marginal_rows(const KernelShape& shape, const Points& points,
                         std::span<const Index> kept) {
  need_gaussian(shape);
  return {shape_of(shape, kept, block_of(shape, kept, kept)),
          in_order(rows_of(points, kept), points.weights, ssize(kept))};
}

ShapedRows conditional_rows(const KernelShape& shape, const Points& points,
                            std::span<const Index> given, std::span<const double> values,
                            const Schema& schema) {
  need_gaussian(shape);
  const Index d = points.columns, b = ssize(given);
  const std::vector<Index> kept = others_than(given, d);
  const Index a = ssize(kept);
  for (Index j = 0; j < b && !shape.support.empty(); ++j) {
    const ColumnSupport& column = shape.support[usize(given[usize(j)])];
    if (column.holds(values[usize(j)])) continue;
    throw InputError(Code::kOutsideSupport, {.column = schema.name(given[usize(j)])},
                     {"the value {} is outside of {}, from {} to {}", values[usize(j)],
                      Ref::option("support"), column.low, column.high},
                     "Give a value within.");
  }

  const ShapedRows of_given = {shape_of(shape, given, block_of(shape, given, given)),
                               {b, rows_of(points, given), points.weights}};
  const std::vector<double> matrix = block_of(shape, given, given);
  Points sorted = in_order(of_given.points.rows, points.weights, b);  // kernels want them so
  constexpr double kTolerance = 0.5;  // of sums, which nobody asks for
  const RowKernels kernels(of_given.shape, sorted, kTolerance, {.threads = 1});
  std::vector<double> log_kernels;
  for (Index i = 0; i < points.size(); ++i) {
    log_kernels.push_back(kernels.log_kernel(values.data(), of_given.points.view().row(i)));
  }
  const double top = *std::ranges::max_element(log_kernels);
  if (!(top > kNever)) {
    throw InputError(Code::kNotFinite, {},
                     "the given values lie so far from all rows that squares of distances overflow",
                     "Check their units.");
  }
  std::vector<double> weights;
  for (Index i = 0; i < points.size(); ++i) {
    weights.push_back(points.weights[usize(i)] * std::exp(log_kernels[usize(i)] - top));
  }

  std::vector<double> rows = rows_of(points, kept), left = block_of(shape, kept, kept);
  if (!shape.factor.empty()) {
    // L_bb^-1 H_ba, of which B (x_b - y_b) and B H_ba are products.
    std::vector<double> lower = matrix, across = block_of(shape, given, kept);
    if (!cholesky(lower, b)) {
      throw InputError(Code::kNoSpread, {}, "the bandwidth matrix of the given columns is singular",
                       "Give fewer of them.");
    }
    solve_lower(lower, b, across, a);
    std::vector<double> gap(usize(b));
    for (Index i = 0; i < points.size(); ++i) {
      for (Index j = 0; j < b; ++j) {
        gap[usize(j)] = values[usize(j)] - of_given.points.view().row(i)[j];
      }
      solve_lower(lower, b, gap, 1);
      for (Index k = 0; k < a; ++k) {
        for (Index j = 0; j < b; ++j) {
          rows[usize(i * a + k)] += across[usize(j * a + k)] * gap[usize(j)];
        }
      }
    }
    for (Index k = 0; k < a; ++k) {
      for (Index l = 0; l < a; ++l) {
        for (Index j = 0; j < b; ++j) {
          left[usize(k * a + l)] -= across[usize(j * a + k)] * across[usize(j * a + l)];
        }
      }
    }
  }
  return {shape_of(shape, kept, std::move(left)), in_order(rows, weights, a)};
}

}  // namespace craton
