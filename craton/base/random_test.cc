#include "craton/base/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

// Tests of distribution use fixed seeds, so they pass or fail for ever; their critical values are
// at significance 0.001, from tests/reference/normal_quantile.py.

namespace craton {
namespace {

constexpr double kChiSquare2 = 13.815511, kChiSquare6 = 22.457744, kChiSquare9 = 27.877165;
constexpr double kChiSquare23 = 49.728232, kChiSquare255 = 330.51974;
constexpr double kKolmogorov = 1.9494746;  // of sqrt(n) times the largest gap
constexpr double kNormal = 3.2905267;      // of a standard normal's absolute value

double chi_square(const std::vector<Index>& counts, const std::vector<double>& probabilities) {
  const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), Index{0}));
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = total * probabilities[i];
    sum += std::pow(static_cast<double>(counts[i]) - expected, 2) / expected;
  }
  return sum;
}

double chi_square(const std::vector<Index>& counts) {
  return chi_square(counts, std::vector<double>(counts.size(), 1 / double(counts.size())));
}

// sqrt(n) times the largest distance between the sample's distribution and the uniform one.
double kolmogorov(std::vector<double> sample) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double gap = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const auto below = static_cast<double>(i);
    gap = std::max({gap, (below + 1) / n - sample[i], sample[i] - below / n});
  }
  return std::sqrt(n) * gap;
}

std::vector<double> draw(Random random, Index count) {
  std::vector<double> result;
  for (Index i = 0; i < count; ++i) result.push_back(random.uniform());
  return result;
}

// sqrt(n) times the correlation: standard normal when the two are independent.
double scaled_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - 0.5) * (b[i] - 0.5);
  return sum * 12 / std::sqrt(static_cast<double>(a.size()));
}

std::uint64_t hash_of(const std::vector<double>& row) {
  return row_hash(Dense<double>{row.data(), 1, ssize(row), ssize(row)}, 0);
}

}  // namespace

TEST_CASE("philox gives the known answers of Random123's kat_vectors") {
  // Random123 1.14, tests/kat_vectors, the lines "philox4x32 10": counter, key, answer.
  using Words = std::array<std::uint32_t, 4>;
  CHECK(philox({0, 0, 0, 0}, 0) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffffffffffff) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a stream is philox under the mixed key with block, iteration and row as counter") {
  Random random(7, Purpose::kStart, 3, 0x500000004);
  const std::uint64_t key = mix(7, 1);
  for (std::uint32_t block = 0; block < 3; ++block) {
    const auto words = philox({block, 3, 4, 5}, key);
    CHECK(random.bits() == (std::uint64_t{words[1]} << 32 | words[0]));
    CHECK(random.bits() == (std::uint64_t{words[3]} << 32 | words[2]));
  }
}

TEST_CASE("the same name gives the same numbers") {
  CHECK(draw(Random(5, Purpose::kSample, 2, 9), 100) ==
        draw(Random(5, Purpose::kSample, 2, 9), 100));
}

TEST_CASE("streams that differ in one part of their name are uncorrelated") {
  const Index count = 20000;
  const auto base = draw(Random(0, Purpose::kTest), count);
  const std::vector<Random> others{
      Random(1, Purpose::kTest),       Random(std::uint64_t{1} << 63, Purpose::kTest),
      Random(0, Purpose::kStart),      Random(0, Purpose::kSample),
      Random(0, Purpose::kTest, 1),    Random(0, Purpose::kTest, 0xffffffff),
      Random(0, Purpose::kTest, 0, 1), Random(0, Purpose::kTest, 0, std::uint64_t{1} << 32)};
  for (const Random& other : others) {
    CHECK(std::abs(scaled_correlation(base, draw(other, count))) < kNormal);
  }
}

TEST_CASE("the first draws of consecutive rows are uniform and independent of their neighbours") {
  std::vector<double> first;
  for (std::uint64_t row = 0; row < 20001; ++row) {
    first.push_back(Random(0, Purpose::kTest, 0, row).uniform());
  }
  CHECK(kolmogorov(first) < kKolmogorov);
  const std::vector<double> left(first.begin(), first.end() - 1);
  const std::vector<double> right(first.begin() + 1, first.end());
  CHECK(std::abs(scaled_correlation(left, right)) < kNormal);
}

