#include "craton/kernels/differences.h"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/differences.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kPartials = 8;
using Tag = hn::CappedTag<double, kPartials>;
using Vector = hn::Vec<Tag>;
constexpr std::size_t kLanes = hn::MaxLanes(Tag()), kVectors = kPartials / kLanes;

HWY_INLINE Vector load(const double* from) { return hn::LoadU(Tag(), from); }
HWY_INLINE Vector load(const float* from) {
  return hn::PromoteTo(Tag(), hn::LoadU(hn::Rebind<float, Tag>(), from));
}

// The columns from `first` on, and the eight sums added up.
template <class T>
HWY_INLINE double finish(const Vector* partial, const T* row, const double* centre,
                         std::size_t first, std::size_t columns) {
  double p[kPartials];
  for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(partial[v], Tag(), p + v * kLanes);
  for (std::size_t j = first; j < columns; ++j) {
    const double difference = static_cast<double>(row[j]) - centre[j];
    p[j % kPartials] += difference * difference;
  }
  return ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7]));
}

// out[r] = |row r - centre|^2, and sum += weight (row - centre), row after row.
template <std::size_t kRows, class T>
HWY_INLINE void visit_rows(const T* const* rows, const double* HWY_RESTRICT centre,
                           std::size_t columns, const double* weights, double* HWY_RESTRICT sum,
                           double* out) {
  const T* x[kRows];
  Vector w[kRows], partial[kRows][kVectors];
  for (std::size_t r = 0; r < kRows; ++r) {
    x[r] = rows[r];
    w[r] = hn::Set(Tag(), weights[r]);
    for (Vector& p : partial[r]) p = hn::Zero(Tag());
  }
  std::size_t j = 0;
  for (; j + kPartials <= columns; j += kPartials) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t at = j + v * kLanes;
      const Vector c = load(centre + at);
      Vector s = load(sum + at);
#pragma GCC unroll 4
      for (std::size_t r = 0; r < kRows; ++r) {
        const Vector difference = hn::Sub(load(x[r] + at), c);
        partial[r][v] = hn::Add(partial[r][v], hn::Mul(difference, difference));
        s = hn::Add(s, hn::Mul(w[r], difference));
      }
      hn::StoreU(s, Tag(), sum + at);
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    out[r] = finish(partial[r], x[r], centre, j, columns);
    for (std::size_t i = j; i < columns; ++i) {
      sum[i] += weights[r] * (static_cast<double>(x[r][i]) - centre[i]);
    }
  }
}

// out[r] = |row r - centre r|^2
template <std::size_t kSize, class T>
HWY_INLINE void visit_pairs(const T* const* rows, const double* const* centres, std::size_t columns,
                            double* out) {
  const T* x[kSize];
  const double* c[kSize];
  Vector partial[kSize][kVectors];
  for (std::size_t r = 0; r < kSize; ++r) {
    x[r] = rows[r];
    c[r] = centres[r];
    for (Vector& p : partial[r]) p = hn::Zero(Tag());
  }
  std::size_t j = 0;
  for (; j + kPartials <= columns; j += kPartials) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t at = j + v * kLanes;
#pragma GCC unroll 4
      for (std::size_t r = 0; r < kSize; ++r) {
        const Vector difference = hn::Sub(load(x[r] + at), load(c[r] + at));
        partial[r][v] = hn::Add(partial[r][v], hn::Mul(difference, difference));
      }
    }
  }
  for (std::size_t r = 0; r < kSize; ++r) out[r] = finish(partial[r], x[r], c[r], j, columns);
}

// out[i] = |row_at(i) - centre_at(i)|^2 from `first` on, kSize at a time; where it stopped.
template <std::size_t kSize, class T, class RowAt, class CentreAt>
HWY_INLINE std::size_t visit_all(std::size_t first, std::size_t count, std::size_t columns,
                                 const RowAt& row_at, const CentreAt& centre_at, double* out) {
  std::size_t i = first;
  for (; i + kSize <= count; i += kSize) {
    const T* rows[kSize];
    const double* centres[kSize];
    for (std::size_t r = 0; r < kSize; ++r) {
      rows[r] = row_at(i + r);
      centres[r] = centre_at(i + r);
    }
    visit_pairs<kSize>(rows, centres, columns, out + i);
  }
  return i;
}

