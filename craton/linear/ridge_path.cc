#include "craton/linear/ridge_path.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/algebra/products.h"
#include "craton/kernels/special.h"
#include "craton/linear/triangles.h"

// O(columns^3) once (rows^2 columns where rows are fewer), then rows x columns x (columns + 2
// alphas).

namespace craton {
namespace {

constexpr double kNoneLeft = 1e-11;  // of 1 - w h: rounding of a number that is 0
constexpr Index kRowsAtOnce = 64;    // what is found of them, for all alphas, stays in the cache

// U S V' of what the sums say, and how to find u of a row.
struct Decomposition {
  Index rank = 0;
  std::vector<double> s, c;  // singular values; U'y
  double rest = 0;           // |y|^2 outside of U
  std::vector<double> g;     // V, by rows: rank x bound columns
  RowFrame frame;            // of the rows that are mapped
  Index free = 0;            // coordinates of the free columns, the intercept's among them
  std::vector<double> map;   // (rank + free + 1) x width: u, free coordinates, e(0)
  bool saturated = false;    // no row is left over: every e(0) is 0
};

Decomposition decompose(const TriangularSums& sums, const ReducedProblem& p,
                        const ReducedPrior& prior, const StandardForm& form) {
  const Index rows = form.rows, b = std::ssize(form.bound), f = std::ssize(form.free);
  const bool wide = rows < b;
  Decomposition result;
  // Rows of the matrix that is turned: columns of a, or its rows where these are fewer.
  std::vector<double> m = form.a;
  if (!wide) {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < b; ++j) m[usize(j * rows + i)] = form.a[usize(i * b + j)];
    }
  }
  const Index n = std::min(rows, b), length = std::max(rows, b);
  const OrthogonalRows o = orthogonal_rows(std::move(m), n, length);
  const double least = n == 0 ? 0 : o.lengths[0] * static_cast<double>(length) * 4 * kRoundoff;
  while (result.rank < n && o.lengths[usize(result.rank)] > least) ++result.rank;
  const Index r = result.rank;
  result.s.assign(o.lengths.begin(), o.lengths.begin() + r);
  std::vector<double> rest = form.right;
  for (Index k = 0; k < r; ++k) {
    const double s = o.lengths[usize(k)];
    // u_k and v_k: one is the row of Y over its length, the other that of V'.
    const double* const y = o.rows.data() + k * length;
    const double* const turn = o.turn.data() + k * n;
    double c = 0;
    for (Index i = 0; i < rows; ++i) {
      c += (wide ? turn[i] : y[i] / s) * form.right[usize(i)];
    }
    result.c.push_back(c);
    for (Index i = 0; i < rows; ++i) rest[usize(i)] -= (wide ? turn[i] : y[i] / s) * c;
    for (Index j = 0; j < b; ++j) result.g.push_back(wide ? y[j] / s : turn[j]);
  }
  for (const double v : rest) result.rest += v * v;

