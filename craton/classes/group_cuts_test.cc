#include "craton/classes/group_cuts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "craton/base/random.h"

namespace craton::group_cuts_test {

namespace {

// Rows of `groups` (place, width, rows) in the first column; the second has no groups.
struct Place {
  double at, width;
  std::uint64_t rows;
};

Array rows_at(const std::vector<Place>& groups, double unit = 1) {
  Array x{{0, 2}, {}};
  std::uint64_t i = 0;
  for (const Place& group : groups) {
    for (std::uint64_t end = i + group.rows; i < end; ++i) {
      Random random(7, Purpose::kTest, 0, i);
      x.values.push_back(group.at + group.width * random.normal());
      x.values.push_back(unit * group.width * random.normal());
    }
  }
  x.shape[0] = static_cast<Index>(i);
  return x;
}

// In units of the columns' standard deviations.
GroupCuts cuts_of(const Array& x, GroupShape shape) {
  std::vector<double> mean(2), unit(2);
  const double n = static_cast<double>(x.rows());
  for (std::size_t i = 0; i < x.values.size(); ++i) mean[i % 2] += x.values[i] / n;
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    unit[i % 2] += std::pow(x.values[i] - mean[i % 2], 2) / n;
  }
  for (double& u : unit) u = std::sqrt(u);
  return GroupCuts(x, mean, unit, shape);
}

constexpr GroupShape kShapes[] = {GroupShape::kFull, GroupShape::kDiagonal, GroupShape::kBall};

}  // namespace

TEST_CASE("a gap between two groups is where they are cut, and gains what theory says") {
  const Array x = rows_at({{0, 1, 400}, {10, 1, 200}});
  const std::vector<double> ones(600, 1.0);
  for (const GroupShape shape : kShapes) {
    const GroupCut cut = cuts_of(x, shape).best(ones, 20);
    std::size_t of_second = 0;
    for (const std::size_t i : cut.far) of_second += i >= 400;
    CHECK(cut.far.size() == 200);
    CHECK(of_second == 200);
    CHECK(cut.near.size() == 400);
    if (shape == GroupShape::kBall) continue;  // their gain depends on both columns
    // Of the first column alone: its variance is 1 + 100 x 2/9, those of the sides 1. The few rows
    // that are like the whole group take a little of it.
    const double least = 300 * std::log(1 + 200.0 / 9) + 400 * std::log(400) + 200 * std::log(200) -
                         600 * std::log(600);
    CHECK(cut.gain == doctest::Approx(least).epsilon(0.1));
  }
}

TEST_CASE("a cut through one Gaussian loses") {
  const Array x = rows_at({{3, 2, 2000}});
  for (const GroupShape shape : kShapes) {
    CHECK(cuts_of(x, shape).best(std::vector<double>(2000, 1.0), 50).gain < 0);
  }
}

TEST_CASE("a core in a halo is cut by a shell") {
  const Array x = rows_at({{0, 0.3, 500}, {0, 4, 500}});
  for (const GroupShape shape : kShapes) {
    const GroupCut cut = cuts_of(x, shape).best(std::vector<double>(1000, 1.0), 50);
    std::size_t of_core = 0;
    for (const std::size_t i : cut.near) of_core += i < 500;
    CHECK(cut.gain > 0);
    CHECK(of_core > 490);
    CHECK(cut.near.size() < 560);
  }
}

TEST_CASE("no side of a cut is smaller than asked, and rows without a share are in none") {
  const Array x = rows_at({{0, 1, 390}, {50, 1, 10}});
  const GroupCuts cuts = cuts_of(x, GroupShape::kFull);
  CHECK(cuts.best(std::vector<double>(400, 1.0), 5).far.size() == 10);
  const GroupCut large = cuts.best(std::vector<double>(400, 1.0), 40);
  CHECK(std::min(large.far.size(), large.near.size()) >= 40);
  std::vector<double> shares(400, 1.0);
  for (std::size_t i = 0; i < 100; ++i) shares[i] = 0;
  const GroupCut some = cuts.best(shares, 5);
  CHECK(some.far.size() + some.near.size() == 300);
  CHECK(cuts.best(std::vector<double>(400, 1.0), 300).gain < -1e300);  // there is none
}

TEST_CASE("groups along an axis are divided one by one, whatever the other column's unit") {
  std::vector<Place> places;
  for (int g = 0; g < 7; ++g) places.push_back({10.0 * g, 1, 100});
  for (const double unit : {1.0, 1000.0}) {
    const Array x = rows_at(places, unit);
    const std::vector<std::int32_t> labels =
        cuts_of(x, GroupShape::kFull).divide(std::vector<double>(700, 1.0), 7);
    std::set<std::int32_t> seen;
    for (std::size_t g = 0; g < 7; ++g) {
      const auto group = std::span(labels).subspan(g * 100, 100);
      const std::int32_t label = group[0] == group[1] ? group[0] : group[2];
      seen.insert(label);
      CHECK(std::count(group.begin(), group.end(), label) >= 98);  // thresholds lie between bins
    }
    CHECK(seen.size() == 7);
  }
}

TEST_CASE("equal rows cannot be divided, and that is no error") {
  const Array x{{5, 2}, {1, 2, 1, 2, 1, 2, 1, 2, 1, 2}};
  const GroupCuts cuts(x, {1, 2}, {1, 1}, GroupShape::kFull);
  CHECK(cuts.divide(std::vector<double>(5, 1.0), 3) == std::vector<std::int32_t>(5, 0));
}

}  // namespace craton::group_cuts_test
