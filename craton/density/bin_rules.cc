#include "craton/density/bin_rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "craton/density/density_passes.h"
#include "craton/engine/fold.h"
#include "craton/tables/columns.h"
#include "craton/tables/order_statistics.h"

// One pass for the ranges and deviations; one more for skewness, a few for quartiles, and for stone
// as many as its counts need room.

namespace craton {
namespace {

constexpr std::array<std::string_view, 10> kBinRuleNames{
    "auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt", "values", "number"};

// sum w ((x - mean) / deviation)^3 of each column.
class Cubes {
 public:
  explicit Cubes(const std::vector<BinnedColumn>& columns)
      : sums(columns.size()), columns_(&columns) {}
  void accumulate(const Chunk& chunk) {
    for (std::size_t j = 0; j < sums.size(); ++j) {
      copy_column(chunk.x, static_cast<Index>(j), values_);
      const BinnedColumn& of = (*columns_)[j];
      if (!(of.deviation > 0)) continue;
      for (Index i = 0; i < chunk.rows(); ++i) {
        const double z = (values_[usize(i)] - of.mean) / of.deviation;
        sums[j] += chunk.weight(i) * (z * z * z);
      }
    }
  }
  void merge(const Cubes& next) {
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += next.sums[j];
  }
  void write(Writer& writer) const { writer.put(sums); }
  void read(Reader& reader) { reader.get(sums); }
  Index words() const { return ssize(sums); }
  Merge merge_kind() const { return Merge::kTree; }

  std::vector<double> sums;

 private:
  const std::vector<BinnedColumn>* columns_;  // the caller's, for one pass
  std::vector<double> values_;
};

double equal_edge(double low, double high, Index bins, Index k) {
  if (k == bins) return high;
  return static_cast<double>(k) * ((high - low) / static_cast<double>(bins)) + low;
}

// The bin of x by division, and by the ends of bins where that rounds.
Index equal_bin(double low, double high, Index bins, double x) {
  Index k = static_cast<Index>((x - low) / (high - low) * static_cast<double>(bins));
  k = std::min(k, bins - 1);
  if (x < equal_edge(low, high, bins, k)) return k - 1;
  return k + 1 < bins && x >= equal_edge(low, high, bins, k + 1) ? k + 1 : k;
}

// The weight in each of first, ..., last - 1 bins of each column, one after the other.
class EqualCounts {
 public:
  EqualCounts(const std::vector<BinnedColumn>& columns, Index first, Index last)
      : first_(first), last_(last), columns_(&columns) {
    counts.resize(columns.size() * usize((first + last - 1) * (last - first) / 2));
  }
  void accumulate(const Chunk& chunk) {
    double* to = counts.data();
    for (std::size_t j = 0; j < columns_->size(); ++j) {
      copy_column(chunk.x, static_cast<Index>(j), values_);
      const auto [low, high] = std::pair((*columns_)[j].low, (*columns_)[j].high);
      for (Index bins = first_; bins < last_; to += bins++) {
        if (!(low < high)) continue;
        for (Index i = 0; i < chunk.rows(); ++i) {
          const double w = chunk.weight(i);
          if (w > 0) to[equal_bin(low, high, bins, values_[usize(i)])] += w;
        }
      }
    }
  }
  void merge(const EqualCounts& next) {
    for (std::size_t k = 0; k < counts.size(); ++k) counts[k] += next.counts[k];
  }
  void write(Writer& writer) const { writer.put(counts); }
  void read(Reader& reader) { reader.get(counts); }
  Index words() const { return ssize(counts); }
  Merge merge_kind() const { return Merge::kTree; }

  std::vector<double> counts;

