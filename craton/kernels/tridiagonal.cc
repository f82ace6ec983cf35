#include "craton/kernels/tridiagonal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "craton/kernels/products.h"
#include "craton/kernels/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/tridiagonal.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "craton/kernels/lines.h"

// About 4/3 d^3 multiplications and additions in products, fewer with deflation, and some 20 d^2
// divisions for the roots.

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {

// sum_i w_i / (p_i - x) and its derivative by x = origin + shift.
struct PoleSums {
  double value, slope;
};
HWY_INLINE PoleSums pole_sums(const double* p, const double* w, Index n, double origin,
                              double shift) {
  const Vector o = hn::Set(kTag, origin), s = hn::Set(kTag, shift), one = hn::Set(kTag, 1.0);
  Vector value = hn::Zero(kTag), slope = value;
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vector inverse = hn::Div(one, hn::Sub(hn::Sub(load(p + i), o), s));
    const Vector term = hn::Mul(load(w + i), inverse);
    value = hn::Add(value, term);
    slope = hn::MulAdd(term, inverse, slope);
  }
  PoleSums sums{total(value), total(slope)};
  for (; i < n; ++i) {
    const double inverse = 1 / ((p[i] - origin) - shift), term = w[i] * inverse;
    sums.value += term;
    sums.slope += term * inverse;
  }
  return sums;
}

// A root y of c y^2 - a y + b: of the two that c + s / (p - y) + t / (q - y) = 0 has, for s, t > 0,
// the one between p and q, or the one beyond both.
HWY_INLINE double quadratic_root(double c, double a, double b, bool between) {
  const double root = std::sqrt(std::max(0.0, a * a - 4 * b * c));
  if (between) return a > 0 ? 2 * b / (a + root) : (a - root) / (2 * c);
  return a < 0 ? 2 * b / (a - root) : (a + root) / (2 * c);
}

// Root j of 1 + sum_i w_i / (p_i - x), w > 0, which increases between any two of the ascending
// poles p. It lies above pole j, and below the next. The sums of the poles on its two sides are
// replaced by one pole each, with the same value and slope; steps that leave the interval known to
// hold the root halve it.
HWY_INLINE SecularRoot secular_root(const double* p, const double* w, Index n, Index j) {
  if (n == 1) return {p[0], w[0]};
  const bool between = j + 1 < n;
  const Index a = std::min(j, n - 2), b = a + 1;
  const double gap = p[b] - p[a];
  const double all = between ? gap : std::accumulate(w, w + n, 0.0);

  double origin = p[j], low = 0, high = all, shift = all / 2;
  PoleSums left{}, right{};
  const auto evaluate = [&]() HWY_ATTR {
    left = pole_sums(p, w, b, origin, shift);
    right = pole_sums(p + b, w + b, n - b, origin, shift);
    return 1 + left.value + right.value;
  };
  double f = evaluate();
  const auto from = [&](Index i) { return (p[i] - origin) - shift; };
  const double others = f - w[a] / from(a) - w[b] / from(b);
  if (f >= 0) {
    high = shift;
  } else if (between) {
    origin = p[b], low = -shift, high = 0;
  } else {
    low = shift;
  }
  const double to_a = p[a] - origin, to_b = p[b] - origin;  // one of them is 0
  shift = quadratic_root(others, others * (to_a + to_b) + w[a] + w[b], w[a] * to_b + w[b] * to_a,
                         between);

  constexpr int kFewSteps = 30, kManySteps = 300;
  constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
  const double tolerance = (8 + static_cast<double>(n) / 64) * kUnit;  // errors of the sums
  for (int steps = 0; steps < kManySteps; ++steps) {
    if (!(low < shift && shift < high) || steps > kFewSteps) {
      const double middle = low + (high - low) / 2;
      if (middle == low || middle == high) break;
      shift = middle;
    }
    f = evaluate();
    if (std::abs(f) <= tolerance * (1 + std::abs(left.value) + std::abs(right.value))) break;
    (f < 0 ? low : high) = shift;
    const double da = from(a), db = from(b);
    const double step =
        quadratic_root(f - da * left.slope - db * right.slope,
                       (da + db) * f - da * db * (left.slope + right.slope), da * db * f, between);
    if (shift + step == shift) break;
    shift += step;
  }
  return {origin, shift};
}

