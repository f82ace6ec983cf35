#pragma once
#include <string>
#include <vector>

#include "craton/base/random.h"
#include "craton/classes/gaussian_mixture/gaussian_mixture.h"

// Tables and options that the tests of Gaussian mixtures share.

namespace craton::gaussian_tests {

using Covariance = GaussianMixture::Covariance;
inline constexpr Covariance kTypes[] = {Covariance::kFull, Covariance::kTied, Covariance::kDiag,
                                        Covariance::kSpherical};

inline MemorySource source_of(const std::vector<double>& x, Index cols) {
  return MemorySource({.x = Dense<double>{x.data(), std::ssize(x) / cols, cols, cols}});
}

// Rows of `groups` overlapping groups; values are multiples of 1/64, so that offsets up to 2^46 and
// powers of two leave them exact.
inline std::vector<double> grouped(Index rows, Index cols, Index groups, std::uint64_t seed) {
  std::vector<double> x;
  for (Index i = 0; i < rows; ++i) {
    Random random(seed, Purpose::kTest, 7, static_cast<std::uint64_t>(i));
    const Index group = random.below(groups);
    for (Index j = 0; j < cols; ++j) {
      const double centre = 4 * static_cast<double>((group * 7 + j * 3) % 5);
      const double value = centre + static_cast<double>(group + 1) * random.normal();
      x.push_back(static_cast<double>(static_cast<Index>(value * 64)) / 64);
    }
  }
  return x;
}

// The rows at equal distances through the table, as means to start from.
inline Array spaced_rows(const std::vector<double>& x, Index cols, Index k) {
  Array rows{{k, cols}, {}};
  const Index n = std::ssize(x) / cols;
  for (Index c = 0; c < k; ++c) {
    const auto row = x.begin() + c * n / k * cols;
    rows.values.insert(rows.values.end(), row, row + cols);
  }
  return rows;
}

}  // namespace craton::gaussian_tests
