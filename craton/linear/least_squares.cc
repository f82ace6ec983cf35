#include "craton/linear/least_squares.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/base/error.h"
#include "craton/kernels/linalg.h"
#include "craton/linear/double_double.h"
#include "craton/linear/triangles.h"

// O(columns^3), or rows^2 columns where rows are fewer.

namespace craton {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Columns that are shorter than this, of length 1, once those before them are taken out, depend on
// them: rounding leaves so much of a column that is a sum of others.
double rank_tolerance(Index rows, Index cols) {
  return 16 * kEpsilon * static_cast<double>(std::max<Index>({rows, cols, 16}));
}

double square(double v) { return v * v; }

double sum_of_squares(std::span<const double> v) {
  double sum = 0;
  for (const double value : v) sum += value * value;
  return sum;
}

// a v and a' v for a of rows x cols.
std::vector<double> times(const std::vector<double>& a, Index rows, Index cols,
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

// Minimises |q - m b|^2 for rows >= cols, or of least length |b|.
Solved solve_tall(const std::vector<double>& m, std::span<const double> q, Index rows, Index cols) {
  std::vector<double> stacked;
  stacked.reserve(usize(rows * (cols + 1)));
  for (Index i = 0; i < rows; ++i) {
    stacked.insert(stacked.end(), m.begin() + i * cols, m.begin() + (i + 1) * cols);
    stacked.push_back(q[usize(i)]);
  }
  const Index width = cols + 1, height = triangularise(stacked, rows, width);
  Solved result;
  result.b.assign(usize(cols), 0.0);
  const double tolerance = rank_tolerance(rows, cols);
  if (height >= cols && scaled_condition(stacked.data(), cols, width) * tolerance < 0.01) {
    for (Index j = 0; j < cols; ++j) result.b[usize(j)] = stacked[usize(j * width + cols)];
    solve_upper(stacked.data(), cols, width, result.b.data());
    result.rank = cols;
    return result;
  }
  // Columns of length 1; those of 0 stay.
  std::vector<double> scale(usize(cols), 1.0);
  for (Index j = 0; j < cols; ++j) {
    double length = 0;
    for (Index i = 0; i < height; ++i) length += square(stacked[usize(i * width + j)]);
    if (length > 0) scale[usize(j)] = 1 / std::sqrt(length);
    for (Index i = 0; i < height; ++i) stacked[usize(i * width + j)] *= scale[usize(j)];
  }
  const PivotedTriangle t = pivoted_triangle(std::move(stacked), height, width, cols, tolerance);
  const Index rank = t.rank, free = cols - rank;
  std::vector<double> basic(usize(rank));
  for (Index k = 0; k < rank; ++k) basic[usize(k)] = t.r[usize(k * width + cols)];
  solve_upper(t.r.data(), rank, width, basic.data());
  for (Index k = 0; k < rank; ++k) {
    const std::size_t j = usize(t.order[usize(k)]);
    result.b[j] = basic[usize(k)] * scale[j];
  }
  result.rank = rank;
  if (free == 0) return result;
  // The columns behind the rank as sums of those before it.
  result.null_space.assign(usize(cols * free), 0.0);
  for (Index c = 0; c < free; ++c) {
    std::vector<double> of(usize(rank));
    for (Index k = 0; k < rank; ++k) of[usize(k)] = -t.r[usize(k * width + rank + c)];
    solve_upper(t.r.data(), rank, width, of.data());
    for (Index k = 0; k < rank; ++k) {
      const std::size_t j = usize(t.order[usize(k)]);
      result.null_space[j * usize(free) + usize(c)] = of[usize(k)] * scale[j];
    }
    const std::size_t own = usize(t.order[usize(rank + c)]);
    result.null_space[own * usize(free) + usize(c)] = scale[own];
  }
  shorten(result.b, result.null_space, cols);
  return result;
}

// The shortest b of those that minimise |q - a b|^2, for fewer rows than columns. With a' = Q R of
// rows in the order that pivots find: b = Q t, t minimises |q - R't|^2.
Solved solve_wide(const std::vector<double>& a, std::span<const double> q, Index rows, Index cols) {
  const PivotedTriangle p = pivoted_triangle(transposed_matrix(a, rows, cols), cols, rows, rows,
                                             rank_tolerance(rows, cols));
  const Index rank = p.rank;
  std::vector<double> lower(usize(rows * rank));  // R', rows in their new order
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k <= std::min(i, rank - 1); ++k) {
      lower[usize(i * rank + k)] = p.r[usize(k * rows + i)];
    }
  }
  Solved result{std::vector<double>(usize(cols)), rank, {}};
  std::vector<double> rest(q.begin(), q.end());
  for (int step = 0; step < 3; ++step) {  // the first two steps mend what R^-1 costs
    std::vector<double> turned;
    for (const Index i : p.order) turned.push_back(rest[usize(i)]);
    std::vector<double> t = solve_tall(lower, turned, rows, rank).b;
    solve_upper(p.r.data(), rank, rows, t.data());  // Q t = a_1' R_11^-1 t
    for (Index k = 0; k < rank; ++k) {
      const double* const row = a.data() + p.order[usize(k)] * cols;
      for (Index j = 0; j < cols; ++j) result.b[usize(j)] += t[usize(k)] * row[j];
    }
    const std::vector<double> fitted = times(a, rows, cols, result.b);
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
    const std::vector<double> fitted = times(a, rows, cols, result.b);
    for (Index i = 0; i < rows; ++i) rest[usize(i)] = q[usize(i)] - fitted[usize(i)] - u[usize(i)];
  }
  return result;
}

