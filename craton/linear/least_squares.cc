#include "craton/linear/least_squares.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/base/error.h"
#include "craton/kernels/algebra/linalg.h"
#include "craton/kernels/double_double.h"
#include "craton/linear/triangles.h"

// O(columns^3), or rows^2 columns where rows are fewer.

namespace craton {
namespace {

// Columns that are shorter than this, of length 1, once those before them are taken out, depend on
// them: rounding leaves so much of a column that is a sum of others.
double rank_tolerance(Index rows, Index cols) {
  return 16 * kRoundoff * static_cast<double>(std::max<Index>({rows, cols, 16}));
}

double sum_of_squares(std::span<const double> v) {
  double sum = 0;
  for (const double value : v) sum += value * value;
  return sum;
}

// a v and a' v for a of rows x cols.
std::vector<double> matrix_times(const std::vector<double>& a, Index rows, Index cols,
                                 std::span<const double> v) {
  std::vector<double> result(usize(rows));
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) result[usize(i)] += a[usize(i * cols + j)] * v[usize(j)];
  }
  return result;
}
std::vector<double> times_transposed(const std::vector<double>& a, Index rows, Index cols,
                                     std::span<const double> v) {
  std::vector<double> result(usize(cols));
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) result[usize(j)] += a[usize(i * cols + j)] * v[usize(i)];
  }
  return result;
}

std::vector<double> transposed_matrix(const std::vector<double>& a, Index rows, Index cols) {
  std::vector<double> result(a.size());
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) result[usize(j * rows + i)] = a[usize(i * cols + j)];
  }
  return result;
}

void append(const UpperRoot& root, std::vector<double>& rows) {
  for (Index i = 0; i < root.size; ++i) {
    for (Index j = 0; j < root.size; ++j) rows.push_back(root.at(i, j));
  }
}

struct Solved {
  std::vector<double> b;
  Index rank = 0;
  std::vector<double> null_space = {};  // cols x (cols - rank)
};

// b - N (N'N)^-1 N'b: what has no part in the null space.
void shorten(std::vector<double>& b, const std::vector<double>& null_space, Index cols) {
  const Index k = std::ssize(null_space) / cols;
  std::vector<double> stacked(usize(cols * (k + 1)));
  for (Index j = 0; j < cols; ++j) {
    for (Index c = 0; c < k; ++c) stacked[usize(j * (k + 1) + c)] = null_space[usize(j * k + c)];
    stacked[usize(j * (k + 1) + k)] = b[usize(j)];
  }
  triangularise(stacked, cols, k + 1);
  std::vector<double> t(usize(k));
  for (Index c = 0; c < k; ++c) t[usize(c)] = stacked[usize(c * (k + 1) + k)];
  solve_upper(stacked.data(), k, k + 1, t.data());
  for (Index j = 0; j < cols; ++j) {
    for (Index c = 0; c < k; ++c) b[usize(j)] -= null_space[usize(j * k + c)] * t[usize(c)];
  }
}

// A triangle of [m q], of rows >= cols, ready to be solved.
struct TallTriangle {
  std::vector<double> r = {};  // rows x (cols + 1)
  Index cols = 0, rank = 0;
  std::vector<Index> order = {};
  std::vector<double> scale = {};       // of the columns before they were reflected
  std::vector<double> null_space = {};  // cols x (cols - rank)
  double condition = 1;

  Index width() const { return cols + 1; }
};

