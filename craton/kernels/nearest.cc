#include "craton/kernels/nearest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <tuple>

#include "craton/base/error.h"
#include "craton/kernels/differences.h"
#include "craton/kernels/nearest_sparse.h"
#include "craton/kernels/nearness.h"
#include "craton/kernels/scratch.h"

namespace craton {
namespace {

Index round_up(Index value, Index unit) { return (value + unit - 1) / unit * unit; }

// A mean longer than this, relative to the centres about it, would cost sparse rows too many
// digits.
constexpr double kLongestMean = 4;
// Rows whose values fit beside the call.
constexpr std::size_t kFewRows = 256;
// Lengths that need no scale to keep squares and products within range.
constexpr double kShortest = 0x1p-20, kLongest = 0x1p20;

// Beyond this, squares in T might overflow.
template <class T>
constexpr double kLargestSquare = std::numeric_limits<T>::max() / 0x1p50;

// Whether what was found for a sparse row is beyond the roundings (see the header).
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
        quadratic_(direct(columns)) {}

  bool accept(const Least<T>& found, double square, std::int32_t& label, Reach* reach) const {
    const double length = std::sqrt(square) * (1 + slack_) + offset_;
    const double rounding = constant_ + length * (linear_ + quadratic_ * length);
    const double gap = static_cast<double>(found.second) - static_cast<double>(found.best);
    if (!(square < kLargestSquare<T> && gap > rounding)) return false;
    label = found.label;
    if (reach == nullptr) return true;
    const double more = rounding + 2 * slack_ * length * length;
    const double own = static_cast<double>(found.best) + square + more;
    const double other = static_cast<double>(found.second) + square - more;
    *reach = {std::sqrt(std::max(0.0, own)), std::sqrt(std::max(0.0, other))};
    return true;
  }

 private:
  static constexpr double kUnit = std::numeric_limits<T>::epsilon() / 2, kUnitDouble = 0x1p-53;
  static double terms(double roundings, Index columns) {
    return (roundings * static_cast<double>(columns) + 4) * kUnit;
  }
  static double direct(Index columns) { return 8 * static_cast<double>(columns + 8) * kUnitDouble; }

  double slack_;  // of |x - s|^2
  double offset_, constant_, linear_, quadratic_;
};

}  // namespace

RowKind row_kind(Source& x) {
  Block block;
  Chunk chunk;
  x.fetch({0, 1}, block);
  x.decode(block, chunk);
  if (std::holds_alternative<Dense<float>>(chunk.x)) return RowKind::kFloats;
  return std::holds_alternative<Dense<double>>(chunk.x) ? RowKind::kDoubles : RowKind::kAny;
}

NearestCentres::NearestCentres(const Array& centres, Index parts, RowKind kind)
    : kind_(kind), centres_(centres) {
  CRATON_ASSERT(centres.shape.size() == 2 && !centres.empty() && parts <= 64);
  pack_all(order_by_nearness(centres, parts), parts);
}

NearestCentres::NearestCentres(const Array& centres, const NearestCentres& before)
    : kind_(before.kind_), centres_(centres) {
  CRATON_ASSERT(centres.shape == before.centres_.shape);
  pack_all(before.floats_.order, before.parts());
}

void NearestCentres::pack_all(const std::vector<std::int32_t>& order, Index parts) {
  const std::vector<double> mean = mean_of_rows(centres_), zero(mean.size());
  squared_norms_.resize(usize(centres_.rows()));
  squared_distances(zero.data(), centres_.values.data(), centres_.rows(), centres_.cols(),
                    squared_norms_.data());
  floats_ = tile_centres<float>(centres_, mean, order, parts);
  if (kind_ == RowKind::kFloats) return;
  doubles_ = tile_centres<double>(centres_, mean, order, 1);
  if (kind_ == RowKind::kDoubles) return;
  sparse_floats_ = pack<float>(mean);
  sparse_doubles_ = pack<double>(mean);
}