void secular_roots(const double* p, const double* w, Index n, SecularRoot* roots) {
  for (Index j = 0; j < n; ++j) roots[j] = secular_root(p, w, n, j);
}

// |z_i| up to a common factor, of which the roots are exact: z_i^2 ~ prod_j (x_j - p_i) over
// prod_j!=i (p_j - p_i), where a factor of one is divided by that of the other.
void secular_weights(const double* p, const SecularRoot* roots, Index n, double* z) {
  std::fill_n(z, n, 1.0);
  for (Index j = 0; j < n; ++j) {
    const SecularRoot r = roots[j];
    const Vector pole = hn::Set(kTag, p[j]);
    const Vector o = hn::Set(kTag, r.origin), s = hn::Set(kTag, r.shift);
    const auto multiply = [&](Index i, Index end) HWY_ATTR {
      for (; i + kLanes <= end; i += kLanes) {
        const Vector at = load(p + i);
        const Vector ratio = hn::Div(hn::Sub(hn::Sub(at, o), s), hn::Sub(at, pole));
        hn::StoreU(hn::Mul(load(z + i), ratio), kTag, z + i);
      }
      for (; i < end; ++i) z[i] *= ((p[i] - r.origin) - r.shift) / (p[i] - p[j]);
    };
    multiply(0, j);
    multiply(j + 1, n);
    z[j] *= (p[j] - r.origin) - r.shift;
  }
  for (Index i = 0; i < n; ++i) z[i] = std::sqrt(std::abs(z[i]));
}

// The vectors of some roots, by rows: z_i / (p_i - x), of length 1. p and z may be in any order.
void secular_vectors(const double* p, const double* z, Index n, const SecularRoot* roots,
                     Index count, double* out) {
  for (Index j = 0; j < count; ++j, out += n) {
    const SecularRoot r = roots[j];
    const Vector o = hn::Set(kTag, r.origin), s = hn::Set(kTag, r.shift);
    Index i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      const Vector distance = hn::Sub(hn::Sub(load(p + i), o), s);
      hn::StoreU(hn::Div(load(z + i), distance), kTag, out + i);
    }
    for (; i < n; ++i) out[i] = z[i] / ((p[i] - r.origin) - r.shift);
    scale(1 / std::sqrt(dot(out, out, n)), out, n);
  }
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(secular_roots);
HWY_EXPORT(secular_weights);
HWY_EXPORT(secular_vectors);

namespace {

constexpr Index kSmall = 32;   // what is solved by QR steps, LAPACK's 25 or so
constexpr Index kBatch = 256;  // of new vectors, so that these never are a matrix of their own

double length(double x, double z) {
  const double square = x * x + z * z;
  return square > 0x1p-900 ? std::sqrt(square) : std::hypot(x, z);
}

// Rows x and y become c x + s y and c y - s x.
void rotate(double c, double s, double* x, double* y, Index n) {
  for (Index j = 0; j < n; ++j) {
    const double u = x[j], v = y[j];
    x[j] = c * u + s * v;
    y[j] = c * v - s * u;
  }
}

// T is of size 1, so what joins its parts may be left out below this, and squares of what is left
// do not underflow.
constexpr double kNothing = 0x1p-300;

class Solver {
 public:
  Solver(double* values, double* beside, Index d, double* rows, Index* order)
      : values_(values),
        beside_(beside),
        d_(d),
        rows_(rows),
        order_(order),
        old_(usize(d * d)),
        vectors_(usize(std::min(kBatch, d) * d)),
        z_(usize(d)),
        halves_(usize(d)) {}

  // Rows and columns [first, last) of T.
  bool solve(Index first, Index last) {
    if (last - first <= kSmall) return solve_small(first, last);
    const Index middle = first + (last - first) / 2;
    const double e = beside_[middle - 1];
    values_[middle - 1] -= std::abs(e);
    values_[middle] -= std::abs(e);
    if (!solve(first, middle) || !solve(middle, last)) return false;
    merge(first, middle, last, e);
    return true;
  }

