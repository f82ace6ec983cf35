#include "craton/families/statistics.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/family_cases.h"
#include "tests/refused.h"

using namespace craton;

namespace {

using Numbers = std::vector<double>;

Statistics seen(const FamilyCase& c, std::span<const double> x, std::span<const double> w = {}) {
  Statistics statistics = c.family().empty(c.levels());
  c.family().accumulate(x, w, statistics);
  return statistics;
}

// The largest difference between two estimates, relative to the parameters (angles: to 1).
double difference(const FamilyCase& c, const Statistics& a, const Statistics& b) {
  const Parameters p = c.family().estimate(a, c.told()), q = c.family().estimate(b, c.told());
  double most = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    most = std::max(most, std::abs(p[i] - q[i]) / std::max(std::abs(p[i]), 1e-3));
  }
  return most;
}

std::vector<std::byte> bytes_of(const Statistics& s) {
  Writer writer;
  write(writer, s);
  return {writer.bytes().begin(), writer.bytes().end()};
}

}  // namespace

TEST_CASE("two halves merged equal the whole") {
  for (const FamilyCase& c : family_cases()) {
    CAPTURE(c.name);
    const Numbers x = c.draw(1000, 1);
    const std::span all(x);
    Statistics halves = seen(c, all.first(300));
    merge(halves, seen(c, all.subspan(300)));
    CHECK(weight(halves) == 1000);
    CHECK(difference(c, seen(c, all), halves) <= 1e-11);
  }
}

TEST_CASE("what was subtracted was never seen") {
  for (const FamilyCase& c : family_cases()) {
    CAPTURE(c.name);
    if (c.name == "uniform") continue;
    const Numbers x = c.draw(1000, 2);
    const std::span all(x);
    Statistics rest = seen(c, all);
    subtract(rest, seen(c, all.first(400)));
    CHECK(weight(rest) == 600);
    CHECK(difference(c, seen(c, all.subspan(400)), rest) <= 1e-9);
    subtract(rest, seen(c, all.subspan(400)));
    CHECK(weight(rest) == 0);
  }
}

TEST_CASE("a range cannot unlearn, and says so") {
  Range range;
  range.add(Numbers{1, 2});
  check_refused([&] { range.subtract(Range{}); }, Code::kNotAble, -1, "uniform");
}

TEST_CASE("a weight is so many copies, and a missing value or one of weight 0 is not there") {
  for (const FamilyCase& c : family_cases()) {
    CAPTURE(c.name);
    const Numbers x = c.draw(300, 3);
    Numbers weights, copies, with_gaps, gap_weights;
    for (std::size_t i = 0; i < x.size(); ++i) {
      weights.push_back(static_cast<double>(i % 3));
      copies.insert(copies.end(), i % 3, x[i]);
      with_gaps.insert(with_gaps.end(), {x[i], NAN});
      gap_weights.insert(gap_weights.end(), {weights.back(), 2});
    }
    CHECK(difference(c, seen(c, copies), seen(c, x, weights)) <= 1e-11);
    CHECK(difference(c, seen(c, copies), seen(c, with_gaps, gap_weights)) <= 1e-11);
  }
}

TEST_CASE("integers give the same estimate bit for bit, however they were merged or unmerged") {
  for (const FamilyCase& c : family_cases()) {
    if (!counted(c.family()) && c.name != "gaussian") continue;
    CAPTURE(c.name);
    FamilyCase integers = c;
    if (c.name == "gaussian") integers = {"gaussian", {1e6, 1e8}};
    Numbers x = integers.draw(2000, 4);
    for (double& v : x) v = std::round(v);
    const std::span all(x);
    const Parameters once = integers.family().estimate(seen(integers, all), c.told());
    Statistics parts = seen(integers, all.subspan(1500));
    merge(parts, seen(integers, all.subspan(100, 1400)));
    for (std::size_t i = 0; i < 100; ++i) merge(parts, seen(integers, all.subspan(99 - i, 1)));
    CHECK(integers.family().estimate(parts, c.told()) == once);
    const Statistics more = seen(integers, Numbers{1, 0, 1, 1});
    merge(parts, more);
    subtract(parts, more);
    CHECK(integers.family().estimate(parts, c.told()) == once);
  }
}

TEST_CASE("statistics survive writing and reading") {
  for (const FamilyCase& c : family_cases()) {
    CAPTURE(c.name);
    const Statistics s = seen(c, c.draw(50, 5));
    const auto bytes = bytes_of(s);
    Reader reader(bytes);
    Statistics back = c.family().empty(c.levels());
    read(reader, back);
    CHECK(reader.done());
    CHECK(s == back);
    CHECK(words(s) * 8 <= std::ssize(bytes));
  }
}

TEST_CASE("an offset of the data costs no digits") {
  const Numbers small{0.5, 0.25, 1.75, 3, 2.5, 0.125, 4};
  for (const double offset : {0.0, 1e6, -1e12}) {
    Numbers x = small;
    for (double& v : x) v += offset;
    Moments moments;
    for (std::size_t i = 0; i < x.size(); ++i) moments.add(std::span(x).subspan(i, 1));
    // The variance is by Python's fractions.
    CHECK(moments.mean() == offset + 12.125 / 7);
    CHECK(std::abs(moments.variance() - 1.9483418367346939) <= 1e-15 * 1.9);
  }
}

TEST_CASE("the shift is a value near the mean, not the first one") {
  Numbers x{1e9};
  for (int i = 0; i < 1000; ++i) x.push_back(i % 2);
  Moments moments, one;
  moments.add(x);
  CHECK(moments.shift <= 1);
  one.add(Numbers{1e9});
  moments = {};
  moments.merge(one);
  moments.add(std::span(x).subspan(1));
  CHECK(moments.shift <= 1);
}
