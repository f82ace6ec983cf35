#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "craton/base/source.h"
#include "craton/engine/exec.h"

// How many bins of equal width a column of numbers is to have, by the rules of
// numpy.histogram_bin_edges and their names. With n rows (the sum of the weights), the range r from
// the least value to the greatest, standard deviation s (divided by n), skewness g and quartiles q:
//
//   sqrt      r / sqrt(n)                     fd     2 (q_75 - q_25) n^(-1/3)
//   sturges   r / (log2 n + 1)                scott  (24 sqrt(pi) / n)^(1/3) s
//   rice      r / (2 n^(1/3))                 stone  r / m, m of the least (2 - (n + 1) sum p^2) m
//   / r doane     r / (1 + log2 n + log2(1 + |g| / sqrt(6 (n - 2) / ((n + 1) (n + 3))))) auto
//   min(max(fd, sqrt / 2), sturges)
//
// are widths of bins, of which there are ceil(r / width), or one where that is 0. (Freedman and
// Diaconis 1981, Scott 1979, Sturges 1926, Doane 1976; Stone 1984, with p the shares of rows in m
// bins, for m up to max(100, sqrt n).)

namespace craton {

enum class BinRule : std::int8_t {
  kAuto,
  kFreedmanDiaconis,
  kDoane,
  kScott,
  kStone,
  kRice,
  kSturges,
  kSqrt,
  kValues,
  kNumber
};

std::string_view name_of(BinRule rule);

// What the rules go by, of one column.
struct BinnedColumn {
  double low = 0, high = 0;  // of its values
  double mean = 0, deviation = 0;
  double skewness = 0;                         // of doane
  double low_quartile = 0, high_quartile = 0;  // the first and third quartile, of fd and auto
  Index best = 1;                              // of stone: the number of bins
};

// Of every column, as far as the rule goes by it. requires a table that check_table() passed, and a
// rule other than kValues and kNumber.
std::vector<BinnedColumn> binned_columns(BinRule rule, Source& x, const Exec& exec);

// The number of bins, which may be beyond all measure where most values are alike and a few are
// far away. requires n > 0.
double bins_by(BinRule rule, const BinnedColumn& column, double n);

// The ends of so many bins of equal width; those of one value are 1/2 on either side of it, all
// together.
std::vector<double> equal_edges(double low, double high, Index bins);

// Two or more numbers, each greater than the one before, between which lies a finite width.
bool are_edges(std::span<const double> edges);

// The bin from edges[k] to edges[k + 1], without that end but for the last one, in which x lies;
// -1: none.
Index bin_of(const std::vector<double>& edges, double x);

}  // namespace craton
