#include "craton/draw/axes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace craton {
namespace {

using Labels = std::vector<std::string>;

constexpr double kInf = std::numeric_limits<double>::infinity();

AxisRange range_of(std::initializer_list<double> values) {
  AxisRange range;
  for (const double value : values) range.add(value);
  return range;
}

TEST_CASE("ticks are at round numbers") {
  CHECK(make_ticks({0, 1, false}, 5).labels == Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"});
  CHECK(make_ticks({-3, 12, false}, 4).labels == Labels{"0", "5", "10"});
  CHECK(make_ticks({43, 96, false}, 6).labels == Labels{"50", "60", "70", "80", "90"});
  CHECK(make_ticks({-0.25, 0.25, false}, 5).labels == Labels{"−0.2", "−0.1", "0.0", "0.1", "0.2"});
}

TEST_CASE("ticks lie in the range, ascend, and are neither few nor many") {
  for (double low : {-1e9, -7.3, 0.0, 1e-7, 3.3, 1e12}) {
    for (double width = std::max(1e-3, 1e-9 * std::abs(low)); width < 1e15; width *= 3.7) {
      const AxisRange range{low, low + width, false};
      const Ticks ticks = make_ticks(range, 6);
      CAPTURE(low);
      CAPTURE(width);
      CHECK(ticks.at.size() >= 3);
      CHECK(ticks.at.size() <= 11);
      CHECK(ticks.labels.size() == ticks.at.size());
      CHECK(ticks.at.front() >= range.low - 1e-6 * width);
      CHECK(ticks.at.back() <= range.high + 1e-6 * width);
      for (std::size_t i = 1; i < ticks.at.size(); ++i) CHECK(ticks.at[i - 1] < ticks.at[i]);
    }
  }
}

TEST_CASE("whole ticks are whole") {
  CHECK(make_ticks({0.7, 3.3, false}, 6, TickKind::kWhole).labels == Labels{"1", "2", "3"});
  CHECK(make_ticks({0.5, 12.5, false}, 6, TickKind::kWhole).labels.size() == 12);
}

TEST_CASE("labels far from 1 share an exponent") {
  const Ticks large = make_ticks({0, 5e6, false}, 5);
  CHECK(large.exponent == 6);
  CHECK(large.labels == Labels{"0", "1", "2", "3", "4", "5"});
  CHECK(axis_title("income", large) == "income (×10⁶)");
  const Ticks small = make_ticks({0, 4e-6, false}, 4);
  CHECK(small.exponent == -6);
  CHECK(small.labels == Labels{"0", "1", "2", "3", "4"});
  CHECK(axis_title("", small) == "×10⁻⁶");
  CHECK(make_ticks({-2e6, 12e6, false}, 6).labels.back() == "12");
}

TEST_CASE("an exponent that would not shorten the labels is not used") {
  const Ticks ticks = make_ticks({1000000, 1000010, false}, 5);
  CHECK(ticks.exponent == 0);
  CHECK(ticks.labels[1] == "1000002");
  CHECK(axis_title("x", ticks) == "x");
  CHECK(make_ticks({0, 100000, false}, 5).labels.back() == "100000");
}

TEST_CASE("a range that is tiny beside its values is labelled from an offset") {
  const Ticks ticks = make_ticks({1e13 + 2, 1e13 + 8, false}, 6);
  CHECK(ticks.offset == 1e13);
  CHECK(ticks.labels == Labels{"2", "3", "4", "5", "6", "7", "8"});
  CHECK(ticks.at.front() == 1e13 + 2);
  CHECK(axis_title("time", ticks) == "time (+10000000000000)");
  CHECK(make_ticks({1e13 - 2, 1e13 + 2, false}, 4).labels == Labels{"−2", "−1", "0", "1", "2"});
  CHECK(make_ticks({-1e13 - 2, -1e13 + 2, false}, 4).offset == -1e13);
  CHECK(make_ticks({2000, 2001, false}, 5).offset == 0);
}

TEST_CASE("what cannot be drawn is not in the range") {
  const AxisRange range = range_of({2, std::nan(""), kInf, -kInf, 1e305, 1});
  CHECK(range.low == 1);
  CHECK(range.high == 2);
  CHECK(range_of({std::nan("")}).empty);
}

TEST_CASE("every range can be drawn in") {
  for (const AxisRange& data :
       {AxisRange{}, range_of({0}), range_of({5}), range_of({-1e-9}), range_of({1e300}),
        range_of({1e-310}), range_of({1e15, 1e15 + 0.125}), range_of({-1e300, 1e300}),
        range_of({0, 1e-299}), range_of({0, 5e-324})}) {
    const AxisRange range = padded(data, 0.05);
    CAPTURE(data.low);
    CAPTURE(data.high);
    CHECK(range.width() > 0);
    CHECK(std::isfinite(range.width()));
    CHECK(range.low <= data.low);
    CHECK(range.high >= data.high);
    const Ticks ticks = make_ticks(range, 6);
    CHECK(ticks.at.size() >= 3);
    CHECK(ticks.at.size() <= 12);
  }
}

TEST_CASE("an even choice is even, ascending and the same every time") {
  CHECK(pick_evenly(3, 10) == std::vector<Index>{0, 1, 2});
  CHECK(pick_evenly(10, 4) == std::vector<Index>{0, 2, 5, 7});
  CHECK(pick_evenly(0, 4).empty());
  const auto picked = pick_evenly(1000003, 20000);
  REQUIRE(picked.size() == 20000);
  CHECK(picked.back() < 1000003);
  for (std::size_t i = 1; i < picked.size(); ++i) {
    const Index step = picked[i] - picked[i - 1];
    if (step != 50 && step != 51) FAIL("a step of " << step);
  }
}

}  // namespace
}  // namespace craton