  const Index d = sums.columns(), width = d + 2;
  const bool centred = p.intercept == Intercept::kFree;
  const Index shown = p.intercept == Intercept::kPenalised ? 1 : 0;
  result.frame = sums.frame();
  if (!centred) std::fill(result.frame.shift.begin(), result.frame.shift.end(), 0.0);
  result.free = form.rank + (centred ? 1 : 0);
  result.saturated = r + result.free == sums.rows();
  result.map.assign(usize((r + result.free + 1) * width), 0.0);
  // Column j of the problem is column j + 1 - shown of a row.
  const auto at = [&](Index output, Index column) -> double& {
    return result.map[usize(output * width + column + 1 - shown)];
  };
  const Index across = f + b + 1;
  for (Index k = 0; k < r; ++k) {
    // u = (z_bound - z_free R_ff^-1 R_fb) C^-1 v / s.
    std::vector<double> v(result.g.begin() + k * b, result.g.begin() + (k + 1) * b);
    form.root.solve(v.data());
    for (double& value : v) value /= result.s[usize(k)];
    std::vector<double> top(usize(form.rank));
    for (Index i = 0; i < form.rank; ++i) {
      for (Index j = 0; j < b; ++j) {
        top[usize(i)] -= form.above[usize(i * across + f + j)] * v[usize(j)];
      }
    }
    solve_upper(form.above.data(), form.rank, across, top.data());
    for (Index j = 0; j < b; ++j) at(k, form.bound[usize(j)]) = v[usize(j)];
    for (Index i = 0; i < form.rank; ++i) {
      at(k, form.free[usize(form.order[usize(i)])]) = top[usize(i)];
    }
  }
  const std::vector<double> inverse = inverse_upper(form.above.data(), form.rank, across);
  for (Index k = 0; k < form.rank; ++k) {
    for (Index i = 0; i <= k; ++i) {
      at(r + k, form.free[usize(form.order[usize(i)])]) = inverse[usize(i * form.rank + k)];
    }
  }
  if (centred) result.map[usize((r + form.rank) * width)] = 1 / std::sqrt(sums.weight());
  std::vector<double> g(usize(b));
  for (Index k = 0; k < r; ++k) {
    for (Index j = 0; j < b; ++j) {
      g[usize(j)] += result.g[usize(k * b + j)] * (result.c[usize(k)] / result.s[usize(k)]);
    }
  }
  const std::vector<double> at_zero = form.coefficients(g);
  const Index last = r + result.free;
  for (Index j = 0; j < p.cols; ++j) at(last, j) = -(at_zero[usize(j)] + prior.mean[usize(j)]);
  result.map[usize(last * width + width - 1)] = 1;
  for (Index output = 0; output <= last && centred; ++output) {  // from the shift to the means
    double* const row = result.map.data() + output * width;
    for (Index j = 0; j <= d; ++j) {
      row[0] -= row[1 + j] * (p.offset[usize(j)] * result.frame.unit[usize(j)]);
    }
  }
  return result;
}

std::uint64_t hash_with_target(const Chunk& chunk, Index i) {
  const std::uint64_t hash =
      std::visit([&](const auto& view) { return row_hash(view, i); }, chunk.x);
  return mix(hash, std::bit_cast<std::uint64_t>(chunk.targets[usize(i)] + 0.0));
}

bool has_copies(Source& x, const Exec& exec) {
  std::vector<std::uint64_t> hashes(usize(x.shape().rows));
  for_rows(x, exec, [&](const Chunk& chunk) {
    for (Index i = 0; i < chunk.rows(); ++i) {
      hashes[usize(chunk.first_row + i)] = hash_with_target(chunk, i);
    }
  });
  std::sort(hashes.begin(), hashes.end());
  return std::adjacent_find(hashes.begin(), hashes.end()) != hashes.end();
}

// Of each row the weight of all rows that are the same, itself among them; by a hash of 64 bits.
// Empty: no two are, which is usual, and told in half of the memory.
std::vector<double> weights_of_copies(Source& x, const Exec& exec) {
  if (!has_copies(x, exec)) return {};
  struct Key {
    std::uint64_t hash;
    Index row;
  };
  std::vector<Key> keys(usize(x.shape().rows));
  std::vector<double> weights(keys.size());
  for_rows(x, exec, [&](const Chunk& chunk) {
    for (Index i = 0; i < chunk.rows(); ++i) {
      const Index row = chunk.first_row + i;
      keys[usize(row)] = {hash_with_target(chunk, i), row};
      weights[usize(row)] = chunk.weight(i);
    }
  });
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.row < b.row;
  });
  const auto same = [](const Key& a, const Key& b) { return a.hash == b.hash; };
  for (std::size_t first = 0, last = 0; first < keys.size(); first = last) {
    double sum = 0;
    for (; last < keys.size() && same(keys[last], keys[first]); ++last) {
      sum += weights[usize(keys[last].row)];
    }
    for (std::size_t k = first; k < last; ++k) weights[usize(keys[k].row)] = sum;
  }
  return weights;
}

// alphas x rank: g = alpha / (s^2 + alpha), and g c.
struct Shares {
  std::vector<double> shares = {}, pulls = {};

