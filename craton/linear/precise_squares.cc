#include "craton/linear/precise_squares.h"

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/kernels/double_double.h"
#include "craton/linear/triangles.h"

namespace craton {
namespace {

using Numbers = std::vector<DoubleDouble>;

// z = [1, (x - c) f, (y - t) g] without rounding: differences of doubles, units powers of two.
template <class T, class Use>
void for_exact_rows(const Dense<T>& x, const Chunk& chunk, const RowFrame& frame, const Use& use) {
  const Index d = frame.columns();
  Numbers z(usize(d + 2), 1.0);
  for (Index i = 0; i < x.rows; ++i) {
    const double w = chunk.weight(i);
    if (w == 0) continue;
    const auto set = [&](std::size_t j, double value) {
      const DoubleDouble v = exact_difference(value, frame.shift[j]);
      z[j + 1] = {v.high * frame.unit[j], v.low * frame.unit[j]};
    };
    for (Index j = 0; j < d; ++j) set(usize(j), static_cast<double>(x.row(i)[j]));
    set(usize(d), chunk.targets[usize(i)]);
    use(w, z);
  }
}
template <class T, class Use>
void for_exact_rows(const Sparse<T>& x, const Chunk& chunk, const RowFrame& frame, const Use& use) {
  std::vector<double> row(usize(x.cols));
  for (Index i = 0; i < x.rows; ++i) {
    copy_row(x, i, row.data());
    Chunk one = chunk;
    one.targets = chunk.targets.subspan(usize(i), 1);
    if (!chunk.weights.empty()) one.weights = chunk.weights.subspan(usize(i), 1);
    for_exact_rows(Dense<double>{row.data(), 1, x.cols, x.cols}, one, frame, use);
  }
}

// Sums of numbers that are added to by rows.
class PreciseSums {
 public:
  explicit PreciseSums(Index size) : sums_(usize(size)) {}
  const Numbers& sums() const { return sums_; }
  void merge(const PreciseSums& next) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += next.sums_[i];
  }
  void write(Writer& writer) const { writer.put(sums_); }
  void read(Reader& reader) { reader.get(sums_); }
  Index words() const { return 2 * std::ssize(sums_); }
  Merge merge_kind() const { return Merge::kTree; }

 protected:
  Numbers sums_;
};

// The lower triangle of Z'WZ with y as its last column, by rows.
class PreciseGram : public PreciseSums {
 public:
  explicit PreciseGram(const RowFrame& frame)
      : PreciseSums(frame.width() * (frame.width() + 1) / 2), frame_(&frame) {}
  void accumulate(const Chunk& chunk) {
    const auto add = [&](double w, const Numbers& z) {
      std::size_t at = 0;
      for (std::size_t i = 0; i < z.size(); ++i) {
        const DoubleDouble wz = z[i] * DoubleDouble(w);
        for (std::size_t j = 0; j <= i; ++j) sums_[at++] += wz * z[j];
      }
    };
    std::visit([&](const auto& x) { for_exact_rows(x, chunk, *frame_, add); }, chunk.x);
  }

 private:
  const RowFrame* frame_;
};

// With r = y - Z b: Z'Wr, and last r'Wr.
class PreciseResiduals : public PreciseSums {
 public:
  PreciseResiduals(const RowFrame& frame, const Numbers& b)
      : PreciseSums(frame.width()), frame_(&frame), b_(&b) {}
  void accumulate(const Chunk& chunk) {
    const auto add = [&](double w, const Numbers& z) {
      DoubleDouble r = z.back();
      for (std::size_t j = 0; j < b_->size(); ++j) r -= (*b_)[j] * z[j];
      const DoubleDouble wr = r * DoubleDouble(w);
      for (std::size_t j = 0; j < b_->size(); ++j) sums_[j] += wr * z[j];
      sums_.back() += wr * r;
    };
    std::visit([&](const auto& x) { for_exact_rows(x, chunk, *frame_, add); }, chunk.x);
  }

