#include "craton/linear/triangles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "craton/kernels/algebra/linalg.h"
#include "craton/kernels/algebra/products.h"
#include "craton/kernels/algebra/qr.h"

namespace craton {
namespace {

// Reflects rows k.. of `a` so that column k vanishes below the diagonal, which becomes positive.
// `work` has room for cols numbers.
void reflect_column(double* a, Index rows, Index cols, Index k, double* work) {
  double below = 0;
  for (Index i = k + 1; i < rows; ++i) below += a[i * cols + k] * a[i * cols + k];
  double& head = a[k * cols + k];
  if (below == 0) {
    if (head < 0) {
      for (Index j = k; j < cols; ++j) a[k * cols + j] = -a[k * cols + j];
    }
    return;
  }
  // v = x - |x| e, where the difference of like signs is (x0 - |x|) = -below / (x0 + |x|).
  const double length = std::sqrt(head * head + below);
  const double first = head <= 0 ? head - length : -below / (head + length);
  const double scale = 2 / (first * first + below);
  head = first;
  std::fill(work + k, work + cols, 0.0);
  for (Index i = k; i < rows; ++i) {
    const double v = a[i * cols + k];
    for (Index j = k + 1; j < cols; ++j) work[j] += v * a[i * cols + j];
  }
  for (Index i = k; i < rows; ++i) {
    const double v = a[i * cols + k] * scale;
    for (Index j = k + 1; j < cols; ++j) a[i * cols + j] -= v * work[j];
    a[i * cols + k] = 0;
  }
  head = length;
}

}  // namespace

Index triangularise(std::vector<double>& a, Index rows, Index cols) {
  constexpr Index kNarrow = 16;  // columns from which blocks of reflections are worth it
  if (rows > cols && cols >= kNarrow) {
    std::vector<double> r(usize(cols * cols));
    add_rows(r, cols, a, rows);
    a = std::move(r);
    return cols;
  }
  std::vector<double> work(usize(cols));
  for (Index k = 0; k < std::min(rows, cols); ++k)
    reflect_column(a.data(), rows, cols, k, work.data());
  const Index height = std::min(rows, cols);
  a.resize(usize(height * cols));
  return height;
}

void reflect_first(std::vector<double>& a, Index rows, Index cols) {
  std::vector<double> work(usize(cols));
  if (rows > 0 && cols > 0) reflect_column(a.data(), rows, cols, 0, work.data());
}

PivotedTriangle pivoted_triangle(std::vector<double> a, Index rows, Index cols, Index pivoted,
                                 double tolerance) {
  PivotedTriangle result;
  for (Index j = 0; j < pivoted; ++j) result.order.push_back(j);
  std::vector<double> work(usize(cols)), squares(usize(pivoted));
  double longest = 0;
  for (Index k = 0; k < std::min(rows, pivoted); ++k) {
    std::fill(squares.begin() + k, squares.end(), 0.0);
    for (Index i = k; i < rows; ++i) {
      for (Index j = k; j < pivoted; ++j) {
        squares[usize(j)] += a[usize(i * cols + j)] * a[usize(i * cols + j)];
      }
    }
    const Index best = std::max_element(squares.begin() + k, squares.end()) - squares.begin();
    const double length = std::sqrt(squares[usize(best)]);
    if (k == 0) longest = length;
    if (!(length > tolerance * longest)) break;
    std::swap(result.order[usize(k)], result.order[usize(best)]);
    for (Index i = 0; i < rows && best != k; ++i) {
      std::swap(a[usize(i * cols + k)], a[usize(i * cols + best)]);
    }
    reflect_column(a.data(), rows, cols, k, work.data());
    ++result.rank;
  }
  result.r = std::move(a);
  return result;
}

void solve_upper(const double* r, Index n, Index stride, double* b) {
  for (Index i = n - 1; i >= 0; --i) {
    double sum = b[i];
    for (Index j = i + 1; j < n; ++j) sum -= r[i * stride + j] * b[j];
    b[i] = sum / r[i * stride + i];
  }
}

void solve_upper_transposed(const double* r, Index n, Index stride, double* b) {
  for (Index i = 0; i < n; ++i) {
    b[i] /= r[i * stride + i];
    for (Index j = i + 1; j < n; ++j) b[j] -= r[i * stride + j] * b[i];
  }
}

std::vector<double> inverse_upper(const double* r, Index n, Index stride) {
  std::vector<double> inverse(usize(n * n));
  for (Index i = n - 1; i >= 0; --i) {  // row i: (e_i - sum_k r_ik row_k) / r_ii
    double* const row = inverse.data() + i * n;
    const double diagonal = r[i * stride + i];
    if (diagonal == 0) continue;
    row[i] = 1;
    for (Index k = i + 1; k < n; ++k) {
      const double factor = r[i * stride + k];
      const double* const below = inverse.data() + k * n;
      for (Index j = k; j < n; ++j) row[j] -= factor * below[j];
    }
    for (Index j = i; j < n; ++j) row[j] /= diagonal;
  }
  return inverse;
}

double largest_singular_value(std::span<const double> r, Index n) {
  constexpr int kSteps = 10;
  std::vector<double> x(usize(n)), y(usize(n));
  // The longest column and a little of all others: no start is at right angles to the answer.
  Index longest = 0;
  double most = 0;
  for (Index j = 0; j < n; ++j) {
    double square = 0;
    for (Index i = 0; i <= j; ++i) square += r[usize(i * n + j)] * r[usize(i * n + j)];
    if (square > most) longest = j, most = square;
  }
  if (most == 0) return 0;
  for (Index j = 0; j < n; ++j) x[usize(j)] = 0.01 + 0.001 * static_cast<double>(j % 7);
  x[usize(longest)] = 1;
  double value = std::sqrt(most);
  for (int step = 0; step < kSteps; ++step) {
    double length = 0;
    for (const double v : x) length += v * v;
    length = std::sqrt(length);
    if (!(length > 0)) return value;
    for (double& v : x) v /= length;
    double square = 0;
    for (Index i = 0; i < n; ++i) {
      double sum = 0;
      for (Index j = i; j < n; ++j) sum += r[usize(i * n + j)] * x[usize(j)];
      y[usize(i)] = sum;
      square += sum * sum;
    }
    value = std::max(value, std::sqrt(square));
    std::fill(x.begin(), x.end(), 0.0);
    for (Index i = 0; i < n; ++i) {
      for (Index j = i; j < n; ++j) x[usize(j)] += r[usize(i * n + j)] * y[usize(i)];
    }
  }
  return value;
}

double scaled_condition(const double* r, Index n, Index stride) {
  if (n == 0) return 1;
  std::vector<double> scaled(usize(n * n));
  for (Index j = 0; j < n; ++j) {
    if (!(r[j * stride + j] != 0)) return std::numeric_limits<double>::infinity();
    double square = 0;
    for (Index i = 0; i <= j; ++i) square += r[i * stride + j] * r[i * stride + j];
    for (Index i = 0; i <= j; ++i) {
      scaled[usize(i * n + j)] = r[i * stride + j] / std::sqrt(square);
    }
  }
  return largest_singular_value(scaled, n) *
         largest_singular_value(inverse_upper(scaled.data(), n, n), n);
}

namespace {

double row_dot(const double* a, const double* b, Index n) {
  double sum[4] = {0, 0, 0, 0};
  Index i = 0;
  for (; i + 4 <= n; i += 4) {
    for (Index k = 0; k < 4; ++k) sum[k] += a[i + k] * b[i + k];
  }
  for (; i < n; ++i) sum[0] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void rotate_rows(double* a, double* b, Index n, double c, double s) {
  for (Index i = 0; i < n; ++i) {
    const double x = a[i], y = b[i];
    a[i] = c * x - s * y;
    b[i] = s * x + c * y;
  }
}

// Sweeps over all pairs until no two rows are nearer to each other than rounding.
void turn_rows(std::vector<double>& m, std::vector<double>& turn, Index n, Index length) {
  constexpr int kMostSweeps = 40;
  constexpr double kRight = 1e-15;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool turned = false;
    for (Index p = 0; p < n; ++p) {
      for (Index q = p + 1; q < n; ++q) {
        double *a = m.data() + p * length, *b = m.data() + q * length;
        const double aa = row_dot(a, a, length), bb = row_dot(b, b, length),
                     ab = row_dot(a, b, length);
        if (!(std::abs(ab) > kRight * std::sqrt(aa) * std::sqrt(bb)) || ab == 0) continue;
        turned = true;
        const double zeta = (bb - aa) / (2 * ab);
        const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double c = 1 / std::sqrt(1 + t * t);
        rotate_rows(a, b, length, c, c * t);
        rotate_rows(turn.data() + p * n, turn.data() + q * n, n, c, c * t);
      }
    }
    if (!turned) return;
  }
}

}  // namespace

OrthogonalRows orthogonal_rows(std::vector<double> m, Index n, Index length) {
  constexpr Index kFew = 32;       // rows that are turned in no time
  constexpr double kModest = 1e6;  // of the condition of M M'
  OrthogonalRows result;
  result.turn.assign(usize(n * n), 0.0);
  bool done = false;
  if (n > kFew) {
    std::vector<double> gram(usize(n * n));
    row_products(m.data(), n, length, m.data(), n, length, length, gram.data(), n);
    const SymmetricEigen eigen = eigen_symmetric(gram, n);
    if (eigen.values[0] * kModest > eigen.values[usize(n - 1)]) {
      for (Index k = 0; k < n; ++k) {
        for (Index i = 0; i < n; ++i) {
          result.turn[usize(k * n + i)] = eigen.vectors[usize(i * n + n - 1 - k)];
        }
      }
      std::vector<double> columns(usize(n * length));
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < length; ++j) columns[usize(j * n + i)] = m[usize(i * length + j)];
      }
      result.rows.resize(m.size());
      row_products(result.turn.data(), n, n, columns.data(), length, n, n, result.rows.data(),
                   length);
      done = true;
    }
  }
  if (!done) {
    for (Index k = 0; k < n; ++k) result.turn[usize(k * n + k)] = 1;
    result.rows = std::move(m);
    turn_rows(result.rows, result.turn, n, length);
  }
  std::vector<double> lengths;
  for (Index k = 0; k < n; ++k) {
    const double* const row = result.rows.data() + k * length;
    lengths.push_back(std::sqrt(row_dot(row, row, length)));
  }
  std::vector<Index> order(usize(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return lengths[usize(a)] > lengths[usize(b)]; });
  OrthogonalRows sorted;
  for (const Index k : order) {
    const auto row = result.rows.begin() + k * length, turn = result.turn.begin() + k * n;
    sorted.rows.insert(sorted.rows.end(), row, row + length);
    sorted.turn.insert(sorted.turn.end(), turn, turn + n);
    sorted.lengths.push_back(lengths[usize(k)]);
  }
  return sorted;
}

}  // namespace craton
