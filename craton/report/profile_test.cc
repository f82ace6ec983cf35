#include "craton/report/profile.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/report/result_text.h"

namespace craton::profile_test {
namespace {

// Two groups: tall and short, of which most of one are ants, most of the other bees. The group of
// row i is i % 2.
struct Animals {
  Animals() {
    Random random(5, Purpose::kTest);
    for (Index i = 0; i < 60; ++i) {
      const double group = static_cast<double>(i % 2);
      x.push_back(10 * group + random.normal());
      x.push_back(random.normal());
      x.push_back(i < 12 ? 1 - group : group);
    }
  }
  MemorySource source() const {
    return MemorySource(
        {.x = Dense<double>{x.data(), 60, 3, 3}},
        {.columns = {{"size"}, {"noise"}, {"kind", ColumnKind::kCategory, {"ant", "bee"}}},
         .target = std::nullopt});
  }
  std::vector<double> x;
};

Fitted groups_of(Source& x) {
  const std::vector<NamedOption> options{{"n_components", Index{2}},
                                         {"family", std::string("gaussian")}};
  return find_model("mixture").fit(x, options, {});
}

const ResultColumn::Numbers& numbers(const ResultTable& table, std::string_view name) {
  return *table.find(name)->numbers();
}
const ResultColumn::Words& words(const ResultTable& table, std::string_view name) {
  return *table.find(name)->words();
}

TEST_CASE("groups have sizes, and names by what sets them apart most") {
  const Animals animals;
  MemorySource x = animals.source();
  const Fitted fitted = groups_of(x);
  const Profile profile = find_profile(fitted, x, {});
  CHECK(numbers(profile.groups, "rows") == std::vector<double>{30, 30});
  CHECK(numbers(profile.groups, "share") == std::vector<double>{50, 50});
  std::vector<std::string> names = words(profile.groups, "name");
  std::ranges::sort(names);
  CHECK(names == std::vector<std::string>{"high size, kind bee", "low size, kind ant"});
}

TEST_CASE("means, deviations, medians and shares are those of the rows of each group") {
  const Animals animals;
  MemorySource x = animals.source();
  const Fitted fitted = groups_of(x);
  const Profile profile = find_profile(fitted, x, {});
  std::vector<std::int32_t> labels(60);
  fitted.model->predict(x, labels, {});
  const Index short_one = labels[0];
  std::vector<double> sizes;
  double sum = 0, squares = 0;
  for (Index i = 0; i < 60; i += 2) sizes.push_back(animals.x[usize(3 * i)]);
  for (const double v : sizes) sum += v;
  for (const double v : sizes) squares += (v - sum / 30) * (v - sum / 30);
  std::ranges::sort(sizes);
  CHECK(numbers(profile.means, "size")[usize(short_one)] == doctest::Approx(sum / 30));
  CHECK(numbers(profile.means, "size_std")[usize(short_one)] ==
        doctest::Approx(std::sqrt(squares / 29)));
  CHECK(numbers(profile.medians, "size")[usize(short_one)] == (sizes[14] + sizes[15]) / 2);
  CHECK(words(profile.means, "kind")[usize(short_one)] == "ant 80%, bee 20%");
}

TEST_CASE("the standardised difference and its error are Hedges and Olkin's") {
  const std::vector<std::int32_t> labels{0, 0, 0, 1, 1};
  const Schema schema{.columns = {{"v"}}, .target = Column{"k", ColumnKind::kCategory, {"a", "b"}}};
  // A model that puts rows below 3 into b, and others into a.
  const std::vector<double> at{4, 4, 4, 2, 2};
  MemorySource centres({.x = Dense<double>{at.data(), 5, 1, 1}, .labels = labels}, schema);
  const Fitted fitted = find_model("nearest-centroid").fit(centres, {}, {});
  const std::vector<double> y{3.5, 4, 6, 1, 2.5};
  MemorySource told({.x = Dense<double>{y.data(), 5, 1, 1}}, schema);
  const Profile profile = find_profile(fitted, told, {});
  const double a = (3.5 + 4 + 6) / 3, b = (1 + 2.5) / 2;
  const double within = (3.5 - a) * (3.5 - a) + (4 - a) * (4 - a) + (6 - a) * (6 - a) +
                        (1 - b) * (1 - b) + (2.5 - b) * (2.5 - b);
  const double d = (a - b) / std::sqrt(within / 3);
  CHECK(numbers(profile.differences, "difference")[0] == doctest::Approx(d));
  CHECK(numbers(profile.differences, "difference")[1] == doctest::Approx(-d));
  CHECK(numbers(profile.differences, "error")[0] ==
        doctest::Approx(std::sqrt(5.0 / 6 + d * d / 10)));
}

TEST_CASE("the most typical rows lie near the middle of their groups") {
  const Animals animals;
  MemorySource x = animals.source();
  const Fitted fitted = groups_of(x);
  const Profile profile = find_profile(fitted, x, {}, {.typical = 2});
  REQUIRE(profile.typical.rows() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(std::abs(numbers(profile.typical, "noise")[i]) < 1);
  }
}

TEST_CASE("profiles are the same bits for any threads") {
  const Animals animals;
  MemorySource x = animals.source();
  const Fitted fitted = groups_of(x);
  const auto text = [&](int threads) {
    std::string all;
    for (const ResultTable& t : find_profile(fitted, x, {.threads = threads}).tables()) {
      all += to_csv(t);
    }
    return all;
  };
  CHECK(text(2) == text(1));
  CHECK(text(7) == text(1));
}

TEST_CASE("one group, empty groups, one value and missing values are told of as what they are") {
  std::vector<double> x(40, 3);
  for (std::size_t i = 0; i < 40; i += 2) x[i + 1] = i < 20 ? 0 : 9;
  MemorySource rows({.x = Dense<double>{x.data(), 20, 2, 2}});
  const std::vector<NamedOption> one{{"n_clusters", Index{1}}};
  const Fitted alone = find_model("kmeans").fit(rows, one, {});
  const Profile profile = find_profile(alone, rows, {});
  CHECK(words(profile.groups, "name")[0] == "like the rest");
  CHECK(profile.differences.rows() == 0);
  const std::vector<NamedOption> two{{"n_clusters", Index{2}}};
  const Fitted fitted = find_model("kmeans").fit(rows, two, {});
  MemorySource few({.x = Dense<double>{x.data(), 3, 2, 2}});  // of one group only
  const Profile part = find_profile(fitted, few, {});
  std::vector<std::string> names = words(part.groups, "name");
  CHECK(std::ranges::count(names, "no rows") == 1);
}

TEST_CASE("a density has no groups, and a table without rows nothing to tell") {
  const Animals animals;
  std::vector<double> sizes;
  for (std::size_t i = 0; i < 60; ++i) sizes.push_back(animals.x[3 * i]);
  MemorySource x({.x = Dense<double>{sizes.data(), 60, 1, 1}});
  const Fitted density = find_model("density").fit(x, {}, {});
  CHECK_THROWS_AS(find_profile(density, x, {}), InputError);
  const Fitted fitted = find_model("gmm").fit(x, {}, {});
  MemorySource none({.x = Dense<double>{nullptr, 0, 1, 1}});
  CHECK_THROWS_AS(find_profile(fitted, none, {}), InputError);
}

}  // namespace
}  // namespace craton::profile_test