 private:
  Index first_, last_;
  const std::vector<BinnedColumn>* columns_;
  std::vector<double> values_;
};

// (2 - (n + 1) sum p^2) bins / range is to be least; of equals the fewest bins are.
void find_best(std::vector<BinnedColumn>& columns, double n, Source& x, const Exec& exec) {
  constexpr Index kCells = Index{1} << 20;
  const Index most = std::max<Index>(100, static_cast<Index>(std::sqrt(n)));
  std::vector<double> least(columns.size(), INFINITY);
  for (Index first = 1, last = 1; first <= most; first = last) {
    for (Index cells = 0; last <= most && (last == first || cells + last <= kCells);) {
      cells += last++;
    }
    const EqualCounts found = fold(x, EqualCounts(columns, first, last), exec);
    const double* count = found.counts.data();
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const double range = columns[j].high - columns[j].low;
      for (Index bins = first; bins < last; count += bins++) {
        double squares = 0;
        for (Index k = 0; k < bins; ++k) squares += (count[k] / n) * (count[k] / n);
        const double risk = (2 - (n + 1) * squares) / (range / static_cast<double>(bins));
        if (!(risk < least[j])) continue;
        least[j] = risk;
        columns[j].best = bins;
      }
    }
  }
}

double doane_width(const BinnedColumn& of, double range, double n) {
  if (!(n > 2) || !(of.deviation > 0)) return 0;
  const double unit = std::sqrt(6 * (n - 2) / ((n + 1) * (n + 3)));
  return range / (1 + std::log2(n) + std::log2(1 + std::abs(of.skewness) / unit));
}

double width_by(BinRule rule, const BinnedColumn& of, double n) {
  const double range = of.high - of.low;
  switch (rule) {
    case BinRule::kFreedmanDiaconis:
      return 2 * (of.high_quartile - of.low_quartile) * std::pow(n, -1.0 / 3);
    case BinRule::kDoane:
      return doane_width(of, range, n);
    case BinRule::kScott:
      return std::pow(24 * std::sqrt(std::numbers::pi) / n, 1.0 / 3) * of.deviation;
    case BinRule::kStone:
      return n > 1 ? range / static_cast<double>(of.best) : 0;
    case BinRule::kRice:
      return range / (2 * std::pow(n, 1.0 / 3));
    case BinRule::kSturges:
      return range / (std::log2(n) + 1);
    case BinRule::kSqrt:
      return range / std::sqrt(n);
    default:
      break;
  }
  const double relaxed =
      std::max(width_by(BinRule::kFreedmanDiaconis, of, n), width_by(BinRule::kSqrt, of, n) / 2);
  return std::min(relaxed, width_by(BinRule::kSturges, of, n));
}

}  // namespace

std::string_view name_of(BinRule rule) { return kBinRuleNames[static_cast<std::size_t>(rule)]; }

std::vector<BinnedColumn> binned_columns(BinRule rule, Source& x, const Exec& exec) {
  const ColumnStatistics of_all = check_table(x, exec);
  const std::vector<Extent> extents = find_extents(x, exec);
  const std::vector<double> variance = of_all.variance();
  std::vector<BinnedColumn> columns;
  for (std::size_t j = 0; j < extents.size(); ++j) {
    columns.push_back({.low = extents[j].low,
                       .high = extents[j].high,
                       .mean = of_all.mean()[j],
                       .deviation = std::sqrt(variance[j])});
  }
  if (rule == BinRule::kDoane) {
    const Cubes cubes = fold(x, Cubes(columns), exec);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      columns[j].skewness = cubes.sums[j] / of_all.weight();
    }
  }
  if (rule == BinRule::kFreedmanDiaconis || rule == BinRule::kAuto) {
    const auto quartiles = quantiles(x, std::array{0.25, 0.75}, exec);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      columns[j].low_quartile = quartiles[0][j];
      columns[j].high_quartile = quartiles[1][j];
    }
  }
  if (rule == BinRule::kStone) find_best(columns, of_all.weight(), x, exec);
  return columns;
}

double bins_by(BinRule rule, const BinnedColumn& column, double n) {
  const double width = width_by(rule, column, std::max(n, 1.0));  // less than a row is one
  return width > 0 ? std::ceil((column.high - column.low) / width) : 1;
}

std::vector<double> equal_edges(double low, double high, Index bins) {
  if (low == high) {
    low -= 0.5;
    high += 0.5;
  }
  std::vector<double> edges;
  for (Index k = 0; k <= bins; ++k) edges.push_back(equal_edge(low, high, bins, k));
  return edges;
}

bool are_edges(std::span<const double> edges) {
  const auto out_of_order = [](double a, double b) { return !(a < b); };  // NaN is so, too
  return edges.size() >= 2 && std::ranges::adjacent_find(edges, out_of_order) == edges.end() &&
         std::isfinite(edges.back() - edges.front());
}

Index bin_of(const std::vector<double>& edges, double x) {
  if (!(x >= edges.front() && x <= edges.back())) return -1;
  const auto above = std::upper_bound(edges.begin(), edges.end() - 1, x);
  return above - edges.begin() - 1;
}

}  // namespace craton
