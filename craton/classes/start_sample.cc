#include "craton/classes/start_sample.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "craton/base/random.h"

namespace craton {
namespace {

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

// The rows whose hash is at most `bound`. In float, so that the last digits of mean and units,
// which depend on the order of the rows, do not matter.
class SampledRows {
 public:
  SampledRows(const std::vector<double>& mean, const std::vector<double>& units,
              std::uint64_t bound)
      : mean_(&mean), units_(&units), bound_(bound) {}

  void accumulate(const Chunk& chunk) {
    const Index d = std::ssize(*mean_);
    std::vector<float> z(usize(d));
    visit_dense(chunk.x, [&](const auto& x) {
      for (Index i = 0; i < x.rows; ++i) {
        if (chunk.weight(i) == 0) continue;
        for (std::size_t j = 0; j < usize(d); ++j) {
          z[j] =
              static_cast<float>((static_cast<double>(x.row(i)[j]) - (*mean_)[j]) / (*units_)[j]);
        }
        const std::uint64_t hash = row_hash(Dense<float>{z.data(), 1, d, d}, 0);
        if (hash <= bound_) add(hash, x.row(i), chunk.weight(i));
      }
    });
  }
  void merge(const SampledRows& next) {
    for (std::size_t i = 0; i < next.hashes_.size(); ++i) {
      add(next.hashes_[i], &next.values_[i * mean_->size()], next.weights_[i]);
    }
  }
  void write(Writer& writer) const {
    writer.put(hashes_);
    writer.put(weights_);
    writer.put(values_);
  }
  void read(Reader& reader) {
    reader.get(hashes_);
    reader.get(weights_);
    reader.get(values_);
    place_.clear();
    for (std::size_t i = 0; i < hashes_.size(); ++i) place_[hashes_[i]] = i;
  }
  Index words() const { return std::ssize(*mean_); }
  Merge merge_kind() const { return Merge::kTree; }

  Index size() const { return std::ssize(weights_); }
  StartSample sample() const {
    std::vector<std::size_t> order(hashes_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return hashes_[a] < hashes_[b]; });
    const std::size_t d = mean_->size();
    StartSample sample{{{size(), std::ssize(*mean_)}, {}}, {}};
    for (const std::size_t i : order) {
      sample.weights.push_back(weights_[i]);
      sample.x.values.insert(sample.x.values.end(), &values_[i * d], &values_[i * d] + d);
    }
    return sample;
  }

 private:
  template <class T>
  void add(std::uint64_t hash, const T* row, double weight) {
    const auto [at, fresh] = place_.try_emplace(hash, weights_.size());
    if (!fresh) {
      weights_[at->second] += weight;
      return;
    }
    hashes_.push_back(hash);
    weights_.push_back(weight);
    values_.insert(values_.end(), row, row + mean_->size());
  }

  const std::vector<double>*mean_, *units_;
  std::uint64_t bound_;
  std::unordered_map<std::uint64_t, std::size_t> place_;
  std::vector<std::uint64_t> hashes_;
  std::vector<double> weights_, values_;
};

}  // namespace

StartSample StartSample::first(Index count) const {
  const Index rows = std::min(count, size()), d = x.cols();
  return {{{rows, d}, {x.values.begin(), x.values.begin() + rows * d}},
          {weights.begin(), weights.begin() + rows}};
}

std::vector<double> rows_that_count(const std::vector<double>& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  double square = 0;
  for (const double w : weights) square += w / sum * (w / sum);
  std::vector<double> result = weights;
  for (double& w : result) w = w / sum / square;
  return result;
}

StartSample draw_sample(Source& x, const ColumnStatistics& columns,
                        const std::vector<double>& units, Index size, const Exec& exec) {
  constexpr double kHashes = 0x1p64, kMore = 4;
  double share = static_cast<double>(size) / static_cast<double>(columns.rows());
  for (;; share *= kMore) {
    // Half as many again are rather taken whole.
    const std::uint64_t bound =
        share > 2.0 / 3 ? kAll : static_cast<std::uint64_t>(share * kHashes);
    const SampledRows rows = fold(x, SampledRows(columns.mean(), units, bound), exec);
    // Rows that repeat make a small sample, of which there must be more.
    if (bound == kAll || rows.size() > size / 4) return rows.sample();
  }
}

}  // namespace craton