 private:
  const RowFrame* frame_;
  const Numbers* b_;
};

// L L' = A for the terms [first, n) of a lower triangle by rows; false where a pivot vanishes.
bool precise_cholesky(Numbers& a, Index first, Index n) {
  constexpr double kVanished = 1e-28;
  const auto at = [&](Index i, Index j) -> DoubleDouble& { return a[usize(i * (i + 1) / 2 + j)]; };
  for (Index j = first; j < n; ++j) {
    const double before = at(j, j).high;
    for (Index k = first; k < j; ++k) at(j, j) -= at(j, k) * at(j, k);
    if (!(at(j, j).high > kVanished * before)) return false;
    const DoubleDouble root = sqrt(at(j, j));
    at(j, j) = root;
    for (Index i = j + 1; i < n; ++i) {
      DoubleDouble sum = at(i, j);
      for (Index k = first; k < j; ++k) sum -= at(i, k) * at(j, k);
      at(i, j) = sum / root;
    }
  }
  return true;
}

void precise_solve(const Numbers& l, Index first, Index n, Numbers& b) {
  const auto at = [&](Index i, Index j) { return l[usize(i * (i + 1) / 2 + j)]; };
  for (Index i = first; i < n; ++i) {
    for (Index k = first; k < i; ++k) b[usize(i)] -= at(i, k) * b[usize(k)];
    b[usize(i)] = b[usize(i)] / at(i, i);
  }
  for (Index i = n - 1; i >= first; --i) {
    for (Index k = i + 1; k < n; ++k) b[usize(i)] -= at(k, i) * b[usize(k)];
    b[usize(i)] = b[usize(i)] / at(i, i);
  }
}

DoubleDouble scaled(DoubleDouble v, double power_of_two) {
  return {v.high * power_of_two, v.low * power_of_two};
}

// The equations for the terms [1, x] in the units of a frame: those before `first` are not there.
struct Equations {
  RowFrame frame;
  Index first = 0, n = 0;
  std::vector<double> root;  // C with C'C = alpha P, n x n upper triangular; empty: no prior
  std::vector<double> mean;  // m

  Equations(RowFrame of, Intercept intercept, const CoefficientPrior& prior)
      : frame(std::move(of)) {
    n = frame.columns() + 1;
    first = intercept == Intercept::kNone ? 1 : 0;
    mean.assign(usize(n), 0.0);
    if (prior.flat()) return;
    ReducedProblem units;  // as least_squares.h has them
    units.intercept = intercept;
    units.unit.assign(frame.unit.begin(), frame.unit.end() - 1);
    if (intercept == Intercept::kPenalised) units.unit.insert(units.unit.begin(), 1.0);
    units.cols = std::ssize(units.unit);
    units.target_unit = frame.unit.back();
    const ReducedPrior p = reduced(prior, units);
    root.assign(usize(n * n), 0.0);
    const Index offset = n - units.cols;  // a free intercept, or none
    for (Index i = 0; i < units.cols; ++i) {
      mean[usize(i + offset)] = p.mean[usize(i)];
      for (Index j = i; j < units.cols; ++j) {
        root[usize((i + offset) * n + j + offset)] = p.root.at(i, j);
      }
    }
  }

