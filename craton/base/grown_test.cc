#include "craton/base/grown.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

using namespace craton;

TEST_CASE("grown: values stay as pages are added, and what follows them is zeros") {
  Grown<std::uint32_t> grown;
  constexpr std::uint32_t kMany = 3'000'000;  // from malloc's memory to several large pages
  for (std::uint32_t i = 0; i < kMany; ++i) {
    if (i % 1000 == 0) REQUIRE(*grown.room(1) == 0);
    grown.push_back(i + 1);
  }
  REQUIRE(grown.size() == kMany);
  const Grown<std::uint32_t> copy = grown;
  Grown<std::uint32_t> moved = std::move(grown);
  bool same = true;
  for (std::uint32_t i = 0; i < kMany; ++i) same = same && moved[i] == i + 1 && copy[i] == i + 1;
  CHECK(same);
  moved[0] = 7;
  CHECK(copy[0] == 1);
}

TEST_CASE("grown: room for many at once") {
  Grown<std::uint64_t> grown;
  grown.push_back(5);
  constexpr std::size_t kMore = 1'000'000;
  std::uint64_t* const to = grown.room(kMore);
  for (std::size_t i = 0; i < kMore; ++i) to[i] = i;
  grown.add(kMore);
  CHECK(grown.size() == kMore + 1);
  CHECK(grown[0] == 5);
  CHECK(grown[kMore] == kMore - 1);
  CHECK(Grown<std::uint64_t>(Grown<std::uint64_t>()).size() == 0);
}
