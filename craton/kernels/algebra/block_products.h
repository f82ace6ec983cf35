#pragma once
#include <cstddef>

// Two matrix products over a block of rows, with terms T(x) of the rows and numbers of each class:
// the log-densities T H + c of exponential families, and the sums R'T of what the rows say.
//
// A block holds up to kProgramRows rows, one term (or class) after the other: t[p * kProgramRows +
// b]. `rows` is a multiple of kProgramStep (two vectors of any length).

namespace craton {

inline constexpr std::size_t kProgramRows = 256, kProgramStep = 16;

constexpr std::size_t padded_rows(std::size_t rows) {
  return (rows + kProgramStep - 1) / kProgramStep * kProgramStep;
}

// z = (x - origin) * factor and square = z^2. False when some x is not finite.
bool standardise(const double* x, std::size_t rows, double origin, double factor, double* z,
                 double* square);

// Whether low <= x <= high everywhere, and all are whole numbers where that is asked for.
bool all_within(const double* x, std::size_t rows, double low, double high, bool whole);

// out[c * kProgramRows + b] = constant[c] + sum_p h[c * terms + p] t[p * kProgramRows + b],
// in the order of p.
void block_scores(const double* t, std::size_t terms, const double* h, const double* constant,
                  std::size_t classes, std::size_t rows, double* out);

// sums[c * terms + p] += sum_b r[c * kProgramRows + b] t[p * kProgramRows + b], and weight[c] +=
// sum_b r[c * kProgramRows + b].
void add_block_sums(const double* t, std::size_t terms, const double* r, std::size_t classes,
                    std::size_t rows, double* sums, double* weight);

}  // namespace craton
