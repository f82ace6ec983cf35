#include "craton/draw/contours.h"

#include <doctest/doctest.h>

#include <cmath>

namespace craton::contours_test {

namespace {

template <class F>
Surface surface(double low, double high, Index steps, const F& f) {
  Surface s;
  for (Index i = 0; i <= steps; ++i) {
    s.x.push_back(low + (high - low) * static_cast<double>(i) / static_cast<double>(steps));
  }
  s.y = s.x;
  for (const double y : s.y) {
    for (const double x : s.x) s.values.push_back(f(x, y));
  }
  return s;
}

// Twice the area on the left of a closed line.
double area(const ContourLine& line) {
  double sum = 0;
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    const std::size_t next = (i + 1) % line.x.size();
    sum += line.x[i] * line.y[next] - line.x[next] * line.y[i];
  }
  return sum / 2;
}

}  // namespace

TEST_CASE("the line of a cone is one closed circle, with what is inside on its left") {
  const auto lines =
      contour_lines(surface(-2, 2, 80, [](double x, double y) { return -std::hypot(x, y); }), -1.3);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].closed);
  for (std::size_t i = 0; i < lines[0].x.size(); ++i) {
    CHECK(std::hypot(lines[0].x[i], lines[0].y[i]) == doctest::Approx(1.3).epsilon(1e-3));
  }
  CHECK(area(lines[0]) == doctest::Approx(std::acos(-1.0) * 1.69).epsilon(1e-3));
}

TEST_CASE("of a plane it is one open line, exactly") {
  const auto lines =
      contour_lines(surface(0, 4, 16, [](double x, double y) { return x + 2 * y; }), 3.3);
  REQUIRE(lines.size() == 1);
  CHECK_FALSE(lines[0].closed);
  for (std::size_t i = 0; i < lines[0].x.size(); ++i) {
    CHECK(lines[0].x[i] + 2 * lines[0].y[i] == doctest::Approx(3.3).epsilon(1e-12));
  }
}

TEST_CASE("two hills have two lines, and a hole goes round the other way") {
  const auto hill = [](double x, double y, double at) {
    return std::exp(-((x - at) * (x - at) + y * y) * 4);
  };
  const auto two = contour_lines(
      surface(-3, 3, 60, [&](double x, double y) { return hill(x, y, -1) + hill(x, y, 1); }), 0.5);
  CHECK(two.size() == 2);
  const auto ring = contour_lines(
      surface(-3, 3, 60, [](double x, double y) { return -std::abs(std::hypot(x, y) - 1.5); }),
      -0.4);
  REQUIRE(ring.size() == 2);
  CHECK(area(ring[0]) * area(ring[1]) < 0);
}

TEST_CASE("opposite corners are joined where the middle is inside") {
  const Surface saddle{{0, 1}, {0, 1}, {1, 0, 0, 1}};
  const auto joined = contour_lines(saddle, 0.4), apart = contour_lines(saddle, 0.6);
  CHECK(joined.size() == 2);
  CHECK(apart.size() == 2);
  // Around the corner (0, 0) where they are apart, around (1, 0) where they are joined.
  CHECK(apart[0].x[0] + apart[0].y[1] == doctest::Approx(0.4 + 0.4));
  CHECK(joined[0].x[0] == doctest::Approx(0.6));
  CHECK(joined[0].x[1] == doctest::Approx(1));
}

TEST_CASE("no level, or one beyond all values, has no line; nor have places without numbers") {
  Surface s = surface(0, 1, 4, [](double x, double) { return x; });
  CHECK(contour_lines(s, 7).empty());
  CHECK(contour_lines(s, -7).empty());
  for (double& v : s.values) v = v > 0.5 ? NAN : v;
  for (const ContourLine& line : contour_lines(s, 0.3)) CHECK(line.x.size() >= 2);
}

}  // namespace craton::contours_test
