#include "craton/select/splits.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/random.h"
#include "tests/refused.h"

namespace craton {
namespace {

// Every row is tested once, and learned from in all other folds.
void check_parts(const Folds& folds, Index rows) {
  std::vector<Index> tested(usize(rows)), learned(usize(rows));
  for (Index f = 0; f < folds.size; ++f) {
    const RowSet test = folds.test(f), train = folds.train(f);
    for (Index i = 0; i < rows; ++i) {
      REQUIRE_FALSE((test.contains(i) && train.contains(i)));
      tested[usize(i)] += test.contains(i) ? 1 : 0;
      learned[usize(i)] += train.contains(i) ? 1 : 0;
    }
  }
  CHECK(tested == std::vector<Index>(usize(rows), 1));
  CHECK(learned == std::vector<Index>(usize(rows), folds.size - 1));
}

std::vector<Index> sizes_of(const Folds& folds) {
  std::vector<Index> sizes;
  for (Index f = 0; f < folds.size; ++f) sizes.push_back(folds.test(f).size());
  return sizes;
}

Index range_of(const std::vector<Index>& sizes) {
  const auto [low, high] = std::minmax_element(sizes.begin(), sizes.end());
  return *high - *low;
}

TEST_CASE("plain parts differ by one row at most, and are others for another seed or repeat") {
  for (const Index rows : {2, 5, 17, 1000}) {
    for (const Index k : {2, 3, 5}) {
      if (k > rows) continue;
      const Folds folds = split_plain(rows, {.folds = k, .seed = 3});
      check_parts(folds, rows);
      CHECK(range_of(sizes_of(folds)) <= 1);
    }
  }
  const auto part = [](std::uint64_t seed, std::uint32_t repeat) {
    return split_plain(50, {.folds = 5, .seed = seed, .repeat = repeat}).part;
  };
  CHECK(part(1, 0) == part(1, 0));
  CHECK(part(1, 0) != part(2, 0));
  CHECK(part(1, 0) != part(1, 1));
}

TEST_CASE("a row is as often with any other: parts are drawn, not cut") {
  Index together = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Folds folds = split_plain(10, {.folds = 5, .seed = seed});
    together += folds.part[0] == folds.part[1] ? 1 : 0;
  }
  CHECK(std::abs(static_cast<double>(together) / 2000 - 1.0 / 9) < 0.03);
}

TEST_CASE("stratified parts have each class within one row, and all rows within one") {
  Random random(5, Purpose::kTest);
  for (Index trial = 0; trial < 20; ++trial) {
    std::vector<std::int32_t> labels;
    for (std::int32_t c = 0; c < 4; ++c) {
      labels.insert(labels.end(), usize(5 + random.below(30)), c);
    }
    const std::vector<std::string> names{"a", "b", "c", "d"};
    const Folds folds = split_stratified(labels, names, {.folds = 5, .seed = 9});
    check_parts(folds, ssize(labels));
    CHECK(range_of(sizes_of(folds)) <= 1);
    for (std::int32_t c = 0; c < 4; ++c) {
      std::vector<Index> counts(5);
      for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] == c) ++counts[usize(folds.part[i])];
      }
      CHECK(range_of(counts) <= 1);
    }
  }
}

TEST_CASE("rows without a label are always learned from") {
  const std::vector<std::int32_t> labels{0, -1, 1, 0, 1, -1};
  const std::vector<std::string> names{"a", "b"};
  const Folds folds = split_stratified(labels, names, {.folds = 2});
  for (Index f = 0; f < 2; ++f) {
    CHECK(folds.train(f).contains(1));
    CHECK(folds.train(f).contains(5));
    CHECK(folds.test(f).size() == 2);
  }
}

TEST_CASE("groups are never parted, and parts are as even as groups allow") {
  Random random(6, Purpose::kTest);
  std::vector<double> groups;
  for (Index i = 0; i < 500; ++i) groups.push_back(static_cast<double>(random.below(40)));
  const Folds folds = split_grouped(groups, {.folds = 4, .seed = 1});
  check_parts(folds, 500);
  std::vector<std::int32_t> part(40, -1);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::int32_t& of_group = part[static_cast<std::size_t>(groups[i])];
    REQUIRE((of_group == -1 || of_group == folds.part[i]));
    of_group = folds.part[i];
  }
  CHECK(range_of(sizes_of(folds)) <= 8);
}

