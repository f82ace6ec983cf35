#include "craton/select/splits.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>

#include "craton/base/random.h"

namespace craton {
namespace {

[[noreturn]] void refuse_split(const Message& what, const Message& fix) {
  throw InputError(Code::kTooFewRows, {}, what, fix);
}

void check_count(Index count, const char* what, Index needed, Index folds) {
  CRATON_ASSERT(folds >= 2);
  if (count >= needed) return;
  refuse_split(fmt::format("there are {} {}, too few for {} folds", count, what, folds),
               {"Give {} or less, or more rows.",
                Ref::flag("folds", std::max<Index>(2, count - (needed - folds)))});
}

std::vector<Index> ascending(Index count) {
  std::vector<Index> order(usize(count));
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

std::vector<Index> shuffled(Index count, const SplitOptions& options, std::uint64_t stream) {
  std::vector<Index> order(usize(count));
  Random(options.seed, Purpose::kSplit, options.repeat, stream).permutation(order);
  return order;
}

// The parts next, next + 1, ... of `count` rows in turn; in their order, if rows are not drawn, so
// that each part is one stretch.
std::vector<std::int32_t> dealt(Index count, Index next, const SplitOptions& options,
                                std::uint64_t stream) {
  std::vector<std::int32_t> turn(usize(count));
  for (std::int32_t& part : turn) part = static_cast<std::int32_t>(next++ % options.folds);
  if (!options.shuffle) {
    std::sort(turn.begin(), turn.end());
    return turn;
  }
  std::vector<std::int32_t> part(usize(count));
  const std::vector<Index> order = shuffled(count, options, stream);
  for (std::size_t i = 0; i < part.size(); ++i) part[usize(order[i])] = turn[i];
  return part;
}

// Groups in the order in which they appear, so that it does not matter what they are called.
std::vector<std::vector<Index>> rows_of_groups(std::span<const double> groups) {
  std::unordered_map<double, std::size_t> number;
  std::vector<std::vector<Index>> rows;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto [at, added] = number.try_emplace(groups[i], rows.size());
    if (added) rows.emplace_back();
    rows[at->second].push_back(static_cast<Index>(i));
  }
  return rows;
}

// Groups as vectors x_c = m_c / n_c, and parts as their sums s: L = sum_f |s_f|^2.
class Balance {
 public:
  Balance(std::span<const std::vector<Index>> rows, std::span<const std::int32_t> labels,
          Index folds)
      : groups_(rows.size()), part_(rows.size(), -1) {
    const std::int32_t last = *std::max_element(labels.begin(), labels.end());
    std::vector<double> totals(usize(std::max(last, 0) + 1)), counts(totals.size());
    for (const std::int32_t label : labels) {
      if (label >= 0) ++totals[usize(label)];
    }
    for (std::size_t g = 0; g < rows.size(); ++g) {
      Group& group = groups_[g];
      for (const Index row : rows[g]) {
        const std::int32_t c = labels[usize(row)];
        if (c >= 0 && ++counts[usize(c)] == 1) group.shares.push_back({usize(c), 0});
      }
      for (auto& [c, share] : group.shares) {
        share = counts[c] / totals[c];
        group.square += share * share;
        counts[c] = 0;
      }
    }
    sums_.assign(usize(folds), std::vector<double>(totals.size()));
    members_.assign(usize(folds), 0);
  }

  std::span<const std::int32_t> part() const { return part_; }

  // One after another, each where L grows least. Ties: the part of the fewest groups, so that none
  // stays empty; the first.
  void place(std::span<const Index> order) {
    for (const Index g : order) {
      std::size_t best = 0;
      const auto growth = [&](std::size_t f) {
        return std::pair(dot(usize(g), sums_[f]), members_[f]);
      };
      for (std::size_t f = 1; f < sums_.size(); ++f) {
        if (growth(f) < growth(best)) best = f;
      }
      put(usize(g), best);
    }
  }

