#include "craton/classes/labelled_sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "craton/base/random.h"
#include "craton/base/row_of.h"
#include "craton/engine/fold.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

class Rows {
 public:
  Rows(Index columns, std::uint64_t one_in) : one_in_(one_in) { sample.x.shape = {0, columns}; }

  void accumulate(const Chunk& chunk) {
    const std::size_t d = usize(sample.x.cols());
    for (Index i = 0; i < chunk.rows() && !chunk.labels.empty(); ++i) {
      if (chunk.labels[usize(i)] < 0 || !(chunk.weight(i) > 0)) continue;
      if (mix(0, static_cast<std::uint64_t>(chunk.first_row + i)) % one_in_ != 0) continue;
      sample.labels.push_back(chunk.labels[usize(i)]);
      sample.weights.push_back(chunk.weight(i));
      sample.x.values.resize(sample.x.values.size() + d);
      double* const to = sample.x.values.data() + sample.x.values.size() - d;
      std::visit([&](const auto& x) { copy_row(x, i, to); }, chunk.x);
    }
    sample.x.shape[0] = sample.rows();
  }
  void merge(const Rows& next) {
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(sample.labels, next.sample.labels);
    append(sample.weights, next.sample.weights);
    append(sample.x.values, next.sample.x.values);
    sample.x.shape[0] = sample.rows();
  }
  void write(Writer& writer) const {
    writer.put(sample.labels);
    writer.put(sample.weights);
    writer.put(sample.x.values);
  }
  void read(Reader& reader) {
    reader.get(sample.labels);
    reader.get(sample.weights);
    reader.get(sample.x.values);
    sample.x.shape[0] = sample.rows();
  }
  Index words() const { return 1; }
  Merge merge_kind() const { return Merge::kTree; }

  LabelledSample sample;

 private:
  std::uint64_t one_in_;
};

// Rows whose hash is at most `bound`, by their hashes: `most` of them, or more than are wanted.
class RowsByValue {
 public:
  RowsByValue(Index columns, std::uint64_t bound, Index most = kAny)
      : columns_(usize(columns)), bound_(bound), most_(most) {}

  void accumulate(const Chunk& chunk) {
    std::vector<double> values(columns_);
    for (Index i = 0; i < chunk.rows(); ++i) {
      if (!(chunk.weight(i) > 0)) continue;
      const std::int32_t label = chunk.labels.empty() ? -1 : chunk.labels[usize(i)];
      const std::uint64_t hash = mix(row_hash(chunk, i), static_cast<std::uint64_t>(label + 1));
      if (hash > bound_) continue;
      std::visit([&](const auto& x) { copy_row(x, i, values.data()); }, chunk.x);
      Row row{values, label, chunk.weight(i)};
      if (!chunk.inner.empty()) {
        const RowEntries<double> inner = row_of(chunk.inner[0], i);
        row.codes.assign(inner.columns, inner.columns + inner.count);
        row.times.assign(inner.values, inner.values + inner.count);
      }
      add(hash, row);
    }
  }
  void merge(const RowsByValue& next) {
    unwanted_ = unwanted_ || next.unwanted_;
    for (const auto& [hash, row] : next.rows_) add(hash, row);
  }
  void write(Writer& writer) const {
    writer.put(static_cast<Index>(unwanted_));
    writer.put(ssize(rows_));
    for (const auto& [hash, row] : rows_) {
      writer.put(hash);
      writer.put(row.values);
      writer.put(row.label);
      writer.put(row.weight);
      writer.put(row.codes);
      writer.put(row.times);
    }
  }
  void read(Reader& reader) {
    Index unwanted = 0, size = 0;
    reader.get(unwanted);
    reader.get(size);
    unwanted_ = unwanted != 0;
    rows_.clear();
    for (Index i = 0; i < size; ++i) {
      std::uint64_t hash = 0;
      reader.get(hash);
      Row& row = rows_[hash];
      reader.get(row.values);
      reader.get(row.label);
      reader.get(row.weight);
      reader.get(row.codes);
      reader.get(row.times);
    }
  }
  Index words() const { return static_cast<Index>(columns_); }
  Merge merge_kind() const { return Merge::kTree; }

