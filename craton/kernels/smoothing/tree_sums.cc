#include "craton/kernels/smoothing/tree_sums.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "craton/base/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/smoothing/tree_sums.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "craton/kernels/smoothing/kernel_terms.h"

// Sixteen nodes are looked at together, at about the cost of a leaf. Those of which the error
// is small beside their weight are added at once; the others wait in lists, one for each power of
// two of the error.

#ifndef CRATON_TREE_SUMS
#define CRATON_TREE_SUMS
namespace craton {

// What a sum is asked for.
struct TreeQuery {
  SmoothingKernel kernel;
  double unit;
  const double *x, *ratios, *inverses;
  std::size_t columns;
  const KdTree* tree;
  bool moments;  // whether nodes have those of these columns
  PointBlocks points;
  const double* alike;  // the weights of a leaf, if all points have the same
  double margin = 0, shift = 0, target = 0, faint = 0;
};

namespace {

// Nodes that may have to be opened, the greatest errors first.
class Waiting {
 public:
  struct Node {
    double value, error;
    std::int32_t level, next;
    Index number;
  };

  explicit Waiting(double greatest) : top_(exponent(greatest)) {}

  bool empty() const { return used_ == 0; }
  double value() const { return value_; }
  double error() const { return error_; }
  int list() const { return std::countr_zero(used_); }

  void add(double value, double error, Index level, Index number) {
    std::int32_t place = free_;
    if (place < 0) {
      place = static_cast<std::int32_t>(size_);
      if (size_ == room_) grow();
      ++size_;
    } else {
      free_ = nodes_[static_cast<std::size_t>(place)].next;
    }
    nodes_[static_cast<std::size_t>(place)] = {value, error, static_cast<std::int32_t>(level), -1,
                                               number};
    put(place, value, error);
  }

  Node take() {
    if (used_ == std::uint64_t{1} << (kLists - 1)) lower();
    const auto l = static_cast<std::size_t>(list());
    const std::int32_t place = lists_[l].first;
    Node& kept = nodes_[static_cast<std::size_t>(place)];
    const Node node = kept;
    lists_[l].first = node.next;
    lists_[l].value -= node.value;
    lists_[l].error -= node.error;
    value_ -= node.value;
    error_ -= node.error;
    kept.value = kept.error = 0;
    kept.next = free_;
    free_ = place;
    if (node.next < 0) {
      lists_[l] = {};
      used_ &= ~(std::uint64_t{1} << l);
      count();
    }
    return node;
  }

  // What is left, without what rounding has done to the running sums. Nodes that were taken have
  // no value and no error; four sums at a time do not wait for each other.
  void total(double* value, double* error) const {
    double values[4] = {}, errors[4] = {};
    for (std::size_t i = 0; i < size_; ++i) {
      values[i % 4] += nodes_[i].value;
      errors[i % 4] += nodes_[i].error;
    }
    *value += (values[0] + values[1]) + (values[2] + values[3]);
    *error += (errors[0] + errors[1]) + (errors[2] + errors[3]);
  }
  Index most() const { return static_cast<Index>(size_); }  // nodes at a time, so far

 private:
  static constexpr int kLists = 64;
  struct List {
    double value = 0, error = 0;
    std::int32_t first = -1;
  };

  static int exponent(double v) {
    return static_cast<int>(std::bit_cast<std::uint64_t>(v) >> 52 & 0x7ff);
  }
  void put(std::int32_t place, double value, double error) {
    const auto l = static_cast<std::size_t>(std::clamp(top_ - exponent(error), 0, kLists - 1));
    nodes_[static_cast<std::size_t>(place)].next = lists_[l].first;
    lists_[l].first = place;
    lists_[l].value += value;
    lists_[l].error += error;
    value_ += value;
    error_ += error;
    used_ |= std::uint64_t{1} << l;
  }
  void count() {
    value_ = error_ = 0;
    for (std::uint64_t rest = used_; rest != 0; rest &= rest - 1) {
      const List& list = lists_[static_cast<std::size_t>(std::countr_zero(rest))];
      value_ += list.value;
      error_ += list.error;
    }
  }
  // When all errors are in the last list: lists for smaller ones.
  void lower() {
    if (top_ < kLists) return;
    top_ -= kLists - 1;
    std::int32_t i = lists_[kLists - 1].first;
    lists_[kLists - 1] = {};
    used_ = 0;
    value_ = error_ = 0;
    while (i >= 0) {
      const Node node = nodes_[static_cast<std::size_t>(i)];
      put(i, node.value, node.error);
      i = node.next;
    }
  }

