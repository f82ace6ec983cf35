#include "craton/kernels/counts.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "craton/base/value_hash.h"

namespace craton {
namespace {

template <class T>
void check_like_one_by_one(const std::vector<T>& values) {
  std::vector<std::int32_t> columns(values.size());
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<std::int32_t>(7 * i);
  if (!columns.empty()) columns.back() = std::numeric_limits<std::int32_t>::max();
  std::uint64_t hash = 0, dense = 0, sum = 0;
  bool finite = true, counts = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto v = static_cast<double>(values[i]);
    hash += hash_entry(v, static_cast<std::uint64_t>(columns[i]));
    dense += hash_entry(v, i);
    finite = finite && std::isfinite(v);
    const bool count = v >= 0 && v < 4294967296.0 && v == std::floor(v);
    counts = counts && count;
    if (count) sum += static_cast<std::uint64_t>(v);
  }
  const auto size = static_cast<Index>(values.size());
  const CountedEntries seen = look_at_entries(values.data(), columns.data(), size);
  CHECK(seen.hash == hash);
  CHECK(seen.finite == finite);
  CHECK(seen.counts == counts);
  if (counts) CHECK(seen.sum == sum);
  CHECK(look_at_entries<T>(values.data(), nullptr, size).hash == dense);
}

}  // namespace

TEST_CASE_TEMPLATE("entries are looked at as one by one, whatever their number", T, float, double) {
  for (std::size_t size = 0; size < 40; ++size) {
    std::vector<T> values(size);
    for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<T>((i * i) % 11);
    check_like_one_by_one(values);
    for (const double strange :
         {-0.0, -1.0, 0.5, 1e-300, 4294967295.0, 4294967296.0, 1e300, -1e-300, 3000000.25,
          std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
          std::numeric_limits<double>::quiet_NaN()}) {
      for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
        if (size == 0) continue;
        std::vector<T> other = values;
        other[at] = static_cast<T>(strange);
        check_like_one_by_one(other);
      }
    }
  }
}

TEST_CASE("cells that are not 0 are found") {
  for (Index size = 0; size < 70; ++size) {
    for (const std::uint32_t every : {1u, 2u, 5u, 100u}) {
      std::vector<std::uint32_t> cells(usize(size));
      std::vector<std::int32_t> want;
      std::vector<std::uint32_t> held;
      for (Index i = 0; i < size; ++i) {
        if (static_cast<std::uint32_t>(i) % every != every / 2) continue;
        held.push_back(4294967295u - static_cast<std::uint32_t>(i));
        cells[usize(i)] = held.back();
        want.push_back(static_cast<std::int32_t>(i));
      }
      std::vector<std::int32_t> places(usize(size + kMorePlaces));
      std::vector<std::uint32_t> values(usize(size + kMorePlaces));
      REQUIRE(find_nonzero(cells.data(), size, places.data(), values.data()) == std::ssize(want));
      places.resize(want.size());
      values.resize(want.size());
      CHECK(places == want);
      CHECK(values == held);
    }
  }
}

TEST_CASE("descents are counted, in a row of any length") {
  for (Index size = 0; size < 60; ++size) {
    std::vector<std::int32_t> values(usize(size));
    std::iota(values.begin(), values.end(), -7);
    CHECK(count_descents(values.data(), size) == 0);
    for (Index at = 1; at < size; ++at) {
      const std::int32_t was = std::exchange(values[usize(at)], values[usize(at) - 1]);
      CHECK(count_descents(values.data(), size) == 1);
      values[usize(at)] = std::numeric_limits<std::int32_t>::min();
      CHECK(count_descents(values.data(), size) == 1);
      values[usize(at)] = was;
    }
  }
}

}  // namespace craton