TallTriangle tall_triangle(const std::vector<double>& m, std::span<const double> q, Index rows,
                           Index cols) {
  TallTriangle t{.cols = cols, .rank = cols};
  t.scale.assign(usize(cols), 1.0);
  for (Index j = 0; j < cols; ++j) t.order.push_back(j);
  const Index width = t.width();
  t.r.reserve(usize(rows * width));
  for (Index i = 0; i < rows; ++i) {
    t.r.insert(t.r.end(), m.begin() + i * cols, m.begin() + (i + 1) * cols);
    t.r.push_back(q.empty() ? 0 : q[usize(i)]);
  }
  const Index height = triangularise(t.r, rows, width);
  const double tolerance = rank_tolerance(rows, cols);
  t.condition = scaled_condition(t.r.data(), cols, width);
  if (t.condition * tolerance < 0.01) return t;
  // Columns of length 1; those of 0 stay.
  for (Index j = 0; j < cols; ++j) {
    double length = 0;
    for (Index i = 0; i < height; ++i) length += squared(t.r[usize(i * width + j)]);
    if (length > 0) t.scale[usize(j)] = 1 / std::sqrt(length);
    for (Index i = 0; i < height; ++i) t.r[usize(i * width + j)] *= t.scale[usize(j)];
  }
  PivotedTriangle p = pivoted_triangle(std::move(t.r), height, width, cols, tolerance);
  t.r = std::move(p.r);
  t.order = std::move(p.order);
  t.rank = p.rank;
  const Index rank = t.rank, free = cols - rank;
  if (free == 0) return t;
  t.condition = std::numeric_limits<double>::infinity();
  // The columns behind the rank as sums of those before it.
  t.null_space.assign(usize(cols * free), 0.0);
  for (Index c = 0; c < free; ++c) {
    std::vector<double> of(usize(rank));
    for (Index k = 0; k < rank; ++k) of[usize(k)] = -t.r[usize(k * width + rank + c)];
    solve_upper(t.r.data(), rank, width, of.data());
    for (Index k = 0; k < rank; ++k) {
      const std::size_t j = usize(t.order[usize(k)]);
      t.null_space[j * usize(free) + usize(c)] = of[usize(k)] * t.scale[j];
    }
    const std::size_t own = usize(t.order[usize(rank + c)]);
    t.null_space[own * usize(free) + usize(c)] = t.scale[own];
  }
  return t;
}

// From coordinates of the pivots to coefficients, of those that fit equally well the shortest.
std::vector<double> spread(const TallTriangle& t, std::span<const double> basic) {
  std::vector<double> b(usize(t.cols));
  for (Index k = 0; k < t.rank; ++k) {
    const std::size_t j = usize(t.order[usize(k)]);
    b[j] = basic[usize(k)] * t.scale[j];
  }
  if (t.rank < t.cols) shorten(b, t.null_space, t.cols);
  return b;
}

Solved solve_triangle(TallTriangle t) {
  std::vector<double> basic(usize(t.rank));
  for (Index k = 0; k < t.rank; ++k) basic[usize(k)] = t.r[usize(k * t.width() + t.cols)];
  solve_upper(t.r.data(), t.rank, t.width(), basic.data());
  return {spread(t, basic), t.rank, std::move(t.null_space)};
}

// Minimises |q - m b|^2 for rows >= cols.
Solved solve_tall(const std::vector<double>& m, std::span<const double> q, Index rows, Index cols) {
  return solve_triangle(tall_triangle(m, q, rows, cols));
}

// The shortest b of those that minimise |q - a b|^2, for fewer rows than columns. With a' = Q R of
// rows in the order that pivots find: b = Q t, t minimises |q - R't|^2.
Solved solve_wide(const std::vector<double>& a, std::span<const double> q, Index rows, Index cols) {
  std::vector<double> r = transposed_matrix(a, rows, cols);
  triangularise(r, cols, rows);
  const double tolerance = rank_tolerance(rows, cols);
  PivotedTriangle p;
  for (Index i = 0; i < rows; ++i) p.order.push_back(i);
  p.rank = rows;
  if (scaled_condition(r.data(), rows, rows) * tolerance < 0.01) {
    p.r = std::move(r);
  } else {
    p = pivoted_triangle(std::move(r), rows, rows, rows, tolerance);
  }
  const Index rank = p.rank;
  std::vector<double> lower(usize(rows * rank));  // R', rows in their new order
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k <= std::min(i, rank - 1); ++k) {
      lower[usize(i * rank + k)] = p.r[usize(k * rows + i)];
    }
  }
  const auto least = [&](std::span<const double> right) {  // t
    if (rank < rows) return solve_tall(lower, right, rows, rank).b;
    std::vector<double> t(right.begin(), right.end());
    solve_upper_transposed(p.r.data(), rows, rows, t.data());
    return t;
  };
  Solved result{std::vector<double>(usize(cols)), rank, {}};
  std::vector<double> rest(q.begin(), q.end());
  for (int step = 0; step < 3; ++step) {  // the later steps mend what R^-1 costs
    std::vector<double> turned;
    for (const Index i : p.order) turned.push_back(rest[usize(i)]);
    std::vector<double> t = least(turned);
    solve_upper(p.r.data(), rank, rows, t.data());  // Q t = a_1' R_11^-1 t
    for (Index k = 0; k < rank; ++k) {
      const double* const row = a.data() + p.order[usize(k)] * cols;
      for (Index j = 0; j < cols; ++j) result.b[usize(j)] += t[usize(k)] * row[j];
    }
    const std::vector<double> fitted = matrix_times(a, rows, cols, result.b);
    for (Index i = 0; i < rows; ++i) rest[usize(i)] = q[usize(i)] - fitted[usize(i)];
  }
  return result;
}

