#include "craton/tables/correlations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "craton/base/random.h"
#include "craton/engine/for_each.h"
#include "craton/tables/view.h"

// O(m) a pair for m rows: a column is sorted once, and the ranks among the rows of a pair follow
// from that order.

namespace craton {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<Index> choose_rows(Index n) {
  const Index m = std::min(n, Correlations::kMostRows);
  std::vector<Index> rows(usize(m));
  std::iota(rows.begin(), rows.end(), Index{0});
  if (m == n) return rows;
  Random random(0, Purpose::kSample);
  for (Index i = 0; i < m; ++i) {
    const Index first = i * (n / m) + std::min(i, n % m);
    rows[usize(i)] = first + random.below(n / m + (i < n % m ? 1 : 0));
  }
  return rows;
}

struct Values {
  std::vector<double> value;  // NaN: none, or not finite
  std::vector<Index> order;   // of the rows that have one, by value
  std::vector<double> ranks;  // among all of these
  bool full = true;
};

// Ranks 1, 2, ... of the rows that `in` keeps; NaN of others.
template <class In>
std::vector<double> ranks_of(const Values& x, In in) {
  std::vector<double> ranks(x.value.size(), kNaN);
  Index before = 0;
  for (std::size_t i = 0; i < x.order.size();) {
    std::size_t end = i;
    Index equal = 0;
    const double value = x.value[usize(x.order[i])];
    for (; end < x.order.size() && x.value[usize(x.order[end])] == value; ++end) {
      equal += in(x.order[end]) ? 1 : 0;
    }
    const double rank = static_cast<double>(before) + static_cast<double>(equal + 1) / 2;
    for (; i < end; ++i) {
      if (in(x.order[i])) ranks[usize(x.order[i])] = rank;
    }
    before += equal;
  }
  return ranks;
}

// Of the rows that have both.
double pearson(const std::vector<double>& a, const std::vector<double>& b) {
  double mean_a = 0, mean_b = 0, most_a = 0, most_b = 0;
  Index n = 0;
  const auto both = [&](std::size_t i) { return !std::isnan(a[i]) && !std::isnan(b[i]); };
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!both(i)) continue;
    ++n;
    most_a = std::max(most_a, std::abs(a[i]));
    most_b = std::max(most_b, std::abs(b[i]));
  }
  if (n < 2 || most_a == 0 || most_b == 0) return kNaN;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!both(i)) continue;
    mean_a += a[i] / most_a;
    mean_b += b[i] / most_b;
  }
  mean_a /= static_cast<double>(n);
  mean_b /= static_cast<double>(n);
  double aa = 0, ab = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!both(i)) continue;
    const double u = a[i] / most_a - mean_a, v = b[i] / most_b - mean_b;
    aa += u * u;
    ab += u * v;
    bb += v * v;
  }
  // What rounding leaves of a constant column is no spread.
  constexpr double kNoise = 1e-15;
  const double least = kNoise * kNoise * static_cast<double>(n);
  if (aa <= least || bb <= least) return kNaN;
  return std::clamp(ab / std::sqrt(aa) / std::sqrt(bb), -1.0, 1.0);
}

Correlation correlate(const Values& a, const Values& b) {
  Correlation result;
  const auto both = [&](Index i) {
    return !std::isnan(a.value[usize(i)]) && !std::isnan(b.value[usize(i)]);
  };
  for (Index i = 0; i < ssize(a.value); ++i) result.rows += both(i) ? 1 : 0;
  result.pearson = pearson(a.value, b.value);
  result.spearman =
      a.full && b.full ? pearson(a.ranks, b.ranks) : pearson(ranks_of(a, both), ranks_of(b, both));
  return result;
}

}  // namespace

Correlations correlations(Source& x, std::span<const Index> columns, const Exec& exec) {
  Selection some;
  for (const Index j : columns) some.columns.push_back({.from = j});
  const std::vector<Index> rows = choose_rows(x.shape().rows);
  const std::size_t d = columns.size();
  std::vector<double> cells(rows.size() * d);
  if (!cells.empty()) View(x).select(std::move(some)).gather(rows, cells);
  std::vector<Values> all(d);
  for_each(ssize(all), exec, [&](Index j) {
    Values& values = all[usize(j)];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double value = cells[i * d + usize(j)];
      values.value.push_back(std::isfinite(value) ? value + 0.0 : kNaN);
      if (std::isfinite(value)) values.order.push_back(static_cast<Index>(i));
    }
    values.full = values.order.size() == rows.size();
    std::stable_sort(values.order.begin(), values.order.end(), [&](Index p, Index q) {
      return values.value[usize(p)] < values.value[usize(q)];
    });
    values.ranks = ranks_of(values, [](Index) { return true; });
  });
  Correlations result{.pairs = {}, .rows = ssize(rows)};
  std::vector<std::pair<std::size_t, std::size_t>> of;
  for (std::size_t a = 0; a < d; ++a) {
    for (std::size_t b = a + 1; b < d; ++b) of.emplace_back(a, b);
  }
  result.pairs.resize(of.size());
  for_each(ssize(of), exec, [&](Index p) {
    const auto [a, b] = of[usize(p)];
    Correlation& pair = result.pairs[usize(p)];
    pair = correlate(all[a], all[b]);
    pair.a = columns[a];
    pair.b = columns[b];
  });
  return result;
}

}  // namespace craton
