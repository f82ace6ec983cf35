#include "craton/report/outliers.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "craton/base/error.h"
#include "craton/base/random.h"

namespace craton::outliers_test {
namespace {

struct Rows {
  explicit Rows(Index columns) : cols(columns) {}
  void add(std::vector<double> row) { x.insert(x.end(), row.begin(), row.end()); }
  MemorySource source() const {
    const Index n = ssize(x) / cols;
    return MemorySource({.x = Dense<double>{x.data(), n, cols, cols}}, schema);
  }
  Index cols;
  std::vector<double> x = {};
  Schema schema = {};
};

// Two correlated columns and one more, about `centre`.
void add_cloud(Rows& rows, Index count, double centre, double width, std::uint64_t seed) {
  Random random(seed, Purpose::kTest);
  for (Index i = 0; i < count; ++i) {
    const double a = random.normal(), b = random.normal(), c = random.normal();
    rows.add({centre + width * a, centre + width * (0.8 * a + 0.6 * b), centre + width * c});
  }
}

std::set<Index> first(const Outliers& found, Index count) {
  return {found.scores.by_rank.begin(), found.scores.by_rank.begin() + count};
}

TEST_CASE("a seventh of the rows, side by side, does not hide itself") {
  Rows rows(3);
  add_cloud(rows, 80, 0, 1, 1);
  add_cloud(rows, 14, 9, 0.3, 2);  // which an untrimmed Gaussian would take in
  MemorySource x = rows.source();
  const Outliers found = find_outliers(x, {});
  std::set<Index> planted;
  for (Index i = 80; i < 94; ++i) planted.insert(i);
  CHECK(first(found, 14) == planted);
  CHECK(found.few >= 14);
  CHECK(found.few <= 20);
  const ResultTable strangest = found.strangest(x, 14);
  for (const std::string& because : *strangest.find("because")->words()) {
    CHECK(because.starts_with("column "));  // that have no names but numbers
  }
}

TEST_CASE("a component of a few rows counts as strange, groups that are large do not") {
  Rows rows(3);
  add_cloud(rows, 200, 0, 1, 3);
  add_cloud(rows, 150, 12, 1, 4);
  add_cloud(rows, 12, 30, 0.2, 5);
  MemorySource x = rows.source();
  const Outliers found = find_outliers(x, {});
  CHECK(found.fit.components == 2);
  std::set<Index> planted;
  for (Index i = 350; i < 362; ++i) planted.insert(i);
  CHECK(first(found, 12) == planted);
}

TEST_CASE("of ordinary rows about as many are strange as would be by chance") {
  Rows rows(3);
  add_cloud(rows, 2000, 5, 2, 6);
  MemorySource x = rows.source();
  const Outliers found = find_outliers(x, {});
  CHECK(found.fit.components == 1);
  CHECK(found.by_chance == doctest::Approx(20));
  CHECK(found.few >= 8);
  CHECK(found.few <= 60);
}

TEST_CASE("categories, holes and columns of one value have their places") {
  Rows rows(4);
  rows.schema = {.columns = {{"size"},
                             {"kind", ColumnKind::kCategory, {"ant", "bee", "cow"}},
                             {"legs"},
                             {"flag"}},
                 .target = std::nullopt};
  Random random(7, Purpose::kTest);
  for (Index i = 0; i < 120; ++i) {
    const double bee = static_cast<double>(i % 2);
    rows.add({1 + 9 * bee + random.normal(), bee, i == 40 ? NAN : 6.0 + random.normal(), 1});
  }
  rows.x[4 * 77 + 1] = 2;  // the only cow
  MemorySource x = rows.source();
  const Outliers found = find_outliers(x, {});
  CHECK(found.fit.fitted.info().name == "mixture");
  CHECK(found.fit.same == std::vector<std::string>{"flag"});
  CHECK(found.scores.by_rank[0] == 77);
  CHECK(found.notes.size() == 2);
  CHECK(found.scores.reasons[0][0].column == 1);
}

TEST_CASE("the same bits for any threads") {
  Rows rows(3);
  add_cloud(rows, 300, 0, 1, 8);
  add_cloud(rows, 9, 7, 1, 9);
  MemorySource x = rows.source();
  const Outliers one = find_outliers(x, {.threads = 1});
  for (const int threads : {2, 7}) {
    const Outliers more = find_outliers(x, {.threads = threads});
    CHECK(more.scores.usual == one.scores.usual);
    CHECK(more.scores.tails == one.scores.tails);
    CHECK(more.fit.bic[0] == one.fit.bic[0]);
  }
}

TEST_CASE("larger tables are fitted to some of their rows, and all are scored") {
  Rows rows(3);
  add_cloud(rows, 3000, 0, 1, 10);
  rows.x[3 * 1234] = 40;
  MemorySource x = rows.source();
  const Outliers found = find_outliers(x, {}, {.trim = {.most_rows = 500}});
  CHECK(found.fit.rows == 500);
  CHECK(found.scores.by_rank[0] == 1234);
  REQUIRE(found.notes.size() == 1);
  CHECK(found.notes[0].code == "sampled");
}

TEST_CASE("tables in which nothing can stand out are refused") {
  Rows equal(2);
  for (int i = 0; i < 30; ++i) equal.add({1, 2});
  MemorySource same = equal.source();
  CHECK_THROWS_AS(find_outliers(same, {}), InputError);
  MemorySource none({.x = Dense<double>{nullptr, 0, 2, 2}});
  CHECK_THROWS_AS(find_outliers(none, {}), InputError);
  MemorySource narrow({.x = Dense<double>{nullptr, 5, 0, 0}});
  CHECK_THROWS_AS(find_outliers(narrow, {}), InputError);
  Rows two(1);
  two.add({1});
  two.add({2});
  MemorySource few = two.source();
  CHECK_THROWS_AS(find_outliers(few, {}), InputError);
}

}  // namespace
}  // namespace craton::outliers_test
