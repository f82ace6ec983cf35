#include "craton/linear/logistic_sums.h"

#include <algorithm>
#include <cmath>

#include "craton/kernels/algebra/products.h"
#include "craton/kernels/centred_rows.h"
#include "craton/kernels/exp_log.h"

// Terms are made once for a block of rows, and all else is a product with them. A row costs
// O(R terms), and O(R^2 terms^2 / 4) with the curvature; a sparse row the same with its entries in
// place of the terms.

namespace craton {
namespace {

// Rows of a block: many where products of its terms are summed, else as many as stay near.
constexpr Index kBlock = 256, kLeastBlock = 16, kNear = 1 << 15;
// Of so many runs of rows, the first is part of kPartCurvature.
constexpr Index kPartRun = 4096, kPartOneIn = 4;

// out_ir = theta_r . z_i of sparse rows: (x - c) u . theta = x . (u theta) - (c u) . theta.
template <class T>
void sparse_forms(const Sparse<T>& x, std::span<const double> weights, const LogisticTerms& terms,
                  std::span<const double> theta, std::vector<double>& work, double* out) {
  const std::size_t forms = usize(terms.forms()), q = usize(terms.terms()),
                    d = usize(terms.columns);
  work.assign((d + 1) * forms, 0.0);  // u theta by column, then what is added to each form
  double* const start = &work[d * forms];
  for (std::size_t r = 0; r < forms; ++r) {
    if (terms.intercept) start[r] = theta[r * q + d];
    for (std::size_t j = 0; j < d; ++j) {
      work[j * forms + r] = theta[r * q + j] * terms.unit[j];
      start[r] -= work[j * forms + r] * terms.centre[j];
    }
  }
  for (Index i = 0; i < x.rows; ++i, out += forms) {
    if (weights[usize(i)] == 0) {  // what does not count may be anything
      std::fill(out, out + forms, 0.0);
      continue;
    }
    std::copy(start, start + forms, out);
    for (Index e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
      const double value = static_cast<double>(x.values[e]);
      const double* const of_column = &work[usize(x.columns[e]) * forms];
      for (std::size_t r = 0; r < forms; ++r) out[r] += value * of_column[r];
    }
  }
}

// 1 - p of a label, to the last digit where p is nearly 1: what the products of p with others are
// to, so that their sum is no less than 0 as a matrix.
double others(double p, double first, std::span<const double> rest, std::size_t label) {
  if (p <= 0.5) return 1 - p;
  double sum = label == 0 ? 0 : first;
  for (std::size_t r = 0; r < rest.size(); ++r) sum += r + 1 == label ? 0 : rest[r];
  return sum;
}

}  // namespace

LogisticSums::LogisticSums(const LogisticTerms& terms, std::span<const double> theta, SumsOf what,
                           std::span<const double> with, Index block)
    : terms_(&terms), theta_(theta), with_(with), what_(what), block_(block) {
  if (what == SumsOf::kDiagonal) {
    gradient_.assign(usize(terms.classes * terms.terms()), 0.0);
  } else if (what != SumsOf::kMeat && what != SumsOf::kBlock) {
    gradient_.assign(usize(terms.size()), 0.0);
  }
}

void LogisticSums::accumulate(const Chunk& chunk) {
  constexpr std::size_t kMostKept = 1 << 18;
  thread_local Room room;
  swap_room(room);
  std::visit(
      [&](const auto& x) {
        if constexpr (requires { x.stride; }) {
          add_dense(chunk, x);
        } else {
          add_sparse(chunk, x);
        }
      },
      chunk.x);
  if (z_.capacity() > kMostKept) z_ = {}, z_float_ = {};
  swap_room(room);
  if (what_ != SumsOf::kPartCurvature) return;
  double weight = 0;
  for (Index i = 0; i < chunk.rows() && !chunk.labels.empty(); ++i) {
    if (chunk.labels[usize(i)] >= 0) weight += chunk.weight(i);
  }
  weight_of_all_ += weight;
  if (!left_out(chunk)) weight_of_part_ += weight;
}

bool LogisticSums::left_out(const Chunk& chunk) const {
  return what_ == SumsOf::kPartCurvature && chunk.first_row / kPartRun % kPartOneIn != 0;
}

// What curvatures are to be multiplied by, if they are of a part of the rows.
double LogisticSums::share() const {
  return weight_of_part_ > 0 ? weight_of_all_ / weight_of_part_ : 1;
}

// The weights of a block; those of rows without a label are 0.
void LogisticSums::weigh(const Chunk& chunk, Index first, Index rows) {
  weight_.assign(usize(rows), 0.0);
  for (Index i = 0; i < rows && !chunk.labels.empty(); ++i) {
    if (chunk.labels[usize(first + i)] >= 0) weight_[usize(i)] = chunk.weight(first + i);
  }
}

// p, losses and residuals of a block, from its weights and eta.
void LogisticSums::link(const Chunk& chunk, Index first, Index rows) {
  const std::size_t forms = usize(terms_->forms()), n = usize(rows);
  p_.resize(n * forms);
  first_p_.resize(n);
  residual_.assign(n * forms, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double* const eta = &eta_[i * forms];
    const double top = std::max(0.0, *std::max_element(eta, eta + forms));
    first_p_[i] = -top;
    for (std::size_t r = 0; r < forms; ++r) p_[i * forms + r] = eta[r] - top;
  }
  exp_all(p_);
  exp_all(first_p_);
  for (std::size_t i = 0; i < n; ++i) {
    const double w = weight_[i];
    const double* const eta = &eta_[i * forms];
    double* const p = &p_[i * forms];
    const Index y = w == 0 ? 0 : terms_->class_of[usize(chunk.labels[usize(first) + i])];
    // The greatest exponential is 1: sums without it, and without that of the label, keep all
    // digits where one class is nearly certain.
    const Index best = std::max_element(eta, eta + forms) - eta;
    const Index top = eta[best] > 0 ? best + 1 : 0;
    double below = top == 0 ? 0 : first_p_[i], others = y == 0 ? 0 : first_p_[i];
    double nearest = y == 0 ? -std::numeric_limits<double>::infinity() : 0;
    double furthest = y == 0 ? std::numeric_limits<double>::infinity() : 0;
    for (Index c = 1; c <= static_cast<Index>(forms); ++c) {
      if (c != top) below += p[c - 1];
      if (c == y) continue;
      others += p[c - 1];
      nearest = std::max(nearest, eta[c - 1]);
      furthest = std::min(furthest, eta[c - 1]);
    }
    const double sum = 1 + below;
    for (std::size_t r = 0; r < forms; ++r) p[r] /= sum;
    first_p_[i] /= sum;
    if (w == 0) continue;
    const double own = y == 0 ? 0 : eta[y - 1];
    for (std::size_t r = 0; r < forms; ++r) residual_[i * forms + r] = w * p[r];
    if (y > 0) residual_[i * forms + usize(y - 1)] = -w * (others / sum);
    loss_ += w * ((top == 0 ? 0 : eta[top - 1]) - own + std::log1p(below));
    margin_ = std::min(margin_, own - nearest);
    top_ = std::max({top_, std::abs(own - nearest), std::abs(own - furthest)});
  }
}

// residual <- w (diag(p) - p p') v.z
void LogisticSums::turn_along(Index rows) {
  const std::size_t forms = usize(terms_->forms());
  for (std::size_t i = 0; i < usize(rows); ++i) {
    const double *const u = &eta_[i * forms], *const p = &p_[i * forms];
    double mean = 0;
    for (std::size_t r = 0; r < forms; ++r) mean += p[r] * u[r];
    for (std::size_t r = 0; r < forms; ++r) {
      residual_[i * forms + r] = weight_[i] * p[r] * (u[r] - mean);
    }
  }
}

void LogisticSums::turn_firth(Index rows) {
  const Index q = terms_->terms(), forms = terms_->forms(), size = terms_->size();
  const std::size_t n = usize(rows), k = usize(forms);
  std::vector<double> form(n * k * k);  // q_st of each row
  work_.resize(usize(rows * q));
  for (Index s = 0; s < forms; ++s) {
    for (Index t = 0; t <= s; ++t) {
      row_products(z_.data(), rows, q, &with_[usize(s * q * size + t * q)], q, size, q,
                   work_.data(), q);
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < usize(q); ++j)
          sum += z_[i * usize(q) + j] * work_[i * usize(q) + j];
        form[i * k * k + usize(s) * k + usize(t)] = form[i * k * k + usize(t) * k + usize(s)] = sum;
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double *const p = &p_[i * k], *const f = &form[i * k * k];
    for (std::size_t r = 0; r < k; ++r) {
      // sum_st k_rst q_st, k_rst = [s=t] p_s ([s=r] - p_r) - p_s p_t ([s=r] + [t=r] - 2 p_r)
      double sum = 0;
      for (std::size_t s = 0; s < k; ++s) {
        const double own = s == r ? 1 : 0;
        sum += p[s] * (own - p[r]) * f[s * k + s];
        for (std::size_t t = 0; t < k; ++t) {
          sum -= p[s] * p[t] * (own + (t == r ? 1 : 0) - 2 * p[r]) * f[s * k + t];
        }
      }
      residual_[i * k + r] -= weight_[i] * sum / 2;
    }
  }
}

// The weights of z z' in the sums of the pair r, s.
void LogisticSums::weigh_pair(Index rows, Index r, Index s) {
  const std::size_t forms = usize(terms_->forms());
  h_.resize(usize(rows));
  for (std::size_t i = 0; i < usize(rows); ++i) {
    const double w = weight_[i];
    const double *const p = &p_[i * forms], *const residual = &residual_[i * forms];
    if (what_ == SumsOf::kMeat) {
      h_[i] = w == 0 ? 0 : residual[r] * residual[s] / w;
    } else if (r != s) {
      h_[i] = -w * p[r] * p[s];
    } else {
      h_[i] = w * p[r] * others(p[r], first_p_[i], {p, forms}, usize(r) + 1);
    }
  }
}

// Those of z z' in the curvature of one class, the first among them.
void LogisticSums::weigh_class(Index rows, Index label) {
  const std::size_t forms = usize(terms_->forms());
  h_.resize(usize(rows));
  for (std::size_t i = 0; i < usize(rows); ++i) {
    const double p = label == 0 ? first_p_[i] : p_[i * forms + usize(label - 1)];
    h_[i] = weight_[i] * p * others(p, first_p_[i], {&p_[i * forms], forms}, usize(label));
  }
}

void LogisticSums::add_diagonal(Index rows) {
  const std::size_t q = usize(terms_->terms());
  for (Index c = 0; c < terms_->classes; ++c) {
    weigh_class(rows, c);
    double* const sums = &gradient_[usize(c) * q];
    for (std::size_t i = 0; i < usize(rows); ++i) {
      for (std::size_t j = 0; j < q; ++j) sums[j] += h_[i] * z_[i * q + j] * z_[i * q + j];
    }
  }
}

// What a block of dense terms adds, once its eta is known.
void LogisticSums::add_block(const Chunk& chunk, Index first, Index rows) {
  const Index q = terms_->terms(), forms = terms_->forms();
  for (Index i = 0; i < rows; ++i) {  // what does not count may be anything
    if (weight_[usize(i)] == 0) std::fill_n(&z_[usize(i * q)], q, 0.0);
  }
  eta_.resize(usize(rows * forms));
  dot_rows(z_.data(), rows, q, q, theta_.data(), forms, eta_.data());
  link(chunk, first, rows);
  if (what_ == SumsOf::kAlong) {
    dot_rows(z_.data(), rows, q, q, with_.data(), forms, eta_.data());
    turn_along(rows);
  }
  if (what_ == SumsOf::kFirth) turn_firth(rows);
  if (what_ == SumsOf::kDiagonal) return add_diagonal(rows);
  if (what_ == SumsOf::kBlock) {
    float_curvature_.resize(usize(q * q));
    z_float_.resize(z_.size());
    h_float_.resize(usize(rows));
    weigh_class(rows, block_);
    to_floats(z_.data(), rows * q, z_float_.data());
    to_floats(h_.data(), rows, h_float_.data());
    return add_gram(z_float_.data(), rows, q, q, h_float_.data(), float_curvature_.data(), q);
  }
  if (!gradient_.empty()) {
    add_rows(z_.data(), rows, q, q, residual_.data(), forms, gradient_.data());
  }
  if (!pairwise() || left_out(chunk)) return;
  const std::size_t square = usize(q * q);
  if (floats()) {
    float_curvature_.resize(usize(terms_->pairs()) * square);
    z_float_.resize(z_.size());
    h_float_.resize(usize(rows));
    to_floats(z_.data(), rows * q, z_float_.data());
  } else {
    curvature_.resize(usize(terms_->pairs()) * square);
  }
  std::size_t at = 0;
  for (Index r = 0; r < forms; ++r) {
    for (Index s = 0; s <= r; ++s, at += square) {
      weigh_pair(rows, r, s);
      if (floats()) {
        to_floats(h_.data(), rows, h_float_.data());
        add_gram(z_float_.data(), rows, q, q, h_float_.data(), &float_curvature_[at], q);
      } else {
        add_gram(z_.data(), rows, q, q, h_.data(), &curvature_[at], q);
      }
    }
  }
}

template <class T>
void LogisticSums::add_dense(const Chunk& chunk, const Dense<T>& x) {
  const Index q = terms_->terms();
  const bool squares = pairwise() || what_ == SumsOf::kBlock || what_ == SumsOf::kFirth;
  const Index block = squares ? kBlock : std::clamp(kNear / q, kLeastBlock, kBlock);
  for (Index first = 0; first < x.rows; first += block) {
    const Index rows = std::min(block, x.rows - first);
    z_.resize(usize(rows * q));
    centre_rows(x.slice({first, first + rows}), terms_->centre.data(), terms_->unit.data(),
                z_.data(), q);
    for (Index i = 0; terms_->intercept && i < rows; ++i) z_[usize(i * q + q - 1)] = 1;
    weigh(chunk, first, rows);
    add_block(chunk, first, rows);
  }
}

template <class T>
void LogisticSums::fill(const Sparse<T>& x, Index first, Index rows) {
  const std::size_t q = usize(terms_->terms()), d = usize(terms_->columns);
  z_.assign(usize(rows) * q, 1.0);
  for (Index i = 0; i < rows; ++i) {
    double* const z = &z_[usize(i) * q];
    copy_row(x, first + i, z);
    for (std::size_t j = 0; j < d; ++j) z[j] = (z[j] - terms_->centre[j]) * terms_->unit[j];
  }
}

// Gradients and curvatures are of the terms (x, 1) here; gradient() and curvature() centre them.
template <class T>
void LogisticSums::add_sparse(const Chunk& chunk, const Sparse<T>& x) {
  if (what_ == SumsOf::kFirth) {
    for (Index first = 0; first < x.rows; first += kBlock) {
      const Index rows = std::min(kBlock, x.rows - first);
      fill(x, first, rows);
      weigh(chunk, first, rows);
      add_block(chunk, first, rows);
    }
    return;
  }
  sparse_ = true;
  const std::size_t q = usize(terms_->terms()), forms = usize(terms_->forms());
  const std::size_t square = q * q, last = q - 1;
  eta_.resize(usize(x.rows) * forms);
  weigh(chunk, 0, x.rows);
  sparse_forms(x, weight_, *terms_, theta_, work_, eta_.data());
  link(chunk, 0, x.rows);
  if (what_ == SumsOf::kAlong) {
    sparse_forms(x, weight_, *terms_, with_, work_, eta_.data());
    turn_along(x.rows);
  }
  // u x: a power of two costs no digits, and what is squared neither overflows nor vanishes.
  const Index first = x.offsets[0];
  z_.resize(usize(x.offsets[x.rows] - first));
  for (Index e = first; e < x.offsets[x.rows]; ++e) {
    z_[usize(e - first)] = static_cast<double>(x.values[e]) * terms_->unit[usize(x.columns[e])];
  }
  const double* const z = z_.data() - first;
  if (what_ == SumsOf::kDiagonal) {
    for (Index c = 0; c < terms_->classes; ++c) {
      weigh_class(x.rows, c);
      double* const sums = &gradient_[usize(c) * q];
      for (Index i = 0; i < x.rows; ++i) {
        for (Index e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
          sums[usize(x.columns[e])] += h_[usize(i)] * z[e] * z[e];
        }
        if (terms_->intercept) sums[last] += h_[usize(i)];
      }
    }
    return;
  }
  for (Index i = 0; !gradient_.empty() && i < x.rows; ++i) {
    if (weight_[usize(i)] == 0) continue;
    for (std::size_t r = 0; r < forms; ++r) {
      const double residual = residual_[usize(i) * forms + r];
      double* const sums = &gradient_[r * q];
      for (Index e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
        sums[x.columns[e]] += residual * z[e];
      }
      if (terms_->intercept) sums[last] += residual;
    }
  }
  if (!pairwise() || left_out(chunk)) return;
  curvature_.resize(usize(terms_->pairs()) * square);
  std::size_t at = 0;
  for (Index r = 0; r < terms_->forms(); ++r) {
    for (Index s = 0; s <= r; ++s, at += square) {
      weigh_pair(x.rows, r, s);
      for (Index i = 0; i < x.rows; ++i) {
        const double h = h_[usize(i)];
        if (h == 0) continue;
        for (Index e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
          const double part = h * z[e];
          double* const sums = &curvature_[at + usize(x.columns[e]) * q];
          for (Index f = x.offsets[i]; f <= e; ++f) {
            sums[x.columns[f]] += part * z[f];
          }
          if (terms_->intercept) curvature_[at + last * q + usize(x.columns[e])] += part;
        }
        if (terms_->intercept) curvature_[at + last * q + last] += h;
      }
    }
  }
}

namespace {

template <class T>
void add_to(std::vector<T>& sums, const std::vector<T>& more) {
  if (sums.empty()) sums.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i) sums[i] += more[i];
}

}  // namespace