std::vector<std::int32_t> NearestCentres::part_of_centres() const {
  std::vector<std::int32_t> result(usize(centres_.rows()));
  for (Index p = 0; p < parts(); ++p) {
    const auto [first, last] = floats_.places(p);
    for (Index at = first; at < last; ++at) {
      result[usize(floats_.order[usize(at)])] = static_cast<std::int32_t>(p);
    }
  }
  return result;
}

template <class T>
NearestCentres::Packed<T> NearestCentres::pack(const std::vector<double>& mean) const {
  constexpr Index width = kPanelCentres<T>, half = width / 2;
  const Index k = centres_.rows(), d = centres_.cols(), padded = round_up(k, half);
  Packed<T> packed;
  packed.origin = rounded<T>(mean);
  packed.roundings = roundings_per_term();
  std::tie(packed.longest, packed.offset) = lengths(centres_, packed.origin);
  const bool moderate = packed.longest >= kShortest && packed.longest + packed.offset <= kLongest;
  if (!moderate || packed.offset > kLongestMean * packed.longest) return packed;
  packed.values.assign(usize(padded * d + half), 0);
  packed.norms.assign(usize(padded + half), std::numeric_limits<T>::infinity());
  for (Index c = 0; c < k; ++c) {
    const Index first = c / width * width;
    const Index stride = first + width <= padded ? width : half;
    T* to = packed.values.data() + first * d + (c - first);
    double norm = 0;
    for (Index j = 0; j < d; ++j) {
      const double s = static_cast<double>(packed.origin[usize(j)]);
      const double value = centres_.view().row(c)[j] - s;
      norm += value * (value + 2 * s);
      to[j * stride] = static_cast<T>(-2 * value);
    }
    packed.norms[usize(c)] = static_cast<T>(norm);
    packed.constant = std::max(packed.constant, std::abs(norm));
  }
  return packed;
}

void NearestCentres::find(std::span<const RowEntries<float>> rows, std::int32_t* labels,
                          Reach* reach) const {
  find_in(sparse_floats_, rows, labels, reach);
}
void NearestCentres::find(std::span<const RowEntries<double>> rows, std::int32_t* labels,
                          Reach* reach) const {
  find_in(sparse_doubles_, rows, labels, reach);
}
void NearestCentres::find(std::span<const float* const> rows, std::int32_t* labels,
                          Reach* reach) const {
  std::vector<std::size_t> rest;
  find_in(floats_, rows, labels, reach, rest);
  for (const std::size_t i : rest) {
    find_directly(rows[i], labels[i], reach == nullptr ? nullptr : reach + i);
  }
}
void NearestCentres::find(std::span<const double* const> rows, std::int32_t* labels,
                          Reach* reach) const {
  std::vector<std::size_t> rest, left;
  find_in(floats_, rows, labels, reach, rest);
  if (rest.empty()) return;
  std::vector<const double*> again;
  for (const std::size_t i : rest) again.push_back(rows[i]);
  std::vector<std::int32_t> found(rest.size());
  std::vector<Reach> reached(rest.size());
  if (kind_ == RowKind::kFloats) {
    left.resize(rest.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
  } else {
    find_in(doubles_, std::span<const double* const>(again), found.data(), reached.data(), left);
  }
  for (const std::size_t r : left) find_directly(again[r], found[r], &reached[r]);
  for (std::size_t r = 0; r < rest.size(); ++r) {
    labels[rest[r]] = found[r];
    if (reach != nullptr) reach[rest[r]] = reached[r];
  }
}

template <class T, class X>
void NearestCentres::find_in(const TileCentres<T>& centres, std::span<const X* const> rows,
                             std::int32_t* labels, Reach* reach,
                             std::vector<std::size_t>& rest) const {
  const std::size_t padded = usize(padded_rows(std::ssize(rows)));
  Room<T, 6 * kFewRows> room(6 * padded);
  const auto part = [&](std::size_t p) { return room.data() + p * padded; };
  const TileValues<T> values{part(0), part(1), part(2), part(3)};
  T *const own = reach == nullptr ? nullptr : part(4), *const other = part(5);
  nearest_tiles(centres, 0, 0, rows, values);
  decide_rows(centres, std::ssize(rows), values, own, other);
  const double unit = 1 / centres.scale;
  const std::size_t undecided = labels_of(centres, std::ssize(rows), values.which, labels);
  for (std::size_t i = 0; i < rows.size() && undecided > 0; ++i) {
    if (labels[i] < 0) rest.push_back(i);
  }
  for (std::size_t i = 0; i < rows.size() && reach != nullptr; ++i) {
    reach[i] = {static_cast<double>(own[i]) * unit, static_cast<double>(other[i]) * unit};
  }
}

template <class T>
void NearestCentres::find_in(const Packed<T>& packed, std::span<const RowEntries<T>> rows,
                             std::int32_t* labels, Reach* reach) const {
  const Index d = centres_.cols();
  const Panels<T> panels{packed.values.data(), packed.norms.data(),
                         round_up(centres_.rows(), kPanelCentres<T> / 2), d};
  const Margin<T> margin(packed, d);
  std::vector<T> dense(usize(d));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowEntries<T>& row = rows[i];
    Reach* const bounds = reach == nullptr ? nullptr : reach + i;
    if (!packed.values.empty()) {
      double square = packed.offset * packed.offset;
      for (Index e = 0; e < row.count; ++e) {
        const double value = static_cast<double>(row.values[e]);
        square += value * (value - 2 * static_cast<double>(packed.origin[usize(row.columns[e])]));
      }
      const Least<T> found = nearest_sparse(panels, row);
      if (margin.accept(found, std::max(0.0, square), labels[i], bounds)) continue;
    }
    for (Index e = 0; e < row.count; ++e) dense[usize(row.columns[e])] = row.values[e];
    const T* pointer = dense.data();
    if (!packed.values.empty()) {
      find_directly(pointer, labels[i], bounds);
    } else {
      find(std::span<const T* const>(&pointer, 1), labels + i, bounds);
    }
    for (Index e = 0; e < row.count; ++e) dense[usize(row.columns[e])] = 0;
  }
}

