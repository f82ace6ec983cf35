#include "craton/classes/count_by_class.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>

#include "craton/core/for_each.h"
#include "craton/core/random.h"

namespace craton {
namespace {

// The rows of each class, one after the other.
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

// Zeros to count in; they are given back as zeros.
class Cells {
 public:
  explicit Cells(Index columns) : columns_(usize(columns)) {}
  std::vector<std::uint32_t> borrow() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::vector<std::uint32_t>(columns_);
    std::vector<std::uint32_t> cells = std::move(free_.back());
    free_.pop_back();
    return cells;
  }
  void give_back(std::vector<std::uint32_t> cells) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(cells));
  }

 private:
  std::size_t columns_;
  std::mutex mutex_;
  std::vector<std::vector<std::uint32_t>> free_;
};

bool is_count(double weight) {
  return weight >= 0 && weight < kMostCount &&
         weight == static_cast<double>(static_cast<Index>(weight));
}

}  // namespace

std::optional<SeenSums> count_by_class(Source& x, Index classes, const Summand& summand,
                                       const Exec& exec) {
  const bool alone = exec.comm == nullptr || exec.comm->size() == 1;
  if (!x.in_memory() || !alone || worker_count(exec) > classes) return {};
  Block block;
  Chunk all;
  x.fetch({0, x.shape().rows}, block);
  x.decode(block, all);
  const bool sparse =
      std::holds_alternative<Sparse<double>>(all.x) || std::holds_alternative<Sparse<float>>(all.x);
  const bool labelled = std::all_of(all.labels.begin(), all.labels.end(),
                                    [](std::int32_t label) { return label >= 0; });
  if (!sparse || (summand.binary && summand.threshold < 0) || !labelled || all.labels.empty() ||
      !std::all_of(all.weights.begin(), all.weights.end(), is_count)) {
    return {};
  }
  const RowsByClass rows(all.labels, classes);
  SeenSums result{x.shape().cols, std::vector<SeenSums::OfClass>(usize(classes)),
                  std::vector<double>(usize(classes))};
  std::vector<std::uint64_t> hashes(usize(classes));
  Cells pool(x.shape().cols);
  std::atomic<bool> fine = true;
  for_each(classes, exec, [&](Index c) {
    std::vector<std::uint32_t> cells = pool.borrow();
    double total = 0;
    for (const Index i : rows.of(c)) {
      if (!fine) return;
      const double w = all.weight(i);
      const CountedRow row = std::visit(
          [&](const auto& table) {
            return add_counts(table, i, summand, static_cast<std::uint32_t>(w), cells.data());
          },
          all.x);
      total += w * static_cast<double>(row.sum);
      result.weight[usize(c)] += w;
      hashes[usize(c)] += mix(row.hash, mix(std::bit_cast<std::uint64_t>(w), usize(c)));
      if (!row.fine || !(total < kMostCount)) fine = false;
    }
    result.of_class[usize(c)] = SeenSums::OfClass::of(cells);
    for (const std::int32_t j : result.of_class[usize(c)].features) cells[usize(j)] = 0;
    pool.give_back(std::move(cells));
  });
  if (!fine) return {};
  for (const std::uint64_t hash : hashes) result.hash += hash;
  return result;
}

}  // namespace craton