  // Each pass costs groups x parts, and groups^2 for as many as kMostPairs allows.
  void improve() {
    for (int pass = 0; pass < kMostPasses; ++pass) {
      bool better = false;
      for (std::size_t g = 0; g < groups_.size(); ++g) better = move(g) || better;
      const bool pairs = ssize(groups_) * ssize(groups_) <= kMostPairs;
      for (std::size_t g = 0; pairs && g < groups_.size(); ++g) better = exchange(g) || better;
      if (!better) return;
    }
  }

 private:
  static constexpr int kMostPasses = 20;
  static constexpr Index kMostPairs = Index{1} << 22;
  static constexpr double kGain = 1e-12;  // of L, which is at least 1 / folds a class: not rounding

  struct Group {
    std::vector<std::pair<std::size_t, double>> shares;
    double square = 0;
  };

  double dot(std::size_t g, const std::vector<double>& v) const {
    double sum = 0;
    for (const auto& [c, share] : groups_[g].shares) sum += share * v[c];
    return sum;
  }
  void add(std::size_t g, std::size_t f, double sign) {
    for (const auto& [c, share] : groups_[g].shares) sums_[f][c] += sign * share;
    members_[f] += sign > 0 ? 1 : -1;
  }
  void put(std::size_t g, std::size_t f) {
    if (part_[g] >= 0) add(g, usize(part_[g]), -1);
    add(g, f, 1);
    part_[g] = static_cast<std::int32_t>(f);
  }

  // From a to b changes L by 2 (x . (s_b - s_a) + |x|^2). No part is left empty.
  bool move(std::size_t g) {
    const auto a = usize(part_[g]);
    if (members_[a] == 1) return false;
    const double here = dot(g, sums_[a]) - groups_[g].square;
    std::size_t best = a;
    double least = here - kGain;
    for (std::size_t b = 0; b < sums_.size(); ++b) {
      if (const double there = dot(g, sums_[b]); b != a && there < least) least = there, best = b;
    }
    if (best == a) return false;
    put(g, best);
    return true;
  }

  // With h of another part: with d = x_g - x_h, by 2 (d . (s_b - s_a) + |d|^2).
  bool exchange(std::size_t g) {
    std::vector<double> x(sums_[0].size());
    for (const auto& [c, share] : groups_[g].shares) x[c] = share;
    const auto a = usize(part_[g]);
    std::vector<double> of_g;  // x_g . s_f
    for (const std::vector<double>& s : sums_) of_g.push_back(dot(g, s));
    std::size_t best = g;
    double least = -kGain;
    for (std::size_t h = 0; h < groups_.size(); ++h) {
      const auto b = usize(part_[h]);
      if (a == b) continue;
      const double change = of_g[b] - of_g[a] - dot(h, sums_[b]) + dot(h, sums_[a]) +
                            groups_[g].square + groups_[h].square - 2 * dot(h, x);
      if (change < least) least = change, best = h;
    }
    if (best == g) return false;
    const auto b = usize(part_[best]);
    put(g, b);
    put(best, a);
    return true;
  }

  std::vector<Group> groups_;
  std::vector<std::int32_t> part_;
  std::vector<std::vector<double>> sums_;
  std::vector<Index> members_;  // groups of each part
};

}  // namespace

RowSet Folds::test(Index fold) const {
  return RowSet::where(ssize(part), [&](Index row) { return part[usize(row)] == fold; });
}

RowSet Folds::train(Index fold) const {
  return RowSet::where(ssize(part), [&](Index row) {
    const std::int32_t p = part[usize(row)];
    return p != kUnused && (ordered ? p < fold : p != fold);
  });
}

Ref fewer_folds() { return Ref::either("fewer --folds", "a smaller n_splits"); }

Folds split_plain(Index rows, const SplitOptions& options) {
  check_count(rows, "rows", options.folds, options.folds);
  return {options.folds, dealt(rows, 0, options, 0)};
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
      refuse_split(
          fmt::format("the class '{}' has {}, fewer than the {} folds", names[c],
                      count == 1 ? "one row" : fmt::format("{} rows", count), options.folds),
          {"{}{} to let folds do without it.",
           count == 1 ? Message("Leave it out, or give ")
                      : Message("Give {}, or ", Ref::flag("folds", count)),
           Ref::flag("split", "plain")});
    }
    const std::vector<std::int32_t> part = dealt(count, next, options, c);
    for (std::size_t i = 0; i < part.size(); ++i) folds.part[usize(rows[c][i])] = part[i];
    next += count;
  }
  return folds;
}