template <class T>
void NearestCentres::find_directly(const T* row, std::int32_t& label, Reach* reach) const {
  std::vector<double> squared(usize(centres_.rows()));
  squared_distances(row, centres_.values.data(), centres_.rows(), centres_.cols(), squared.data());
  const auto best = std::min_element(squared.begin(), squared.end());  // the lower index on ties
  label = std::isfinite(*best) ? static_cast<std::int32_t>(best - squared.begin()) : -1;
  if (reach == nullptr) return;
  const double relative = static_cast<double>(centres_.cols() + 8) * 0x1p-52;
  reach->own = std::sqrt(*best) * (1 + relative);
  *best = INFINITY;
  reach->other = std::sqrt(*std::min_element(squared.begin(), squared.end())) * (1 - relative);
}

// Rows that are compared with some parts of the centres only.

namespace {

// Values of rows, as the tiles give them: of each part, or the least so far.
struct PartValues {
  explicit PartValues(std::size_t size) : room(std::make_unique_for_overwrite<float[]>(4 * size)) {
    view = {room.get(), room.get() + size, room.get() + 2 * size, room.get() + 3 * size};
  }
  TileValues<float> from(std::size_t i) const {
    return {view.best + i, view.second + i, view.which + i, view.square + i};
  }
  std::unique_ptr<float[]> room;
  TileValues<float> view;
};

// Which rows want each part, ascending: those of part p are numbers [first[p], first[p + 1]).
struct Wanting {
  Wanting(std::span<const std::uint64_t> wanted, std::size_t parts) : first(parts + 1) {
    const auto for_bits = [&](const auto& f) {
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        for (std::uint64_t w = wanted[i]; w != 0; w &= w - 1) f(usize(std::countr_zero(w)), i);
      }
    };
    for_bits([&](std::size_t p, std::size_t) { ++first[p + 1]; });
    for (std::size_t p = 0; p < parts; ++p) first[p + 1] += first[p];
    numbers.resize(first[parts]);
    std::vector<std::size_t> next = first;
    for_bits([&](std::size_t p, std::size_t i) { numbers[next[p]++] = i; });
  }
  std::span<const std::size_t> of(std::size_t p) const {
    return std::span(numbers).subspan(first[p], first[p + 1] - first[p]);
  }
  std::vector<std::size_t> numbers, first;
};

}  // namespace

