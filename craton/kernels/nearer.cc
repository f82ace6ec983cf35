#include "craton/kernels/nearer.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "craton/base/error.h"

// Cost: 2 n d of a few centres at the speed of the tiles.

namespace craton {
namespace {

// Of squared_distance() in double, relative, and of what is made of it here.
constexpr double kRoundings = 0x1p-30;

std::vector<std::int32_t> numbers(Index count) {
  std::vector<std::int32_t> result(usize(count));
  std::iota(result.begin(), result.end(), 0);
  return result;
}

}  // namespace

NearerCentres::NearerCentres(const Array& few)
    : centres_(tile_centres<float>(few, mean_of_rows(few), numbers(few.rows()), 1)) {
  CRATON_ASSERT(few.rows() <= kMost);
}

template <class T>
void NearerCentres::find(std::span<const T* const> rows, const double* squared,
                         std::uint64_t* bits) const {
  const std::size_t n = rows.size(), padded = usize(padded_rows(std::ssize(rows)));
  const std::size_t places = usize(centres_.places());
  const auto room = std::make_unique_for_overwrite<float[]>((places + 2) * padded);
  float *const values = room.get(), *square = values + places * padded, *lower = square + padded;
  tile_values(centres_, rows, values, square);
  std::fill_n(bits, n, 0);
  for (std::size_t c = 0; c < centres_.order.size(); ++c) {
    lower_distances(centres_, std::ssize(rows), values + c * padded, square, lower);
    for (std::size_t i = 0; i < n; ++i) {
      const double least = static_cast<double>(lower[i]) / centres_.scale;
      const bool far = least * least * (1 - kRoundings) >= squared[i];  // false for NaN
      bits[i] |= std::uint64_t{!far} << c;
    }
  }
}

template void NearerCentres::find(std::span<const float* const>, const double*,
                                  std::uint64_t*) const;
template void NearerCentres::find(std::span<const double* const>, const double*,
                                  std::uint64_t*) const;

}  // namespace craton
