#include "craton/select/agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "craton/base/error.h"
#include "craton/select/sum.h"

// The table takes O(n + classes + clusters). The expected information takes a hypergeometric
// distribution for each pair of different counts, about sqrt(n) terms of it each.

namespace craton {
namespace {

__extension__ using Wide = __int128;  // products of counts of pairs

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kNegligible = 1e-20;  // of the largest term of a distribution

double real(Index count) { return static_cast<double>(count); }

Index squares(std::span<const Index> counts) {
  Index sum = 0;
  for (const Index c : counts) sum += c * c;
  return sum;
}

Index squares(const std::vector<Contingency::Cell>& cells) {
  Index sum = 0;
  for (const Contingency::Cell& cell : cells) sum += cell.count * cell.count;
  return sum;
}

Index labels_in(std::span<const std::int32_t> labels) {
  return labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end()) + Index{1};
}

// Rows in the order of their labels: those of label c are order[first[c]..first[c + 1]).
struct Grouped {
  std::vector<Index> first, order;
};
Grouped group(std::span<const std::int32_t> labels) {
  Grouped g{std::vector<Index>(usize(labels_in(labels) + 1)), std::vector<Index>(labels.size())};
  for (const std::int32_t label : labels) ++g.first[usize(label) + 1];
  for (std::size_t c = 1; c < g.first.size(); ++c) g.first[c] += g.first[c - 1];
  std::vector<Index> next = g.first;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    g.order[usize(next[usize(labels[i])]++)] = static_cast<Index>(i);
  }
  return g;
}

// sum_k p(k) k / n log(n k / (a b)), where k rows of b are among a of n: hypergeometric. From the
// mode outwards each p(k) follows from the one before, and their sum, not a factorial, scales them.
double expected_term(Index a, Index b, Index n) {
  const Index low = std::max<Index>(0, a + b - n), high = std::min(a, b);
  const Index mode = std::clamp<Index>(
      static_cast<Index>(std::floor(real(a + 1) * real(b + 1) / real(n + 2))), low, high);
  Sum weights, terms;
  const auto add = [&](Index k, double p) {
    weights += p;
    if (k > 0) terms += p * real(k) / real(n) * std::log(real(n) * real(k) / (real(a) * real(b)));
  };
  add(mode, 1);
  double p = 1;
  for (Index k = mode; k < high && p > kNegligible; ++k) {
    p *= real(a - k) / real(k + 1) * (real(b - k) / real(n - a - b + k + 1));
    add(k + 1, p);
  }
  p = 1;
  for (Index k = mode; k > low && p > kNegligible; --k) {
    p *= real(k) / real(a - k + 1) * (real(n - a - b + k) / real(b - k + 1));
    add(k - 1, p);
  }
  return terms.value() / weights.value();
}

std::map<Index, Index> multiplicities(std::span<const Index> counts) {
  std::map<Index, Index> result;
  for (const Index c : counts) ++result[c];
  return result;
}

double mean_entropy(const Contingency& table, EntropyMean mean) {
  const double u = entropy_of(table.rows), v = entropy_of(table.columns);
  switch (mean) {
    case EntropyMean::kMin:
      return std::min(u, v);
    case EntropyMean::kGeometric:
      return std::sqrt(u * v);
    case EntropyMean::kArithmetic:
      return (u + v) / 2;
    case EntropyMean::kMax:
      return std::max(u, v);
  }
  return u;
}

double away_from_zero(double x) { return x < 0 ? std::min(x, -kEpsilon) : std::max(x, kEpsilon); }

bool single(const std::vector<Index>& counts) { return counts.size() <= 1; }

}  // namespace

