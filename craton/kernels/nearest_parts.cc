#include <algorithm>
#include <bit>
#include <limits>
#include <memory>

#include "craton/kernels/nearest.h"

// Rows that are compared with some parts of the centres only.

namespace craton {
namespace {

// Values of rows, as the tiles give them: of each part, or the least so far.
struct Values {
  explicit Values(std::size_t size) : room(std::make_unique_for_overwrite<float[]>(4 * size)) {
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
  const Values of_parts(parts * padded), values(padded);
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
