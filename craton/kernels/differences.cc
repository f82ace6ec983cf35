#include "craton/kernels/differences.h"

#include <algorithm>
#include <type_traits>

// Between SSE2 and AVX2 nothing is gained, and each target costs compile time.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
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

// |row - centre|^2; and sum += weight (row - centre), if there is a sum.
template <bool kSum, class T>
HWY_INLINE double visit_row(const T* HWY_RESTRICT row, const double* HWY_RESTRICT centre,
                            std::size_t columns, double weight, double* HWY_RESTRICT sum) {
  const Vector w = hn::Set(Tag(), weight);
  Vector partial[kVectors];
  for (Vector& p : partial) p = hn::Zero(Tag());
  std::size_t j = 0;
  for (; j + kPartials <= columns; j += kPartials) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t at = j + v * kLanes;
      const Vector difference = hn::Sub(load(row + at), load(centre + at));
      partial[v] = hn::Add(partial[v], hn::Mul(difference, difference));
      if (kSum) hn::StoreU(hn::Add(load(sum + at), hn::Mul(w, difference)), Tag(), sum + at);
    }
  }
  double p[kPartials];
  for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(partial[v], Tag(), p + v * kLanes);
  for (; j < columns; ++j) {
    const double difference = static_cast<double>(row[j]) - centre[j];
    p[j % kPartials] += difference * difference;
    if (kSum) sum[j] += weight * difference;
  }
  return ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7]));
}

template <class T>
void to_all(const T* row, const double* centres, std::size_t count, std::size_t columns,
            double* out) {
  for (std::size_t c = 0; c < count; ++c) {
    out[c] = visit_row<false>(row, centres + c * columns, columns, 0, nullptr);
  }
}

template <class T>
void to_own(const LabelledRows<const T*>& x, double* out) {
  const std::size_t d = usize(x.columns);
  for (std::size_t i = 0; i < x.rows.size(); ++i) {
    out[i] = visit_row<false>(x.rows[i], x.centres + usize(x.labels[i]) * d, d, 0, nullptr);
  }
}

template <class T>
void add_own(const LabelledRows<const T*>& x, std::span<const double> weights, double* sums,
             double* out) {
  const std::size_t d = usize(x.columns);
  for (std::size_t i = 0; i < x.rows.size(); ++i) {
    const std::size_t at = usize(x.labels[i]) * d;
    const double weight = weights.empty() ? 1 : weights[i];
    out[i] = visit_row<true>(x.rows[i], x.centres + at, d, weight, sums + at);
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
                   double* sums, double* out) {
  add_own(x, weights, sums, out);
}
void add_own_double(const LabelledRows<const double*>& x, std::span<const double> weights,
                    double* sums, double* out) {
  add_own(x, weights, sums, out);
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
void add_own_sparse(const LabelledRows<RowEntries<T>>& x, std::span<const double> weights,
                    double* sums, double* out) {
  to_own_sparse(x, out);
  for (std::size_t i = 0; i < x.rows.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    double* sum = sums + usize(x.labels[i]) * usize(x.columns);
    for (Index e = 0; e < x.rows[i].count; ++e) {
      sum[x.rows[i].columns[e]] += weight * static_cast<double>(x.rows[i].values[e]);
    }
  }
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
    HWY_DYNAMIC_DISPATCH(add_own_float)(x, weights, sums, out);
  } else if constexpr (std::is_same_v<Row, const double*>) {
    HWY_DYNAMIC_DISPATCH(add_own_double)(x, weights, sums, out);
  } else {
    add_own_sparse(x, weights, sums, out);
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