// The same with |b|^2 added: b = a'u, (a a' + I) u = q, where all columns have a prior.
Solved solve_dual(const std::vector<double>& a, std::span<const double> q, Index rows, Index cols) {
  std::vector<double> stacked = transposed_matrix(a, rows, cols);
  stacked.resize(usize((cols + rows) * rows));
  for (Index i = 0; i < rows; ++i) stacked[usize((cols + i) * rows + i)] = 1;
  triangularise(stacked, cols + rows, rows);
  std::vector<double> u(usize(rows)), rest(q.begin(), q.end());
  Solved result{{}, cols, {}};
  for (int step = 0; step < 3; ++step) {
    solve_upper_transposed(stacked.data(), rows, rows, rest.data());
    solve_upper(stacked.data(), rows, rows, rest.data());
    for (Index i = 0; i < rows; ++i) u[usize(i)] += rest[usize(i)];
    result.b = times_transposed(a, rows, cols, u);
    const std::vector<double> fitted = matrix_times(a, rows, cols, result.b);
    for (Index i = 0; i < rows; ++i) rest[usize(i)] = q[usize(i)] - fitted[usize(i)] - u[usize(i)];
  }
  return result;
}

// The inverse of the pivots' triangle as coordinates of coefficients: T with T T' = (m'm)^+.
std::vector<double> root_of(const TallTriangle& t) {
  const std::vector<double> inverse = inverse_upper(t.r.data(), t.rank, t.width());
  std::vector<double> root(usize(t.cols * t.rank)), column(usize(t.rank));
  for (Index c = 0; c < t.rank; ++c) {
    for (Index k = 0; k < t.rank; ++k) column[usize(k)] = inverse[usize(k * t.rank + c)];
    const std::vector<double> b = spread(t, column);
    for (Index j = 0; j < t.cols; ++j) root[usize(j * t.rank + c)] = b[usize(j)];
  }
  return root;
}

// The trace of a (m'm)^+ a'.
double trace_of_hat(const std::vector<double>& a, Index rows, const TallTriangle& t) {
  const std::vector<double> root = root_of(t);
  double trace = 0;
  std::vector<double> row(usize(t.rank));
  for (Index i = 0; i < rows; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    for (Index j = 0; j < t.cols; ++j) {
      const double factor = a[usize(i * t.cols + j)];
      if (factor == 0) continue;
      for (Index c = 0; c < t.rank; ++c) row[usize(c)] += factor * root[usize(j * t.rank + c)];
    }
    trace += sum_of_squares(row);
  }
  return trace;
}

