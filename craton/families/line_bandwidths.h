#pragma once
#include <vector>

#include "craton/engine/exec.h"
#include "craton/tables/points.h"

// Bandwidths of Gaussian kernels for one column, from the data rather than from a Gaussian that
// they might be. With n rows (weights are copies), phi the standard normal density and
// psi_r(g) = sum_(i,j) phi^(r)((x_i - x_j) / g) / (n (n - 1) g^(r+1)):
//
//   sj-dpi      h = (1 / (2 sqrt(pi) n psi_4(g)))^(1/5),  g = (2.394 / (-n psi_6(b)))^(1/7)
//   sj-ste      the h that solves the same with g = 1.357 (psi_4(a) / -psi_6(b))^(1/7) h^(5/7)
//               (Sheather and Jones, "A reliable data-based bandwidth selection method for kernel
//               density estimation", 1991; a and b as in R's bw.SJ, which takes binned data)
//   isj         h = range sqrt(t), t = xi gamma^[5](t) (Botev, Grotowski, Kroese, "Kernel density
//               estimation via diffusion", 2010), on 2^12 bins, with n the distinct values
//   lscv        the least of  integral of p^2 - 2 mean of p without row i, at row i
//   likelihood  the greatest mean log p without row i, at row i
//
// The last two may have several local optima: all of them are found, to the spacing of the search.
// Sums over pairs are those of kernels/smoothing/gaussian_cells.h, O(n) each.

namespace craton {

// All are for a column of more than one value. `scale` is the least of the standard deviation and
// the interquartile range / 1.349.
double plug_in_bandwidth(const Points& points, double scale);  // sj-dpi
double solved_bandwidth(const Points& points, double scale);   // sj-ste
double improved_bandwidth(const Points& points);               // isj; NaN: no solution

// A local optimum of a criterion that is to be small.
struct LocalBandwidth {
  double bandwidth, criterion;
};
enum class CrossValidation { kSquares, kLikelihood };
// Ascending by criterion. Empty where it only falls towards 0, as of rows with many ties.
std::vector<LocalBandwidth> cross_validated(const Points& points, double scale,
                                            CrossValidation criterion, const Exec& exec);

}  // namespace craton
