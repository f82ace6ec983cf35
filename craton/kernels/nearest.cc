#include "craton/kernels/nearest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>

#include "craton/core/error.h"
#include "craton/kernels/differences.h"
#include "craton/kernels/nearest_tile.h"

namespace craton {
namespace {

// Rows of a block: it stays in the nearest cache while the panels go by.
constexpr Index kBlockBytes = 48 << 10, kMostBlockRows = 8 * kTileRows;

Index block_rows(Index row_bytes) {
  const Index fits = kBlockBytes / std::max<Index>(1, row_bytes) / kTileRows * kTileRows;
  return std::clamp(fits, kTileRows, kMostBlockRows);
}

Index round_up(Index value, Index unit) { return (value + unit - 1) / unit * unit; }

// A mean longer than this, relative to the centres about it, would cost too many digits.
constexpr double kLongestMean = 4;
// Lengths that need no scale to keep squares and products within range.
constexpr double kShortest = 0x1p-20, kLongest = 0x1p20;

// Beyond this, squares in T might overflow.
template <class T>
constexpr double kLargest = std::numeric_limits<T>::max();
template <class T>
constexpr double kLargestSquare = kLargest<T> / 0x1p50;

// Whether what the tiles found is beyond the roundings (see the header).
template <class T>
class Margin {
 public:
  template <class Packed>
  Margin(const Packed& packed, Index columns)
      : slack_(static_cast<double>(columns + 4) * kUnit),
        offset_(packed.offset),
        constant_(2 * terms(packed.roundings, columns) * packed.constant +
                  direct(columns) * packed.longest * packed.longest),
        linear_(4 * terms(packed.roundings, columns) * packed.longest),
        quadratic_(direct(columns)),
        inverse_scale_(1 / static_cast<double>(packed.scale)) {}

  bool accept(const Least<T>& found, double square, std::int32_t& label, double* second) const {
    const double length = std::sqrt(square) * (1 + slack_) + offset_;
    const double rounding = constant_ + length * (linear_ + quadratic_ * length);
    const double gap = static_cast<double>(found.second) - static_cast<double>(found.best);
    if (!(square < kLargestSquare<T> && gap > rounding)) return false;
    label = found.label;
    if (second == nullptr) return true;
    const double other = static_cast<double>(found.second) + square * (1 - 2 * slack_) - rounding;
    *second = std::sqrt(std::max(0.0, other)) * inverse_scale_;
    return true;
  }

 private:
  static constexpr double kUnit = std::numeric_limits<T>::epsilon() / 2, kUnitDouble = 0x1p-53;
  static double terms(double roundings, Index columns) {
    return (roundings * static_cast<double>(columns) + 4) * kUnit;
  }
  static double direct(Index columns) { return 8 * static_cast<double>(columns + 8) * kUnitDouble; }