// Columns that a null space tells to depend on others, each by columns before it where that can be
// said. Vectors of the null space are sums n_j of columns that vanish.
std::vector<ColumnDependence> dependences_of(std::vector<double> n, Index cols,
                                             const ReducedProblem& problem) {
  constexpr double kNoticed = 1e-8;  // of a column's share in such a sum
  const Index k = std::ssize(n) / cols;
  std::vector<double> length(usize(cols));
  for (Index i = 0; i < problem.rows; ++i) {
    for (Index j = 0; j < cols; ++j) length[usize(j)] += squared(problem.a[usize(i * cols + j)]);
  }
  for (double& v : length) v = v > 0 ? std::sqrt(v) : 1;
  std::vector<bool> used(usize(k));
  std::vector<std::pair<Index, Index>> pivots;  // column, vector
  for (Index j = cols - 1; j >= 0 && std::ssize(pivots) < k; --j) {
    Index best = -1;
    double most = 0;
    for (Index c = 0; c < k; ++c) {
      if (used[usize(c)]) continue;
      double largest = 0;
      for (Index i = 0; i < cols; ++i) {
        largest = std::max(largest, std::abs(n[usize(i * k + c)]) * length[usize(i)]);
      }
      const double share = std::abs(n[usize(j * k + c)]) * length[usize(j)] / largest;
      if (share > kNoticed && share > most) best = c, most = share;
    }
    if (best < 0) continue;
    used[usize(best)] = true;
    pivots.emplace_back(j, best);
    const double pivot = n[usize(j * k + best)];
    for (Index i = 0; i < cols; ++i) n[usize(i * k + best)] /= -pivot;
    for (Index c = 0; c < k; ++c) {
      const double factor = n[usize(j * k + c)];
      if (c == best || factor == 0) continue;
      for (Index i = 0; i < cols; ++i) n[usize(i * k + c)] += factor * n[usize(i * k + best)];
      n[usize(j * k + c)] = 0;
    }
  }
  const Index offset = problem.intercept == Intercept::kPenalised ? 1 : 0;
  std::vector<ColumnDependence> result;
  for (const auto& [j, c] : pivots) {
    ColumnDependence found{.column = j - offset};
    double largest = 0;
    for (Index i = 0; i < cols; ++i) {
      if (i != j) largest = std::max(largest, std::abs(n[usize(i * k + c)]) * length[usize(i)]);
    }
    for (Index i = offset; i < cols && largest > kNoticed * length[usize(j)]; ++i) {
      const double times_column = n[usize(i * k + c)];
      if (i == j || !(std::abs(times_column) * length[usize(i)] > kNoticed * largest)) continue;
      found.columns.push_back(i - offset);
      // Of columns as they are: units are powers of two.
      found.times.push_back(times_column * problem.unit[usize(i)] / problem.unit[usize(j)]);
    }
    result.push_back(std::move(found));
  }
  std::reverse(result.begin(), result.end());
  return result;
}

[[noreturn]] void fail_prior(const std::string& what, const std::string& fix) {
  throw InputError(Code::kBadOption, {}, what, fix);
}

}  // namespace

void UpperRoot::solve(double* b) const {
  if (!diagonal()) return solve_upper(values.data(), size, size, b);
  for (Index i = 0; i < size; ++i) b[i] /= values[usize(i)];
}

void UpperRoot::solve_transposed(double* b) const {
  if (!diagonal()) return solve_upper_transposed(values.data(), size, size, b);
  for (Index i = 0; i < size; ++i) b[i] /= values[usize(i)];
}

ReducedProblem reduced(const TriangularSums& sums, Intercept intercept) {
  const Index width = sums.width(), d = sums.columns();
  const RowFrame& frame = sums.frame();
  std::vector<double> f = sums.factor();
  const Index height = sums.height();
  ReducedProblem p;
  p.intercept = intercept;
  p.unit.assign(frame.unit.begin(), frame.unit.end() - 1);
  p.target_unit = frame.unit.back();
  if (intercept == Intercept::kFree) {
    // The ones go into the first row; below it, rows are about the mean.
    reflect_first(f, height, width);
    p.shift = frame.shift;
    for (Index j = 0; j <= d; ++j) {
      p.offset.push_back(f[usize(1 + j)] / f[0] / frame.unit[usize(j)]);
    }
    p.rows = height - 1;
    p.cols = d;
    for (Index i = 1; i < height; ++i) {
      const auto row = f.begin() + i * width;
      p.a.insert(p.a.end(), row + 1, row + 1 + d);
      p.q.push_back(row[width - 1]);
    }
    return p;
  }
  p.rows = height;
  p.cols = intercept == Intercept::kPenalised ? d + 1 : d;
  if (intercept == Intercept::kPenalised) p.unit.insert(p.unit.begin(), 1.0);
  for (Index i = 0; i < height; ++i) {
    const double* const row = f.data() + i * width;
    if (intercept == Intercept::kPenalised) p.a.push_back(row[0]);
    for (Index j = 0; j < d; ++j) {
      p.a.push_back(row[1 + j] + row[0] * (frame.shift[usize(j)] * frame.unit[usize(j)]));
    }
    p.q.push_back(row[width - 1] + row[0] * (frame.shift.back() * p.target_unit));
  }
  return p;
}

