#include "craton/cluster/starts.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "craton/core/columns.h"
#include "craton/core/error.h"
#include "craton/core/fold.h"
#include "craton/core/random.h"

namespace craton {
namespace {

// Rows fall into buckets by the leading bits of their hash: one pass finds the bucket a draw lands
// in, a second one the row within it.
constexpr int kBucketBits = 12;
constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;
std::size_t bucket_of(std::uint64_t hash) { return hash >> (64 - kBucketBits); }

// What is known of every row, owned by choose_start; a chunk touches only its own rows.
struct RowState {
  std::vector<std::uint64_t> hash;
  std::vector<double> factor;  // mass = weight x factor
};

template <class T>
double squared_distance(const T* row, std::span<const double> centre) {
  double sum = 0;
  for (std::size_t j = 0; j < centre.size(); ++j) {
    const double difference = static_cast<double>(row[j]) - centre[j];
    sum += difference * difference;
  }
  return sum;
}

// Takes the newest centre into account, and sums the mass in each bucket.
class Masses {
 public:
  // `newest` is centre number `chosen` - 1; empty before the first draw.
  Masses(RowState& state, StartRule rule, Index chosen, std::span<const double> newest)
      : state_(&state), rule_(rule), chosen_(chosen), newest_(newest), mass_(kBuckets) {}

  const std::vector<double>& mass() const { return mass_; }

  void accumulate(const Chunk& chunk) {
    visit_dense(chunk.x, [&](const auto& x) {
      for (Index i = 0; i < x.rows; ++i) {
        const std::size_t row = usize(chunk.first_row + i);
        if (chosen_ == 0) {
          state_->hash[row] = row_hash(x, i);
          state_->factor[row] = 1;
        } else {
          lower(state_->factor[row], squared_distance(x.row(i), newest_));
        }
        mass_[bucket_of(state_->hash[row])] += chunk.weight(i) * state_->factor[row];
      }
    });
  }
  void merge(const Masses& next) {
    for (std::size_t b = 0; b < kBuckets; ++b) mass_[b] += next.mass_[b];
  }
  void write(Writer& writer) const { writer.put(mass_); }
  void read(Reader& reader) { reader.get(mass_); }
  Index words() const { return std::ssize(mass_); }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  void lower(double& factor, double distance) const {
    if (rule_ == StartRule::kPlusPlus) {
      factor = chosen_ == 1 ? distance : std::min(factor, distance);
    } else if (distance == 0) {
      factor = 0;
    }
  }

  RowState* state_;
  StartRule rule_;
  Index chosen_;
  std::span<const double> newest_;
  std::vector<double> mass_;
};

struct Entry {
  std::uint64_t hash;
  Index row;
  double mass;
};

// The rows of one bucket that have mass.
class Entries {
 public:
  Entries(const RowState& state, std::size_t bucket) : state_(&state), bucket_(bucket) {}

  std::vector<Entry> in_order() && {
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return std::pair{a.hash, a.row} < std::pair{b.hash, b.row};
    });
    return std::move(entries_);
  }

  void accumulate(const Chunk& chunk) {
    for (Index i = 0; i < chunk.rows(); ++i) {
      const Index row = chunk.first_row + i;
      const std::uint64_t hash = state_->hash[usize(row)];
      const double mass = chunk.weight(i) * state_->factor[usize(row)];
      if (bucket_of(hash) == bucket_ && mass > 0) entries_.push_back({hash, row, mass});
    }
  }
  void merge(const Entries& next) {
    entries_.insert(entries_.end(), next.entries_.begin(), next.entries_.end());
  }
  void write(Writer& writer) const { writer.put(entries_); }
  void read(Reader& reader) { reader.get(entries_); }
  Index words() const { return 1; }
  Merge merge_kind() const { return Merge::kExact; }

 private:
  const RowState* state_;
  std::size_t bucket_;
  std::vector<Entry> entries_;
};

// The first index whose cumulative mass reaches `target`, which is lowered by the mass before it;
// the last one with any mass, should rounding carry the target past the end.
template <class Range, class MassOf>
std::size_t walk(const Range& range, MassOf mass_of, double& target) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < range.size(); ++i) {
    const double mass = mass_of(range[i]);
    if (mass <= 0) continue;
    last = i;
    if (target <= mass) return i;
    target -= mass;
  }
  return last;
}

}  // namespace

Array choose_start(Source& x, const Start& start, const Exec& exec) {
  const auto [rows, cols] = x.shape();
  RowState state{std::vector<std::uint64_t>(usize(rows)), std::vector<double>(usize(rows))};
  Array centres{{start.k, cols}, std::vector<double>(usize(start.k * cols))};
  Random random(start.seed, Purpose::kStart, start.trial);
  std::span<double> newest;
  for (Index c = 0; c < start.k; ++c) {
    const Masses masses = fold(x, Masses(state, start.rule, c, newest), exec);
    double total = 0;
    for (const double mass : masses.mass()) total += mass;
    if (!(total > 0) && c > 0 && start.repeat) {
      const auto rest = centres.values.begin() + c * cols;
      for (Index i = 0; i < (start.k - c) * cols; ++i) rest[i] = centres.values[usize(i % cols)];
      return centres;
    }
    if (!(total > 0)) {
      throw InputError(Code::kTooFewRows, {.file = x.name()},
                       fmt::format("{} = {}, but the data (n_samples = {}) have only {} distinct "
                                   "row{} of positive weight",
                                   start.option, start.k, rows, c, c == 1 ? "" : "s"),
                       fmt::format("Give {} of at most {}.", start.option, c));
    }
    double target = random.uniform() * total;
    const std::size_t bucket = walk(
        masses.mass(), [](double mass) { return mass; }, target);
    const std::vector<Entry> entries = fold(x, Entries(state, bucket), exec).in_order();
    const std::size_t entry = walk(
        entries, [](const Entry& e) { return e.mass; }, target);
    newest = std::span(centres.values).subspan(usize(c * cols), usize(cols));
    x.gather(std::array{entries[entry].row}, newest);
  }
  return centres;
}

}  // namespace craton