Contingency contingency(std::span<const std::int32_t> classes,
                        std::span<const std::int32_t> clusters) {
  CRATON_ASSERT(classes.size() == clusters.size());
  const Grouped rows = group(classes);
  Contingency table;
  table.size = std::ssize(classes);
  std::vector<Index> columns(usize(labels_in(clusters))), count(columns.size()), name;
  for (const std::int32_t label : clusters) ++columns[usize(label)];
  name.resize(columns.size(), -1);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c] == 0) continue;
    name[c] = std::ssize(table.columns);
    table.columns.push_back(columns[c]);
  }
  std::vector<std::size_t> seen;
  for (std::size_t r = 0; r + 1 < rows.first.size(); ++r) {
    if (rows.first[r] == rows.first[r + 1]) continue;
    seen.clear();
    for (Index i = rows.first[r]; i < rows.first[r + 1]; ++i) {
      const std::size_t c = usize(clusters[usize(rows.order[usize(i)])]);
      if (count[c]++ == 0) seen.push_back(c);
    }
    std::sort(seen.begin(), seen.end());
    for (const std::size_t c : seen) {
      table.cells.push_back({std::ssize(table.rows), name[c], count[c]});
      count[c] = 0;
    }
    table.rows.push_back(rows.first[r + 1] - rows.first[r]);
  }
  return table;
}

PairCounts count_pairs(const Contingency& table) {
  const Index both = squares(table.cells), n = table.size;
  PairCounts pairs;
  pairs.together = both - n;
  pairs.clusters_only = squares(table.columns) - both;
  pairs.classes_only = squares(table.rows) - both;
  pairs.apart = n * n - pairs.clusters_only - pairs.classes_only - both;
  return pairs;
}

double rand_index(const PairCounts& p) {
  const Index different = p.clusters_only + p.classes_only;
  const Index all = p.apart + p.together + different;
  return different == 0 ? 1 : real(p.apart + p.together) / real(all);
}

double adjusted_rand_index(const PairCounts& pairs) {
  const Wide tn = pairs.apart, fp = pairs.clusters_only, fn = pairs.classes_only,
             tp = pairs.together;
  if (fn == 0 && fp == 0) return 1;
  return 2 * static_cast<double>(tp * tn - fn * fp) /
         static_cast<double>((tp + fn) * (fn + tn) + (tp + fp) * (fp + tn));
}

double fowlkes_mallows(const Contingency& table) {
  const double both = real(squares(table.cells) - table.size);
  if (both == 0) return 0;
  return std::sqrt(both / real(squares(table.columns) - table.size)) *
         std::sqrt(both / real(squares(table.rows) - table.size));
}

double entropy_of(std::span<const Index> counts) {
  Index n = 0;
  for (const Index c : counts) n += c;
  Sum sum;
  for (const Index c : counts) sum += real(c) / real(n) * std::log(real(n) / real(c));
  return sum.value();
}

double mutual_information(const Contingency& table) {
  if (single(table.rows) || single(table.columns)) return 0;
  const double n = real(table.size);
  Sum sum;
  for (const Contingency::Cell& cell : table.cells) {
    const double expected =
        real(table.rows[usize(cell.row)]) * real(table.columns[usize(cell.column)]);
    sum += real(cell.count) / n * std::log(n * real(cell.count) / expected);
  }
  return std::max(sum.value(), 0.0);
}

double expected_mutual_information(const Contingency& table) {
  if (single(table.rows) || single(table.columns)) return 0;
  Sum sum;
  for (const auto& [a, rows] : multiplicities(table.rows)) {
    for (const auto& [b, columns] : multiplicities(table.columns)) {
      sum += real(rows * columns) * expected_term(a, b, table.size);
    }
  }
  return sum.value();
}

double normalised_mutual_information(const Contingency& table, EntropyMean mean) {
  if (single(table.rows) && single(table.columns)) return 1;
  const double information = mutual_information(table);
  return information == 0 ? 0 : information / mean_entropy(table, mean);
}

double adjusted_mutual_information(const Contingency& table, EntropyMean mean) {
  if (single(table.rows) && single(table.columns)) return 1;
  if (single(table.rows) || single(table.columns)) return 0;
  const double chance = expected_mutual_information(table);
  return away_from_zero(mutual_information(table) - chance) /
         away_from_zero(mean_entropy(table, mean) - chance);
}

VMeasure v_measure(const Contingency& table, double beta) {
  if (table.size == 0) return {1, 1, 1};
  const double classes = entropy_of(table.rows), clusters = entropy_of(table.columns);
  const double information = mutual_information(table);
  const double h = classes == 0 ? 1 : information / classes;
  const double c = clusters == 0 ? 1 : information / clusters;
  return {h, c, h + c == 0 ? 0 : (1 + beta) * h * c / (beta * h + c)};
}

}  // namespace craton