// The mean over classes of the standard deviation over parts of n_cf / n_c.
double unevenness(const Folds& folds, std::span<const std::int32_t> labels, Index classes) {
  double sum = 0;
  for (Index c = 0; c < classes; ++c) {
    std::vector<double> share(usize(folds.size));
    double total = 0, squares = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == c) ++share[usize(folds.part[i])], ++total;
    }
    for (const double s : share) {
      squares += std::pow(s / total - 1 / static_cast<double>(folds.size), 2);
    }
    sum += std::sqrt(squares / static_cast<double>(folds.size));
  }
  return sum / static_cast<double>(classes);
}

TEST_CASE("stratified groups are never parted, and classes are as even as chance finds them") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed, Purpose::kTest);
    std::vector<double> groups;
    std::vector<std::int32_t> labels;
    for (Index i = 0; i < 300; ++i) {  // each group has a class that it has most of
      const Index g = random.below(24);
      groups.push_back(static_cast<double>(g));
      labels.push_back(static_cast<std::int32_t>(random.below(10) < 6 ? g % 3 : random.below(3)));
    }
    const Folds folds = split_stratified_groups(labels, groups, {.folds = 4, .seed = seed});
    check_parts(folds, 300);
    std::vector<std::int32_t> part(24, -1);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      std::int32_t& of_group = part[static_cast<std::size_t>(groups[i])];
      REQUIRE((of_group == -1 || of_group == folds.part[i]));
      of_group = folds.part[i];
    }
    double least = 1;
    for (std::uint64_t other = 0; other < 1000; ++other) {
      const Folds drawn = split_grouped(groups, {.folds = 4, .seed = other});
      least = std::min(least, unevenness(drawn, labels, 3));
    }
    CHECK(unevenness(folds, labels, 3) <= least);
  }
}

TEST_CASE("other repeats part groups of any sizes in other ways") {
  std::vector<double> groups;
  for (Index g = 0; g < 20; ++g) groups.insert(groups.end(), usize(5 + g), static_cast<double>(g));
  const auto part = [&](std::uint32_t repeat) {
    return split_grouped(groups, {.folds = 4, .repeat = repeat}).part;
  };
  CHECK(part(0) != part(1));
  CHECK(part(1) != part(2));
  CHECK(range_of(sizes_of(split_grouped(groups, {.folds = 4}))) <= 2);
}

TEST_CASE("where each class can be spread exactly, it is") {
  // Groups of one kind and size: four for each of two classes, and as many parts.
  std::vector<std::int32_t> labels;
  std::vector<double> groups;
  for (Index i = 0; i < 80; ++i) {
    groups.push_back(static_cast<double>(i / 10));
    labels.push_back(static_cast<std::int32_t>(i / 10 % 2));
  }
  const Folds folds = split_stratified_groups(labels, groups, {.folds = 4, .seed = 2});
  CHECK(unevenness(folds, labels, 2) < 1e-12);
}

TEST_CASE("groups are told apart by their rows, whatever they are called") {
  std::vector<double> groups, others;
  std::vector<std::int32_t> labels;
  Random random(8, Purpose::kTest);
  for (Index i = 0; i < 200; ++i) {
    groups.push_back(static_cast<double>(random.below(30)));
    others.push_back(7 - groups.back() * 0.25);
    labels.push_back(static_cast<std::int32_t>(random.below(2)));
  }
  CHECK(split_grouped(groups, {}).part == split_grouped(others, {}).part);
  CHECK(split_stratified_groups(labels, groups, {}).part ==
        split_stratified_groups(labels, others, {}).part);
}

TEST_CASE("every part has a group, though classes do not ask for it") {
  const std::vector<std::int32_t> labels{0, 1, 2, 3, -1, -1};
  const std::vector<double> groups{0, 1, 2, 3, 4, 5};
  const Folds folds = split_stratified_groups(labels, groups, {.folds = 4});
  for (Index f = 0; f < 4; ++f) CHECK(folds.test(f).size() == 1);
  CHECK(folds.part[4] == -1);
}

