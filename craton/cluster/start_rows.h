#pragma once
#include <span>
#include <vector>

#include "craton/base/random.h"
#include "craton/engine/fold.h"

// Draws of rows in the order of a hash of their values, by cumulative mass: for starts.h.

namespace craton {

// What is known of every row; a chunk touches only its own rows.
struct StartRows {
  explicit StartRows(Index rows)
      : hash(usize(rows)),
        factor(usize(rows), 1.0),
        label(usize(rows)),
        nearer(usize(rows), ~std::uint64_t{0}) {}
  std::vector<std::uint64_t> hash;
  std::vector<double> factor;       // mass = weight x factor
  std::vector<std::int32_t> label;  // of the nearest centre so far
  // Which of the candidates on trial may be nearer than that, one bit each.
  std::vector<std::uint64_t> nearer;
};

// Rows fall into buckets by the leading bits of their hash: one pass sums the masses of the
// buckets, so that the bucket a draw lands in is known, and a second one finds the row within it.
inline constexpr int kBucketBits = 12;
inline constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;
inline std::size_t bucket_of(std::uint64_t hash) { return hash >> (64 - kBucketBits); }

struct DrawnRow {
  Index row = 0;
  std::uint64_t hash = 0;
};

// `count` rows by the masses, which `mass` sums by bucket; requires a positive sum.
std::vector<DrawnRow> draw_rows(Source& x, const StartRows& rows, std::span<const double> mass,
                                Index count, Random& random, const Exec& exec);

// The sum of the rows' masses by bucket.
class BucketMasses {
 public:
  BucketMasses() : mass_(kBuckets) {}
  void add(std::uint64_t hash, double mass) { mass_[bucket_of(hash)] += mass; }
  std::span<const double> table() const { return mass_; }
  double total() const;

  void merge(const BucketMasses& next);
  void write(Writer& writer) const { writer.put(mass_); }
  void read(Reader& reader) { reader.get(mass_); }
  Index words() const { return std::ssize(mass_); }

 private:
  std::vector<double> mass_;
};

// Hashes every row, and sums the weights.
BucketMasses hash_rows(Source& x, StartRows& rows, const Exec& exec);

// The values of the rows drawn.
Array gathered(Source& x, const std::vector<DrawnRow>& drawn);

}  // namespace craton
