#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "craton/base/matrix.h"

// Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011). A stream is named by (seed, purpose, iteration, row), so
// it never depends on the thread that draws from it. The distributions are our own: the standard
// library's differ from one implementation to the next.

namespace craton {

enum class Purpose : std::uint32_t {
  kTest = 0,
  kStart = 1,
  kSample = 2,
  kBatch = 3,
  kSplit = 4,
  kSearch = 5,
  kReference = 6,
};

// One block of the generator: 128 bits for a 128-bit counter under a 64-bit key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t key);

class Random {
 public:
  Random(std::uint64_t seed, Purpose purpose, std::uint32_t iteration = 0, std::uint64_t row = 0);

  std::uint64_t bits();
  double uniform();      // in (0, 1), never an end point: a multiple of 2^-52 plus 2^-53
  double normal();       // by inversion (Wichura, AS 241)
  Index below(Index n);  // in [0, n), unbiased; requires n > 0
  // Index i with probability weights[i] / sum, never one of weight 0; requires a positive, finite
  // sum and no negative weight.
  Index categorical(std::span<const double> weights);
  void permutation(std::span<Index> out);  // of 0..size-1

 private:
  std::uint64_t key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
};

// The standard normal quantile, to about 1e-15 relative; requires 0 < p < 1.
double normal_quantile(double p);

// A well-mixed 64-bit hash of two words, to key things by value. For a fixed word it is one-to-one
// in the other; mix(a, b) and mix(b, a) differ.
std::uint64_t mix(std::uint64_t a, std::uint64_t b);

// The last step of mix() is that of SplitMix64, Stafford's variant 13 of MurmurHash3's finaliser:
// x ^= x >> 30, x *= kMixFirst, x ^= x >> 27, x *= kMixSecond, x ^= x >> 31. One-to-one.
inline constexpr std::uint64_t kMixFirst = 0xBF58476D1CE4E5B9, kMixSecond = 0x94D049BB133111EB;
// mix(column, bits) is that step of mix_key(column) + bits.
std::uint64_t mix_key(Index column);

// A hash of a row's values: the sum of mix(column, value) over the nonzeros, mixed with their
// number; float and double alike, so that the dense and the sparse form of a row have one hash.
// kernels/row_hashes.h has those of many rows.
template <class T>
std::uint64_t row_hash(const Dense<T>& x, Index row);
template <class T>
std::uint64_t row_hash(const Sparse<T>& x, Index row);
std::uint64_t row_hash(const Chunk& chunk, Index row);  // with what is inside of it

}  // namespace craton
