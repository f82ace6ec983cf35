#include "craton/classes/counts/sums_by_class.h"

#include <algorithm>
#include <bit>

#include "craton/base/random.h"
#include "craton/engine/tasks.h"

namespace craton {
namespace {

// The rows of each class, in their order.
class RowsByClass {
 public:
  RowsByClass(std::span<const std::int32_t> labels, Index classes) : first_(usize(classes) + 1) {
    for (const std::int32_t label : labels) {
      if (label >= 0) ++first_[usize(label) + 1];
    }
    for (std::size_t c = 1; c < first_.size(); ++c) first_[c] += first_[c - 1];
    rows_.resize(first_.back());
    std::vector<std::size_t> at(first_.begin(), first_.end() - 1);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] >= 0) rows_[at[usize(labels[i])]++] = static_cast<Index>(i);
    }
  }
  std::span<const Index> of(Index label) const {
    const std::size_t first = first_[usize(label)];
    return std::span(rows_).subspan(first, first_[usize(label) + 1] - first);
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<Index> rows_;
};

// Counts of the features of one class at a time; 0 between classes.
class CountCells {
 public:
  CountCells(Index columns, const Summand& summand)
      : summand_(summand), cells_(usize(columns)), seen_(usize(columns)) {}

  // Returns a hash of the row's entries; nothing: it is none of counts, or there are too many.
  template <class X>
  std::optional<std::uint64_t> add(const X& x, Index row, double weight) {
    if (!(weight < kMostCount)) return {};
    const CountedRow added =
        add_counts(x, row, summand_, static_cast<std::uint32_t>(weight), cells_.data());
    total_ += weight * static_cast<double>(added.sum);
    if (!added.fine || !(total_ < kMostCount)) return {};
    return added.hash;
  }
  NonzeroSums::OfClass take() {
    NonzeroSums::OfClass seen = seen_.among(cells_);
    for (const std::int32_t j : seen.features) cells_[usize(j)] = 0;
    total_ = 0;
    return seen;
  }

 private:
  Summand summand_;
  double total_ = 0;
  std::vector<std::uint32_t> cells_;
  NonzeroCounts seen_;
};

// The same for any numbers of 0 or more.
class OrderFreeCells {
 public:
  OrderFreeCells(Index columns, const OrderFreeAdder& adder)
      : adder_(adder), high_(usize(columns)), low_(usize(columns)) {}

  template <class T>
  std::optional<std::uint64_t> add(const Sparse<T>& x, Index row, double weight) {
    const Index first = x.offsets[row], count = x.offsets[row + 1] - first;
    const CountedEntries entries = look_at_entries(x.values + first, x.columns + first, count);
    bool negative = false;
    for (Index e = first; e < first + count; ++e) {
      const std::size_t j = usize(x.columns[e]);
      const auto value = static_cast<double>(x.values[e]);
      negative |= value < 0;
      adder_.add(weight * value, high_[j], low_[j]);
    }
    if (negative || !entries.finite) return {};
    return entries.hash;
  }
  NonzeroSums::OfClass take() {
    NonzeroSums::OfClass seen = NonzeroSums::OfClass::of(high_, low_);
    std::fill(high_.begin(), high_.end(), 0.0);
    std::fill(low_.begin(), low_.end(), 0.0);
    return seen;
  }

 private:
  OrderFreeAdder adder_;
  std::vector<double> high_, low_;
};

bool is_weight(double w) { return w >= 0 && w < 9007199254740992.0 && is_whole(w); }  // 2^53

// One class after another, in cells that each worker uses again.
template <class Cells, class T, class... Args>
std::optional<NonzeroSums> sum_classes(const Sparse<T>& x, const Chunk& all, Index classes,
                                       const Exec& exec, const Args&... args) {
  const RowsByClass rows(all.labels, classes);
  NonzeroSums result{x.cols, std::vector<NonzeroSums::OfClass>(usize(classes)),
                     std::vector<double>(usize(classes))};
  std::vector<std::uint64_t> hashes(usize(classes));
  std::vector<std::optional<Cells>> of_worker(usize(worker_count(exec)));
  std::vector<char> fine(usize(classes), true);
  const auto sum = [&](Task task) {
    std::optional<Cells>& cells = of_worker[usize(task.worker)];
    if (!cells) cells.emplace(x.cols, args...);
    const Index c = task.number;
    for (const Index i : rows.of(c)) {
      const double w = all.weight(i);
      const std::optional<std::uint64_t> hash = cells->add(x, i, w);
      fine[usize(c)] = hash.has_value();
      if (!hash) return;
      result.weight[usize(c)] += w;
      hashes[usize(c)] += mix(*hash, mix(std::bit_cast<std::uint64_t>(w), usize(c)));
    }
    result.of_class[usize(c)] = cells->take();
  };
  rethrow(run_tasks(
      0, classes, exec, [](Task) {}, sum));
  if (std::count(fine.begin(), fine.end(), false) > 0) return {};
  for (const std::uint64_t hash : hashes) result.hash += hash;
  return result;
}

}  // namespace

std::optional<NonzeroSums> sums_by_class(Source& x, Index classes, const Summand& summand,
                                         const Exec& exec) {
  if (!x.in_memory() || !single_rank(exec) || worker_count(exec) > classes) return {};
  if (summand.binary && summand.threshold < 0) return {};
  if (!has_sparse_rows(x)) return {};
  Block block;
  Chunk all;
  x.fetch({0, x.shape().rows}, block);
  x.decode(block, all);
  const auto labelled = [](std::int32_t label) { return label >= 0; };
  if (all.labels.empty() || !std::all_of(all.labels.begin(), all.labels.end(), labelled) ||
      !std::all_of(all.weights.begin(), all.weights.end(), is_weight)) {
    return {};
  }
  const auto sum = [&](const auto& rows) -> std::optional<NonzeroSums> {
    if constexpr (requires { rows.offsets; }) {
      auto found = sum_classes<CountCells>(rows, all, classes, exec, summand);
      if (found || summand.binary) return found;
      const TermFacts terms = survey_terms(x, summand, exec);
      if (!terms.can_be_cut()) return {};
      const OrderFreeAdder adder = OrderFreeAdder::of(terms.largest, rows.rows);
      return sum_classes<OrderFreeCells>(rows, all, classes, exec, adder);
    } else {
      return {};
    }
  };
  return std::visit(sum, all.x);
}

}  // namespace craton