 private:
  double* row(Index i) { return rows_ + i * d_; }
  void sort(Index first, Index last) {
    std::stable_sort(order_ + first, order_ + last,
                     [&](Index i, Index j) { return values_[i] < values_[j]; });
  }

  // Implicit QR steps with Wilkinson's shift (Golub, Van Loan: Matrix Computations, 8.3).
  bool solve_small(Index first, Index last) {
    constexpr Index kStepsOfValue = 30;
    constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
    for (Index i = first; i < last; ++i) row(i)[i] = 1;
    std::iota(order_ + first, order_ + last, first);
    const auto apart = [&](Index i) {
      const double size = std::abs(values_[i]) + std::abs(values_[i + 1]);
      return std::abs(beside_[i]) <= std::max(kEpsilon * size, kNothing);
    };
    Index steps = 0;
    for (Index end = last - 1; end > first;) {
      if (apart(end - 1)) {
        --end;
        continue;
      }
      Index begin = end - 1;
      while (begin > first && !apart(begin - 1)) --begin;
      if (++steps > kStepsOfValue * (last - first)) return false;
      step(begin, end, first, last);
    }
    sort(first, last);
    return true;
  }

  void step(Index begin, Index end, Index first, Index last) {
    double *const diagonal = values_, *const beside = beside_;
    const double e = beside[end - 1], half = (diagonal[end - 1] - diagonal[end]) / 2;
    const double shift = diagonal[end] - e * (e / (half + std::copysign(length(half, e), half)));
    double x = diagonal[begin] - shift, z = beside[begin];
    for (Index k = begin; k < end; ++k) {
      const double r = length(x, z), c = r > 0 ? x / r : 1, s = r > 0 ? z / r : 0;
      rotate(c, s, row(k) + first, row(k + 1) + first, last - first);
      if (k > begin) beside[k - 1] = r;
      const double a = diagonal[k], b = beside[k], g = diagonal[k + 1];
      const double along = c * a + s * b, across = c * b + s * g;  // row k of the rotated rows
      diagonal[k] = c * along + s * across;
      const double low = c * b - s * a, high = c * g - s * b;  // row k + 1
      diagonal[k + 1] = c * high - s * low;
      beside[k] = c * across - s * along;
      if (k + 1 == end) break;
      x = beside[k];
      z = s * beside[k + 1];
      beside[k + 1] *= c;
    }
  }

  // Both halves are solved, and e is what joins them.
  void merge(Index first, Index middle, Index last, double e) {
    const double rho = std::abs(e) <= kNothing ? 0 : 2 * std::abs(e);
    for (Index i = first; i < last; ++i) {
      const double end = i < middle ? row(i)[middle - 1] : std::copysign(1.0, e) * row(i)[middle];
      z_[usize(i)] = end * std::sqrt(0.5);
      halves_[usize(i)] = i < middle ? kFirst : kSecond;
    }
    sort(first, last);
    deflate(first, last, rho);
    if (kept_.empty()) return;

    const Index n = std::ssize(kept_), size = last - first;
    std::vector<double> p(usize(n)), w(usize(n)), z(usize(n));
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const double zi = z_[usize(kept_[i])];
      p[i] = values_[kept_[i]];
      w[i] = rho * zi * zi;
    }
    std::vector<SecularRoot> roots(usize(n));
    HWY_DYNAMIC_DISPATCH(secular_roots)(p.data(), w.data(), n, roots.data());
    HWY_DYNAMIC_DISPATCH(secular_weights)(p.data(), roots.data(), n, z.data());

