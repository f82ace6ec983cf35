#pragma once
#include <span>

// exp and log over blocks of doubles, in vector registers, and what mixtures make of them.
//
// Errors: exp at most 1 ulp of a normal result, and 0 below -746; log at most 4 ulp of the result,
// for positive normal arguments. Arguments of exp are at most 706.

namespace craton {

void exp_all(std::span<double> values);  // in place
void log_all(std::span<double> values);
// log sum_i exp(values[i]); -inf when all are.
double log_sum_exp(std::span<const double> values);

// For each of the `rows` columns of the k x stride table `a`, in place:
//
//   log_sum = log sum_c exp a_c,   a_c <- exp(a_c - log_sum),   entropy = -sum_c a_c log a_c
//
// requires rows <= stride, a multiple of 8. A column without a finite maximum has log_sum NaN.
void softmax_columns(double* a, std::size_t k, std::size_t rows, std::size_t stride,
                     double* log_sum, double* entropy);

}  // namespace craton