TEST_CASE("every byte of the bits is uniform") {
  Random random(1, Purpose::kTest);
  std::vector<std::vector<Index>> counts(8, std::vector<Index>(256));
  for (int i = 0; i < 50000; ++i) {
    const std::uint64_t bits = random.bits();
    for (std::size_t byte = 0; byte < 8; ++byte) ++counts[byte][bits >> (8 * byte) & 255];
  }
  for (const auto& count : counts) CHECK(chi_square(count) < kChiSquare255);
}

TEST_CASE("uniform passes Kolmogorov and Smirnov's test and is odd in units of 2^-53") {
  const auto sample = draw(Random(2, Purpose::kTest), 100000);
  CHECK(kolmogorov(sample) < kKolmogorov);
  for (const double u : sample) {
    const bool open_and_odd = u > 0 && u < 1 && std::fmod(u * 0x1p53, 2) == 1;
    CHECK_MESSAGE(open_and_odd, u);
  }
}

TEST_CASE("normal passes Kolmogorov and Smirnov's test") {
  Random random(3, Purpose::kTest);
  std::vector<double> sample;
  for (int i = 0; i < 100000; ++i)
    sample.push_back(0.5 * std::erfc(-random.normal() / std::sqrt(2)));
  CHECK(kolmogorov(sample) < kKolmogorov);
}

TEST_CASE("normal_quantile agrees with mpmath to 1e-15") {
  const std::vector<std::pair<double, double>> expected{
      {1e-300, -37.047096299361199237},
      {1e-100, -21.273453560965324294},
      {1e-20, -9.2623400897984075796},
      {0x1p-53, -8.2095361516013868556},
      {1e-12, -7.0344838253011319326},
      {1e-10, -6.3613409024040561991},
      {1e-5, -4.2648907939228246102},
      {0.001, -3.0902323061678135354},
      {0.025, -1.9599639845400542118},
      {0.074, -1.4466320671589785099},
      {0.075, -1.4395314709384559349},
      {0.076, -1.4325027208258116188},
      {0.1, -1.2815515655446004353},
      {0.25, -0.6744897501960817432},
      {0.4, -0.25334710313579974132},
      {0.49999, -0.000025066282748960008527},
      {0.5, 0.0},
      {0.50001, 0.000025066282748820862706},
      {0.7, 0.52440051270804065631},
      {0.925, 1.4395314709384562291},
      {0.926, 1.446632067158978807},
      {0.975, 1.9599639845400538556},
      {0.999999, 4.7534243088170877657},
      {0x1.fffffffffffffp-1, 8.2095361516013868556}};
  for (const auto& [p, quantile] : expected) {
    CHECK_MESSAGE(std::abs(normal_quantile(p) - quantile) <= 1e-15 * std::abs(quantile), p);
  }
}

TEST_CASE("normal_quantile refuses what is not a probability inside (0, 1)") {
  CHECK_THROWS_AS(normal_quantile(0), std::logic_error);
  CHECK_THROWS_AS(normal_quantile(1), std::logic_error);
  CHECK_THROWS_AS(normal_quantile(std::nan("")), std::logic_error);
}

TEST_CASE("below is uniform and stays below") {
  Random random(4, Purpose::kTest);
  std::vector<Index> counts(10);
  for (int i = 0; i < 100000; ++i) ++counts.at(usize(random.below(10)));
  CHECK(chi_square(counts) < kChiSquare9);
  for (int i = 0; i < 100; ++i) CHECK(random.below(1) == 0);
}

TEST_CASE("below is unbiased when the range does not divide the words") {
  // For 3 * 2^61 values, plain remainders favour the thirds 3 : 3 : 2, and plain products the
  // remainders by 3.
  Random random(5, Purpose::kTest);
  const Index third = Index{1} << 61;
  std::vector<Index> thirds(3), remainders(3);
  for (int i = 0; i < 30000; ++i) {
    const Index value = random.below(3 * third);
    ++thirds.at(usize(value / third));
    ++remainders.at(usize(value % 3));
  }
  CHECK(chi_square(thirds) < kChiSquare2);
  CHECK(chi_square(remainders) < kChiSquare2);
}

TEST_CASE("below refuses an empty range") {
  Random random(0, Purpose::kTest);
  CHECK_THROWS_AS(random.below(0), std::logic_error);
}

TEST_CASE("categorical follows its weights") {
  Random random(6, Purpose::kTest);
  const std::vector<double> weights{1, 2, 3, 4, 5, 6, 7};
  std::vector<double> probabilities;
  for (const double weight : weights) probabilities.push_back(weight / 28);
  std::vector<Index> counts(7);
  for (int i = 0; i < 100000; ++i) ++counts.at(usize(random.categorical(weights)));
  CHECK(chi_square(counts, probabilities) < kChiSquare6);
}

