#pragma once
#include <span>
#include <vector>

#include "craton/families/statistics.h"

// The terms T(z) that statistics are sums of, for programs over blocks of rows: a sum of weight x
// terms is a matrix product, and so is the log-density of an exponential family.
//
//   Moments      z, z^2
//   LogMoments   z, log z, log^2 z
//   UnitMoments  z, z^2, log z, log(1 - z)
//   Directions   cos z, sin z
//
// z is x in a coordinate near which the values lie, so that data far from 0, or in odd units, lose
// no digits.

namespace craton {

struct Coordinate {
  double origin = 0, unit = 1;  // z = (x - origin) / unit
  bool operator==(const Coordinate&) const = default;
};

// Which coordinates a family stays a family in.
enum class Moves { kNot, kScale, kShiftAndScale };

inline constexpr std::size_t kMostTerms = 4;
std::size_t term_count(const Statistics& kind);  // 0 where statistics are no sums of terms

// out[t * stride + i] = term t of z[i]. requires values in the support that the statistics are for.
void find_terms(const Statistics& kind, std::span<const double> z, double* out, std::size_t stride);

// The statistics whose weight and sums of terms are these, and back.
Statistics from_terms(const Statistics& kind, const Coordinate& at, double weight,
                      std::span<const double> sums);
std::vector<double> to_terms(const Statistics& statistics, const Coordinate& at);

}  // namespace craton
