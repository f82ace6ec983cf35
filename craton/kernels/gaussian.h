#pragma once
#include <cstddef>

// Gaussian densities of a block of rows, and moments of its rows about a mean.
//
// A block holds up to kBlockRows rows one column after the other: x[j * kBlockRows + b]; and those
// of kWideRows columns and more row by row too: by_row[b * row_stride(d) + j]. All here works on x
// - mean, so an offset of the data costs no digits. `rows` is a multiple of kRowStep (three vectors
// of any length); arrays start on 64-byte boundaries.

namespace craton {

inline constexpr std::size_t kBlockRows = 96, kRowStep = 24;

inline constexpr std::size_t kWideRows = 32;
// The places of a row; and of all, with four vectors behind the last for a kernel that reads on.
constexpr std::size_t row_stride(std::size_t d) { return (d + 7) / 8 * 8; }
constexpr std::size_t by_row_size(std::size_t d) { return row_stride(d) * kBlockRows + 32; }
// Doubles for the kernels to work on.
constexpr std::size_t work_size(std::size_t d) { return by_row_size(d); }

// A lower triangular d x d matrix, four rows at a time: for each column up to the last of the four,
// their values side by side (zeros above the diagonal and below the last row).
std::size_t packed_size(std::size_t d);
void pack_lower(const double* lower, std::size_t d, double* packed);

// out[b] = constant - |A (x_b - mean)|^2 / 2 with A packed: d^2 / 2 multiply-adds a row. -inf where
// the square overflows.
void full_log_density(const double* x, const double* mean, const double* packed, double constant,
                      std::size_t d, std::size_t rows, double* work, double* out);
// The same for a diagonal A, given by its diagonal.
void diagonal_log_density(const double* x, const double* mean, const double* scale, double constant,
                          std::size_t d, std::size_t rows, double* out);

// With y = x_b - mean and v_b = r_b w_b (0 where w_b is, whatever r_b), adds sum_b v_b y to `sum`
// (d) and the lower half of sum_b v_b y y' to `scatter` (d (d + 1) / 2, by rows), or its diagonal
// (d). Returns sum_b v_b. requires r, w >= 0. Of wide rows those are spared whose v_b is below
// 1e-20 of the largest: they would not change a digit.
double add_full_scatter(const double* x, const double* by_row, const double* mean, const double* r,
                        const double* w, std::size_t d, std::size_t rows, double* work, double* sum,
                        double* scatter);
double add_diagonal_scatter(const double* x, const double* by_row, const double* mean,
                            const double* r, const double* w, std::size_t d, std::size_t rows,
                            double* sum, double* scatter);

}  // namespace craton
