#include "craton/classes/discriminant/nearest_centroid.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/error.h"

using namespace craton;

namespace {

// Two columns; class 0 about (0, 0), class 1 about (4, 0), class 2 without rows.
struct Rows {
  std::vector<double> x{-1, 1, 1, -1, 3, 1, 5, -1};
  std::vector<std::int32_t> labels{0, 0, 1, 1};

  MemorySource source() const {
    Schema schema = numbered_schema(2);
    schema.target = Column{"kind", ColumnKind::kCategory, {"a", "b", "c"}};
    return MemorySource({.x = Dense<double>{x.data(), ssize(x) / 2, 2, 2}, .labels = labels},
                        schema);
  }
};

Fit<NearestCentroid> fitted(double threshold) {
  const Rows rows;
  MemorySource x = rows.source();
  return NearestCentroid::fit(x, {.shrink_threshold = threshold}, {});
}

}  // namespace

TEST_CASE("centroids are the means of the classes") {
  const auto fit = fitted(0);
  CHECK(fit.model.centroids().values == std::vector<double>{0, 0, 4, 0, 2, 0});
  CHECK(fit.report.objective == doctest::Approx(-2));
}

TEST_CASE("a class without rows is never the nearest") {
  const auto fit = fitted(0);
  double work[3];
  const double between[] = {2.1, 0};
  CHECK(fit.model.predict_row(between, work) == 1);
  CHECK(std::isinf(work[2]));
}

TEST_CASE("the first of two centroids as near as each other wins") {
  const double between[] = {2, 7};
  double work[3];
  CHECK(fitted(0).model.predict_row(between, work) == 0);
}

TEST_CASE("a missing value is left out of the distance") {
  const double row[] = {NAN, 3}, other[] = {3, NAN};
  double work[3];
  CHECK(fitted(0).model.predict_row(row, work) == 0);
  CHECK(fitted(0).model.predict_row(other, work) == 1);
}

// n = 4, three classes: s = (2, 2), s_0 = 2, m = 1/2, so a threshold of t moves centroids by 2 t.
TEST_CASE("shrinking moves centroids towards the mean of all rows, and not past it") {
  CHECK(fitted(0.5).model.centroids().values[0] == doctest::Approx(1));
  CHECK(fitted(0.5).model.centroids().values[2] == doctest::Approx(3));
  CHECK(fitted(9).model.centroids().values[0] == doctest::Approx(2));
}

TEST_CASE("shrinking needs more rows than classes") {
  Rows few;
  few.x.resize(6);
  few.labels.resize(3);
  MemorySource x = few.source();
  try {
    NearestCentroid::fit(x, {.shrink_threshold = 1}, {});
    CHECK(false);
  } catch (const InputError& error) {
    CHECK(error.code() == Code::kTooFewRows);
  }
}
