#include "craton/tables/order_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <limits>
#include <map>
#include <numeric>
#include <type_traits>
#include <utility>

#include "craton/engine/fold.h"
#include "craton/engine/for_each.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The bits of the wanted values are found some in a pass, from the top.

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

template <class T>
void copy_column(const Dense<T>& x, std::size_t j, std::vector<double>& out) {
  for (Index i = 0; i < x.rows; ++i) out[usize(i)] = static_cast<double>(x.row(i)[j]);
}
template <class T>
void copy_column(const Sparse<T>&, std::size_t, std::vector<double>&) {
  refuse_sparse();
}

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

// The values themselves, with their weights, of the keys that begin with some prefix.
class FoundValues {
 public:
  using Prefixes = std::vector<std::vector<std::uint64_t>>;
  struct Value {
    std::uint64_t key;
    double weight;
    auto operator<=>(const Value&) const = default;
  };

  FoundValues(const Prefixes& prefixes, int above)
      : prefixes_(&prefixes), digit_{above, 0}, values_(prefixes.size()) {}

  const std::vector<Value>& of(std::size_t column) const { return values_[column]; }
  void sort(std::size_t column) { std::sort(values_[column].begin(), values_[column].end()); }

  void accumulate(const Chunk& chunk) {
    std::vector<double> column(usize(chunk.rows()));
    for (std::size_t j = 0; j < values_.size(); ++j) {
      const std::vector<std::uint64_t>& wanted = (*prefixes_)[j];
      if (wanted.empty()) continue;
      std::visit([&](const auto& x) { copy_column(x, j, column); }, chunk.x);
      for (std::size_t i = 0; i < column.size(); ++i) {
        const double weight = chunk.weight(static_cast<Index>(i));
        if (std::isnan(column[i]) || weight == 0) continue;
        const std::uint64_t key = key_of(column[i]), prefix = digit_.prefix(key);
        if (std::find(wanted.begin(), wanted.end(), prefix) == wanted.end()) continue;
        values_[j].push_back({key, weight});
      }
    }
  }
  void merge(const FoundValues& next) {
    for (std::size_t j = 0; j < values_.size(); ++j) {
      values_[j].insert(values_[j].end(), next.values_[j].begin(), next.values_[j].end());
    }
  }
  void write(Writer& writer) const {
    for (const auto& values : values_) writer.put(values);
  }
  void read(Reader& reader) {
    for (auto& values : values_) reader.get(values);
  }
  Index words() const { return ssize(values_); }
  Merge merge_kind() const { return Merge::kExact; }  // they are sorted

 private:
  const Prefixes* prefixes_;
  Digit digit_;
  std::vector<std::vector<Value>> values_;  // by column
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

  // The value itself, of all whose keys begin with the prefix, in ascending order.
  void pick(std::span<const FoundValues::Value> values, int above) {
    const Digit digit{above, 0};
    const auto starts_below = [&](const FoundValues::Value& v, std::uint64_t p) {
      return digit.prefix(v.key) < p;
    };
    auto at = std::lower_bound(values.begin(), values.end(), prefix, starts_below);
    while (at + 1 != values.end() && digit.prefix((at + 1)->key) == prefix &&
           before >= at->weight) {
      before -= (at++)->weight;
    }
    prefix = at->key;
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

// The search of quantiles: digit by digit, until few enough values are left to look at them.
template <class Count>
class Search {
 public:
  Search(Source& x, std::span<const double> levels, const Exec& exec)
      : x_(x), levels_(levels), exec_(exec), sought_(usize(x.shape().cols)) {
    prefixes_.assign(sought_.size(), {0});
  }

  std::vector<std::vector<Between>> run() {
    Index left = x_.shape().rows * x_.shape().cols;
    int above = 64;
    while (above > 0 && left > kFew) {
      const Digit digit{above, std::max(0, above - DigitCounts<Count>::kBits)};
      left = narrow(digit);
      above = digit.below;
    }
    if (above > 0) pick(above);
    return std::move(sought_);
  }

 private:
  static constexpr Index kFew = Index{1} << 17;

  void begin(std::size_t column, double weight) {
    for (const double level : levels_) {
      if (weight > 0) sought_[column].push_back(between(level, weight));
    }
  }
  template <class F>
  void for_ranks(std::size_t column, const F& f) {
    for (Between& quantile : sought_[column]) {
      f(quantile.low);
      f(quantile.high);
    }
  }

  // One pass; so many values may be what is sought (of weights it is not known: all).
  Index narrow(Digit digit) {
    const auto found = fold(x_, DigitCounts<Count>(prefixes_, digit), exec_);
    double left = 0;
    for (std::size_t j = 0; j < sought_.size(); ++j) {
      const std::vector<std::uint64_t> before = std::exchange(prefixes_[j], {});
      if (digit.above == 64) {
        const auto counts = found.counts(j, 0);
        begin(j, static_cast<double>(std::accumulate(counts.begin(), counts.end(), Count{})));
      }
      for_ranks(j, [&](Rank& rank) {
        const auto at = std::find(before.begin(), before.end(), rank.prefix) - before.begin();
        const auto counts = found.counts(j, usize(at));
        rank.narrow(counts, digit.above - digit.below);
        std::vector<std::uint64_t>& now = prefixes_[j];
        if (std::find(now.begin(), now.end(), rank.prefix) != now.end()) return;
        now.push_back(rank.prefix);
        left += static_cast<double>(counts[rank.prefix & (digit.bins() - 1)]);
      });
    }
    return DigitCounts<Count>::kWhole ? static_cast<Index>(left) : kFew + 1;
  }

  void pick(int above) {
    FoundValues found = fold(x_, FoundValues(prefixes_, above), exec_);
    for_each(ssize(sought_), exec_, [&](Index column) {
      const std::size_t j = usize(column);
      found.sort(j);
      if (above == 64) {
        double weight = 0;
        for (const auto& value : found.of(j)) weight += value.weight;
        begin(j, weight);
      }
      for_ranks(j, [&](Rank& rank) { rank.pick(found.of(j), above); });
    });
  }

  Source& x_;
  std::span<const double> levels_;
  const Exec& exec_;
  std::vector<std::vector<Between>> sought_;          // by column
  std::vector<std::vector<std::uint64_t>> prefixes_;  // of what is sought
};

}  // namespace

std::vector<std::vector<double>> quantiles(Source& x, std::span<const double> levels,
                                           const Exec& exec) {
  const std::size_t columns = usize(x.shape().cols);
  const auto sought =
      has_weights(x) ? Search<double>(x, levels, exec).run() : Search<Index>(x, levels, exec).run();
  std::vector<std::vector<double>> result(levels.size(), std::vector<double>(columns, kNone));
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t l = 0; l < sought[j].size(); ++l) result[l][j] = sought[j][l].value();
  }
  return result;
}

namespace {

// All values, with their weights.
class ValueWeights {
 public:
  explicit ValueWeights(std::span<const Index> columns)
      : columns_(columns), weights_(columns.size()) {}

  double heaviest(std::size_t column) const {
    double best = NAN, most = 0;
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