    // What the new vectors are combined of, by the halves in which it is not 0: old vectors of the
    // first half, of both, of the second. Then those that stay.
    double* copy = old_.data();
    std::vector<double> poles, weights;
    Index counts[4] = {};
    for (const int halves : {kFirst, kBoth, kSecond}) {
      for (std::size_t i = 0; i < kept_.size(); ++i) {
        if (halves_[usize(kept_[i])] != halves) continue;
        ++counts[halves];
        poles.push_back(p[i]);
        weights.push_back(std::copysign(z[i], z_[usize(kept_[i])]));
      }
    }
    const auto take = [&](Index i, Index begin, Index end) {
      copy = std::copy(row(i) + begin, row(i) + end, copy);
    };
    const double* const first_half = copy;
    for (const int halves : {kFirst, kBoth}) {
      for (const Index i : kept_) {
        if (halves_[usize(i)] == halves) take(i, first, middle);
      }
    }
    const double* const second_half = copy;
    for (const int halves : {kBoth, kSecond}) {
      for (const Index i : kept_) {
        if (halves_[usize(i)] == halves) take(i, middle, last);
      }
    }
    const double* const staying = copy;
    std::vector<double> values;
    for (const Index i : deflated_) {
      take(i, first, last);
      values.push_back(values_[i]);
    }

    for (Index j = 0; j < n; j += kBatch) {
      const Index count = std::min(kBatch, n - j);
      HWY_DYNAMIC_DISPATCH(secular_vectors)
      (poles.data(), weights.data(), n, roots.data() + j, count, vectors_.data());
      const auto combine = [&](const double* old, Index begin, Index depth, Index from, Index to) {
        multiply(Product<double>{.a = by_rows<double>(vectors_.data() + begin, n),
                                 .b = transposed(old, to - from),
                                 .rows = count,
                                 .columns = to - from,
                                 .depth = depth},
                 row(first + j) + from, d_);
      };
      combine(first_half, 0, counts[kFirst] + counts[kBoth], first, middle);
      combine(second_half, counts[kFirst], counts[kBoth] + counts[kSecond], middle, last);
    }
    for (Index j = 0; j < n; ++j)
      values_[first + j] = roots[usize(j)].origin + roots[usize(j)].shift;
    for (Index j = n; j < size; ++j) {
      values_[first + j] = values[usize(j - n)];
      std::copy_n(staying + (j - n) * size, size, row(first + j) + first);
    }
    std::iota(order_ + first, order_ + last, first);
    sort(first, last);
  }

  // Divides [first, last) into what is kept, in ascending order, and what is deflated: z_i is
  // negligible, or becomes so when it is turned into a neighbour's, whose value is all but the
  // same.
  void deflate(Index first, Index last, double rho) {
    double largest_z = 0, largest = 0;
    for (Index i = first; i < last; ++i) {
      largest = std::max(largest, std::abs(values_[i]));
      largest_z = std::max(largest_z, std::abs(z_[usize(i)]));
    }
    const double negligible =
        4 * std::numeric_limits<double>::epsilon() * std::max(largest, rho * largest_z);
    kept_.clear();
    deflated_.clear();
    for (Index at = first; at < last; ++at) {
      const Index i = order_[at];
      double& zi = z_[usize(i)];
      if (rho * std::abs(zi) <= negligible) {
        deflated_.push_back(i);
        continue;
      }
      if (kept_.empty()) {
        kept_.push_back(i);
        continue;
      }
      const Index before = kept_.back();
      double& zb = z_[usize(before)];
      const double r = std::hypot(zi, zb), c = zi / r, s = -zb / r;
      double &vi = values_[i], &vb = values_[before];
      if (std::abs((vi - vb) * c * s) > negligible) {
        kept_.push_back(i);
        continue;
      }
      rotate(c, s, row(before) + first, row(i) + first, last - first);
      zi = r, zb = 0;
      const double turned = vb * c * c + vi * s * s;
      vi = vb * s * s + vi * c * c, vb = turned;
      halves_[usize(i)] |= halves_[usize(before)];
      kept_.back() = i;
      deflated_.push_back(before);
    }
  }

  static constexpr int kFirst = 1, kSecond = 2, kBoth = 3;  // where a vector is not 0
  double *values_, *beside_;
  Index d_;
  double* rows_;
  Index* order_;
  Scratch old_, vectors_;
  std::vector<double> z_;
  std::vector<int> halves_;
  std::vector<Index> kept_, deflated_;
};

}  // namespace

bool tridiagonal_eigen(double* values, double* beside, Index d, double* rows, Index* order) {
  std::fill_n(rows, d * d, 0.0);
  return Solver(values, beside, d, rows, order).solve(0, d);
}

}  // namespace craton
#endif