  Shares(const Decomposition& d, std::span<const double> alphas) {
    for (const double alpha : alphas) {
      for (Index k = 0; k < d.rank; ++k) {
        shares.push_back(alpha / (squared(d.s[usize(k)]) + alpha));
        pulls.push_back(shares.back() * d.c[usize(k)]);
      }
    }
  }
};

// Sums of w (e / (1 - c h))^2 for every alpha, c the weight of all copies of the row.
class LeaveOneOutSums {
 public:
  LeaveOneOutSums(const Decomposition& d, const Shares& g, std::span<const double> alphas,
                  std::span<const double> copies, std::span<double> errors)
      : d_(&d), g_(&g), alphas_(alphas), copies_(copies), errors_(errors), sums_(alphas.size()) {}

  const std::vector<double>& sums() const { return sums_; }

  void accumulate(const Chunk& chunk) {
    const Index r = d_->rank, outputs = r + d_->free + 1, width = d_->frame.width();
    const Index count = std::ssize(alphas_);
    std::vector<double> out(usize(kRowsAtOnce * outputs)), squares(usize(kRowsAtOnce * r));
    std::vector<double> e(usize(kRowsAtOnce * count)), m(e.size());
    for_row_blocks(chunk, d_->frame, [&](const RowBlock& block) {
      for (Index first = 0; first < block.rows; first += kRowsAtOnce) {
        const Index rows = std::min(kRowsAtOnce, block.rows - first);
        row_products(block.z + first * block.stride, rows, block.stride, d_->map.data(), outputs,
                     width, width, out.data(), outputs);
        for (Index i = 0; i < rows; ++i) {
          for (Index k = 0; k < r; ++k) {
            squares[usize(i * r + k)] = squared(out[usize(i * outputs + k)]);
          }
        }
        std::fill(e.begin(), e.end(), 0.0);  // for a rank of 0
        std::fill(m.begin(), m.end(), 0.0);
        row_products(out.data(), rows, outputs, g_->pulls.data(), count, r, r, e.data(), count);
        row_products(squares.data(), rows, r, g_->shares.data(), count, r, r, m.data(), count);
        for (Index i = 0; i < rows; ++i) {
          const double w = block.weights == nullptr ? 1 : block.weights[first + i];
          const Index row = chunk.first_row + block.first_row + first + i;
          add_row(row, w, out.data() + i * outputs, squares.data() + i * r, e.data() + i * count,
                  m.data() + i * count);
        }
      }
    });
  }
  void merge(const LeaveOneOutSums& next) {
    for (std::size_t a = 0; a < sums_.size(); ++a) sums_[a] += next.sums_[a];
  }
  void write(Writer& writer) const { writer.put(sums_); }
  void read(Reader& reader) { reader.get(sums_); }
  Index words() const { return std::ssize(sums_); }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  void add_row(Index row, double w, const double* out, const double* squares, double* e,
               const double* m) {
    const Index r = d_->rank, count = std::ssize(alphas_);
    const double all = copies_.empty() ? w : copies_[usize(row)];
    double own = 0;
    for (Index k = 0; k < d_->free; ++k) own += squared(out[r + k]);
    for (Index k = 0; k < r; ++k) own += squares[k];
    double left = 1 - all * own, residual = out[r + d_->free];
    const bool none_left = d_->saturated ? all > 0 : left < kNoneLeft;
    if (none_left) left = residual = 0;
    for (Index a = 0; a < count; ++a) e[a] = (residual + e[a]) / (left + all * m[a]);
    for (Index a = 0; a < count && none_left; ++a) {
      if (alphas_[usize(a)] == 0) e[a] = without_penalty(all, out, squares);
      if (!std::isfinite(e[a])) e[a] = kInfinite;  // nothing is left to predict from
    }
    if (w > 0) {
      for (Index a = 0; a < count; ++a) sums_[usize(a)] += w * e[a] * e[a];
    }
    if (errors_.empty()) return;
    const double unit = d_->frame.unit.back();
    for (Index a = 0; a < count; ++a) errors_[usize(row * count + a)] = e[a] / unit;
  }