void LogisticSums::merge(const LogisticSums& next) {
  sparse_ = sparse_ || next.sparse_;
  loss_ += next.loss_;
  margin_ = std::min(margin_, next.margin_);
  top_ = std::max(top_, next.top_);
  weight_of_all_ += next.weight_of_all_;
  weight_of_part_ += next.weight_of_part_;
  add_to(gradient_, next.gradient_);
  add_to(curvature_, next.curvature_);
  add_to(float_curvature_, next.float_curvature_);
}

void LogisticSums::write(Writer& writer) const {
  writer.put(sparse_);
  for (const double v : {loss_, margin_, top_, weight_of_all_, weight_of_part_}) writer.put(v);
  writer.put(gradient_);
  writer.put(curvature_);
  writer.put(float_curvature_);
}

void LogisticSums::read(Reader& reader) {
  reader.get(sparse_);
  for (double* v : {&loss_, &margin_, &top_, &weight_of_all_, &weight_of_part_}) reader.get(*v);
  reader.get(gradient_);
  reader.get(curvature_);
  reader.get(float_curvature_);
}

std::vector<double> LogisticSums::gradient() const {
  std::vector<double> result = gradient_;
  const std::size_t q = usize(terms_->terms()), d = usize(terms_->columns);
  for (std::size_t r = 0; sparse_ && r < usize(terms_->forms()); ++r) {
    const double all = terms_->intercept ? result[r * q + d] : 0;
    for (std::size_t j = 0; j < d; ++j) {
      result[r * q + j] -= terms_->centre[j] * terms_->unit[j] * all;
    }
  }
  return result;
}

