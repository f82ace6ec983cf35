#include "craton/core/order_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "craton/core/fold.h"

namespace craton {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// ---- Quantiles: the bits of the wanted values, eight in a pass, from the top

constexpr int kBits = 8, kPasses = 64 / kBits;
constexpr std::size_t kBins = std::size_t{1} << kBits;
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

// Integers that are ordered as the numbers are; -0 is 0.
std::uint64_t key_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}
double value_of(std::uint64_t key) {
  return std::bit_cast<double>((key & kSign) != 0 ? key ^ kSign : ~key);
}

// The weight of the values whose keys begin with some prefix, by their next bits.
class BinWeights {
 public:
  using Prefixes = std::vector<std::vector<std::uint64_t>>;  // of each column, those wanted
  BinWeights(const Prefixes& prefixes, int pass) : prefixes_(&prefixes), pass_(pass) {
    for (const auto& of_column : prefixes) {
      first_.push_back(slots_);
      slots_ += of_column.size();
    }
    bins_.resize(slots_ * kBins);
  }

  std::span<const double> bins(std::size_t column, std::size_t prefix) const {
    return {&bins_[(first_[column] + prefix) * kBins], kBins};
  }

  void accumulate(const Chunk& chunk) {
    std::vector<double> row(prefixes_->size());
    for (Index i = 0; i < chunk.rows(); ++i) {
      std::visit([&](const auto& x) { copy_row(x, i, row.data()); }, chunk.x);
      const double weight = chunk.weight(i);
      for (std::size_t j = 0; j < row.size(); ++j) {
        if (!std::isnan(row[j])) add(j, key_of(row[j]), weight);
      }
    }
  }
  void merge(const BinWeights& next) {
    for (std::size_t b = 0; b < bins_.size(); ++b) bins_[b] += next.bins_[b];
  }
  void write(Writer& writer) const { writer.put(bins_); }
  void read(Reader& reader) { reader.get(bins_); }
  Index words() const { return ssize(bins_); }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  void add(std::size_t column, std::uint64_t key, double weight) {
    const int below = 64 - kBits * (pass_ + 1);
    const std::uint64_t prefix = pass_ == 0 ? 0 : key >> (below + kBits);
    const auto& wanted = (*prefixes_)[column];
    for (std::size_t p = 0; p < wanted.size(); ++p) {
      if (wanted[p] != prefix) continue;
      bins_[(first_[column] + p) * kBins + (key >> below & (kBins - 1))] += weight;
      return;
    }
  }

  const Prefixes* prefixes_;
  int pass_;
  std::size_t slots_ = 0;
  std::vector<std::size_t> first_;  // slot of each column
  std::vector<double> bins_;
};

// A value that is sought: that before which there is at most so much weight.
struct Rank {
  double before = 0;
  std::uint64_t prefix = 0;

  void narrow(std::span<const double> bins) {
    std::size_t bin = 0, last = 0;
    for (std::size_t b = 0; b < kBins; ++b) {
      if (bins[b] > 0) last = b;
    }
    double left = before;
    while (bin < last && left >= bins[bin]) left -= bins[bin++];
    before = left;
    prefix = prefix << kBits | bin;
  }
};

// The two values that a quantile lies between, and how far from the first.
struct Between {
  Rank low, high;
  double share = 0;
  double value() const {
    const double a = value_of(low.prefix), b = value_of(high.prefix);
    return share == 0 ? a : a + (b - a) * share;
  }
};

Between between(double level, double weight) {
  const double at = std::max(0.0, level * (weight - 1)), whole = std::floor(at);
  return {{whole}, {whole + 1}, at - whole};
}

// ---- The most frequent value: all values with their weights

class ValueWeights {
 public:
  explicit ValueWeights(std::span<const Index> columns)
      : columns_(columns), weights_(columns.size()) {}

  double heaviest(std::size_t column) const {
    double best = kNone, most = 0;
    for (const auto& [value, weight] : weights_[column]) {
      if (weight > most) {
        best = value;
        most = weight;
      }
    }
    return best;
  }

  void accumulate(const Chunk& chunk) {
    std::vector<double> row(usize(shape_of(chunk.x).cols));
    for (Index i = 0; i < chunk.rows(); ++i) {
      if (chunk.weight(i) == 0) continue;
      std::visit([&](const auto& x) { copy_row(x, i, row.data()); }, chunk.x);
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        const double value = row[usize(columns_[c])] + 0.0;  // -0 is 0
        if (!std::isnan(value)) weights_[c][value] += chunk.weight(i);
      }
    }
  }
  void merge(const ValueWeights& next) {
    for (std::size_t c = 0; c < weights_.size(); ++c) {
      for (const auto& [value, weight] : next.weights_[c]) weights_[c][value] += weight;
    }
  }
  void write(Writer& writer) const {
    for (const auto& of_column : weights_) {
      std::vector<double> flat;
      for (const auto& [value, weight] : of_column) flat.insert(flat.end(), {value, weight});
      writer.put(flat);
    }
  }
  void read(Reader& reader) {
    for (auto& of_column : weights_) {
      std::vector<double> flat;
      reader.get(flat);
      of_column.clear();
      for (std::size_t i = 0; i < flat.size(); i += 2) of_column.emplace(flat[i], flat[i + 1]);
    }
  }
  Index words() const { return 2 * ssize(columns_); }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  std::span<const Index> columns_;
  std::vector<std::map<double, double>> weights_;
};

}  // namespace

std::vector<std::vector<double>> quantiles(Source& x, std::span<const double> levels,
                                           const Exec& exec) {
  const std::size_t columns = usize(x.shape().cols);
  std::vector<std::vector<Between>> sought(columns);
  BinWeights::Prefixes prefixes(columns, {0});
  for (int pass = 0; pass < kPasses; ++pass) {
    const BinWeights found = fold(x, BinWeights(prefixes, pass), exec);
    for (std::size_t j = 0; j < columns; ++j) {
      if (pass == 0) {
        double weight = 0;
        for (const double w : found.bins(j, 0)) weight += w;
        for (const double level : levels) {
          if (weight > 0) sought[j].push_back(between(level, weight));
        }
      }
      const std::vector<std::uint64_t> before = std::exchange(prefixes[j], {});
      for (Between& quantile : sought[j]) {
        for (Rank* rank : {&quantile.low, &quantile.high}) {
          const auto at = std::find(before.begin(), before.end(), rank->prefix) - before.begin();
          rank->narrow(found.bins(j, usize(at)));
          if (std::find(prefixes[j].begin(), prefixes[j].end(), rank->prefix) ==
              prefixes[j].end()) {
            prefixes[j].push_back(rank->prefix);
          }
        }
      }
    }
  }
  std::vector<std::vector<double>> result(levels.size(), std::vector<double>(columns, kNone));
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t l = 0; l < sought[j].size(); ++l) result[l][j] = sought[j][l].value();
  }
  return result;
}

std::vector<double> most_frequent(Source& x, std::span<const Index> columns, const Exec& exec) {
  constexpr Index kMostValues = Index{1} << 22;  // in memory at once, if all differ
  const std::size_t at_once = usize(std::max<Index>(1, kMostValues / (x.shape().rows + 1)));
  std::vector<double> result;
  for (std::size_t c = 0; c < columns.size(); c += at_once) {
    const auto some = columns.subspan(c, std::min(at_once, columns.size() - c));
    const ValueWeights found = fold(x, ValueWeights(some), exec);
    for (std::size_t i = 0; i < some.size(); ++i) result.push_back(found.heaviest(i));
  }
  return result;
}

}  // namespace craton