// Several at a time, since a sum has to wait for its last term.
template <class T, class RowAt, class CentreAt>
HWY_INLINE void distances(std::size_t count, std::size_t columns, const RowAt& row_at,
                          const CentreAt& centre_at, double* out) {
  std::size_t done = visit_all<4, T>(0, count, columns, row_at, centre_at, out);
  done = visit_all<2, T>(done, count, columns, row_at, centre_at, out);
  visit_all<1, T>(done, count, columns, row_at, centre_at, out);
}

template <class T>
void to_all(const T* row, const double* centres, std::size_t count, std::size_t columns,
            double* out) {
  distances<T>(
      count, columns, [&](std::size_t) { return row; },
      [&](std::size_t c) { return centres + c * columns; }, out);
}

template <class T>
void to_own(const LabelledRows<const T*>& x, double* out) {
  const std::size_t d = usize(x.columns);
  distances<T>(
      x.rows.size(), d, [&](std::size_t i) { return x.rows[i]; },
      [&](std::size_t i) { return x.centres + usize(x.labels[i]) * d; }, out);
}

template <std::size_t kRows, class T>
HWY_INLINE void add_some(const LabelledRows<const T*>& x, const std::size_t* which,
                         std::span<const double> weights, double* sums, double* out) {
  const std::size_t d = usize(x.columns), at = usize(x.labels[which[0]]) * d;
  const T* rows[kRows];
  double w[kRows], squared[kRows];
  for (std::size_t r = 0; r < kRows; ++r) {
    rows[r] = x.rows[which[r]];
    w[r] = weights.empty() ? 1 : weights[which[r]];
  }
  visit_rows<kRows>(rows, x.centres + at, d, w, sums + at, squared);
  for (std::size_t r = 0; r < kRows; ++r) out[which[r]] = squared[r];
}

template <class T>
void add_own(const LabelledRows<const T*>& x, std::span<const double> weights,
             std::span<const std::size_t> order, double* sums, double* out) {
  for (std::size_t i = 0; i < order.size();) {
    const std::size_t* which = &order[i];
    const std::int32_t label = x.labels[*which];
    std::size_t same = 1;
    while (same < 4 && i + same < order.size() && x.labels[which[same]] == label) ++same;
    if (same == 4) {
      add_some<4>(x, which, weights, sums, out);
    } else if (same >= 2) {
      same = 2;
      add_some<2>(x, which, weights, sums, out);
    } else {
      add_some<1>(x, which, weights, sums, out);
    }
    i += same;
  }
}