std::vector<double> LogisticSums::curvature() const {
  const std::size_t q = usize(terms_->terms()), d = usize(terms_->columns), last = q - 1;
  const std::size_t forms = usize(terms_->forms()), size = forms * q;
  std::vector<double> result(size * size), pair(q * q);
  std::size_t at = 0;
  for (std::size_t r = 0; r < forms; ++r) {
    for (std::size_t s = 0; s <= r; ++s, at += q * q) {
      if (!float_curvature_.empty()) {
        std::copy_n(float_curvature_.begin() + static_cast<Index>(at), q * q, pair.begin());
      } else if (!curvature_.empty()) {
        std::copy_n(curvature_.begin() + static_cast<Index>(at), q * q, pair.begin());
      }
      if (sparse_) {  // (u x - c m)' (u x - c m), with m = 1 for every row
        const auto centre = [&](std::size_t j) { return terms_->centre[j] * terms_->unit[j]; };
        const auto mean = [&](std::size_t j) { return terms_->intercept ? pair[last * q + j] : 0; };
        const double all = terms_->intercept ? pair[last * q + last] : 0;
        for (std::size_t j = 0; j < d; ++j) {
          const double c = centre(j);
          for (std::size_t k = 0; k <= j; ++k) {
            const double b = centre(k);
            pair[j * q + k] -= c * (mean(k) - b * all) + b * mean(j);
          }
        }
        for (std::size_t j = 0; terms_->intercept && j < d; ++j) {
          pair[last * q + j] -= centre(j) * all;
        }
      }
      for (std::size_t j = 0; j < q; ++j) {
        for (std::size_t k = 0; k <= j; ++k) {
          const double v = pair[j * q + k] * share();
          for (const auto& [a, b] : {std::pair(r, s), std::pair(s, r)}) {
            result[(a * q + j) * size + b * q + k] = v;
            result[(a * q + k) * size + b * q + j] = v;
          }
        }
      }
    }
  }
  return result;
}

}  // namespace craton