// In units f of the columns and g of the target b becomes b g / f, so P becomes f P f, and m, m g /
// f.
ReducedPrior reduced(const CoefficientPrior& prior, const ReducedProblem& problem) {
  const Index cols = problem.cols, offset = problem.intercept == Intercept::kPenalised ? 1 : 0;
  const Index d = cols - offset;
  const auto sized = [&](const std::vector<double>& v, Index size, const char* name) {
    if (v.empty() || std::ssize(v) == size) return;
    fail_prior(fmt::format("{} has {} numbers for {} columns", name, v.size(), d),
               fmt::format("Give {}.", size));
  };
  sized(prior.precision, d, "the precision of the prior");
  sized(prior.mean, d, "the mean of the prior");
  sized(prior.covariance, d * d, "the covariance of the prior");
  if (!(prior.alpha >= 0) || !std::isfinite(prior.alpha)) {
    fail_prior(fmt::format("alpha is {:g}", prior.alpha), "Give a number of at least 0.");
  }
  for (const double v : prior.precision) {
    if (!(v >= 0) || !std::isfinite(v)) {
      fail_prior(fmt::format("a precision of the prior is {:g}", v),
                 "Give numbers of at least 0; 0 leaves a coefficient free.");
    }
  }
  for (const double v : prior.mean) {
    if (!std::isfinite(v)) fail_prior("the mean of the prior is not finite", "Give numbers.");
  }
  ReducedPrior result;
  result.root = {cols, std::vector<double>(usize(cols))};
  result.mean.assign(usize(cols), 0.0);
  const double root_alpha = std::sqrt(prior.alpha);
  for (Index j = 0; j < cols; ++j) {
    const double unit = problem.unit[usize(j)];
    const bool own = j >= offset;
    const double precision =
        own && !prior.precision.empty() ? prior.precision[usize(j - offset)] : 1;
    result.root.values[usize(j)] = root_alpha * std::sqrt(precision) * unit;
    if (own && !prior.mean.empty()) {
      result.mean[usize(j)] = prior.mean[usize(j - offset)] * problem.target_unit / unit;
    }
  }
  if (prior.covariance.empty() || prior.alpha == 0) return result;
  // S = L L', P = L'^-1 L^-1: C is the triangle of L^-1 times the units.
  std::vector<double> lower = prior.covariance;
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j < i; ++j) {
      const double a = lower[usize(i * d + j)], b = lower[usize(j * d + i)];
      if (std::abs(a - b) <= 1e-12 * (std::abs(a) + std::abs(b))) continue;
      fail_prior("the covariance of the prior is not symmetric", "Give S with S_ij = S_ji.");
    }
  }
  if (!cholesky(lower, d)) {
    fail_prior("the covariance of the prior is not positive definite",
               "Give a matrix whose eigenvalues are all positive.");
  }
  invert_lower(lower, d);
  triangularise(lower, d, d);
  std::vector<double> root(usize(cols * cols));
  if (offset == 1) root[0] = root_alpha;
  for (Index i = 0; i < d; ++i) {
    for (Index j = i; j < d; ++j) {
      root[usize((i + offset) * cols + j + offset)] =
          root_alpha * lower[usize(i * d + j)] * problem.unit[usize(j + offset)];
    }
  }
  result.root.values = std::move(root);
  return result;
}

double intercept_of(const ReducedProblem& problem, std::span<const double> coefficients) {
  DoubleDouble sum = exact_sum(problem.shift.back(), problem.offset.back());
  for (std::size_t j = 0; j < coefficients.size(); ++j) {
    sum -= exact_product(coefficients[j], problem.shift[j]);
    sum -= exact_product(coefficients[j], problem.offset[j]);
  }
  return static_cast<double>(sum);
}

namespace {

// b = m + C^-1 g where every column has a prior; columns without are solved for first, as the
// intercept is.
Solved solve_with_prior(const ReducedProblem& p, const ReducedPrior& prior,
                        std::span<const double> q, double& trace) {
  const Index rows = p.rows, cols = p.cols;
  if (rows >= cols) {
    std::vector<double> stacked = p.a, right(q.begin(), q.end());
    append(prior.root, stacked);
    right.resize(usize(rows + cols));
    TallTriangle t = tall_triangle(stacked, right, rows + cols, cols);
    trace = trace_of_hat(p.a, rows, t);
    return solve_triangle(std::move(t));
  }
  const StandardForm form = standard_form(p, prior);
  const Index below = form.rows, b = std::ssize(form.bound);
  const Solved inner = solve_dual(form.a, form.right, below, b);
  // trace a (a'a + I)^-1 a' = below - trace (a a' + I)^-1.
  std::vector<double> gram = transposed_matrix(form.a, below, b);
  gram.resize(usize((b + below) * below));
  for (Index i = 0; i < below; ++i) gram[usize((b + i) * below + i)] = 1;
  triangularise(gram, b + below, below);
  trace = static_cast<double>(form.rank + below) -
          sum_of_squares(inverse_upper(gram.data(), below, below));
  return {form.coefficients(inner.b), b + form.rank, {}};
}

}  // namespace

