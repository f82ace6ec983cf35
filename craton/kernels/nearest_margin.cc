#include "craton/kernels/nearest_tile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/kernels/differences.h"
#include "craton/kernels/nearest_sparse.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/nearest_margin.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Packs centres for the tiles, and says what their values mean.

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::CappedTag<T, 64 / sizeof(T)>;
template <class T>
using Vector = hn::Vec<Tag<T>>;
template <class T>
constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
// The roundings of the sums at most, and with those of distances made of them; |x|^2 = square.
template <class T>
struct Roundings {
  explicit Roundings(const TileCentres<T>& centres)
      : stretch(1 + 2 * slack(centres)),
        sums{centres.constant, centres.linear, centres.quadratic},
        all{centres.constant + kMore * centres.longest * centres.longest,
            centres.linear + 2 * kMore * centres.longest,
            centres.quadratic + kMore + 2 * slack(centres)} {}

  HWY_INLINE Vector<T> at_most(const double* polynomial, Vector<T> square) const {
    constexpr Tag<T> tag;
    const auto term = [&](std::size_t i) HWY_ATTR {
      return hn::Set(tag, static_cast<T>(polynomial[i] * (1 + 0x1p-10)));
    };
    const auto length = hn::Mul(hn::Sqrt(square), hn::Set(tag, static_cast<T>(stretch)));
    return hn::MulAdd(length, hn::MulAdd(length, term(2), term(1)), term(0));
  }

  static constexpr double kUnit = std::numeric_limits<T>::epsilon() / 2, kMore = 16 * kUnit;
  static double slack(const TileCentres<T>& centres) {
    return static_cast<double>(centres.columns + 8) * kUnit;
  }
  double stretch, sums[3], all[3];
};

template <class T>
HWY_INLINE Vector<T> root(Vector<T> value, double factor) {
  constexpr Tag<T> tag;
  return hn::Mul(hn::Sqrt(hn::Max(hn::Zero(tag), value)), hn::Set(tag, static_cast<T>(factor)));
}

template <class T>
HWY_INLINE void decide(const TileCentres<T>& centres, std::size_t count, const TileValues<T>& least,
                       T* own, T* other) {
  constexpr Tag<T> tag;
  constexpr T kLargest = std::numeric_limits<T>::max() / static_cast<T>(0x1p50);
  const Roundings<T> roundings(centres);
  for (std::size_t i = 0; i < count; i += kLanes<T>) {
    const auto best = hn::LoadU(tag, least.best + i), second = hn::LoadU(tag, least.second + i);
    const auto square = hn::LoadU(tag, least.square + i);
    const auto decided =
        hn::And(hn::Lt(square, hn::Set(tag, kLargest)),
                hn::Gt(hn::Sub(second, best), roundings.at_most(roundings.sums, square)));
    const auto which = hn::LoadU(tag, least.which + i);
    hn::StoreU(hn::IfThenElse(decided, which, hn::Set(tag, T{-1})), tag, least.which + i);
    if (own == nullptr) continue;
    const auto all = roundings.at_most(roundings.all, square);
    const double more = Roundings<T>::kMore;
    hn::StoreU(root<T>(hn::Add(hn::Add(best, square), all), 1 + more), tag, own + i);
    hn::StoreU(root<T>(hn::Sub(hn::Add(second, square), all), 1 - more), tag, other + i);
  }
}

// The places as numbers; how many are none.
HWY_INLINE std::size_t numbers_of(const float* which, std::size_t count, std::int32_t* out) {
  constexpr Tag<float> tag;
  const hn::Rebind<std::int32_t, Tag<float>> whole;
  std::size_t none = 0, i = 0;
  for (; i + kLanes<float> <= count; i += kLanes<float>) {
    const auto value = hn::LoadU(tag, which + i);
    none += hn::CountTrue(tag, hn::Lt(value, hn::Zero(tag)));
    hn::StoreU(hn::ConvertTo(whole, value), whole, out + i);
  }
  for (; i < count; ++i) {
    out[i] = static_cast<std::int32_t>(which[i]);
    none += std::size_t{out[i] < 0};
  }
  return none;
}
HWY_INLINE std::size_t numbers_of(const double* which, std::size_t count, std::int32_t* out) {
  std::size_t none = 0;
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = static_cast<std::int32_t>(which[i]);
    none += std::size_t{out[i] < 0};
  }
  return none;
}