// |a K^-1|^2 with K'K = a'a + C'C.
double trace_of_hat(const std::vector<double>& a, Index rows, Index cols,
                    const std::vector<double>& k) {
  const std::vector<double> inverse = inverse_upper(k.data(), cols, cols);
  double trace = 0;
  std::vector<double> row(usize(cols));
  for (Index i = 0; i < rows; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    for (Index j = 0; j < cols; ++j) {
      const double factor = a[usize(i * cols + j)];
      if (factor == 0) continue;
      for (Index c = j; c < cols; ++c) row[usize(c)] += factor * inverse[usize(j * cols + c)];
    }
    trace += sum_of_squares(row);
  }
  return trace;
}

// Columns that a null space tells to depend on others, each by columns before it where that can be
// said. Vectors of the null space are sums n_j of columns that vanish.
std::vector<Dependence> dependences_of(std::vector<double> n, Index cols,
                                       const ReducedProblem& problem) {
  constexpr double kNoticed = 1e-8;  // of a column's share in such a sum
  const Index k = std::ssize(n) / cols;
  std::vector<double> length(usize(cols));
  for (Index i = 0; i < problem.rows; ++i) {
    for (Index j = 0; j < cols; ++j) length[usize(j)] += square(problem.a[usize(i * cols + j)]);
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
  std::vector<Dependence> result;
  for (const auto& [j, c] : pivots) {
    Dependence found{.column = j - offset};
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

ReducedProblem reduced(const TriangularSums& sums, Intercept intercept) {
  const Index width = sums.width(), d = sums.columns();
  const RowFrame& frame = sums.frame();
  std::vector<double> f = sums.factor();
  Index height = sums.height();
  ReducedProblem p;
  p.intercept = intercept;
  p.unit.assign(frame.unit.begin(), frame.unit.end() - 1);
  p.target_unit = frame.unit.back();
  if (intercept == Intercept::kFree) {
    // Reflect the ones into the first row; below it, rows are about the mean. (Rows are weighted,
    // so the ones are positive, and a triangle has its first column done.)
    height = triangularise(f, height, width);
    for (Index j = 0; j < d; ++j) {
      p.mean.push_back(frame.shift[usize(j)] + f[usize(1 + j)] / f[0] / frame.unit[usize(j)]);
    }
    p.target_mean = frame.shift.back() + f[usize(width - 1)] / f[0] / p.target_unit;
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

// In units f of the columns and g of the target b becomes b g / f, so P becomes f P f, and m, m g / f.
ReducedPrior reduced(const GaussianPrior& prior, const ReducedProblem& problem) {
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
  result.root.assign(usize(cols * cols), 0.0);
  result.mean.assign(usize(cols), 0.0);
  const double root_alpha = std::sqrt(prior.alpha);
  for (Index j = 0; j < cols; ++j) {
    const double unit = problem.unit[usize(j)];
    const bool own = j >= offset;
    const double precision =
        own && !prior.precision.empty() ? prior.precision[usize(j - offset)] : 1;
    result.root[usize(j * cols + j)] = root_alpha * std::sqrt(precision) * unit;
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
  result.diagonal = false;
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j < d; ++j) {
      result.root[usize((i + offset) * cols + j + offset)] =
          root_alpha * lower[usize(i * d + j)] * problem.unit[usize(j + offset)];
    }
  }
  return result;
}

std::vector<double> precision_factor(const ReducedProblem& problem, const ReducedPrior& prior) {
  std::vector<double> stacked = problem.a;
  stacked.insert(stacked.end(), prior.root.begin(), prior.root.end());
  const Index cols = problem.cols, rows = problem.rows + cols;
  triangularise(stacked, rows, cols);
  return stacked;
}

double intercept_of(const ReducedProblem& problem, std::span<const double> coefficients) {
  DoubleDouble sum = problem.target_mean;
  for (std::size_t j = 0; j < coefficients.size(); ++j) {
    sum -= exact_product(coefficients[j], problem.mean[j]);
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
    stacked.insert(stacked.end(), prior.root.begin(), prior.root.end());
    right.resize(usize(rows + cols));
    const Solved result = solve_tall(stacked, right, rows + cols, cols);
    trace = result.rank == cols ? trace_of_hat(p.a, rows, cols, precision_factor(p, prior))
                                : static_cast<double>(result.rank);
    return result;
  }
  std::vector<Index> free, bound;
  for (Index j = 0; j < cols; ++j) {
    (prior.root[usize(j * cols + j)] == 0 ? free : bound).push_back(j);
  }
  const Index f = std::ssize(free), b = std::ssize(bound);
  // [free bound q], reflected so that the free columns vanish below their own rows.
  const Index width = f + b + 1;
  std::vector<double> turned(usize(rows * width));
  for (Index i = 0; i < rows; ++i) {
    double* const row = turned.data() + i * width;
    for (Index j = 0; j < f; ++j) row[j] = p.a[usize(i * cols + free[usize(j)])];
    for (Index j = 0; j < b; ++j) row[f + j] = p.a[usize(i * cols + bound[usize(j)])];
    row[f + b] = q[usize(i)];
  }
  const PivotedTriangle t =
      pivoted_triangle(std::move(turned), rows, width, f, rank_tolerance(rows, cols));
  const Index below = rows - t.rank;
  std::vector<double> a(usize(below * b)), right(usize(below));
  std::vector<double> root(usize(b * b));  // C of the bound columns
  for (Index i = 0; i < b; ++i) {
    for (Index j = i; j < b; ++j) {
      root[usize(i * b + j)] = prior.root[usize(bound[usize(i)] * cols + bound[usize(j)])];
    }
  }
  for (Index i = 0; i < below; ++i) {
    const double* const row = t.r.data() + (t.rank + i) * width;
    for (Index j = 0; j < b; ++j) a[usize(i * b + j)] = row[f + j];
    solve_upper_transposed(root.data(), b, b, a.data() + i * b);  // a C^-1
    right[usize(i)] = row[f + b];
  }
  Solved inner = solve_dual(a, right, below, b);
  // trace a (a'a + I)^-1 a' = below - trace (a a' + I)^-1.
  std::vector<double> gram = transposed_matrix(a, below, b);
  gram.resize(usize((b + below) * below));
  for (Index i = 0; i < below; ++i) gram[usize((b + i) * below + i)] = 1;
  triangularise(gram, b + below, below);
  trace = static_cast<double>(t.rank + below) -
          sum_of_squares(inverse_upper(gram.data(), below, below));
  solve_upper(root.data(), b, b, inner.b.data());
  Solved result{std::vector<double>(usize(cols)), cols - f + t.rank, {}};
  for (Index j = 0; j < b; ++j) result.b[usize(bound[usize(j)])] = inner.b[usize(j)];
  std::vector<double> top(usize(t.rank));
  for (Index i = 0; i < t.rank; ++i) {
    const double* const row = t.r.data() + i * width;
    top[usize(i)] = row[f + b];
    for (Index j = 0; j < b; ++j) top[usize(i)] -= row[f + j] * inner.b[usize(j)];
  }
  solve_upper(t.r.data(), t.rank, width, top.data());
  for (Index i = 0; i < t.rank; ++i) {
    result.b[usize(free[usize(t.order[usize(i)])])] = top[usize(i)];
  }
  return result;
}

}  // namespace

LeastSquares solve(const TriangularSums& sums, Intercept intercept, const GaussianPrior& prior) {
  const ReducedProblem p = reduced(sums, intercept);
  const ReducedPrior c = reduced(prior, p);
  const Index rows = p.rows, cols = p.cols;
  LeastSquares result;
  std::vector<double> q = p.q;
  if (!prior.flat()) {
    const std::vector<double> expected = times(p.a, rows, cols, c.mean);
    for (Index i = 0; i < rows; ++i) q[usize(i)] -= expected[usize(i)];
  }
  Solved solved;
  double trace = 0;
  if (!prior.flat()) {
    solved = solve_with_prior(p, c, q, trace);
    const std::vector<double> pulled = times(c.root, cols, cols, solved.b);
    result.penalty = sum_of_squares(pulled) / square(p.target_unit);
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
  const std::vector<double> fitted = times(p.a, rows, cols, solved.b);
  for (Index i = 0; i < rows; ++i) {
    result.residual += square(p.q[usize(i)] - fitted[usize(i)]);
    result.total += square(p.q[usize(i)]);
  }
  result.residual /= square(p.target_unit);
  result.total /= square(p.target_unit);
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

}  // namespace craton
