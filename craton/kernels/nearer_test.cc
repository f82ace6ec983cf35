#include "craton/kernels/nearer.h"

#include <doctest/doctest.h>

#include <bit>

#include "craton/base/random.h"
#include "craton/kernels/differences.h"

using namespace craton;

namespace {

// How many pairs are held for near, of those that are and of all.
struct Found {
  Index near = 0, held = 0;
};

// Of `k` centres and 100 rows at `offset`, with distances known that a third of the pairs are
// below.
template <class T>
Found found(Index k, Index d, double offset) {
  Random random(3, Purpose::kTest, 0, 0);
  Array centres{{k, d}, {}};
  for (Index i = 0; i < k * d; ++i) centres.values.push_back(offset + random.normal());
  std::vector<T> x;
  for (Index i = 0; i < 100 * d; ++i) x.push_back(static_cast<T>(offset + random.normal()));
  std::vector<const T*> rows;
  std::vector<double> squared, known;
  for (Index i = 0; i < 100; ++i) {
    rows.push_back(&x[usize(i * d)]);
    squared.resize(usize(k));
    squared_distances(rows.back(), centres.values.data(), k, d, squared.data());
    known.push_back(squared[usize(i % k)]);  // one is as far to the bit: not below
  }
  std::vector<std::uint64_t> bits(100);
  NearerCentres(centres).find(std::span<const T* const>(rows), known.data(), bits.data());
  Found result;
  for (Index i = 0; i < 100; ++i) {
    squared_distances(rows[usize(i)], centres.values.data(), k, d, squared.data());
    for (Index c = 0; c < k; ++c) {
      const bool near = squared[usize(c)] < known[usize(i)];
      const bool held = (bits[usize(i)] >> c & 1) != 0;
      CHECK((held || !near));
      result.near += near;
      result.held += held;
    }
    CHECK(std::bit_width(bits[usize(i)]) <= static_cast<int>(k));
  }
  return result;
}

}  // namespace

TEST_CASE("no centre that is nearer is left out, and few others are held for nearer") {
  for (const Index k : {1, 2, 5, 6, 7, 13, 64}) {
    for (const Index d : {1, 3, 16, 100}) {
      CAPTURE(k);
      CAPTURE(d);
      for (const Found f : {found<float>(k, d, 0), found<double>(k, d, 1000)}) {
        CHECK(f.held <= f.near + 200);  // its own, which is as near, and some
      }
      found<double>(k, d, 1e9);  // float cannot tell: any may be held
    }
  }
}
