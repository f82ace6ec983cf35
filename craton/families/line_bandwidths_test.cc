#include "craton/families/line_bandwidths.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "craton/base/random.h"
#include "craton/families/bandwidth.h"

namespace craton::line_bandwidths_test {

namespace {

using Numbers = std::vector<double>;

Points line(Numbers x) {
  std::sort(x.begin(), x.end());
  Points points{1, {}, {}};
  for (const double v : x) {
    if (!points.rows.empty() && points.rows.back() == v) {
      points.weights.add_to_last(1);
    } else {
      points.rows.push_back(v);
      points.weights.push_back(1);
    }
  }
  return points;
}

double bandwidth(BandwidthRule rule, const Points& points, std::vector<Note>* notes = nullptr) {
  std::vector<Note> own;
  return find_bandwidths(rule, points, numbered_schema(1), notes ? *notes : own)[0];
}

// Velocities of 82 galaxies in 1000 km/s (Roeder 1990).
const Numbers kGalaxies{
    9.172,  9.350,  9.483,  9.558,  9.775,  10.227, 10.406, 16.084, 16.170, 18.419, 18.552, 18.600,
    18.927, 19.052, 19.070, 19.330, 19.343, 19.349, 19.440, 19.473, 19.529, 19.541, 19.547, 19.663,
    19.846, 19.856, 19.863, 19.914, 19.918, 19.973, 19.989, 20.166, 20.175, 20.179, 20.196, 20.215,
    20.221, 20.415, 20.629, 20.795, 20.821, 20.846, 20.875, 20.986, 21.137, 21.492, 21.701, 21.814,
    21.921, 21.960, 22.185, 22.209, 22.242, 22.249, 22.314, 22.374, 22.495, 22.746, 22.747, 22.888,
    22.914, 23.206, 23.241, 23.263, 23.484, 23.538, 23.542, 23.666, 23.706, 23.711, 24.129, 24.285,
    24.289, 24.366, 24.717, 24.990, 25.633, 26.690, 26.995, 32.065, 32.789, 34.279};

Numbers two_groups(int count) {
  Numbers x;
  for (int i = 0; i < count; ++i) {
    Random random(17, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    x.push_back(random.normal() + (i % 2 == 0 ? 5 : 0));
  }
  return x;
}

// psi_r over all pairs.
double psi(const Numbers& x, double g, int order) {
  double sum = 0;
  for (const double a : x) {
    for (const double b : x) {
      const double s = (a - b) * (a - b) / (g * g);
      const double p = order == 4 ? (s - 6) * s + 3 : ((s - 15) * s + 45) * s - 15;
      sum += p * std::exp(-s / 2);
    }
  }
  const auto n = static_cast<double>(x.size());
  return sum / (n * (n - 1) * std::pow(g, order + 1) * std::sqrt(2 * std::numbers::pi));
}

}  // namespace

// tests/reference/kde.py
TEST_CASE("rules for one column give the figures of sums over all pairs") {
  const Points points = line(kGalaxies);
  const auto near = [](double value) { return doctest::Approx(value).epsilon(1e-6); };
  CHECK(bandwidth(BandwidthRule::kSolved, points) == near(0.6382646151885102));
  CHECK(bandwidth(BandwidthRule::kPlugIn, points) == near(0.8128275756807873));
  CHECK(bandwidth(BandwidthRule::kSquaresLeftOut, points) == near(0.6178752050718886));
  CHECK(bandwidth(BandwidthRule::kLikelihoodLeftOut, points) == near(0.6453786890601222));
}

// KDEpy 1.1.12 gives 0.36336, in units of the range of its bins, but multiplies by that of the
// data: half of it. Its bins are others.
TEST_CASE("the improved rule is KDEpy's within a hundredth") {
  CHECK(bandwidth(BandwidthRule::kImproved, line(kGalaxies)) ==
        doctest::Approx(0.7267281296798442).epsilon(0.01));
}

TEST_CASE("many rows go through cells and give what all pairs give") {
  const Numbers x = two_groups(1500);
  const Points points = line(x);
  const double n = 1500;
  const double h = bandwidth(BandwidthRule::kSolved, points);
  Numbers sorted = x;
  std::sort(sorted.begin(), sorted.end());
  double mean = 0, square = 0;
  for (const double v : x) mean += v / n;
  for (const double v : x) square += (v - mean) * (v - mean);
  const auto quantile = [&](double p) {
    const double at = p * (n - 1);
    const auto low = static_cast<std::size_t>(at);
    return sorted[low] + (at - std::floor(at)) * (sorted[low + 1] - sorted[low]);
  };
  const double scale =
      std::min(std::sqrt(square / (n - 1)), (quantile(0.75) - quantile(0.25)) / 1.349);
  const double ratio = 1.357 * std::pow(psi(x, 1.24 * scale * std::pow(n, -1.0 / 7), 4) /
                                            -psi(x, 1.23 * scale * std::pow(n, -1.0 / 9), 6),
                                        1.0 / 7);
  const double curvature = psi(x, ratio * std::pow(h, 5.0 / 7), 4);
  CHECK(h == doctest::Approx(std::pow(1 / (2 * std::sqrt(std::numbers::pi) * n * curvature), 0.2))
                 .epsilon(1e-6));
}

TEST_CASE("rules go with the units of the data, and weights are copies") {
  const Numbers x = two_groups(300);
  Numbers twice = x, moved = x;
  twice.insert(twice.end(), x.begin(), x.begin() + 100);
  for (double& v : moved) v = 1e6 + 4096 * v;
  for (const BandwidthRule rule :
       {BandwidthRule::kSolved, BandwidthRule::kPlugIn, BandwidthRule::kImproved,
        BandwidthRule::kSquaresLeftOut, BandwidthRule::kLikelihoodLeftOut}) {
    CAPTURE(static_cast<int>(rule));
    const double h = bandwidth(rule, line(x));
    CHECK(bandwidth(rule, line(moved)) == doctest::Approx(4096 * h).epsilon(1e-4));
    Points weighted = line(x);
    Numbers weights = weighted.weights.all();
    for (std::size_t i = 0; i < 100; ++i) {
      const auto at = std::ranges::lower_bound(weighted.rows, x[i]) - weighted.rows.begin();
      weights[usize(at)] += 1;
    }
    weighted.weights = weights;
    CHECK(bandwidth(rule, weighted) == bandwidth(rule, line(twice)));
  }
}

TEST_CASE("where ties make cross-validation fall to 0 the next rule is taken, and it is said") {
  Numbers x;
  for (int i = 0; i < 200; ++i) x.push_back(i % 5);
  std::vector<Note> notes;
  const double h = bandwidth(BandwidthRule::kLikelihoodLeftOut, line(x), &notes);
  CHECK(h == bandwidth(BandwidthRule::kSolved, line(x)));
  REQUIRE_FALSE(notes.empty());
  CHECK(notes[0].code == "bandwidth-rule");
}

}  // namespace craton::line_bandwidths_test
