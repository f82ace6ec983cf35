#include "craton/cluster/parallel_start.h"

#include <algorithm>
#include <cmath>

#include "craton/cluster/start_rows.h"
#include "craton/kernels/differences.h"
#include "craton/kernels/nearest.h"

namespace craton {
namespace {

// k-means|| as its authors ran it: they found no gain beyond 5 rounds of 2 k draws.
constexpr Index kRounds = 5, kOversampling = 2;

// One round of k-means||: all rows against what was drawn last.
class ParallelRound : public BucketMasses {
 public:
  ParallelRound(StartRows& rows, const NearestCentres& drawn, Index first)
      : rows_(&rows), drawn_(&drawn), first_(static_cast<std::int32_t>(first)) {}

  void accumulate(const Chunk& chunk) {
    const auto visit = [&](const auto& x) {
      using Row = decltype(row_of(x, 0));
      std::vector<Row> rows;
      for (Index i = 0; i < x.rows; ++i) rows.push_back(row_of(x, i));
      std::vector<std::int32_t> labels(rows.size());
      std::vector<double> squared(rows.size());
      drawn_->find(std::span<const Row>(rows), labels.data(), nullptr);
      squared_distances(LabelledRows<Row>{rows, labels.data(), drawn_->centres().values.data(),
                                          x.cols, drawn_->squared_norms().data()},
                        squared.data());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t row = usize(chunk.first_row) + i;
        if (squared[i] < rows_->factor[row]) {
          rows_->factor[row] = squared[i];
          rows_->label[row] = first_ + labels[i];
        }
        const double w = chunk.weight(static_cast<Index>(i));
        if (w > 0) add(rows_->hash[row], w * rows_->factor[row]);
      }
    };
    std::visit(visit, chunk.x);
  }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  StartRows* rows_;
  const NearestCentres* drawn_;
  std::int32_t first_;
};

// The weight of the rows of each label.
class LabelWeights {
 public:
  LabelWeights(const StartRows& rows, Index labels) : rows_(&rows), weight_(usize(labels)) {}
  const std::vector<double>& weight() const { return weight_; }
  void accumulate(const Chunk& chunk) {
    for (Index i = 0; i < chunk.rows(); ++i) {
      weight_[usize(rows_->label[usize(chunk.first_row + i)])] += chunk.weight(i);
    }
  }
  void merge(const LabelWeights& next) {
    for (std::size_t c = 0; c < weight_.size(); ++c) weight_[c] += next.weight_[c];
  }
  void write(Writer& writer) const { writer.put(weight_); }
  void read(Reader& reader) { reader.get(weight_); }
  Index words() const { return std::ssize(weight_); }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  const StartRows* rows_;
  std::vector<double> weight_;
};

}  // namespace

Array parallel_start(Source& x, const Start& start, const Exec& exec) {
  StartRows rows(x.shape().rows);
  Random random(start.seed, Purpose::kStart, start.trial);
  Array candidates{{0, x.shape().cols}, {}};
  BucketMasses masses = hash_rows(x, rows, exec);
  for (Index round = 0; round <= kRounds && masses.total() > 0; ++round) {
    const Index count = round == 0 ? 1 : kOversampling * start.k;
    std::vector<DrawnRow> drawn = draw_rows(x, rows, masses.table(), count, random, exec);
    std::sort(drawn.begin(), drawn.end(),
              [](const DrawnRow& a, const DrawnRow& b) { return a.hash < b.hash; });
    const auto same = [](const DrawnRow& a, const DrawnRow& b) { return a.hash == b.hash; };
    drawn.erase(std::unique(drawn.begin(), drawn.end(), same), drawn.end());
    if (round == 0) std::fill(rows.factor.begin(), rows.factor.end(), INFINITY);
    const Array some = gathered(x, drawn);
    masses = fold(x, ParallelRound(rows, NearestCentres(some), candidates.rows()), exec);
    candidates.values.insert(candidates.values.end(), some.values.begin(), some.values.end());
    candidates.shape[0] += some.rows();
  }
  const auto weights = fold(x, LabelWeights(rows, candidates.rows()), exec).weight();
  MemorySource few({.x = candidates.view(), .weights = weights}, x.schema(), x.name());
  Start among = start;
  among.rule = StartRule::kPlusPlus;
  among.local_trials = default_local_trials(start.k);
  return choose_start(few, among, {.threads = exec.threads, .progress = exec.progress});
}

}  // namespace craton