void to_all_float(const float* row, const double* c, std::size_t k, std::size_t d, double* out) {
  to_all(row, c, k, d, out);
}
void to_all_double(const double* row, const double* c, std::size_t k, std::size_t d, double* out) {
  to_all(row, c, k, d, out);
}
void to_own_float(const LabelledRows<const float*>& x, double* out) { to_own(x, out); }
void to_own_double(const LabelledRows<const double*>& x, double* out) { to_own(x, out); }
void add_own_float(const LabelledRows<const float*>& x, std::span<const double> weights,
                   std::span<const std::size_t> order, double* sums, double* out) {
  add_own(x, weights, order, sums, out);
}
void add_own_double(const LabelledRows<const double*>& x, std::span<const double> weights,
                    std::span<const std::size_t> order, double* sums, double* out) {
  add_own(x, weights, order, sums, out);
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(to_all_float);
HWY_EXPORT(to_all_double);
HWY_EXPORT(to_own_float);
HWY_EXPORT(to_own_double);
HWY_EXPORT(add_own_float);
HWY_EXPORT(add_own_double);

template <class T>
void squared_distances(const T* row, const double* centres, Index count, Index columns,
                       double* out) {
  if constexpr (sizeof(T) == sizeof(float)) {
    HWY_DYNAMIC_DISPATCH(to_all_float)(row, centres, usize(count), usize(columns), out);
  } else {
    HWY_DYNAMIC_DISPATCH(to_all_double)(row, centres, usize(count), usize(columns), out);
  }
}

template <class T>
double squared_distance(const RowEntries<T>& row, const double* centre, double norm,
                        Index columns) {
  double squares = 0, taken = 0;
  for (Index e = 0; e < row.count; ++e) {
    const double c = centre[row.columns[e]];
    const double difference = static_cast<double>(row.values[e]) - c;
    squares += difference * difference;
    taken += c * c;
  }
  return row.count == columns ? squares : squares + std::max(0.0, norm - taken);
}

namespace {

template <class T>
void to_own_sparse(const LabelledRows<RowEntries<T>>& x, double* out) {
  for (std::size_t i = 0; i < x.rows.size(); ++i) {
    const std::size_t c = usize(x.labels[i]);
    out[i] = squared_distance(x.rows[i], x.centres + c * usize(x.columns), x.norms[c], x.columns);
  }
}

template <class T>
void add_sparse(const LabelledRows<RowEntries<T>>& x, std::span<const double> weights,
                double* sums) {
  for (std::size_t i = 0; i < x.rows.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    double* sum = sums + usize(x.labels[i]) * usize(x.columns);
    for (Index e = 0; e < x.rows[i].count; ++e) {
      sum[x.rows[i].columns[e]] += weight * static_cast<double>(x.rows[i].values[e]);
    }
  }
}

// The rows as they come; or, where centre and sum are too long for the nearest cache and clusters
// have several rows, cluster after cluster, so that rows share one visit to both.
template <class T>
std::vector<std::size_t> order_of(const LabelledRows<const T*>& x) {
  constexpr Index kLong = 128;
  std::vector<std::size_t> order(x.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (x.columns < kLong) return order;
  const std::size_t most = usize(*std::max_element(x.labels, x.labels + x.rows.size()));
  if (2 * most > order.size()) return order;
  std::vector<std::size_t> next(most + 2);
  for (std::size_t i = 0; i < order.size(); ++i) ++next[usize(x.labels[i]) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (std::size_t i = 0; i < order.size(); ++i) order[next[usize(x.labels[i])]++] = i;
  return order;
}

}  // namespace

template <class Row>
void squared_distances(const LabelledRows<Row>& x, double* out) {
  if constexpr (std::is_same_v<Row, const float*>) {
    HWY_DYNAMIC_DISPATCH(to_own_float)(x, out);
  } else if constexpr (std::is_same_v<Row, const double*>) {
    HWY_DYNAMIC_DISPATCH(to_own_double)(x, out);
  } else {
    to_own_sparse(x, out);
  }
}

template <class Row>
void add_differences(const LabelledRows<Row>& x, std::span<const double> weights, double* sums,
                     double* out) {
  if constexpr (std::is_same_v<Row, const float*>) {
    HWY_DYNAMIC_DISPATCH(add_own_float)(x, weights, order_of(x), sums, out);
  } else if constexpr (std::is_same_v<Row, const double*>) {
    HWY_DYNAMIC_DISPATCH(add_own_double)(x, weights, order_of(x), sums, out);
  } else {
    to_own_sparse(x, out);
    add_sparse(x, weights, sums);
  }
}

template <class T>
double squared_distance(const T* row, const double* centre, Index columns) {
  double result = 0;
  squared_distances(row, centre, 1, columns, &result);
  return result;
}

template double squared_distance(const float*, const double*, Index);
template double squared_distance(const double*, const double*, Index);
template void squared_distances(const float*, const double*, Index, Index, double*);
template void squared_distances(const double*, const double*, Index, Index, double*);
template double squared_distance(const RowEntries<float>&, const double*, double, Index);
template double squared_distance(const RowEntries<double>&, const double*, double, Index);
template void squared_distances(const LabelledRows<const float*>&, double*);
template void squared_distances(const LabelledRows<const double*>&, double*);
template void squared_distances(const LabelledRows<RowEntries<float>>&, double*);
template void squared_distances(const LabelledRows<RowEntries<double>>&, double*);

using Doubles = std::span<const double>;
template void add_differences(const LabelledRows<const float*>&, Doubles, double*, double*);
template void add_differences(const LabelledRows<const double*>&, Doubles, double*, double*);
template void add_differences(const LabelledRows<RowEntries<float>>&, Doubles, double*, double*);
template void add_differences(const LabelledRows<RowEntries<double>>&, Doubles, double*, double*);

}  // namespace craton
#endif