void NearestCentres::find_among(std::span<const float* const> rows,
                                std::span<const std::uint64_t> wanted, std::int32_t* labels,
                                Reach* reach, double* others) const {
  find_in_parts(rows, wanted, labels, reach, others);
}
void NearestCentres::find_among(std::span<const double* const> rows,
                                std::span<const std::uint64_t> wanted, std::int32_t* labels,
                                Reach* reach, double* others) const {
  find_in_parts(rows, wanted, labels, reach, others);
}

template <class X>
void NearestCentres::find_in_parts(std::span<const X* const> rows,
                                   std::span<const std::uint64_t> wanted, std::int32_t* labels,
                                   Reach* reach, double* others) const {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::size_t n = rows.size(), padded = usize(padded_rows(std::ssize(rows)));
  const std::size_t parts = usize(floats_.parts);
  const double unit = 1 / floats_.scale;
  const PartValues of_parts(parts * padded), values(padded);
  const TileValues<float> least = values.view;
  std::fill_n(least.best, padded, kInfinity);
  std::fill_n(least.second, padded, kInfinity);
  std::fill_n(least.square, padded, 0.0F);
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - parts);
  const bool everything =
      std::all_of(wanted.begin(), wanted.end(), [&](std::uint64_t w) { return w == all; });
  if (everything) nearest_tiles(floats_, 0, floats_.parts, rows, of_parts.view);
  const Wanting wanting(wanted, parts);
  std::vector<const X*> some;
  for (std::size_t p = 0; p < parts; ++p) {
    const std::span<const std::size_t> mine = wanting.of(p);
    if (mine.empty()) continue;
    const TileValues<float> part = of_parts.from(p * padded);
    if (!everything) {
      some.clear();
      for (const std::size_t i : mine) some.push_back(rows[i]);
      const auto number = static_cast<Index>(p);
      nearest_tiles(floats_, number, number + 1, std::span<const X* const>(some), part);
    }
    // The tiles of several parts give the squares once.
    const float* square = everything ? of_parts.view.square : part.square;
    for (std::size_t u = 0; u < mine.size(); ++u) {
      const std::size_t i = mine[u];
      const float best = least.best[i], other = part.best[u];
      const bool nearer = other < best;
      least.second[i] = std::min(nearer ? part.second[u] : least.second[i], nearer ? best : other);
      least.best[i] = nearer ? other : best;
      least.which[i] = nearer ? part.which[u] : least.which[i];
      least.square[i] = square[u];
    }
  }
  std::vector<float> room(3 * padded);
  float *own = room.data(), *lower = own + padded, *value = lower + padded;
  decide_rows(floats_, static_cast<Index>(n), least, own, lower);
  for (std::size_t i = 0; i < n; ++i) {
    if (least.which[i] < 0) continue;
    labels[i] = floats_.order[static_cast<std::size_t>(least.which[i])];
    reach[i] = {static_cast<double>(own[i]) * unit, static_cast<double>(lower[i]) * unit};
  }
  // The part of the nearest is bounded by its second, the others by their best.
  for (std::size_t p = 0; p < parts; ++p) {
    const TileValues<float> part = of_parts.from(p * padded);
    const std::span<const std::size_t> mine = wanting.of(p);
    for (std::size_t u = 0; u < mine.size(); ++u) {
      value[u] = part.which[u] == least.which[mine[u]] ? part.second[u] : part.best[u];
      own[u] = least.square[mine[u]];
    }
    lower_distances(floats_, std::ssize(mine), value, own, lower);
    for (std::size_t u = 0; u < mine.size(); ++u) {
      others[mine[u] * parts + p] = static_cast<double>(lower[u]) * unit;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (least.which[i] >= 0) continue;
    find(rows.subspan(i, 1), labels + i, reach + i);
    std::fill_n(others + i * parts, parts, reach[i].other);
  }
}

}  // namespace craton