  // C'C (b - m).
  Numbers pull(const Numbers& b) const {
    Numbers result(usize(n));
    for (Index i = 0; i < n && !root.empty(); ++i) {
      DoubleDouble sum = 0.0;
      for (Index j = i; j < n; ++j) {
        sum += (b[usize(j)] - DoubleDouble(mean[usize(j)])) * DoubleDouble(root[usize(i * n + j)]);
      }
      for (Index j = i; j < n; ++j) result[usize(j)] += sum * DoubleDouble(root[usize(i * n + j)]);
    }
    return result;
  }
};

// Where the equations lie: about the means, or, without a free intercept, about 0.
RowFrame frame_for(const RowFrame& frame, Intercept intercept) {
  RowFrame result = frame;
  if (intercept != Intercept::kFree) {
    std::fill(result.shift.begin(), result.shift.end(), 0.0);
  }
  return result;
}

// Steps until nothing moves, or no longer by less than half. `solve` replaces a right side by its
// solution. Returns the squares of the last residuals.
template <class Solve>
DoubleDouble improve(Source& x, const Equations& e, Numbers& b, int steps, const Solve& solve,
                     const Exec& exec) {
  DoubleDouble rss = 0.0;
  double last = 1 / 0.0;
  for (int step = 0; step < steps; ++step) {
    const Numbers sums = fold(x, PreciseResiduals(e.frame, b), exec).sums();
    rss = sums.back();
    const Numbers pulled = e.pull(b);
    Numbers move(usize(e.n));
    for (Index j = e.first; j < e.n; ++j) move[usize(j)] = sums[usize(j)] - pulled[usize(j)];
    solve(move);
    double size = 0;  // of the largest move, in parts of its coefficient
    for (Index j = e.first; j < e.n; ++j) {
      const double m = std::abs(move[usize(j)].high), own = std::abs(b[usize(j)].high);
      if (m > 0) size = std::max(size, own > 0 ? m / own : 1);
    }
    if (!(size < last / 2)) break;
    for (Index j = e.first; j < e.n; ++j) b[usize(j)] += move[usize(j)];
    // The next step would be as much smaller again.
    if (size < 0x1p-60 || (size < 0x1p-50 && size < 0x1p-10 * last)) break;
    last = size;
  }
  return rss;
}

// Back to the units of the table; the intercept at 0 is that at the shift less shift times b.
void set_coefficients(LeastSquares& fit, const Equations& e, const Numbers& b, DoubleDouble rss) {
  const double g = e.frame.unit.back();
  DoubleDouble at_zero = scaled(b[0], 1 / g) + DoubleDouble(e.frame.shift.back());
  fit.coefficients.clear();
  for (Index j = 1; j < e.n; ++j) {
    const DoubleDouble own = scaled(b[usize(j)], e.frame.unit[usize(j - 1)] / g);
    fit.coefficients.push_back(static_cast<double>(own));
    at_zero -= own * DoubleDouble(e.frame.shift[usize(j - 1)]);
  }
  fit.intercept = e.first == 0 ? static_cast<double>(at_zero) : 0;
  fit.residual = std::max(static_cast<double>(rss), 0.0) / (g * g);
  const Numbers pulled = e.pull(b);
  DoubleDouble penalty = 0.0;
  for (Index j = e.first; j < e.n; ++j) {
    penalty += pulled[usize(j)] * (b[usize(j)] - DoubleDouble(e.mean[usize(j)]));
  }
  fit.penalty = static_cast<double>(penalty) / (g * g);
}

}  // namespace

LeastSquares refined(Source& x, const TriangularSums& sums, Intercept intercept,
                     const CoefficientPrior& prior, LeastSquares fit, const Exec& exec) {
  constexpr int kSteps = 4;
  const Index width = sums.width(), cols = sums.columns();
  const bool ones = intercept == Intercept::kPenalised;  // among the columns
  if (sums.height() <= cols || fit.rank < cols + (ones ? 1 : 0)) return fit;
  const Equations e(frame_for(sums.frame(), intercept), intercept, prior);
  const Index n = e.n, size = n - e.first;
  // A factor of the equations, and the coefficients in their units.
  std::vector<double> k;
  for (Index i = 0; i < sums.height(); ++i) {
    const double* const row = sums.factor().data() + i * width;
    for (Index j = e.first; j < n; ++j) {
      const std::size_t at = usize(j - 1);
      const double back =
          j > 0 ? (sums.frame().shift[at] - e.frame.shift[at]) * e.frame.unit[at] : 0;
      k.push_back(j > 0 ? row[j] + row[0] * back : row[0]);
    }
  }
  for (Index i = e.first; i < n && !e.root.empty(); ++i) {
    for (Index j = e.first; j < n; ++j) k.push_back(e.root[usize(i * n + j)]);
  }
  triangularise(k, std::ssize(k) / size, size);
  if (!std::isfinite(scaled_condition(k.data(), size, size))) return fit;
  const auto solve_triangle_twice = [&](Numbers& right) {
    std::vector<double> d;
    for (Index j = e.first; j < n; ++j) d.push_back(static_cast<double>(right[usize(j)]));
    solve_upper_transposed(k.data(), size, size, d.data());
    solve_upper(k.data(), size, size, d.data());
    for (Index j = e.first; j < n; ++j) right[usize(j)] = d[usize(j - e.first)];
  };
  const double g = e.frame.unit.back();
  Numbers b(usize(n));
  DoubleDouble at_shift = DoubleDouble(fit.intercept) - DoubleDouble(e.frame.shift.back());
  for (Index j = 1; j < n; ++j) {
    const double own = fit.coefficients[usize(j - 1)];
    b[usize(j)] = own * g / e.frame.unit[usize(j - 1)];
    at_shift += exact_product(own, e.frame.shift[usize(j - 1)]);
  }
  if (e.first == 0) b[0] = scaled(at_shift, g);
  const DoubleDouble rss = improve(x, e, b, kSteps, solve_triangle_twice, exec);
  set_coefficients(fit, e, b, rss);
  return fit;
}