TEST_CASE("ordered folds learn from the past only") {
  std::vector<double> times;
  for (Index i = 0; i < 100; ++i) times.push_back(static_cast<double>((i * 37) % 100 / 3));
  const Folds folds = split_ordered(100, times, {.folds = 4})[0];
  Index tested = 0;
  for (Index f = 0; f < 4; ++f) {
    const RowSet test = folds.test(f), train = folds.train(f);
    double last = -1, first = 1000;
    for (Index i = 0; i < 100; ++i) {
      if (train.contains(i)) last = std::max(last, times[usize(i)]);
      if (test.contains(i)) first = std::min(first, times[usize(i)]);
    }
    CHECK(last < first);
    tested += test.size();
  }
  CHECK(tested + folds.train(0).size() == 100);
  CHECK(sizes_of(split_ordered(23, {}, {.folds = 4})[0]) == std::vector<Index>{4, 4, 4, 4});
}

TEST_CASE("without a shuffle each part, of each class, is one stretch of the rows") {
  const SplitOptions in_order{.folds = 3, .seed = 7, .repeat = 2, .shuffle = false};
  using Parts = std::vector<std::int32_t>;
  CHECK(split_plain(8, in_order).part == Parts{0, 0, 0, 1, 1, 1, 2, 2});
  const std::vector<std::string> names{"a", "b"};
  const std::vector<std::int32_t> labels{0, 1, 0, 1, 0, 1, 0, 1, -1, 0};
  // Five of a: two, two and one; four of b go on with the last part.
  CHECK(split_stratified(labels, names, in_order).part == Parts{0, 0, 0, 1, 1, 2, 1, 2, -1, 2});
  const std::vector<double> groups{5, 1, 1, 1, 1, 2, 2, 2, 9, 9};
  CHECK(split_grouped(groups, in_order).part == Parts{2, 0, 0, 0, 0, 1, 1, 1, 2, 2});
}

TEST_CASE("ordered folds keep a gap, a size of tests and a size of what is learned from") {
  const auto rows_of = [](const RowSet& set) {
    std::vector<Index> rows;
    for (Index i = 0; i < 12; ++i) {
      if (set.contains(i)) rows.push_back(i);
    }
    return rows;
  };
  using Found = std::vector<Index>;
  const std::vector<Folds> sized = split_ordered(12, {}, {.folds = 3, .test_size = 2});
  REQUIRE(sized.size() == 1);
  CHECK(rows_of(sized[0].test(0)) == Found{6, 7});
  CHECK(rows_of(sized[0].train(0)) == Found{0, 1, 2, 3, 4, 5});
  CHECK(rows_of(sized[0].test(2)) == Found{10, 11});
  const std::vector<Folds> spaced =
      split_ordered(12, {}, {.folds = 3, .test_size = 2, .gap = 2, .max_train_size = 3});
  REQUIRE(spaced.size() == 3);
  CHECK(rows_of(spaced[0].train(0)) == Found{1, 2, 3});
  CHECK(rows_of(spaced[0].test(0)) == Found{6, 7});
  CHECK(rows_of(spaced[2].train(0)) == Found{5, 6, 7});
  CHECK(rows_of(spaced[2].test(0)) == Found{10, 11});
  check_refused([] { split_ordered(12, {}, {.folds = 3, .test_size = 3, .gap = 3}); },
                Code::kTooFewRows, -1, "12 rows are too few for 3 folds of 3 and a gap of 3");
}

TEST_CASE("too few rows, groups, times or rows of a class are refused with what to type") {
  const std::vector<std::string> names{"a", "rare"};
  const std::vector<std::int32_t> labels{0, 0, 0, 0, 1, 1}, lone{0, 0, 0, 1};
  const std::vector<double> groups{1, 1, 2, 2}, times{1, 1, 1, 1};
  const SplitOptions three{.folds = 3};
  const auto refuses = [](const auto& f, const char* text) {
    check_refused(f, Code::kTooFewRows, -1, text);
  };
  refuses([&] { split_plain(2, three); }, "Give --folds 2 or less");
  refuses([&] { split_stratified(labels, names, three); },
          "the class 'rare' has 2 rows, fewer than the 3 folds");
  refuses([&] { split_stratified(labels, names, three); }, "Give --folds 2, or --split plain");
  refuses([&] { split_stratified(lone, names, {.folds = 2}); }, "has one row");
  refuses([&] { split_grouped(groups, three); }, "there are 2 groups");
  refuses([&] { split_stratified_groups(lone, groups, three); }, "there are 2 groups");
  refuses([&] { split_ordered(3, {}, {.folds = 3}); }, "there are 3 rows");
  refuses([&] { split_ordered(4, times, {.folds = 2}); }, "of one time");
}

}  // namespace
}  // namespace craton