  double slack_;  // of |x - s|^2
  double offset_, constant_, linear_, quadratic_, inverse_scale_;
};

// The longest centre about `origin`, and the length of that; overflow and underflow do no harm.
std::pair<double, double> lengths(const Array& centres, const std::vector<double>& origin) {
  double longest = 0, square = 0;
  for (Index c = 0; c < centres.rows(); ++c) {
    const double* row = centres.view().row(c);
    double part = 0, sum = 0;
    for (std::size_t j = 0; j < origin.size(); ++j) {
      part = std::max(part, std::abs(row[j] - origin[j]));
      sum += (row[j] - origin[j]) * (row[j] - origin[j]);
    }
    const bool plain = sum > 1e-200 && sum < 1e200;
    const double at_most = part * std::sqrt(static_cast<double>(origin.size()));
    longest = std::max(longest, plain ? std::sqrt(sum) * (1 + 1e-9) : at_most);
  }
  for (const double s : origin) square += s * s;
  return {longest, std::sqrt(square) * (1 + 1e-9)};
}

}  // namespace

NearestCentres::NearestCentres(const Array& centres) : centres_(centres) {
  CRATON_ASSERT(centres.shape.size() == 2 && !centres.empty());
  const Index d = centres.cols();
  std::vector<double> mean(usize(d));
  const double k = static_cast<double>(centres.rows());
  for (std::size_t i = 0; i < centres.values.size(); ++i) {
    mean[i % mean.size()] += centres.values[i] / k;
  }
  squared_norms_.resize(usize(centres.rows()));
  const std::vector<double> zero(mean.size());
  squared_distances(zero.data(), centres.values.data(), centres.rows(), d, squared_norms_.data());
  floats_ = pack<float>(mean);
  doubles_ = pack<double>(mean);
}

template <class T>
NearestCentres::Packed<T> NearestCentres::pack(const std::vector<double>& mean) const {
  constexpr Index width = kPanelCentres<T>, half = width / 2;
  const Index k = centres_.rows(), d = centres_.cols(), padded = round_up(k, half);
  std::vector<double> shift = mean;
  for (double& s : shift) s = static_cast<T>(std::clamp(s, -kLargest<T>, kLargest<T>));
  const auto [longest, offset] = lengths(centres_, shift);
  Packed<T> packed;
  packed.roundings = roundings_per_term();
  double scale = 1;
  const bool moderate = longest >= kShortest && longest + offset <= kLongest;
  const bool moves = !moderate || offset > kLongestMean * longest;
  packed.origin.assign(shift.begin(), shift.end());
  if (moves) {
    packed.origin.swap(packed.shift);
    packed.origin.resize(usize(d));
    const int most = std::numeric_limits<T>::max_exponent - 2;
    if (longest > 0 && std::isfinite(longest))
      scale = std::ldexp(1.0, -std::clamp(std::ilogb(longest) + 1, -most, most));
    packed.scale = static_cast<T>(scale);
  }
  packed.longest = longest * scale;
  packed.offset = moves ? 0 : offset;
  packed.values.assign(usize(padded * d + half), 0);
  packed.norms.assign(usize(padded + half), std::numeric_limits<T>::infinity());
  for (Index c = 0; c < k; ++c) {
    const Index first = c / width * width;
    const Index stride = first + width <= padded ? width : half;
    T* to = packed.values.data() + first * d + (c - first);
    double norm = 0;
    for (Index j = 0; j < d; ++j) {
      const double s = shift[usize(j)], value = (centres_.view().row(c)[j] - s) * scale;
      norm += value * (moves ? value : value + 2 * s);
      to[j * stride] = static_cast<T>(-2 * value);
    }
    packed.norms[usize(c)] = static_cast<T>(norm);
    packed.constant = std::max(packed.constant, std::abs(norm));
  }
  return packed;
}

void NearestCentres::find(std::span<const RowEntries<float>> rows, std::int32_t* labels,
                          double* second) const {
  find_in(floats_, rows, labels, second);
}
void NearestCentres::find(std::span<const RowEntries<double>> rows, std::int32_t* labels,
                          double* second) const {
  find_in(doubles_, rows, labels, second);
}
void NearestCentres::find(std::span<const float* const> rows, std::int32_t* labels,
                          double* second) const {
  find_in(floats_, rows, labels, second);
}
void NearestCentres::find(std::span<const double* const> rows, std::int32_t* labels,
                          double* second) const {
  std::vector<std::size_t> rest;
  find_in(floats_, rows, labels, second, &rest);
  if (rest.empty()) return;
  std::vector<const double*> again;
  for (const std::size_t i : rest) again.push_back(rows[i]);
  std::vector<std::int32_t> found(rest.size());
  std::vector<double> others(rest.size());
  find_in(doubles_, std::span<const double* const>(again), found.data(),
          second == nullptr ? nullptr : others.data());
  for (std::size_t r = 0; r < rest.size(); ++r) {
    labels[rest[r]] = found[r];
    if (second != nullptr) second[rest[r]] = others[r];
  }
}

template <class T, class X>
void NearestCentres::find_in(const Packed<T>& packed, std::span<const X* const> rows,
                             std::int32_t* labels, double* second,
                             std::vector<std::size_t>* rest) const {
  constexpr bool kDemotes = !std::is_same_v<T, X>;
  const Index d = centres_.cols(), count = std::ssize(rows);
  const Index block = std::min(block_rows(d * Index{sizeof(T)}), round_up(count, kTileRows));
  const Panels<T> panels{packed.values.data(), packed.norms.data(),
                         round_up(centres_.rows(), kPanelCentres<T> / 2), d};
  const Margin<T> margin(packed, d);
  const bool shifts = !packed.shift.empty(), copies = shifts || kDemotes;
  std::vector<const T*> taken(usize(block));
  std::vector<const void*> ahead(usize(block));
  std::vector<T> values(copies ? usize(block * d) : 0), squares(usize(block));
  const auto state = std::make_unique_for_overwrite<T[]>(usize(block * 3 * kPanelCentres<T>));
  const auto least = std::make_unique_for_overwrite<Least<T>[]>(usize(block));
  for (Index i = 0; i < block && copies; ++i) taken[usize(i)] = values.data() + i * d;
  for (Index first = 0; first < count; first += block) {
    const Index size = std::min(block, count - first);
    const auto some = rows.subspan(usize(first), usize(size));
    if constexpr (kDemotes) {
      demote_rows(some, shifts ? packed.shift.data() : nullptr, double{packed.scale}, d,
                  values.data());
    } else if (shifts) {
      shift_rows(some, packed.shift.data(), packed.scale, d, values.data());
    } else {
      for (Index i = 0; i < block; ++i) taken[usize(i)] = some[usize(std::min(i, size - 1))];
    }
    // Rows mostly lie below one another: those of the next block are a block's bytes further on.
    for (Index i = 0; i < block; ++i) {
      const auto address = reinterpret_cast<std::uintptr_t>(some[usize(std::min(i, size - 1))]);
      ahead[usize(i)] = reinterpret_cast<const void*>(address + usize(block * d) * sizeof(X));
    }
    nearest_tiles(panels, taken.data(), size, {ahead.data(), sizeof(X)}, state.get(), least.get());
    craton::squared_norms(std::span<const T* const>(taken).first(usize(size)), packed.origin.data(),
                          d, squares.data());
    for (Index i = 0; i < size; ++i) {
      double* bound = second == nullptr ? nullptr : second + first + i;
      const double square = static_cast<double>(squares[usize(i)]);
      if (margin.accept(least[usize(i)], square, labels[first + i], bound)) continue;
      if (rest != nullptr) {
        rest->push_back(usize(first + i));
      } else {
        find_directly(some[usize(i)], labels[first + i], bound);
      }
    }
  }
}

template <class T>
void NearestCentres::find_in(const Packed<T>& packed, std::span<const RowEntries<T>> rows,
                             std::int32_t* labels, double* second) const {
  const Index d = centres_.cols();
  const Panels<T> panels{packed.values.data(), packed.norms.data(),
                         round_up(centres_.rows(), kPanelCentres<T> / 2), d};
  const Margin<T> margin(packed, d);
  std::vector<T> dense(usize(d));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowEntries<T>& row = rows[i];
    double* bound = second == nullptr ? nullptr : second + i;
    if (packed.shift.empty()) {
      double square = packed.offset * packed.offset;
      for (Index e = 0; e < row.count; ++e) {
        const double value = static_cast<double>(row.values[e]);
        square += value * (value - 2 * static_cast<double>(packed.origin[usize(row.columns[e])]));
      }
      const Least<T> found = nearest_sparse(panels, row);
      if (margin.accept(found, std::max(0.0, square), labels[i], bound)) continue;
    }
    for (Index e = 0; e < row.count; ++e) dense[usize(row.columns[e])] = row.values[e];
    const T* pointer = dense.data();
    if (packed.shift.empty()) {
      find_directly(pointer, labels[i], bound);
    } else {
      find_in(packed, std::span<const T* const>(&pointer, 1), labels + i, bound);
    }
    for (Index e = 0; e < row.count; ++e) dense[usize(row.columns[e])] = 0;
  }
}

template <class T>
void NearestCentres::find_directly(const T* row, std::int32_t& label, double* second) const {
  std::vector<double> squared(usize(centres_.rows()));
  squared_distances(row, centres_.values.data(), centres_.rows(), centres_.cols(), squared.data());
  const auto best = std::min_element(squared.begin(), squared.end());  // the lower index on ties
  label = std::isfinite(*best) ? static_cast<std::int32_t>(best - squared.begin()) : -1;
  if (second == nullptr) return;
  *best = INFINITY;
  const double relative = static_cast<double>(centres_.cols() + 8) * 0x1p-52;
  *second = std::sqrt(*std::min_element(squared.begin(), squared.end())) * (1 - relative);
}

}  // namespace craton
