#pragma once
#include <span>
#include <vector>

#include "craton/density/row_kernels.h"

// Some columns of an estimate with gaussian kernels, by themselves or at given values of others,
// which are such estimates again. Of the columns a and b of a bandwidth matrix H, with rows y_i,
//
//   p(x_a)        = 1 / W sum_i w_i N(x_a; y_ia, H_aa)
//   p(x_a | x_b)  = sum_i v_i N(x_a; y_ia + B (x_b - y_ib), H_aa - B H_ba) / sum_i v_i,
//   v_i = w_i N(x_b; y_ib, H_bb),   B = H_ab H_bb^-1,
//
// where B = 0 if H is a diagonal. On a support v_i has the images of x_b too. v_i are told up to a
// factor: the greatest N is 1.

namespace craton {

struct ShapedRows {
  KernelShape shape;
  Points points;
};

// InputError (kNotAble) of other kernels, whose parts are none of theirs.
ShapedRows marginal_rows(const KernelShape& shape, const Points& points,
                         std::span<const Index> kept);

// Of the columns that are not given, in their order. InputError where values are outside of the
// support, or so far away that no row is nearer than any other. requires that some are left.
ShapedRows conditional_rows(const KernelShape& shape, const Points& points,
                            std::span<const Index> given, std::span<const double> values,
                            const Schema& schema);

}  // namespace craton
