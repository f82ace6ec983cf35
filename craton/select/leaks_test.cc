#include "craton/select/leaks.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "craton/base/random.h"

namespace craton::leaks_test {
namespace {

using Kind = Leak::Kind;

struct Rows {
  Array x;
  std::vector<std::int32_t> labels = {};
  std::vector<double> numbers = {};
  Schema schema;

  std::vector<Leak> leaks(int threads = 2) const {
    MemorySource source({.x = x.view(), .labels = labels, .targets = numbers}, schema);
    return find_leaks(source, {.threads = threads});
  }
};

// Columns of f(row, column), and the labels or numbers of g(row).
template <class F, class G>
Rows rows_of(Index n, std::vector<Column> columns, bool labelled, const F& f, const G& g) {
  Rows rows;
  rows.x.shape = {n, ssize(columns)};
  rows.schema.columns = columns;
  rows.schema.target = Column{"y"};
  if (labelled) rows.schema.target = Column{"y", ColumnKind::kCategory, {"no", "yes"}};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < ssize(columns); ++j) rows.x.values.push_back(f(i, j));
    if (labelled) rows.labels.push_back(static_cast<std::int32_t>(g(i)));
    if (!labelled) rows.numbers.push_back(g(i));
  }
  return rows;
}

double noise(Index row, Index column) {
  return Random(1, Purpose::kTest, static_cast<std::uint32_t>(column),
                static_cast<std::uint64_t>(row))
      .normal();
}

double label(Index row) { return noise(row, 99) > 0 ? 1 : 0; }

TEST_CASE("a column that tells the labels by itself is found, of numbers or of categories") {
  const auto value = [](Index i, Index j) {
    if (j == 0) return noise(i, 0);
    if (j == 1) return 100 * label(i) + noise(i, 1);  // the answer, measured later
    if (j == 2) return label(i) > 0 ? 2.0 : static_cast<double>(i % 2);  // or coded
    return label(i) + noise(i, 3);                                       // an honest feature
  };
  const Rows rows =
      rows_of(200, {{"a"}, {"after"}, {"code", ColumnKind::kCategory, {"p", "q", "r"}}, {"d"}},
              true, value, &label);
  const std::vector<Leak> leaks = rows.leaks();
  REQUIRE(leaks.size() == 2);
  CHECK(leaks[0].column == "after");
  CHECK(leaks[0].kind == Kind::kAnswer);
  CHECK(leaks[0].told == 1);
  CHECK(leaks[1].column == "code");
  CHECK(note_of(leaks[0], rows.schema).text.plain() ==
        "the column 'after' gives the answer away: by itself it tells 100 % of 'y'; if it is known "
        "only afterwards, --drop after leaves it out");
  CHECK(rows.leaks(7).size() == 2);
}

TEST_CASE("what is told is by leaving each row out: names of rows tell nothing of others") {
  const Rows named = rows_of(
      100, {{"name", ColumnKind::kCategory, std::vector<std::string>(100, "x")}}, true,
      [](Index i, Index) { return static_cast<double>(i); }, &label);
  CHECK(named.leaks().empty());
  const Rows sorted = rows_of(
      100, {{"name", ColumnKind::kCategory, std::vector<std::string>(100, "x")}}, true,
      [](Index i, Index) { return static_cast<double>(i); },
      [](Index i) { return i < 50 ? 0.0 : 1.0; });
  CHECK(sorted.leaks().empty());
  // Two rows share a value and not a label, so that each is guessed wrong from the other.
  const Rows pair = rows_of(
      200, {{"code", ColumnKind::kCategory, {"p", "q", "r"}}}, true,
      [](Index i, Index) { return i < 2 ? 2.0 : static_cast<double>(i % 2); },
      [](Index i) { return static_cast<double>(i % 2); });
  REQUIRE(pair.leaks().size() == 1);
  CHECK(pair.leaks()[0].told == 1 - 2 / 100.0);
  // A rare class, guessed right 95 times of 100, is not told by a column of noise.
  const Rows rare =
      rows_of(200, {{"a"}}, true, noise, [](Index i) { return i % 20 == 0 ? 1.0 : 0.0; });
  CHECK(rare.leaks().empty());
}

TEST_CASE("a column that the numbers follow from is found") {
  const auto value = [](Index i, Index j) {
    const double t = noise(i, 5);
    return j == 0 ? t : j == 1 ? 2 * t + 0.3 * noise(i, 6) : std::exp(t);
  };
  const Rows rows = rows_of(400, {{"t"}, {"near"}, {"other"}}, false, value,
                            [](Index i) { return 3 * noise(i, 5) - 7; });
  const std::vector<Leak> leaks = rows.leaks();
  REQUIRE(leaks.size() == 2);
  CHECK(leaks[0].column == "t");
  CHECK(leaks[1].column == "other");
  CHECK(leaks[0].told > 0.999);
}

TEST_CASE("numbers of rows and identifiers are named, measurements are not") {
  const auto value = [](Index i, Index j) {
    const double all_different = static_cast<double>((i * 7919) % 10007);
    return j == 0 ? static_cast<double>(i + 5) : j == 4 ? all_different + 0.5 : all_different;
  };
  const Rows rows = rows_of(60, {{"row"}, {"patient_id"}, {"userID"}, {"valid"}, {"weight"}}, true,
                            value, &label);
  const std::vector<Leak> leaks = rows.leaks();
  REQUIRE(leaks.size() == 3);
  CHECK(leaks[0].kind == Kind::kRowNumber);
  CHECK(leaks[1].column == "patient_id");
  CHECK(leaks[2].column == "userID");
  CHECK(leaks[2].kind == Kind::kIdentifier);
}

TEST_CASE("few rows, and tables that are not looked at, say nothing") {
  const auto twice = [](Index i, Index) { return label(i); };
  CHECK(rows_of(25, {{"a"}}, true, twice, &label).leaks().empty());
  CHECK(rows_of(60, {{"a"}}, true, twice, &label).leaks().size() == 1);
  Rows missing = rows_of(60, {{"a"}}, true, twice, &label);
  for (double& x : missing.x.values) x = std::numeric_limits<double>::quiet_NaN();
  CHECK(missing.leaks().empty());
}

}  // namespace
}  // namespace craton::leaks_test