Folds split_grouped(std::span<const double> groups, const SplitOptions& options) {
  const std::vector<std::int32_t> one_class(groups.size());
  return split_stratified_groups(one_class, groups, options);
}

Folds split_stratified_groups(std::span<const std::int32_t> labels, std::span<const double> groups,
                              const SplitOptions& options) {
  CRATON_ASSERT(labels.size() == groups.size());
  const std::vector<std::vector<Index>> rows = rows_of_groups(groups);
  check_count(ssize(rows), "groups", options.folds, options.folds);
  Balance balance(rows, labels, options.folds);
  std::vector<Index> order = ascending(ssize(rows));
  if (options.shuffle) {
    order = shuffled(ssize(rows), options, 0);
  } else {
    std::ranges::stable_sort(order, std::greater(), [&](Index g) { return rows[usize(g)].size(); });
  }
  balance.place(order);
  balance.improve();
  Folds folds{options.folds, std::vector<std::int32_t>(labels.size())};
  for (std::size_t g = 0; g < rows.size(); ++g) {
    for (const Index row : rows[g]) {
      folds.part[usize(row)] = labels[usize(row)] < 0 ? -1 : balance.part()[g];
    }
  }
  return folds;
}

std::vector<Folds> split_ordered(Index rows, std::span<const double> times,
                                 const OrderedOptions& options) {
  const Index folds = options.folds, given = options.test_size;
  const Index size = given > 0 ? given : rows / (folds + 1);
  // One row at least is learned from by the first fold.
  if (given > 0 || options.gap > 0) {
    if (rows - folds * size - options.gap < 1) {
      refuse_split(fmt::format("{} rows are too few for {} folds of {} and a gap of {}", rows,
                               folds, size, options.gap),
                   {"Give {}, a smaller test_size or gap, or more rows.", fewer_folds()});
    }
  } else {
    check_count(rows, "rows", folds + 1, folds);
  }
  std::vector<Index> order = ascending(rows);
  const auto time = [&](Index row) {
    return times.empty() ? static_cast<double>(row) : times[usize(row)];
  };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return time(a) < time(b); });
  std::vector<Index> start;  // the place in `order` where each test begins, and the end
  for (Index f = 0; f <= folds; ++f) {
    Index at = rows - (folds - f) * size;
    while (at < rows && time(order[usize(at)]) == time(order[usize(at - 1)])) ++at;
    if (f > 0 && at == start.back()) {
      refuse_split(
          fmt::format("so many rows are of one time that {} folds cannot be told apart", folds),
          {"Give {}, or {} rows apart.", fewer_folds(),
           Ref::either("a --time that tells", "times that tell")});
    }
    start.push_back(at);
  }
  const auto mark = [&](Folds& to, Index first, Index last, Index part) {
    for (Index i = std::max<Index>(first, 0); i < last; ++i) {
      to.part[usize(order[usize(i)])] = static_cast<std::int32_t>(part);
    }
  };
  if (options.gap == 0 && options.max_train_size == 0) {
    Folds all{folds, std::vector<std::int32_t>(usize(rows), -1), true};
    for (std::size_t f = 0; f < usize(folds); ++f) {
      mark(all, start[f], start[f + 1], static_cast<Index>(f));
    }
    return {all};
  }
  std::vector<Folds> result;
  const Index most = options.max_train_size > 0 ? options.max_train_size : rows;
  for (std::size_t f = 0; f < usize(folds); ++f) {
    Folds one{1, std::vector<std::int32_t>(usize(rows), Folds::kUnused)};
    const Index end = start[f] - options.gap;
    mark(one, end - most, end, -1);
    mark(one, start[f], start[f + 1], 0);
    result.push_back(std::move(one));
  }
  return result;
}

}  // namespace craton