template <class T>
HWY_INLINE void lower(const TileCentres<T>& centres, std::size_t count, const T* values,
                      const T* squares, T* out) {
  constexpr Tag<T> tag;
  const Roundings<T> roundings(centres);
  for (std::size_t i = 0; i < count; i += kLanes<T>) {
    const auto value = hn::LoadU(tag, values + i), square = hn::LoadU(tag, squares + i);
    const auto least = hn::Sub(hn::Add(value, square), roundings.at_most(roundings.all, square));
    hn::StoreU(root<T>(least, 1 - Roundings<T>::kMore), tag, out + i);
  }
}

void decide_float(const TileCentres<float>& centres, std::size_t count,
                  const TileValues<float>& least, float* own, float* other) {
  decide(centres, count, least, own, other);
}
void decide_double(const TileCentres<double>& centres, std::size_t count,
                   const TileValues<double>& least, double* own, double* other) {
  decide(centres, count, least, own, other);
}
std::size_t numbers_float(const float* which, std::size_t count, std::int32_t* out) {
  return numbers_of(which, count, out);
}
std::size_t numbers_double(const double* which, std::size_t count, std::int32_t* out) {
  return numbers_of(which, count, out);
}
void lower_float(const TileCentres<float>& centres, std::size_t count, const float* values,
                 const float* squares, float* out) {
  lower(centres, count, values, squares, out);
}
void lower_double(const TileCentres<double>& centres, std::size_t count, const double* values,
                  const double* squares, double* out) {
  lower(centres, count, values, squares, out);
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(decide_float);
HWY_EXPORT(decide_double);
HWY_EXPORT(numbers_float);
HWY_EXPORT(numbers_double);
HWY_EXPORT(lower_float);
HWY_EXPORT(lower_double);

template <class T>
TileCentres<T>::TileCentres(const Array& centres, std::vector<T> about, double factor, double most,
                            std::vector<std::int32_t> places, Index count)
    : columns(centres.cols()),
      order(std::move(places)),
      shift(std::move(about)),
      scale(factor),
      longest(most) {
  constexpr double kUnit = std::numeric_limits<T>::epsilon() / 2, kUnitDouble = 0x1p-53;
  // Parts are made of whole groups: these are not too wide then.
  constexpr Index kWidestOfParts = 8;
  const Index widest = std::min(static_cast<Index>(widest_group()),
                                count > 1 ? kWidestOfParts : static_cast<Index>(kMostWide));
  const Index k = centres.rows(), d = columns;
  groups = (k + widest - 1) / widest;
  width = std::max(static_cast<Index>(kLeastWide), k / groups);
  wide = std::max<Index>(0, k - groups * width);
  parts = std::min(count, groups);
  in_order = std::is_sorted(order.begin(), order.end());
  const Index padded = groups * width + wide;
  values.assign(usize(padded * d), 0);
  norms.assign(usize(padded), std::numeric_limits<T>::infinity());
  double constant_term = 0;
  // Group by group: the sums of its centres do not wait for each other.
  for (Index g = 0, first = 0; g < groups; ++g) {
    const Index w = g < wide ? width + 1 : width, some = std::min(w, k - first);
    T* to = values.data() + first * d;
    const double* row[kMostWide];
    double norm[kMostWide] = {};
    for (Index c = 0; c < some; ++c) row[c] = centres.view().row(order[usize(first + c)]);
    for (Index j = 0; j < d; ++j, to += w) {
      const double middle = static_cast<double>(shift[usize(j)]);
      for (Index c = 0; c < some; ++c) {
        const double value = (row[c][j] - middle) * scale;
        norm[c] += value * value;
        to[c] = static_cast<T>(-2 * value);
      }
    }
    for (Index c = 0; c < some; ++c) {
      norms[usize(first + c)] = static_cast<T>(norm[c]);
      constant_term = std::max(constant_term, norm[c]);
    }
    first += w;
  }
  const double terms = (roundings_per_term() * static_cast<double>(d) + 4) * kUnit;
  const double direct = 8 * static_cast<double>(d + 8) * kUnitDouble;
  constant = 2 * terms * constant_term + direct * longest * longest;
  linear = 4 * terms * longest;
  quadratic = direct;
}

std::vector<double> mean_of_rows(const Array& rows) {
  std::vector<double> mean(usize(rows.cols()));
  const double share = 1 / static_cast<double>(rows.rows());
  for (Index i = 0; i < rows.rows(); ++i) {
    const double* const row = rows.view().row(i);
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += share * row[j];
  }
  return mean;
}

template <class T>
std::vector<T> rounded(const std::vector<double>& values) {
  constexpr double kLargest = std::numeric_limits<T>::max();
  std::vector<T> result;
  for (const double v : values)
    result.push_back(static_cast<T>(std::clamp(v, -kLargest, kLargest)));
  return result;
}

template <class T>
std::pair<double, double> lengths(const Array& centres, const std::vector<T>& about) {
  const std::vector<double> origin(about.begin(), about.end()), zero(origin.size());
  const double root = std::sqrt(static_cast<double>(origin.size()));
  std::vector<double> squared(usize(centres.rows()));
  squared_distances(origin.data(), centres.values.data(), centres.rows(), centres.cols(),
                    squared.data());
  double longest = 0;
  for (std::size_t c = 0; c < squared.size(); ++c) {
    double at_most = std::sqrt(squared[c]) * (1 + 1e-9);
    if (!(squared[c] > 1e-200 && squared[c] < 1e200)) {  // squares may have vanished or overflown
      const double* row = centres.view().row(static_cast<Index>(c));
      double part = 0;
      for (std::size_t j = 0; j < origin.size(); ++j) {
        part = std::max(part, std::abs(row[j] - origin[j]));
      }
      at_most = part * root;
    }
    longest = std::max(longest, at_most);
  }
  double square = 0;
  squared_distances(zero.data(), origin.data(), 1, centres.cols(), &square);
  return {longest, std::sqrt(square) * (1 + 1e-9)};
}

template <class T>
TileCentres<T> tile_centres(const Array& centres, const std::vector<double>& mean,
                            std::vector<std::int32_t> order, Index parts) {
  std::vector<T> shift = rounded<T>(mean);
  const double longest = lengths(centres, shift).first;
  double scale = 1;
  if (longest > 0 && std::isfinite(longest)) {
    const int most = std::numeric_limits<T>::max_exponent - 2;
    scale = std::ldexp(1.0, -std::clamp(std::ilogb(longest) + 1, -most, most));
  }
  return {centres, std::move(shift), scale, longest * scale, std::move(order), parts};
}

template <class T>
std::pair<Index, Index> TileCentres<T>::places(Index p) const {
  const auto first = [&](Index part) {
    const Index group = part * groups / parts;
    return std::min(std::ssize(order), group * width + std::min(group, wide));
  };
  return {first(p), first(p + 1)};
}

template <class T>
void decide_rows(const TileCentres<T>& centres, Index count, const TileValues<T>& least, T* own,
                 T* other) {
  if constexpr (sizeof(T) == sizeof(float)) {
    HWY_DYNAMIC_DISPATCH(decide_float)(centres, usize(count), least, own, other);
  } else {
    HWY_DYNAMIC_DISPATCH(decide_double)(centres, usize(count), least, own, other);
  }
}

template <class T>
std::size_t labels_of(const TileCentres<T>& centres, Index count, const T* which,
                      std::int32_t* labels) {
  std::size_t none = 0;
  if constexpr (sizeof(T) == sizeof(float)) {
    none = HWY_DYNAMIC_DISPATCH(numbers_float)(which, usize(count), labels);
  } else {
    none = HWY_DYNAMIC_DISPATCH(numbers_double)(which, usize(count), labels);
  }
  for (Index i = 0; i < count && !centres.in_order; ++i) {
    if (labels[i] >= 0) labels[i] = centres.order[usize(labels[i])];
  }
  return none;
}

template <class T>
void lower_distances(const TileCentres<T>& centres, Index count, const T* values, const T* square,
                     T* out) {
  if constexpr (sizeof(T) == sizeof(float)) {
    HWY_DYNAMIC_DISPATCH(lower_float)(centres, usize(count), values, square, out);
  } else {
    HWY_DYNAMIC_DISPATCH(lower_double)(centres, usize(count), values, square, out);
  }
}

using Floats = TileCentres<float>;
using Doubles = TileCentres<double>;
template struct TileCentres<float>;
template struct TileCentres<double>;
using Means = const std::vector<double>&;
template Floats tile_centres(const Array&, Means, std::vector<std::int32_t>, Index);
template Doubles tile_centres(const Array&, Means, std::vector<std::int32_t>, Index);
template std::pair<double, double> lengths(const Array&, const std::vector<float>&);
template std::pair<double, double> lengths(const Array&, const std::vector<double>&);
template std::vector<float> rounded(Means);
template std::vector<double> rounded(Means);
template void decide_rows(const Floats&, Index, const TileValues<float>&, float*, float*);
template void decide_rows(const Doubles&, Index, const TileValues<double>&, double*, double*);
using Numbers = std::int32_t*;
template std::size_t labels_of(const Floats&, Index, const float*, Numbers);
template std::size_t labels_of(const Doubles&, Index, const double*, Numbers);
template void lower_distances(const Floats&, Index, const float*, const float*, float*);
template void lower_distances(const Doubles&, Index, const double*, const double*, double*);

}  // namespace craton
#endif
