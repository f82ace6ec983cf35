#pragma once
#include <cstddef>
#include <vector>

// The Gaussian G(u) = exp(-u^2 / 2) as a series about two centres that lie D apart, of points at t
// and z about them (Greengard and Strain 1991):
//
//   G(D + t - z) = sum_(a,b < p) t^a / a! (-z)^b / b! G^(a+b)(D) + rest
//
// By Cramer's inequality |G^(n)(u)| <= 1.0865 sqrt(n!) exp(-u^2 / 4). With |t|, |z| <= r, and u the
// least distance that such points can have, the rest is at most
//
//   1.0865 exp(-u^2 / 4) r^p / sqrt(p!) (1 + sum_(b < p) r^b / b! sqrt((p+b)! / p!)),
//
// by Taylor's theorem in z for each a, and then in t.

namespace craton {

// That bound without exp(-u^2 / 4); r is half a cell.
double series_rest(std::size_t order, double cell);

// What the absolute values of all terms add up to at most, without exp(-D^2 / 4):
// 1.0865 sum_k (2 r)^k / sqrt(k!).
double series_terms(double cell);

// G^(n)(u) for n < count, right to a rounding or two of Cramer's bound.
std::vector<double> gaussian_derivatives(long double u, std::size_t count);

}  // namespace craton