TEST_CASE("categorical never returns an index of weight zero") {
  Random random(7, Purpose::kTest);
  const std::vector<double> weights{0, 0, 1e-300, 0, 2e-300, 0, 0};
  std::set<Index> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.categorical(weights));
  CHECK(seen == std::set<Index>{2, 4});
  const std::vector<double> tiny{0, 5e-324, 0};  // every mark rounds to 0 or to the total
  for (int i = 0; i < 1000; ++i) CHECK(random.categorical(tiny) == 1);
}

TEST_CASE("categorical refuses weights without a distribution") {
  Random random(0, Purpose::kTest);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& weights : {std::vector<double>{}, {0, 0}, {1, -1}, {infinity}}) {
    CHECK_THROWS_AS(random.categorical(weights), std::logic_error);
  }
  CHECK_THROWS_AS(random.categorical(std::vector<double>{1, std::nan("")}), std::logic_error);
}

TEST_CASE("permutation gives each of the 24 orders of four equally often") {
  Random random(8, Purpose::kTest);
  std::vector<Index> counts(24), order(4);
  for (int i = 0; i < 48000; ++i) {
    random.permutation(order);
    std::size_t rank = 0;  // by the number of later, smaller elements
    for (std::size_t j = 0; j < 4; ++j) {
      const auto smaller =
          std::count_if(order.begin() + static_cast<std::ptrdiff_t>(j), order.end(),
                        [&](Index later) { return later < order[j]; });
      rank = rank * (4 - j) + static_cast<std::size_t>(smaller);
    }
    ++counts.at(rank);
  }
  CHECK(chi_square(counts) < kChiSquare23);
}

TEST_CASE("permutation holds every index once") {
  std::vector<Index> order(1000), sorted(1000);
  Random(9, Purpose::kTest).permutation(order);
  CHECK(!std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  std::iota(sorted.begin(), sorted.end(), Index{0});
  CHECK(order == sorted);
  Random(9, Purpose::kTest).permutation({});
}

TEST_CASE("mix spreads one changed bit over half of the result") {
  double changed = 0;
  for (int bit = 0; bit < 64; ++bit) {
    for (std::uint64_t word = 0; word < 100; ++word) {
      const std::uint64_t flip = std::uint64_t{1} << bit;
      changed += std::popcount(mix(word, 5) ^ mix(word ^ flip, 5));
      changed += std::popcount(mix(5, word) ^ mix(5, word ^ flip));
    }
  }
  // 12800 changes of about 64 fair coins each: a standard deviation of 4 / sqrt(12800) = 0.035.
  CHECK(std::abs(changed / 12800 - 32) < 0.035 * kNormal);
  CHECK(mix(1, 2) != mix(2, 1));
}

TEST_CASE("a row hashes the same dense and sparse, as float and as double") {
  const std::vector<double> dense{9, 9, 0, 1.5, 0, -2.25, 9};  // the row lies inside a wider table
  const std::vector<float> single(dense.begin(), dense.end());
  const std::vector<Index> offsets{0, 1, 4};
  const std::vector<std::int32_t> columns{0, 1, 2, 3};
  const std::vector<double> values{7, 1.5, 0, -2.25};  // a zero may be stored
  const std::vector<float> single_values(values.begin(), values.end());
  const std::uint64_t hash = row_hash(Dense<double>{dense.data() + 2, 1, 4, 4}, 0);
  CHECK(row_hash(Dense<float>{single.data() + 2, 1, 4, 4}, 0) == hash);
  CHECK(row_hash(Sparse<double>{offsets.data(), columns.data(), values.data(), 2, 4}, 1) == hash);
  CHECK(row_hash(Sparse<float>{offsets.data(), columns.data(), single_values.data(), 2, 4}, 1) ==
        hash);
}

TEST_CASE("a negative zero hashes as zero") { CHECK(hash_of({1, -0.0, 2}) == hash_of({1, 0, 2})); }

TEST_CASE("rows with other values or the same values in other columns hash differently") {
  const std::vector<std::vector<double>> rows{{1, 2}, {2, 1},    {1, 0},  {0, 1},  {0, 0},
                                              {1, 1}, {1, 2, 3}, {-1, 2}, {1, -2}, {1, 2 + 1e-15}};
  std::set<std::uint64_t> hashes;
  for (const auto& row : rows) hashes.insert(hash_of(row));
  CHECK(hashes.size() == rows.size());
}

}  // namespace craton
