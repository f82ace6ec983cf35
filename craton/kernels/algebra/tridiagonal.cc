#include "craton/kernels/algebra/tridiagonal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "craton/kernels/algebra/products.h"
#include "craton/kernels/algebra/secular.h"
#include "craton/kernels/scratch.h"

// About 4/3 d^3 multiplications and additions in products, fewer with deflation, some 20 d^2
// divisions for the roots, and room for at most d^2 numbers.

namespace craton {
namespace {

constexpr Index kSmall = 32;   // rows that are solved by QR steps
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
  enum Halves { kFirst, kBoth, kSecond };  // where a vector is not 0
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

    const Index n = std::ssize(kept_);
    std::vector<double> p(usize(n)), w(usize(n)), z(usize(n));
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const double zi = z_[usize(kept_[i])];
      p[i] = values_[kept_[i]];
      w[i] = rho * zi * zi;
    }
    std::vector<SecularRoot> roots(usize(n));
    secular_roots(p.data(), w.data(), n, roots.data());
    secular_weights(p.data(), roots.data(), n, z.data());
    for (std::size_t i = 0; i < kept_.size(); ++i) z[i] = std::copysign(z[i], z_[usize(kept_[i])]);
    combine(first, middle, last, p, z, roots);
    std::iota(order_ + first, order_ + last, first);
    sort(first, last);
  }

  // New rows, the combinations of what is kept, and after them what is deflated. The old rows are
  // taken in the order of the halves in which they are not 0: the first, both, the second.
  void combine(Index first, Index middle, Index last, std::span<const double> p,
               std::span<const double> z, std::span<const SecularRoot> roots) {
    const Index n = std::ssize(kept_), size = last - first;
    std::vector<double> poles, weights;
    std::vector<Index> grouped;
    Index counts[3] = {};
    for (const Halves halves : {kFirst, kBoth, kSecond}) {
      for (std::size_t i = 0; i < kept_.size(); ++i) {
        if (halves_[usize(kept_[i])] != halves) continue;
        ++counts[halves];
        grouped.push_back(kept_[i]);
        poles.push_back(p[i]);
        weights.push_back(z[i]);
      }
    }
    const Index end_of_first = n - counts[kSecond], begin_of_second = counts[kFirst];
    double* copy = old_.data();
    const auto take = [&](Index i, Index begin, Index end) {
      copy = std::copy(row(i) + begin, row(i) + end, copy);
    };
    const double* const first_half = copy;
    for (Index i = 0; i < end_of_first; ++i) take(grouped[usize(i)], first, middle);
    const double* const second_half = copy;
    for (Index i = begin_of_second; i < n; ++i) take(grouped[usize(i)], middle, last);
    const double* const staying = copy;
    std::vector<double> values;
    for (const Index i : deflated_) {
      take(i, first, last);
      values.push_back(values_[i]);
    }

    for (Index j = 0; j < n; j += kBatch) {
      const Index count = std::min(kBatch, n - j);
      secular_vectors(poles.data(), weights.data(), n, &roots[usize(j)], count, vectors_.data());
      const auto sum_up = [&](const double* old, Index begin, Index end, Index from, Index to) {
        multiply(Product<double>{.a = by_rows<double>(vectors_.data() + begin, n),
                                 .b = transposed(old, to - from),
                                 .rows = count,
                                 .columns = to - from,
                                 .depth = end - begin},
                 row(first + j) + from, d_);
      };
      sum_up(first_half, 0, end_of_first, first, middle);
      sum_up(second_half, begin_of_second, n, middle, last);
    }
    for (Index j = 0; j < n; ++j) {
      values_[first + j] = roots[usize(j)].origin + roots[usize(j)].shift;
    }
    for (Index j = n; j < size; ++j) {
      values_[first + j] = values[usize(j - n)];
      std::copy_n(staying + (j - n) * size, size, row(first + j) + first);
    }
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
      if (halves_[usize(i)] != halves_[usize(before)]) halves_[usize(i)] = kBoth;
      kept_.back() = i;
      deflated_.push_back(before);
    }
  }

  double *values_, *beside_;
  Index d_;
  double* rows_;
  Index* order_;
  Scratch old_, vectors_;
  std::vector<double> z_;
  std::vector<Halves> halves_;
  std::vector<Index> kept_, deflated_;
};

}  // namespace

bool tridiagonal_eigen(double* values, double* beside, Index d, double* rows, Index* order) {
  std::fill_n(rows, d * d, 0.0);
  return Solver(values, beside, d, rows, order).solve(0, d);
}

}  // namespace craton
