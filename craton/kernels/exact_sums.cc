#include "craton/kernels/exact_sums.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "craton/base/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/exact_sums.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;
constexpr std::size_t kLanes = hn::MaxLanes(Tag());

HWY_INLINE hn::Vec<Tag> load(const double* from) { return hn::LoadU(Tag(), from); }
HWY_INLINE hn::Vec<Tag> load(const float* from) {
  return hn::PromoteTo(Tag(), hn::LoadU(hn::Rebind<float, Tag>(), from));
}

// Some columns of all rows, then the next: the sums of those stay in the nearest cache.
constexpr std::size_t kStrip = 128;

template <class T>
HWY_INLINE void add_strip(const T* HWY_RESTRICT x, std::size_t cluster, double weight,
                          std::size_t first, std::size_t last, const ExactView& to) {
  double* HWY_RESTRICT high = to.high + cluster * to.stride;
  double* HWY_RESTRICT low = to.low + cluster * to.stride;
  const auto w = hn::Set(Tag(), weight);
  std::size_t j = first;
  for (; j + kLanes <= last; j += kLanes) {
    const auto term = hn::Mul(w, hn::Sub(load(x + j), load(to.origin + j)));
    const auto cut = load(to.cut + j), fine = load(to.fine_cut + j);
    const auto h = hn::Sub(hn::Add(term, cut), cut);
    const auto l = hn::Sub(hn::Add(hn::Sub(term, h), fine), fine);
    hn::StoreU(hn::Add(load(high + j), h), Tag(), high + j);
    hn::StoreU(hn::Add(load(low + j), l), Tag(), low + j);
  }
  for (; j < last; ++j) {
    to.add(cluster, j, weight * (static_cast<double>(x[j]) - to.origin[j]));
  }
}

template <class T>
HWY_INLINE void add_rows(std::span<const T* const> rows, const std::int32_t* labels,
                         const double* weights, const ExactView& to) {
  const std::size_t columns = to.stride - 1;
  for (std::size_t first = 0; first < columns; first += kStrip) {
    const std::size_t last = std::min(columns, first + kStrip);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      add_strip(rows[i], usize(labels[i]), weights[i], first, last, to);
    }
  }
}

void add_floats(std::span<const float* const> rows, const std::int32_t* labels,
                const double* weights, const ExactView& to) {
  add_rows(rows, labels, weights, to);
}
void add_doubles(std::span<const double* const> rows, const std::int32_t* labels,
                 const double* weights, const ExactView& to) {
  add_rows(rows, labels, weights, to);
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(add_floats);
HWY_EXPORT(add_doubles);

namespace {

// A power of two of at least `value`; 0 for 0.
double power_of_two(double value) { return value > 0 ? std::ldexp(1.0, std::ilogb(value) + 1) : 0; }

}  // namespace

// A row may be in the sums of one pass twice, coming and going, and each h may be q / 2 more than
// its term: 4 most is on the safe side of both.
ExactSums::ExactSums(Index k, std::vector<double> origin, std::span<const double> most, Index rows)
    : origin_(std::move(origin)) {
  CRATON_ASSERT(most.size() == origin_.size() + 1);
  for (const double m : most) {
    const double q = power_of_two(4 * m * 0x1p-53);
    const double fine = power_of_two(2 * static_cast<double>(rows) * q * 0x1p-53);
    cut_.push_back(1.5 * 0x1p52 * q);
    fine_cut_.push_back(1.5 * 0x1p52 * fine);
  }
  high_.resize(usize(k) * most.size());
  low_ = high_;
}

ExactSums ExactSums::zero() const {
  ExactSums result = *this;
  result.high_.assign(high_.size(), 0);
  result.low_ = result.high_;
  return result;
}

template <class Row>
void ExactSums::add(std::span<const Row> rows, const std::int32_t* labels,
                    std::span<const double> weights) {
  const std::size_t d = origin_.size();
  const ExactView to{origin_.data(), cut_.data(), fine_cut_.data(),
                     high_.data(),   low_.data(), d + 1};
  if constexpr (std::is_same_v<Row, const float*>) {
    HWY_DYNAMIC_DISPATCH(add_floats)(rows, labels, weights.data(), to);
  } else if constexpr (std::is_same_v<Row, const double*>) {
    HWY_DYNAMIC_DISPATCH(add_doubles)(rows, labels, weights.data(), to);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t c = usize(labels[i]);
    if constexpr (!std::is_pointer_v<Row>) {
      for (Index e = 0; e < rows[i].count; ++e) {
        to.add(c, usize(rows[i].columns[e]), weights[i] * static_cast<double>(rows[i].values[e]));
      }
    }
    to.add(c, d, weights[i]);
  }
}

void ExactSums::merge(const ExactSums& next) {
  for (std::size_t i = 0; i < high_.size(); ++i) {
    high_[i] += next.high_[i];
    low_[i] += next.low_[i];
  }
}

void ExactSums::write(Writer& writer) const {
  writer.put(high_);
  writer.put(low_);
}
void ExactSums::read(Reader& reader) {
  reader.get(high_);
  reader.get(low_);
}

using Weights = std::span<const double>;
using Labels = const std::int32_t*;
template void ExactSums::add(std::span<const float* const>, Labels, Weights);
template void ExactSums::add(std::span<const double* const>, Labels, Weights);
template void ExactSums::add(std::span<const RowEntries<float>>, Labels, Weights);
template void ExactSums::add(std::span<const RowEntries<double>>, Labels, Weights);

}  // namespace craton
#endif