  double without_penalty(double w, const double* u, const double* squares) const {
    double above = 0, below = 0;
    for (Index k = 0; k < d_->rank; ++k) {
      const double s2 = squared(d_->s[usize(k)] / d_->s[usize(d_->rank - 1)]);
      above += u[k] * d_->c[usize(k)] / s2;
      below += w * squares[k] / s2;
    }
    return below > 0 ? above / below : kInfinite;
  }

  const Decomposition* d_;
  const Shares* g_;
  std::span<const double> alphas_, copies_;
  std::span<double> errors_;
  std::vector<double> sums_;
};

}  // namespace

Index RidgePath::best(std::span<const double> criterion) const {
  return std::min_element(criterion.begin(), criterion.end()) - criterion.begin();
}

RidgePath ridge_path(Source& x, const TriangularSums& sums, Intercept intercept,
                     const CoefficientPrior& prior, std::span<const double> alphas,
                     const Exec& exec, std::span<double> errors) {
  for (const double alpha : alphas) {
    if (alpha >= 0 && std::isfinite(alpha)) continue;
    throw InputError(Code::kBadOption, {}, {"one of the alphas is {}", alpha},
                     "Give numbers of at least 0.");
  }
  CoefficientPrior one = prior;
  one.alpha = 1;
  const ReducedProblem p = reduced(sums, intercept);
  const ReducedPrior c = reduced(one, p);
  const StandardForm form = standard_form(p, c);
  const Decomposition d = decompose(sums, p, c, form);
  const Index b = std::ssize(form.bound), count = std::ssize(alphas);
  const double n = sums.weight(), unit2 = squared(p.target_unit);
  const std::vector<double> copies = weights_of_copies(x, exec);
  const Shares g(d, alphas);
  const LeaveOneOutSums left_out = fold(x, LeaveOneOutSums(d, g, alphas, copies, errors), exec);

  RidgePath path;
  path.alphas.assign(alphas.begin(), alphas.end());
  path.coefficients.shape = {count, sums.columns()};
  for (Index a = 0; a < count; ++a) {
    const double alpha = alphas[usize(a)];
    std::vector<double> turned(usize(b));
    double rss = d.rest, trace = static_cast<double>(d.free), gone = n - trace, limit[2] = {0, 0};
    for (Index k = 0; k < d.rank; ++k) {
      const double s = d.s[usize(k)], ck = d.c[usize(k)], s2 = s * s;
      const double share = alpha / (s2 + alpha), scaled = s / d.s[usize(d.rank - 1)];
      rss += squared(share * ck);
      trace += s2 / (s2 + alpha);
      gone -= s2 / (s2 + alpha);
      limit[0] += squared(ck / (scaled * scaled));
      limit[1] += 1 / (scaled * scaled);
      for (Index j = 0; j < b; ++j) {
        turned[usize(j)] += d.g[usize(k * b + j)] * (ck * s / (s2 + alpha));
      }
    }
    const bool vanished = gone < kNoneLeft * n;
    double gcv = n * rss / squared(gone);
    if (vanished) gcv = limit[1] > 0 ? n * limit[0] / squared(limit[1]) : kInfinite;
    path.residual.push_back(rss / unit2);
    path.effective.push_back(trace);
    path.gcv.push_back(gcv / unit2);
    path.leave_one_out.push_back(left_out.sums()[usize(a)] / n / unit2);
    std::vector<double> own = form.coefficients(turned);
    for (Index j = 0; j < p.cols; ++j) {
      own[usize(j)] = (own[usize(j)] + c.mean[usize(j)]) * p.unit[usize(j)] / p.target_unit;
    }
    double at_zero = 0;
    if (intercept == Intercept::kFree) at_zero = intercept_of(p, own);
    if (intercept == Intercept::kPenalised) {
      at_zero = own[0];
      own.erase(own.begin());
    }
    path.intercepts.push_back(at_zero);
    path.coefficients.values.insert(path.coefficients.values.end(), own.begin(), own.end());
  }
  return path;
}

}  // namespace craton
