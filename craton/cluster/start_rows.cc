#include "craton/cluster/start_rows.h"

#include <algorithm>
#include <variant>

#include "craton/kernels/row_hashes.h"

namespace craton {
namespace {

struct Entry {
  std::uint64_t hash;
  Index row;
  double mass;
};

// The rows of some buckets that have mass.
class Entries {
 public:
  Entries(const StartRows& rows, const std::vector<bool>& wanted)
      : rows_(&rows), wanted_(&wanted) {}

  std::vector<Entry> in_order() && {
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return std::pair{a.hash, a.row} < std::pair{b.hash, b.row};
    });
    return std::move(entries_);
  }

  void accumulate(const Chunk& chunk) {
    for (Index i = 0; i < chunk.rows(); ++i) {
      const Index row = chunk.first_row + i;
      const std::uint64_t hash = rows_->hash[usize(row)];
      if (!(*wanted_)[bucket_of(hash)]) continue;
      const double mass = chunk.weight(i) * rows_->factor[usize(row)];
      if (mass > 0) entries_.push_back({hash, row, mass});
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
  const StartRows* rows_;
  const std::vector<bool>* wanted_;
  std::vector<Entry> entries_;
};

class Hashes : public BucketMasses {
 public:
  explicit Hashes(StartRows& rows) : rows_(&rows) {}
  void accumulate(const Chunk& chunk) {
    const auto visit = [&](const auto& x) {
      std::uint64_t* const hash = &rows_->hash[usize(chunk.first_row)];
      row_hashes(x, hash);
      for (Index i = 0; i < x.rows; ++i) add(hash[i], chunk.weight(i));
    };
    std::visit(visit, chunk.x);
  }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  StartRows* rows_;
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

double BucketMasses::total() const {
  double sum = 0;
  for (const double mass : mass_) sum += mass;
  return sum;
}

void BucketMasses::merge(const BucketMasses& next) {
  for (std::size_t b = 0; b < mass_.size(); ++b) mass_[b] += next.mass_[b];
}

BucketMasses hash_rows(Source& x, StartRows& rows, const Exec& exec) {
  return fold(x, Hashes(rows), exec);
}

std::vector<DrawnRow> draw_rows(Source& x, const StartRows& rows, std::span<const double> mass,
                                Index count, Random& random, const Exec& exec) {
  double total = 0;
  for (const double m : mass) total += m;
  std::vector<std::pair<std::size_t, double>> draws;  // the bucket, and how far into it
  std::vector<bool> wanted(kBuckets);
  for (Index i = 0; i < count; ++i) {
    double target = random.uniform() * total;
    const std::size_t bucket = walk(
        mass, [](double m) { return m; }, target);
    draws.emplace_back(bucket, target);
    wanted[bucket] = true;
  }
  const std::vector<Entry> entries = fold(x, Entries(rows, wanted), exec).in_order();
  std::vector<DrawnRow> result;
  for (auto& [bucket, target] : draws) {
    const auto before = [](const Entry& e, std::size_t b) { return bucket_of(e.hash) < b; };
    const auto first = std::lower_bound(entries.begin(), entries.end(), bucket, before);
    const auto last = std::lower_bound(first, entries.end(), bucket + 1, before);
    const Entry& entry = first[static_cast<Index>(walk(
        std::span(first, last), [](const Entry& e) { return e.mass; }, target))];
    result.push_back({entry.row, entry.hash});
  }
  return result;
}

Array gathered(Source& x, const std::vector<DrawnRow>& drawn) {
  std::vector<Index> numbers;
  for (const DrawnRow& row : drawn) numbers.push_back(row.row);
  Array result{{std::ssize(drawn), x.shape().cols},
               std::vector<double>(drawn.size() * usize(x.shape().cols))};
  x.gather(numbers, result.values);
  return result;
}

}  // namespace craton