  bool wanted() const { return !unwanted_; }
  Index size() const { return ssize(rows_); }
  LabelledSample sample() const {
    LabelledSample result{{{size(), static_cast<Index>(columns_)}, {}}, {}, {}};
    for (const auto& [hash, row] : rows_) {
      result.x.values.insert(result.x.values.end(), row.values.begin(), row.values.end());
      result.labels.push_back(row.label);
      result.weights.push_back(row.weight);
      result.inner.add(row.codes.data(), row.times.data(), ssize(row.codes));
    }
    return result;
  }

 private:
  struct Row {
    std::vector<double> values;
    std::int32_t label = -1;
    double weight = 0;
    std::vector<std::int32_t> codes = {};  // inside of it, with how often they are there
    std::vector<double> times = {};
  };
  static constexpr Index kAny = std::numeric_limits<Index>::max();

  void add(std::uint64_t hash, const Row& row) {
    if (unwanted_) return;
    const auto at = rows_.find(hash);
    if (at == rows_.end()) {
      rows_[hash] = row;
    } else {
      at->second.weight += row.weight;
    }
    const bool same = at == rows_.end() || are_same(at->second, row);
    unwanted_ = most_ != kAny && (size() > most_ || !same);
    if (unwanted_) rows_.clear();
  }
  // A missing value is one too.
  static bool are_same(const Row& a, const Row& b) {
    const auto same = [](double v, double w) { return v == w || (std::isnan(v) && std::isnan(w)); };
    return a.label == b.label && std::ranges::equal(a.values, b.values, same) &&
           a.codes == b.codes && a.times == b.times;
  }

  std::size_t columns_;
  std::uint64_t bound_;
  Index most_;
  bool unwanted_ = false;  // too many, or two of one hash
  std::map<std::uint64_t, Row> rows_;
};

}  // namespace

LabelledSample draw_by_values(Source& x, Index size, const Exec& exec) {
  constexpr double kHashes = 0x1p64, kMore = 4;
  const auto [rows, columns] = x.shape();
  double share = static_cast<double>(size) / static_cast<double>(std::max<Index>(rows, 1));
  for (;; share *= kMore) {
    // Half as many again are rather taken whole.
    const bool all = share > 2.0 / 3;
    const std::uint64_t bound =
        all ? ~std::uint64_t{0} : static_cast<std::uint64_t>(share * kHashes);
    const RowsByValue found = fold(x, RowsByValue(columns, bound), exec);
    // Rows that repeat make a small sample, of which there must be more.
    if (all || found.size() > size / 4) return found.sample();
  }
}

std::optional<LabelledSample> distinct_rows(Source& x, const Exec& exec) {
  constexpr Index kFirst = 2048, kRepeats = 4;
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  const auto [rows, columns] = x.shape();
  if (rows < kFirst) return {};
  Block block;
  Chunk first;
  x.fetch({0, kFirst}, block);
  x.decode(block, first);
  RowsByValue some(columns, kAll, kFirst / kRepeats);
  some.accumulate(first);
  if (!some.wanted()) return {};
  const RowsByValue found = fold(x, RowsByValue(columns, kAll, rows / kRepeats), exec);
  if (!found.wanted()) return {};
  return found.sample();
}

MemorySource LabelledSample::source(const Schema& schema) const {
  std::vector<Inner> inside;
  return MemorySource({.x = chunk(schema, inside).x,
                       .labels = labels,
                       .weights = weights,
                       .inner = std::move(inside)},
                      schema);
}

Chunk LabelledSample::chunk(const Schema& schema, std::vector<Inner>& room) const {
  for (const InnerTable& table : schema.inner) room.push_back(inner.view(table.codes));
  return {.first_row = 0, .x = x.view(), .labels = {}, .targets = {}, .weights = {}, .inner = room};
}

LabelledSample draw_labelled(Source& x, Index size, const Exec& exec) {
  const auto [rows, columns] = x.shape();
  const Index one_in = (rows + size - 1) / size;
  return fold(x, Rows(columns, static_cast<std::uint64_t>(std::max<Index>(one_in, 1))), exec)
      .sample;
}

}  // namespace craton
