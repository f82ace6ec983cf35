#include "craton/select/splits.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "craton/core/random.h"

namespace craton {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& fix) {
  throw InputError(Code::kTooFewRows, {}, what, fix);
}

void check_count(Index count, const char* what, Index needed, Index folds) {
  CRATON_ASSERT(folds >= 2);
  if (count >= needed) return;
  refuse(fmt::format("there are {} {}, too few for {} folds", count, what, folds),
         fmt::format("Give --folds {} or less, or more rows.",
                     std::max<Index>(2, count - (needed - folds))));
}

std::vector<Index> shuffled(Index count, const SplitOptions& options, std::uint64_t stream) {
  std::vector<Index> order(usize(count));
  Random(options.seed, Purpose::kSplit, options.repeat, stream).permutation(order);
  return order;
}

}  // namespace

RowSet Folds::test(Index fold) const {
  return RowSet::where(ssize(part), [&](Index row) { return part[usize(row)] == fold; });
}

RowSet Folds::train(Index fold) const {
  return RowSet::where(ssize(part), [&](Index row) {
    const std::int32_t p = part[usize(row)];
    return ordered ? p < fold : p != fold;
  });
}

Folds split_plain(Index rows, const SplitOptions& options) {
  check_count(rows, "rows", options.folds, options.folds);
  Folds folds{options.folds, std::vector<std::int32_t>(usize(rows))};
  Index next = 0;
  for (const Index row : shuffled(rows, options, 0)) {
    folds.part[usize(row)] = static_cast<std::int32_t>(next++ % options.folds);
  }
  return folds;
}

Folds split_stratified(std::span<const std::int32_t> labels, std::span<const std::string> names,
                       const SplitOptions& options) {
  CRATON_ASSERT(options.folds >= 2);
  std::vector<std::vector<Index>> rows(names.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= 0) rows[usize(labels[i])].push_back(static_cast<Index>(i));
  }
  Folds folds{options.folds, std::vector<std::int32_t>(labels.size(), -1)};
  Index next = 0;  // where the class before ended, so that the parts grow evenly
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const Index count = ssize(rows[c]);
    if (count > 0 && count < options.folds) {
      refuse(fmt::format("the class '{}' has {}, fewer than the {} folds", names[c],
                         count == 1 ? "one row" : fmt::format("{} rows", count), options.folds),
             count == 1 ? "Leave it out, or give --split plain to let folds do without it."
                        : fmt::format("Give --folds {}, or --split plain to let folds do without "
                                      "it.",
                                      count));
    }
    for (const Index at : shuffled(count, options, c)) {
      folds.part[usize(rows[c][usize(at)])] = static_cast<std::int32_t>(next++ % options.folds);
    }
  }
  return folds;
}

Folds split_grouped(std::span<const double> groups, const SplitOptions& options) {
  std::map<double, std::vector<Index>> rows;
  for (std::size_t i = 0; i < groups.size(); ++i) rows[groups[i]].push_back(static_cast<Index>(i));
  check_count(ssize(rows), "groups", options.folds, options.folds);
  std::vector<const std::vector<Index>*> list, order;
  for (const auto& entry : rows) list.push_back(&entry.second);
  for (const Index g : shuffled(ssize(list), options, 0)) order.push_back(list[usize(g)]);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->size() > b->size(); });
  Folds folds{options.folds, std::vector<std::int32_t>(groups.size())};
  std::vector<std::size_t> sizes(usize(options.folds));
  for (const std::vector<Index>* group : order) {
    const auto least = std::min_element(sizes.begin(), sizes.end());  // ties: the first
    *least += group->size();
    for (const Index row : *group) {
      folds.part[usize(row)] = static_cast<std::int32_t>(least - sizes.begin());
    }
  }
  return folds;
}

Folds split_ordered(Index rows, std::span<const double> times, Index folds) {
  check_count(rows, "rows", folds + 1, folds);
  std::vector<Index> order(usize(rows));
  std::iota(order.begin(), order.end(), Index{0});
  const auto time = [&](Index row) {
    return times.empty() ? static_cast<double>(row) : times[usize(row)];
  };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return time(a) < time(b); });
  Folds result{folds, std::vector<std::int32_t>(usize(rows)), true};
  const Index stretch = rows / (folds + 1), first = rows - folds * stretch;
  std::vector<Index> counts(usize(folds + 1));
  for (Index i = 0; i < rows; ++i) {
    const Index row = order[usize(i)], before = i == 0 ? row : order[usize(i - 1)];
    const bool same_time = i > 0 && time(row) == time(before);
    result.part[usize(row)] =
        same_time ? result.part[usize(before)]
                  : static_cast<std::int32_t>(i < first ? -1 : (i - first) / stretch);
    ++counts[usize(result.part[usize(row)] + 1)];
  }
  if (std::count(counts.begin(), counts.end(), 0) > 0) {
    refuse(fmt::format("so many rows are of one time that {} folds cannot be told apart", folds),
           "Give fewer --folds, or a --time that tells rows apart.");
  }
  return result;
}

}  // namespace craton
