#include "craton/core/order_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include "craton/core/columns.h"
#include "craton/core/fold.h"

namespace craton {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// ---- Quantiles: the bits of the wanted values, some in a pass, from the top

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

// Integers that are ordered as the numbers are; -0 is 0.
std::uint64_t key_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}
double value_of(std::uint64_t key) {
  return std::bit_cast<double>((key & kSign) != 0 ? key ^ kSign : ~key);
}

// The bits [below, above) of keys, counted from the right: what a pass looks at.
struct Digit {
  int above = 64, below = 0;
  std::uint64_t prefix(std::uint64_t key) const { return above == 64 ? 0 : key >> above; }
  std::size_t bin(std::uint64_t key) const { return (key >> below) & (bins() - 1); }
  std::size_t bins() const { return std::size_t{1} << (above - below); }
};

// How often keys that begin with some prefix go on with each digit. Counts are whole, so that any
// order of merging gives the same; weights are not, and their tables are smaller for it.
template <class Count>
class DigitCounts {
 public:
  static constexpr bool kWhole = std::is_same_v<Count, Index>;
  static constexpr int kBits = kWhole ? 11 : 8;
  using Prefixes = std::vector<std::vector<std::uint64_t>>;  // of each column, those wanted

  DigitCounts(const Prefixes& prefixes, Digit digit) : prefixes_(&prefixes), digit_(digit) {
    std::size_t slots = 0;
    for (const auto& of_column : prefixes) {
      first_.push_back(slots * digit.bins());
      slots += of_column.size();
    }
    counts_.resize(slots * digit.bins());
  }

  std::span<const Count> counts(std::size_t column, std::size_t prefix) const {
    return {&counts_[first_[column] + prefix * digit_.bins()], digit_.bins()};
  }

  void accumulate(const Chunk& chunk) {
    std::vector<double> column(usize(chunk.rows()));
    for (std::size_t j = 0; j < prefixes_->size(); ++j) {
      if ((*prefixes_)[j].empty()) continue;
      std::visit([&](const auto& x) { copy_column(x, j, column); }, chunk.x);
      add(j, column, chunk);
    }
  }
  void merge(const DigitCounts& next) {
    for (std::size_t b = 0; b < counts_.size(); ++b) counts_[b] += next.counts_[b];
  }
  void write(Writer& writer) const { writer.put(counts_); }
  void read(Reader& reader) { reader.get(counts_); }
  Index words() const { return ssize(counts_); }
  Merge merge_kind() const { return kWhole ? Merge::kExact : Merge::kTree; }

 private:
  template <class T>
  static void copy_column(const Dense<T>& x, std::size_t j, std::vector<double>& out) {
    for (Index i = 0; i < x.rows; ++i) out[usize(i)] = static_cast<double>(x.row(i)[j]);
  }
  template <class T>
  static void copy_column(const Sparse<T>&, std::size_t, std::vector<double>&) {
    refuse_sparse();
  }
  void add(std::size_t j, const std::vector<double>& column, const Chunk& chunk) {
    const Digit digit = digit_;
    const std::vector<std::uint64_t> wanted = (*prefixes_)[j];
    Count* const counts = &counts_[first_[j]];
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (std::isnan(column[i])) continue;
      const std::uint64_t key = key_of(column[i]), prefix = digit.prefix(key);
      std::size_t p = 0;
      while (p < wanted.size() && wanted[p] != prefix) ++p;
      if (p == wanted.size()) continue;
      const Count weight = kWhole ? Count{1} : Count(chunk.weight(static_cast<Index>(i)));
      counts[p * digit.bins() + digit.bin(key)] += weight;
    }
  }

  const Prefixes* prefixes_;
  Digit digit_;
  std::vector<std::size_t> first_;  // place of each column's
  std::vector<Count> counts_;
};

// A value that is sought: that before which there is at most so much.
struct Rank {
  double before = 0;
  std::uint64_t prefix = 0;

  template <class Count>
  void narrow(std::span<const Count> counts, int bits) {
    std::size_t bin = 0, last = 0;
    for (std::size_t b = 0; b < counts.size(); ++b) {
      if (counts[b] > 0) last = b;
    }
    while (bin < last && before >= static_cast<double>(counts[bin])) {
      before -= static_cast<double>(counts[bin++]);
    }
    prefix = prefix << bits | bin;
  }
};

// The two values that a quantile lies between, and how far from the first.
struct Between {
  Rank low, high;
  double share = 0;
  double value() const {
    const double a = value_of(low.prefix), b = value_of(high.prefix);
    const double gap = b - a;  // which may overflow
    return std::isfinite(gap) ? a + gap * share : a * (1 - share) + b * share;
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

template <class Count>
std::vector<std::vector<Between>> seek(Source& x, std::span<const double> levels,
                                       const Exec& exec) {
  const std::size_t columns = usize(x.shape().cols);
  std::vector<std::vector<Between>> sought(columns);
  typename DigitCounts<Count>::Prefixes prefixes(columns, {0});
  for (int above = 64; above > 0;) {
    const Digit digit{above, std::max(0, above - DigitCounts<Count>::kBits)};
    const auto found = fold(x, DigitCounts<Count>(prefixes, digit), exec);
    for (std::size_t j = 0; j < columns; ++j) {
      if (above == 64) {
        double weight = 0;
        for (const Count count : found.counts(j, 0)) weight += static_cast<double>(count);
        for (const double level : levels) {
          if (weight > 0) sought[j].push_back(between(level, weight));
        }
      }
      const std::vector<std::uint64_t> before = std::exchange(prefixes[j], {});
      for (Between& quantile : sought[j]) {
        for (Rank* rank : {&quantile.low, &quantile.high}) {
          const auto at = std::find(before.begin(), before.end(), rank->prefix) - before.begin();
          rank->narrow(found.counts(j, usize(at)), digit.above - digit.below);
          const bool known =
              std::find(prefixes[j].begin(), prefixes[j].end(), rank->prefix) != prefixes[j].end();
          if (!known) prefixes[j].push_back(rank->prefix);
        }
      }
    }
    above = digit.below;
  }
  return sought;
}

bool has_weights(Source& x) {
  Block block;
  Chunk chunk;
  x.fetch({0, std::min<Index>(1, x.shape().rows)}, block);
  x.decode(block, chunk);
  return !chunk.weights.empty();
}

}  // namespace

std::vector<std::vector<double>> quantiles(Source& x, std::span<const double> levels,
                                           const Exec& exec) {
  const std::size_t columns = usize(x.shape().cols);
  const auto sought = has_weights(x) ? seek<double>(x, levels, exec) : seek<Index>(x, levels, exec);
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