std::optional<PreciseSquares> solve_precisely(Source& x, const RegressionColumns& columns,
                                              Intercept intercept, const CoefficientPrior& prior,
                                              const Exec& exec) {
  constexpr int kMostSteps = 10;
  RowFrame frame = frame_for(columns.frame(), intercept);
  for (Index j = 0; j < frame.columns() && intercept != Intercept::kFree; ++j) {
    const double largest = columns.features().largest(j);
    frame.unit[usize(j)] = largest > 0 ? std::ldexp(1.0, -std::ilogb(largest)) : 1;
  }
  const Equations e(std::move(frame), intercept, prior);
  const Index n = e.n, first = e.first;
  const double g = e.frame.unit.back();
  const Numbers gram = fold(x, PreciseGram(e.frame), exec).sums();
  const auto entry = [&](Index i, Index j) { return gram[usize(i * (i + 1) / 2 + j)]; };
  Numbers l(gram.begin(), gram.begin() + n * (n + 1) / 2);
  for (Index k = 0; k < n && !e.root.empty(); ++k) {
    for (Index i = k; i < n; ++i) {
      for (Index j = k; j <= i; ++j) {
        l[usize(i * (i + 1) / 2 + j)] +=
            exact_product(e.root[usize(k * n + i)], e.root[usize(k * n + j)]);
      }
    }
  }
  if (!precise_cholesky(l, first, n)) return {};
  const auto solve_equations = [&](Numbers& right) { precise_solve(l, first, n, right); };
  Numbers b(usize(n));
  const Numbers pulled = e.pull(b);
  for (Index j = first; j < n; ++j) b[usize(j)] = entry(n, j) - pulled[usize(j)];
  solve_equations(b);
  const DoubleDouble rss = improve(x, e, b, kMostSteps, solve_equations, exec);
  PreciseSquares result;
  set_coefficients(result.fit, e, b, rss);
  result.fit.rank = std::ssize(result.fit.coefficients);
  DoubleDouble tss = entry(n, n);
  if (intercept != Intercept::kNone) tss -= entry(n, 0) * entry(n, 0) / entry(0, 0);
  result.fit.total = std::max(static_cast<double>(tss), 0.0) / (g * g);

  // Columns of the inverse one by one, and the trace of it times Z'WZ.
  Numbers inverse(usize(n * n));
  DoubleDouble trace = 0.0;
  for (Index c = first; c < n; ++c) {
    Numbers column(usize(n));
    column[usize(c)] = 1.0;
    solve_equations(column);
    for (Index i = first; i < n; ++i) {
      trace += column[usize(i)] * entry(std::max(i, c), std::min(i, c));
      const double fi = i == 0 ? 1 : e.frame.unit[usize(i - 1)];
      const double fc = c == 0 ? 1 : e.frame.unit[usize(c - 1)];
      inverse[usize(i * n + c)] = scaled(column[usize(i)], fi * fc);
    }
  }
  result.fit.effective = static_cast<double>(trace);
  if (first == 0) {  // the intercept at 0 is a - shift b: rows, then columns
    for (int side = 0; side < 2; ++side) {
      for (Index c = 0; c < n; ++c) {
        const auto at = [&](Index i) -> DoubleDouble& {
          return inverse[usize(side == 0 ? i * n + c : c * n + i)];
        };
        for (Index j = 1; j < n; ++j) at(0) -= at(j) * DoubleDouble(e.frame.shift[usize(j - 1)]);
      }
    }
  }
  for (Index i = first; i < n; ++i) {
    for (Index j = first; j < n; ++j) {
      result.inverse.push_back(static_cast<double>(inverse[usize(i * n + j)]));
    }
  }
  return result;
}

}  // namespace craton