LeastSquares solve(const TriangularSums& sums, Intercept intercept, const CoefficientPrior& prior) {
  const ReducedProblem p = reduced(sums, intercept);
  const ReducedPrior c = reduced(prior, p);
  const Index rows = p.rows, cols = p.cols;
  LeastSquares result;
  std::vector<double> q = p.q;
  if (!prior.flat()) {
    const std::vector<double> expected = matrix_times(p.a, rows, cols, c.mean);
    for (Index i = 0; i < rows; ++i) q[usize(i)] -= expected[usize(i)];
  }
  Solved solved;
  double trace = 0;
  if (!prior.flat()) {
    solved = solve_with_prior(p, c, q, trace);
    for (Index i = 0; i < cols; ++i) {
      double pulled = c.root.at(i, i) * solved.b[usize(i)];
      for (Index j = i + 1; j < cols && !c.root.diagonal(); ++j) {
        pulled += c.root.at(i, j) * solved.b[usize(j)];
      }
      result.penalty += squared(pulled) / squared(p.target_unit);
    }
    for (Index j = 0; j < cols; ++j) solved.b[usize(j)] += c.mean[usize(j)];
  } else {
    // Columns of unequal length: the shortest solution is that in their own units.
    std::vector<double> a = p.a;
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) a[usize(i * cols + j)] /= p.unit[usize(j)];
    }
    solved = rows >= cols ? solve_tall(a, q, rows, cols) : solve_wide(a, q, rows, cols);
    for (Index j = 0; j < cols; ++j) solved.b[usize(j)] /= p.unit[usize(j)];
    trace = static_cast<double>(solved.rank);
    if (!solved.null_space.empty()) {
      const Index k = cols - solved.rank;
      for (Index j = 0; j < cols; ++j) {
        for (Index v = 0; v < k; ++v) solved.null_space[usize(j * k + v)] /= p.unit[usize(j)];
      }
      result.dependences = dependences_of(std::move(solved.null_space), cols, p);
    }
  }
  const std::vector<double> fitted = matrix_times(p.a, rows, cols, solved.b);
  for (Index i = 0; i < rows; ++i) {
    result.residual += squared(p.q[usize(i)] - fitted[usize(i)]);
    result.total += squared(p.q[usize(i)]);
  }
  if (intercept == Intercept::kPenalised) {  // about the mean all the same
    double along = 0, ones = 0;
    for (Index i = 0; i < rows; ++i) {
      along += p.a[usize(i * cols)] * p.q[usize(i)];
      ones += squared(p.a[usize(i * cols)]);
    }
    result.total = std::max(result.total - squared(along) / ones, 0.0);
  }
  result.residual /= squared(p.target_unit);
  result.total /= squared(p.target_unit);
  result.rank = solved.rank;
  result.effective = trace + (intercept == Intercept::kFree ? 1 : 0);
  for (Index j = 0; j < cols; ++j) {
    result.coefficients.push_back(solved.b[usize(j)] * p.unit[usize(j)] / p.target_unit);
  }
  if (intercept == Intercept::kFree) result.intercept = intercept_of(p, result.coefficients);
  if (intercept == Intercept::kPenalised) {
    result.intercept = result.coefficients[0];
    result.coefficients.erase(result.coefficients.begin());
  }
  return result;
}

