#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "craton/kernels/kd_tree.h"
#include "craton/kernels/smoothing/point_weights.h"
#include "craton/kernels/smoothing/smoothing_kernel.h"

// Sums of kernels over a tree of points, with a proved bound of the error:
//
//   S(x) = sum_i w_i g(q_i),   q_i = sum_j ((x_j - y_ij) / h_j)^2,   g(q) = k(q^(1/2)).
//
// A node (kd_tree.h) has weight W, and its q_i lie between a and b, the squares of the least and
// the greatest distance to its box. As g never rises, its part of S is between W g(b) and W g(a).
// It is also known what the mean m and the variance v of its q_i are: with c = (x - mean) / h,
// |c|^2 = C, and the moments M, t and f of the points about their mean, in units of h,
//
//   m = C + tr M,   v = 4 c'Mc - 4 c't + f - (tr M)^2.
//
// Where the third derivative of g is never positive, that says much more. The parabola that meets g
// in a, and touches it in some p, is nowhere below g from a on, since for some z
//
//   g(q) - parabola(q) = g'''(z) / 6 (q - a) (q - p)^2;
//
// the one that meets g in b and touches it in p is nowhere above it up to b. Their means are known,
// and the best p are those for which the mean is that of two points with mean m and variance v:
//
//   at most   W (s g(p) + (1 - s) g(a)),   p = m + v / (m - a),   s = (m - a) / (p - a)
//   at least  W (s g(p) + (1 - s) g(b)),   p = m - v / (b - m),   s = (b - m) / (b - p)
//
// These are the ends of what two such moments leave open (Chebyshev, Markov; Gan and Bailis 2017
// prune by the first bounds, Chan and others 2020 have parabolas of other kinds). Near the node's
// mean the distance between them falls with the third power of its size. g''' <= 0 holds for
//
//   gaussian, exponential, logistic   everywhere: exp(-q / 2), exp(-q^(1/2)) and
//                                     1 / cosh(q^(1/2) / 2) are Laplace transforms of positive
//                                     measures, and so are squares of such
//   biweight, triweight               everywhere, with the 0 beyond their end
//   epanechnikov, linear, cosine      inside, so b < 1. Sums of the first are exact there, and
//                                     g''' of the last is -(pi/2)^6 (1 / 120 - r / 1680 + ...),
//                                     r = (pi/2)^2 q < 2.5, which alternates and falls.
//
// Of a tophat, and of the tricube kernel, for which it does not hold, the first bounds are taken.
//
// Rounding, with e = 2^-53 and the diameter D of the box in units of h: a and b are moved apart by
// what their rounding is. c is right to (4 |c| + D) e, so with the bounds of kd_tree.h m is right
// to 330 e (C + D^2), and v to 1500 e D^2 (C + D^2). Slopes of the parabola are at most G: the
// steepest that g is from a on, and no more than g(a) / l, where l is the distance of p from a or
// b. The factor of its square is at most G / l. So the bounds are right to
//
//   768 e G (C + D^2) (1 + 2 D^2 / l),
//
// which is added to them, with 32 e for g.
//
// A sum begins with the nodes of the last level, and opens the one whose bounds are furthest apart,
// to a factor of 2, until all are near enough beside the least that S can be. Of leaves, the points
// are summed. So the points near x are summed first, and then where it matters most.

namespace craton {

// Points in the order of a tree, as KernelSums has them.
struct PointBlocks {
  const double* values;  // of place i, column j: [(i / 8 * columns + j) * 8 + i % 8]
  const BlockWeights* weights;
};

struct TreeQuery;

class TreeSums {
 public:
  // `order` as KdTree has it.
  TreeSums(SmoothingKernel kernel, std::span<const double> bandwidths,
           std::span<const double> ratios, const Dense<double>& points,
           std::span<const double> weights, std::vector<std::uint32_t>& order,
           RunTasks run = run_in_order);

  // S and its parts, times exp(shift). S is right to `error` and to what KernelSums says of points
  // that are summed, with `roundings` for the terms of which the sum is made.
  struct Sum {
    double sum = 0;
    double error = 0;
    double doubt = 0;  // E of kernel_sums.h, of points that were summed
    double roundings = 0;
  };
  // The error is at most `target` times what S is at least, or all points near were summed. A sum
  // below `faint` is left as it is. `margin` is the relative error of squared distances.
  Sum sum(const double* x, Index columns, const PointBlocks& points, double margin, double shift,
          double target, double faint) const;
  // The least squared distance, in units of h of the first column, times the square of that.
  double nearest(const double* x, Index columns, const PointBlocks& points) const;
  // Whether the box of a leaf has points whose squared distance may be below `square`.
  bool within(const double* x, Index columns, Index leaf, double square) const;

  const KdTree& tree() const { return tree_; }

 private:
  TreeQuery query(const double* x, Index columns, const PointBlocks& points) const;

  SmoothingKernel kernel_;
  double unit_;
  double weight_ = 0;
  std::vector<double> inverses_, ratios_;  // 1 / h, and h of the first column / h
  std::vector<double> alike_;              // see TreeQuery
  KdTree tree_;
};

}  // namespace craton
