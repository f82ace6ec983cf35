#include "craton/select/test_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/select/splits.h"

namespace craton {
namespace {

// Its own key, so that a split is no fold of the same seed.
constexpr std::uint64_t kOneSplit = 0x6f6e6573706c6974;

std::vector<Index> drawn_order(Index count, std::uint64_t seed) {
  std::vector<Index> order(usize(count));
  Random(mix(seed, kOneSplit), Purpose::kSplit).permutation(order);
  return order;
}

// Of rows in an order that was drawn: row r of the m of a class has the place (r + 1/2) / m, and
// the first of all by their places are of each class its share, within a row.
std::vector<Index> by_class(std::vector<Index> order, std::span<const std::int32_t> labels) {
  const std::int32_t last = *std::ranges::max_element(labels);
  std::vector<Index> sizes(usize(last + 2)), met(sizes.size());
  const auto class_of = [&](Index row) { return usize(labels[usize(row)] + 1); };
  for (const Index row : order) ++sizes[class_of(row)];
  std::vector<std::pair<double, Index>> places;
  for (const Index row : order) {
    const std::size_t c = class_of(row);
    const double rank = static_cast<double>(met[c]++) + 0.5;
    places.emplace_back(rank / static_cast<double>(sizes[c]), row);
  }
  std::ranges::stable_sort(places, {}, &std::pair<double, Index>::first);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = places[i].second;
  return order;
}

// p of q parts, q <= 20, as near to the share as that comes, with few parts.
struct Parts {
  Index taken, of;
};

Parts parts_of(double share, Index groups) {
  constexpr Index kMost = 20;
  constexpr double kNear = 0.004;
  Parts best{1, 2};
  double nearest = 1;
  for (Index of = 2; of <= std::min(kMost, groups); ++of) {
    const auto q = static_cast<double>(of);
    const auto taken = std::clamp<Index>(std::llround(share * q), 1, of - 1);
    const double distance = std::abs(static_cast<double>(taken) / q - share);
    if (distance + kNear < nearest) {
      best = {taken, of};
      nearest = distance;
    }
  }
  return best;
}

Index count_distinct(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return std::unique(sorted.begin(), sorted.end()) - sorted.begin();
}

RowSet grouped(const RowsToPart& rows, double share, std::uint64_t seed) {
  const Index groups = count_distinct(rows.groups);
  if (groups < 2) {
    throw InputError(Code::kTooFewRows, {}, "all rows are of one group, which is not parted",
                     "Name a column of several groups.");
  }
  const Parts parts = parts_of(share, groups);
  const SplitOptions options{parts.of, seed};
  const Folds folds = rows.labels.empty()
                          ? split_grouped(rows.groups, options)
                          : split_stratified_groups(rows.labels, rows.groups, options);
  return RowSet::where(rows.count, [&](Index row) { return folds.part[usize(row)] < parts.taken; });
}

RowSet latest(const RowsToPart& rows, Index wanted) {
  std::vector<double> sorted(rows.times.begin(), rows.times.end());
  std::ranges::sort(sorted);
  // Those of the time of the first one, too, unless that leaves nothing.
  double first = sorted[usize(rows.count - wanted)];
  if (first == sorted[0]) {
    const auto next = std::ranges::upper_bound(sorted, first);
    if (next == sorted.end()) {
      throw InputError(Code::kTooFewRows, {}, "all rows are of one time, which is not parted",
                       "Name a column of several times.");
    }
    first = *next;
  }
  return RowSet::where(rows.count, [&](Index row) { return rows.times[usize(row)] >= first; });
}

}  // namespace

RowSet choose_test_rows(const RowsToPart& rows, double share, std::uint64_t seed) {
  CRATON_ASSERT(share > 0 && share < 1);
  if (!rows.times.empty() && !(rows.groups.empty() && rows.labels.empty())) {
    throw InputError(Code::kBadOption, {},
                     {"the rows to test on are the latest ones by {}, so nothing else parts them",
                      Ref::flag("time")},
                     {"Leave {} and {} out.", Ref::flag("groups"), Ref::flag("stratify")});
  }
  const auto wanted = static_cast<Index>(std::llround(share * static_cast<double>(rows.count)));
  if (wanted < 1 || wanted >= rows.count) {
    throw InputError(
        Code::kTooFewRows, {},
        fmt::format("{} of {} rows are {}: one side would be empty", share, rows.count, wanted),
        {"Give another {}, or more rows.", Ref::flag("test", "SHARE")});
  }
  if (!rows.groups.empty()) return grouped(rows, share, seed);
  if (!rows.times.empty()) return latest(rows, wanted);
  std::vector<Index> order = drawn_order(rows.count, seed);
  if (!rows.labels.empty()) order = by_class(std::move(order), rows.labels);
  std::vector<bool> test(usize(rows.count));
  for (Index i = 0; i < wanted; ++i) test[usize(order[usize(i)])] = true;
  return RowSet::where(rows.count, [&](Index row) { return test[usize(row)]; });
}

}  // namespace craton