StandardForm standard_form(const ReducedProblem& p, const ReducedPrior& prior) {
  const Index rows = p.rows, cols = p.cols;
  StandardForm form;
  for (Index j = 0; j < cols; ++j) {
    (prior.root.at(j, j) == 0 ? form.free : form.bound).push_back(j);
  }
  const Index f = std::ssize(form.free), b = std::ssize(form.bound), width = f + b + 1;
  // [free bound q - A m], reflected so that the free columns vanish below their own rows.
  std::vector<double> turned(usize(rows * width));
  const std::vector<double> expected = matrix_times(p.a, rows, cols, prior.mean);
  for (Index i = 0; i < rows; ++i) {
    double* const row = turned.data() + i * width;
    for (Index j = 0; j < f; ++j) row[j] = p.a[usize(i * cols + form.free[usize(j)])];
    for (Index j = 0; j < b; ++j) row[f + j] = p.a[usize(i * cols + form.bound[usize(j)])];
    row[f + b] = p.q[usize(i)] - expected[usize(i)];
  }
  PivotedTriangle t =
      pivoted_triangle(std::move(turned), rows, width, f, rank_tolerance(rows, cols));
  form.rank = t.rank;
  form.order = std::move(t.order);
  form.rows = rows - t.rank;
  form.root.size = b;
  for (Index i = 0; i < b; ++i) {
    const Index own = form.bound[usize(i)];
    if (prior.root.diagonal()) {
      form.root.values.push_back(prior.root.at(own, own));
      continue;
    }
    for (Index j = 0; j < b; ++j) {
      form.root.values.push_back(prior.root.at(own, form.bound[usize(j)]));
    }
  }
  for (Index i = 0; i < form.rows; ++i) {
    const auto row = t.r.begin() + (t.rank + i) * width;
    form.a.insert(form.a.end(), row + f, row + f + b);
    form.root.solve_transposed(form.a.data() + i * b);  // a C^-1
    form.right.push_back(row[f + b]);
  }
  form.above.assign(t.r.begin(), t.r.begin() + t.rank * width);
  return form;
}

std::vector<double> StandardForm::coefficients(std::span<const double> g) const {
  const Index f = std::ssize(free), b = std::ssize(bound), width = f + b + 1;
  std::vector<double> inner(g.begin(), g.end()), top(usize(rank)), result(usize(f + b));
  root.solve(inner.data());
  for (Index i = 0; i < rank; ++i) {
    const double* const row = above.data() + i * width;
    top[usize(i)] = row[f + b];
    for (Index j = 0; j < b; ++j) top[usize(i)] -= row[f + j] * inner[usize(j)];
  }
  solve_upper(above.data(), rank, width, top.data());
  for (Index j = 0; j < b; ++j) result[usize(bound[usize(j)])] = inner[usize(j)];
  for (Index i = 0; i < rank; ++i) {
    result[usize(free[usize(order[usize(i)])])] = top[usize(i)];
  }
  return result;
}

CoefficientRoot coefficient_root(const ReducedProblem& p, const CoefficientPrior& prior) {
  const Index rows = p.rows, cols = p.cols;
  CoefficientRoot result;
  result.told.assign(usize(cols), true);
  if (prior.flat() && rows < cols) {
    result.told.assign(usize(cols), false);
    result.condition = std::numeric_limits<double>::infinity();
    return result;
  }
  std::vector<double> a = p.a;  // in the units of the table
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) a[usize(i * cols + j)] /= p.unit[usize(j)];
  }
  if (rows >= cols) result.condition = tall_triangle(a, {}, rows, cols).condition;
  Index height = rows;
  if (!prior.flat()) {
    const UpperRoot root = reduced(prior, p).root;
    for (Index i = 0; i < cols; ++i) {
      for (Index j = 0; j < cols; ++j) a.push_back(root.at(i, j) / p.unit[usize(j)]);
    }
    height += cols;
  }
  const TallTriangle t = tall_triangle(a, {}, height, cols);
  result.rank = t.rank;
  result.root = root_of(t);
  // A coefficient is told that the null space leaves alone.
  const Index free = cols - t.rank;
  for (Index j = 0; j < cols; ++j) {
    for (Index v = 0; v < free; ++v) {
      double largest = 0;
      for (Index i = 0; i < cols; ++i) {
        largest =
            std::max(largest, std::abs(t.null_space[usize(i * free + v)]) / t.scale[usize(i)]);
      }
      const double share = std::abs(t.null_space[usize(j * free + v)]) / t.scale[usize(j)];
      if (share > 1e-8 * largest) result.told[usize(j)] = false;
    }
  }
  return result;
}

}  // namespace craton