  // Room of the thread's, as one sum is over before the next begins.
  void grow() {
    thread_local std::vector<Node> many;
    if (many.size() < 2 * room_) many.resize(2 * room_);
    if (nodes_ == few_) {
      std::copy_n(few_, size_, many.data());
    }
    nodes_ = many.data();
    room_ = many.size();
  }

  int top_;
  List lists_[kLists];
  std::uint64_t used_ = 0;  // the lists that are not empty
  double value_ = 0, error_ = 0;
  std::int32_t free_ = -1;
  static constexpr std::size_t kFew = 256;
  Node few_[kFew];
  Node* nodes_ = few_;
  std::size_t size_ = 0, room_ = kFew;
};

}  // namespace
}  // namespace craton
#endif

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {

constexpr Index kFan = KdTree::kChildren;
constexpr std::size_t kLeafBlocks = KdTree::kLeaf / kLanes;
constexpr std::size_t kWide = kFan, kGroupVectors = kWide / kWidth;
constexpr double kHalfPi = 1.57079632679489661923, kRound = 0x1p-53;

// Some nodes as x sees them.
struct Nodes {
  Vector weight, value, error;
};

// The least and the greatest squared distance to the boxes, by the same operations as distances to
// points, so that rounding leaves them in order; and the squares of the diameters.
struct Boxes {
  Vector near, far, across;
};
HWY_INLINE Boxes boxes_of(const TreeQuery& q, const double* group, std::size_t v) {
  const auto load = [&](Index row) HWY_ATTR {
    return hn::LoadU(kTag, group + static_cast<std::size_t>(row) * kWide + v * kWidth);
  };
  Boxes boxes{hn::Zero(kTag), hn::Zero(kTag), hn::Zero(kTag)};
  for (std::size_t j = 0; j < q.columns; ++j) {
    const Vector x = set(q.x[j]), ratio = set(q.ratios[j]);
    const Vector low = load(q.tree->low(static_cast<Index>(j)));
    const Vector high = load(q.tree->high(static_cast<Index>(j)));
    const Vector from_low = hn::Sub(x, low), to_high = hn::Sub(high, x);
    const Vector least = hn::Max(hn::Zero(kTag), hn::Neg(hn::Min(from_low, to_high)));
    const Vector gap = hn::Mul(least, ratio), reach = hn::Mul(hn::Max(from_low, to_high), ratio);
    const Vector side = hn::Mul(hn::Sub(high, low), ratio);
    boxes.near = hn::MulAdd(gap, gap, boxes.near);
    boxes.far = hn::MulAdd(reach, reach, boxes.far);
    boxes.across = hn::MulAdd(side, side, boxes.across);
  }
  return boxes;
}

// |c|^2, and the mean and the variance of the squared distances.
struct Distances {
  Vector square, mean, variance;
};
HWY_INLINE Distances distances_of(const TreeQuery& q, const double* group, std::size_t v) {
  const KdTree& tree = *q.tree;
  const auto load = [&](Index row) HWY_ATTR {
    return hn::LoadU(kTag, group + static_cast<std::size_t>(row) * kWide + v * kWidth);
  };
  Vector c[KdTree::kMostColumns];
  Vector square = hn::Zero(kTag), trace = square, form = square, skew = square;
  const double* moments = group + static_cast<std::size_t>(tree.second(0, 0)) * kWide + v * kWidth;
  for (std::size_t j = 0; j < q.columns; ++j) {
    const auto column = static_cast<Index>(j);
    const Vector from_low = hn::Sub(set(q.x[j]), load(tree.low(column)));
    c[j] = hn::Mul(hn::Sub(from_low, load(tree.mean(column))), set(q.inverses[j]));
    square = hn::MulAdd(c[j], c[j], square);
    Vector row = hn::Zero(kTag);
    for (std::size_t k = 0; k < j; ++k, moments += kWide) {
      row = hn::MulAdd(hn::LoadU(kTag, moments), c[k], row);
    }
    const Vector own = hn::LoadU(kTag, moments);
    moments += kWide;
    trace = hn::Add(trace, own);
    form = hn::MulAdd(c[j], hn::MulAdd(own, c[j], hn::Add(row, row)), form);
    skew = hn::MulAdd(c[j], load(tree.third(column)), skew);
  }
  const Vector fourth = hn::MulAdd(set(4), hn::Sub(form, skew), load(tree.fourth()));
  return {square, hn::Add(square, trace), hn::NegMulAdd(trace, trace, fourth)};
}

// k of squared distances in units of h, times exp(shift). A box may be nearer than all points, by
// which shifts go: kernels far above theirs are as good as infinite, but can be added.
HWY_INLINE Vector profile(SmoothingKernel kernel, Vector t, Vector shift, Vector more) {
  const Vector one = set(1), zero = hn::Zero(kTag);
  const auto end = [&](Vector inside) HWY_ATTR { return hn::Max(zero, hn::Sub(one, inside)); };
  const auto exp = [&](Vector v) HWY_ATTR { return hn::Exp(kTag, hn::Min(v, set(500))); };
  switch (kernel) {
    case SmoothingKernel::kGaussian:
      return exp(hn::NegMulAdd(t, set(0.5), shift));
    case SmoothingKernel::kExponential:
      return exp(hn::Sub(shift, hn::Sqrt(t)));
    case SmoothingKernel::kLogistic: {
      const Vector e = exp(hn::Sub(shift, hn::Sqrt(t)));
      const Vector root = hn::MulAdd(e, more, one);
      return hn::Div(hn::Mul(set(4), e), hn::Mul(root, root));
    }
    case SmoothingKernel::kTophat:
      return hn::IfThenElseZero(hn::Lt(t, one), one);
    case SmoothingKernel::kEpanechnikov:
      return end(t);
    case SmoothingKernel::kBiweight: {
      const Vector s = end(t);
      return hn::Mul(s, s);
    }
    case SmoothingKernel::kTriweight: {
      const Vector s = end(t);
      return hn::Mul(hn::Mul(s, s), s);
    }
    case SmoothingKernel::kTricube: {
      const Vector s = end(hn::Mul(t, hn::Sqrt(t)));
      return hn::Mul(hn::Mul(s, s), s);
    }
    case SmoothingKernel::kLinear:
      return end(hn::Sqrt(t));
    case SmoothingKernel::kCosine:
      return hn::Sin(kTag, hn::Mul(set(kHalfPi), end(hn::Sqrt(t))));
  }
  return zero;
}

// G: what -g' is at most from `near` on, where g(near) is `most`.
HWY_INLINE Vector steepest(SmoothingKernel kernel, Vector near, Vector most) {
  switch (kernel) {
    case SmoothingKernel::kGaussian:
      return hn::Mul(set(0.5), most);
    case SmoothingKernel::kLogistic:
      return hn::Mul(set(0.25), most);
    case SmoothingKernel::kExponential:
    case SmoothingKernel::kLinear:
      return hn::Div(hn::Mul(set(0.5), most), hn::Sqrt(near));
    case SmoothingKernel::kCosine:
      return set(kHalfPi * kHalfPi / 2);
    case SmoothingKernel::kBiweight:
      return set(2);
    default:
      return set(3);
  }
}

// Whether the third derivative of g is never above 0, everywhere or inside the kernel.
constexpr bool bends_everywhere(SmoothingKernel kernel) {
  return !is_compact(kernel) || kernel == SmoothingKernel::kBiweight ||
         kernel == SmoothingKernel::kTriweight;
}
constexpr bool bends_inside(SmoothingKernel kernel) {
  return kernel != SmoothingKernel::kTophat && kernel != SmoothingKernel::kTricube;
}

// Moments are left out where the distances to all boxes say enough: errors up to `share` of a
// weight.
HWY_INLINE Nodes look_at(const TreeQuery& q, const double* group, std::size_t v, Vector share) {
  const Vector zero = hn::Zero(kTag), one = set(1), half = set(0.5);
  const Vector shift = set(q.shift), more = set(q.shift > 0 ? 0 : 1);
  const Vector per_square = set(1 / (q.unit * q.unit));
  const Vector weight =
      hn::LoadU(kTag, group + static_cast<std::size_t>(q.tree->weight()) * kWide + v * kWidth);

  const Boxes boxes = boxes_of(q, group, v);
  const auto inside = hn::Lt(boxes.far, set(q.unit * q.unit));
  // a and b. Rounding takes no point out of the box.
  const Vector near = hn::Mul(hn::Mul(boxes.near, per_square), set(1 - 8 * q.margin));
  const Vector far = hn::Mul(hn::Mul(boxes.far, per_square), set(1 + 8 * q.margin));
  const bool ends = is_compact(q.kernel);
  const auto outside = hn::Ge(near, one);
  Vector most = one, least = hn::IfThenElseZero(inside, one);  // of a tophat
  if (q.kernel != SmoothingKernel::kTophat) {
    most = profile(q.kernel, near, shift, more);
    least = profile(q.kernel, far, shift, more);
    const bool enough = hn::AllTrue(kTag, hn::Le(hn::Mul(half, most), share));
    if (bends_inside(q.kernel) && q.moments && !enough) {
      const Distances z = distances_of(q, group, v);
      const Vector before = hn::Sub(z.mean, near), after = hn::Sub(far, z.mean);
      const Vector per_both = hn::Div(one, hn::Mul(before, after));
      const Vector up = hn::Mul(z.variance, hn::Mul(per_both, after));
      const Vector down = hn::Mul(z.variance, hn::Mul(per_both, before));
      const Vector later = profile(q.kernel, hn::Add(z.mean, up), shift, more);
      const Vector sooner = profile(q.kernel, hn::Max(zero, hn::Sub(z.mean, down)), shift, more);
      const Vector above = hn::Add(before, up), below = hn::Add(after, down);  // p - a, b - p
      const Vector per_ends = hn::Div(one, hn::Mul(above, below));
      const Vector per_above = hn::Mul(per_ends, below), per_below = hn::Mul(per_ends, above);
      const Vector high = hn::Mul(hn::MulAdd(up, most, hn::Mul(before, later)), per_above);
      const Vector low = hn::Mul(hn::MulAdd(down, least, hn::Mul(after, sooner)), per_below);

      const Vector across = hn::Mul(boxes.across, per_square);
      const Vector per_narrow = hn::Max(per_above, per_below);
      const Vector steep =
          hn::Min(steepest(q.kernel, near, most), hn::Mul(ends ? one : most, per_narrow));
      const Vector spread = hn::MulAdd(hn::Mul(set(2), across), per_narrow, one);
      const Vector rounding =
          hn::Mul(hn::Mul(set(768 * kRound), hn::Add(z.square, across)), hn::Mul(steep, spread));
      const Vector at_most = hn::Add(high, rounding), at_least = hn::Sub(low, rounding);
      // Comparisons with what is no number are false.
      auto holds = hn::And(hn::And(hn::Gt(before, zero), hn::Gt(after, zero)),
                           hn::And(hn::Ge(z.variance, zero), hn::Gt(rounding, zero)));
      if (!bends_everywhere(q.kernel)) holds = hn::And(holds, inside);
      most = hn::IfThenElse(hn::And(holds, hn::Lt(at_most, most)), at_most, most);
      least = hn::IfThenElse(hn::And(holds, hn::Gt(at_least, least)), at_least, least);
    }
    most = hn::MulAdd(set(32 * kRound), ends ? one : most, most);
    least = hn::Max(zero, hn::NegMulAdd(set(32 * kRound), ends ? one : least, least));
  }
  const Vector half_weight = hn::Mul(half, weight);
  Nodes nodes{weight, hn::Mul(half_weight, hn::Add(most, least)),
              hn::Mul(half_weight, hn::Sub(most, least))};
  if (ends) {
    nodes.value = hn::IfThenZeroElse(outside, nodes.value);
    nodes.error = hn::IfThenZeroElse(outside, nodes.error);
  }
  return nodes;
}

// The same numbers as squared_distances_to_blocks has for the blocks of a leaf, side by side.
HWY_INLINE void squared_distances_to_leaf(const TreeQuery& q, const double* values,
                                          std::size_t stride, double* out) {
  for (std::size_t v = 0; v < kVectors; ++v) {
    Vector sums[kLeafBlocks];
    for (Vector& s : sums) s = hn::Zero(kTag);
    for (std::size_t j = 0; j < q.columns; ++j) {
      const Vector x = set(q.x[j]), ratio = set(q.ratios[j]);
      const double* const at = values + j * kLanes + v * kWidth;
#pragma GCC unroll 8
      for (std::size_t b = 0; b < kLeafBlocks; ++b) {
        const Vector gap = hn::Mul(hn::Sub(x, hn::LoadU(kTag, at + b * stride * kLanes)), ratio);
        sums[b] = hn::MulAdd(gap, gap, sums[b]);
      }
    }
#pragma GCC unroll 8
    for (std::size_t b = 0; b < kLeafBlocks; ++b) {
      hn::StoreU(sums[b], kTag, out + b * kLanes + v * kWidth);
    }
  }
}

// All points of a leaf.
HWY_INLINE void add_leaf(const TreeQuery& q, Index leaf, Vector* sums, Vector* doubts) {
  alignas(64) double squares[KdTree::kLeaf];
  const RowRange places = q.tree->places(0, leaf);
  const auto blocks = static_cast<std::size_t>((places.size() + 7) / 8);
  const auto stride = static_cast<std::size_t>(q.tree->columns());
  const auto first = static_cast<std::size_t>(places.first);
  const double* const values = q.points.values + first * stride;
  if (blocks == kLeafBlocks) {
    squared_distances_to_leaf(q, values, stride, squares);
  } else {
    squared_distances_to_blocks(q.x, q.ratios, q.columns, stride, values, blocks, squares);
  }
  const bool alike = q.alike != nullptr && blocks == kLeafBlocks && leaf + 1 < q.tree->nodes(0);
  add_kernel_terms(
      q.kernel, q.unit, q.shift, q.margin, squares,
      alike ? q.alike : q.points.weights->blocks(places.first / 8, (places.last + 7) / 8),
      blocks * kLanes, sums, doubts);
}

void sum_tree(const TreeQuery& q, double all, TreeSums::Sum& result) {
  constexpr int kFlush = 16;      // leaves of a partial sum
  constexpr int kBetween = 8;     // nodes that are opened between two looks at the errors
  constexpr double kShare = 0.5;  // of the tolerance, for nodes that are not to wait
  Vector sums[kVectors], doubts[kVectors], settled[kVectors], settled_errors[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    sums[v] = doubts[v] = settled[v] = settled_errors[v] = hn::Zero(kTag);
  }
  Waiting waiting(all);
  const double per_all = 1 / all;
  double least = 0;  // that S can be
  int leaves = 0;
  Index groups = 0, flushes = 0;
  const auto flush = [&]() HWY_ATTR {
    result.sum += add_in_pairs(sums);
    result.doubt += add_in_pairs(doubts);
    for (std::size_t v = 0; v < kVectors; ++v) sums[v] = doubts[v] = hn::Zero(kTag);
    leaves = 0;
    ++flushes;
  };
  const auto look_into = [&](Index level, Index g) HWY_ATTR {
    const double* const group = q.tree->group(level, g);
    alignas(64) double values[kWide], errors[kWide];
    const Vector share = set(kShare * q.target * least * per_all);
    unsigned open = 0;
    for (std::size_t v = 0; v < kGroupVectors; ++v) {
      const Nodes nodes = look_at(q, group, v, share);
      const auto waits = hn::Gt(nodes.error, hn::Mul(share, nodes.weight));
      settled[v % kVectors] =
          hn::Add(settled[v % kVectors], hn::IfThenZeroElse(waits, nodes.value));
      settled_errors[v % kVectors] =
          hn::Add(settled_errors[v % kVectors], hn::IfThenZeroElse(waits, nodes.error));
      hn::StoreU(nodes.value, kTag, values + v * kWidth);
      hn::StoreU(nodes.error, kTag, errors + v * kWidth);
      std::uint8_t bits[8] = {};
      hn::StoreMaskBits(kTag, waits, bits);
      open |= static_cast<unsigned>(bits[0]) << (v * kWidth);
    }
    ++groups;
    while (open != 0) {  // the first of equal ones last, to be taken first
      const auto i = static_cast<std::size_t>(std::bit_width(open) - 1);
      open ^= 1U << i;
      waiting.add(values[i], errors[i], level, g * kFan + static_cast<Index>(i));
    }
  };
  // Whether S is known well enough, by the running sums of what waits or by new ones.
  double value = 0, error = 0;
  const auto enough = [&](bool again) HWY_ATTR {
    value = again ? 0 : waiting.value();
    error = again ? 0 : waiting.error();
    if (again) waiting.total(&value, &error);
    value += result.sum + add_in_pairs(sums) + add_in_pairs(settled);
    error += add_in_pairs(settled_errors);
    least = std::max(0.0, value - error);
    return error <= q.target * least || value + error < q.faint;
  };

  look_into(q.tree->levels() - 1, 0);
  for (int since = 0, list = -1; !waiting.empty(); ++since) {
    if (since >= kBetween || waiting.list() != list) {
      if (enough(false) && enough(true)) break;
      since = 0;
      list = waiting.list();
    }
    const Waiting::Node node = waiting.take();
    if (node.level > 0) {
      look_into(node.level - 1, node.number);
    } else {
      add_leaf(q, node.number, sums, doubts);
      if (++leaves == kFlush) flush();
    }
  }
  flush();
  enough(true);
  result.sum = value;
  result.error = error * (1 + 1e-9);
  // Of the leaves in a partial sum, of partial sums, of nodes.
  result.roundings = kFlush * static_cast<double>(kLeafBlocks) +
                     static_cast<double>(flushes + groups + waiting.most());
}

// Below a group of nodes, the nearest first.
void find_nearest(const TreeQuery& q, Index level, Index g, double* least) {
  alignas(64) double nears[kWide], squares[KdTree::kLeaf];
  for (std::size_t v = 0; v < kGroupVectors; ++v) {
    hn::StoreU(boxes_of(q, q.tree->group(level, g), v).near, kTag, nears + v * kWidth);
  }
  const Index count = std::min(kFan, q.tree->nodes(level) - g * kFan);
  for (Index i = 0; i < count; ++i) {
    const auto nearest = std::min_element(nears, nears + count);
    if (!(*nearest < *least)) return;
    *nearest = INFINITY;
    const Index node = g * kFan + (nearest - nears);
    if (level > 0) {
      find_nearest(q, level - 1, node, least);
      continue;
    }
    const RowRange places = q.tree->places(0, node);
    const auto blocks = static_cast<std::size_t>((places.size() + 7) / 8);
    const auto stride = static_cast<std::size_t>(q.tree->columns());
    squared_distances_to_blocks(q.x, q.ratios, q.columns, stride,
                                q.points.values + static_cast<std::size_t>(places.first) * stride,
                                blocks, squares);
    *least = std::min(*least, least_of(squares, blocks * kLanes));
  }
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(sum_tree);
HWY_EXPORT(find_nearest);

namespace {

std::span<const double> inverted(std::vector<double>& values) {
  for (double& v : values) v = 1 / v;
  return values;
}

}  // namespace

TreeSums::TreeSums(SmoothingKernel kernel, std::span<const double> bandwidths,
                   std::span<const double> ratios, const Dense<double>& points,
                   std::span<const double> weights, std::vector<std::uint32_t>& order, RunTasks run)
    : kernel_(kernel),
      unit_(bandwidths[0]),
      inverses_(bandwidths.begin(), bandwidths.end()),
      ratios_(ratios.begin(), ratios.end()),
      tree_(points, weights, inverted(inverses_), order, run) {
  for (Index i = 0; i < points.rows; ++i) weight_ += weight_of(weights, i);
  const double first = weight_of(weights, 0);
  const bool same = std::ranges::all_of(weights, [&](double w) { return w == first; });
  if (same) alike_.assign(usize(KdTree::kLeaf), first);
}

TreeQuery TreeSums::query(const double* x, Index columns, const PointBlocks& points) const {
  return {.kernel = kernel_,
          .unit = unit_,
          .x = x,
          .ratios = ratios_.data(),
          .inverses = inverses_.data(),
          .columns = usize(columns),
          .tree = &tree_,
          .moments = tree_.has_moments() && columns == tree_.columns(),
          .points = points,
          .alike = alike_.empty() ? nullptr : alike_.data()};
}

TreeSums::Sum TreeSums::sum(const double* x, Index columns, const PointBlocks& points,
                            double margin, double shift, double target, double faint) const {
  TreeQuery q = query(x, columns, points);
  q.margin = margin;
  q.shift = shift;
  q.target = target;
  q.faint = faint;
  Sum result;
  HWY_DYNAMIC_DISPATCH(sum_tree)(q, weight_, result);
  return result;
}

double TreeSums::nearest(const double* x, Index columns, const PointBlocks& points) const {
  double least = INFINITY;
  HWY_DYNAMIC_DISPATCH(find_nearest)(query(x, columns, points), tree_.levels() - 1, 0, &least);
  return least;
}

bool TreeSums::within(const double* x, Index columns, Index leaf, double square) const {
  double near = 0;
  for (Index j = 0; j < columns; ++j) {
    const double below = tree_.quantity(0, leaf, tree_.low(j)) - x[j];
    const double above = x[j] - tree_.quantity(0, leaf, tree_.high(j));
    const double gap = std::max({0.0, below, above}) * ratios_[usize(j)];
    near += gap * gap;
  }
  return near < square * (1 + 1e-9);
}

}  // namespace craton
#endif
