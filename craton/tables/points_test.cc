#include "craton/tables/points.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/base/hash.h"
#include "craton/base/random.h"
#include "craton/tables/columns.h"
#include "tests/refused.h"

namespace craton::points_test {

namespace {

using Numbers = std::vector<double>;

Points distinct(const Numbers& x, Index columns, const Numbers& weights = {},
                const Exec& exec = {}) {
  const Dense<double> view{x.data(), std::ssize(x) / columns, columns, columns};
  MemorySource source({.x = view, .weights = weights}, numbered_schema(columns));
  return points_of(source, exec);
}

}  // namespace

TEST_CASE("equal rows are one, in ascending order, with their weights added") {
  const Points points =
      distinct({2, 1, 1, 5, 2, 0, 1, 5, -0.0, 7, 0.0, 7}, 2, {1, 2, 3, 4, 5, 0.5});
  CHECK(points.rows == Numbers{0, 7, 1, 5, 2, 0, 2, 1});
  CHECK(points.weights == Numbers{5.5, 6, 3, 1});
  CHECK_FALSE(std::signbit(points.rows[0]));
}

TEST_CASE("the order of rows, and weights of any size, do not change a bit") {
  Numbers x, weights;
  Random random(3, Purpose::kTest);
  for (int i = 0; i < 20'000; ++i) {
    x.push_back(static_cast<double>(random.below(50)));
    x.push_back(static_cast<double>(random.below(5)));
    weights.push_back(random.below(3) == 0 ? static_cast<double>(random.below(4))
                                           : std::exp(4 * random.normal()));
  }
  const Points expected = distinct(x, 2, weights);
  CHECK(expected.size() == 250);
  std::vector<Index> order(20'000);
  random.permutation(order);
  Numbers shuffled, of_shuffled;
  for (const Index i : order) {
    shuffled.insert(shuffled.end(), {x[usize(2 * i)], x[usize(2 * i + 1)]});
    of_shuffled.push_back(weights[usize(i)]);
  }
  for (const int threads : {1, 3}) {
    CHECK(distinct(shuffled, 2, of_shuffled, {.threads = threads}) == expected);
  }
}

TEST_CASE("weights that are all 1 take no memory, and are the same however they came") {
  const Points plain = distinct({3, 1, 2}, 1), weighted = distinct({3, 1, 2}, 1, {1, 1, 1});
  CHECK(plain.weights.all_one());
  CHECK(plain == weighted);
  CHECK(distinct({3, 3, 1, 2}, 1, {0.5, 0.5, 1, 1}) == plain);
  CHECK(plain.weights.all() == Numbers{1, 1, 1});
  RowWeights weights;
  for (const double w : {1.0, 1.0, 2.0, 1.0}) weights.push_back(w);
  weights.add_to_last(3);
  CHECK(weights.all() == Numbers{1, 1, 2, 4});
  CHECK(std::vector(weights.begin(), weights.end()) == weights.all());
}

TEST_CASE("a long column ascends, whatever it holds, on any number of threads") {
  Random random(8, Purpose::kTest);
  for (const Index different : {Index{3}, Index{1000}, Index{1} << 50}) {
    Numbers x;
    for (int i = 0; i < 150'000; ++i) {
      x.push_back(static_cast<double>(random.below(different)) - (i % 1000 == 0 ? 1e18 : 0));
    }
    const Points points = distinct(x, 1, {}, {.threads = 3});
    CHECK(points == distinct(x, 1, {}, {.threads = 1}));
    CHECK(points.weight() == 150'000);
    std::ranges::sort(x);
    x.erase(std::ranges::unique(x).begin(), x.end());
    CHECK(points.rows == x);
  }
}

TEST_CASE("a table is checked, and its hash is that of its columns") {
  Numbers x, weights;
  Random random(6, Purpose::kTest);
  for (int i = 0; i < 3'000; ++i) {
    x.insert(x.end(), {random.normal(), static_cast<double>(random.below(3)) - 1});
    weights.push_back(static_cast<double>(random.below(4)));
  }
  const auto source_of = [&](const Numbers& values) {
    return MemorySource({.x = Dense<double>{values.data(), 3'000, 2, 2}, .weights = weights},
                        numbered_schema(2));
  };
  MemorySource source = source_of(x);
  std::uint64_t hash = 0;
  points_of(source, {}, &hash);
  CHECK(hash == hash_number(check_table(source, {}).data_hash()));
  for (const double wrong : Numbers{NAN, INFINITY, 1e130}) {
    Numbers bad = x;
    bad[4001] = wrong;
    MemorySource table = source_of(bad);
    check_refused([&] { points_of(table, {}); }, Code::kNotFinite, -1, "");
  }
  weights.assign(3'000, 0);
  MemorySource nothing = source_of(x);
  check_refused([&] { points_of(nothing, {}); }, Code::kBadWeight, -1, "weight 0");
  weights[7] = -1;
  MemorySource negative = source_of(x);
  check_refused([&] { points_of(negative, {}); }, Code::kBadWeight, -1, "not negative");
}

TEST_CASE("rows that are merged and taken out again leave what was there") {
  Numbers x, y;
  Random random(4, Purpose::kTest);
  for (int i = 0; i < 300; ++i) x.push_back(static_cast<double>(random.below(40)));
  for (int i = 0; i < 200; ++i) y.push_back(static_cast<double>(random.below(60)));
  const Points a = distinct(x, 1), b = distinct(y, 1), both = merged(a, b);
  Numbers all = x;
  all.insert(all.end(), y.begin(), y.end());
  CHECK(both == distinct(all, 1));
  CHECK(without(both, b) == a);
  check_refused([&] { without(a, both); }, Code::kBadTarget, -1, "not seen");
  check_refused([&] { without(a, a); }, Code::kBadTarget, -1, "not seen");
}

TEST_CASE("narrow numbers are read back as they were, whatever their width") {
  const std::vector<Numbers> cases{{1, -5, 32767}, {0.5, 1e30}, {0.1, 2}, {-32768, 1}};
  for (const Numbers& values : cases) {
    const NarrowNumbers narrow(values);
    CHECK(narrow.wide() == values);
    const std::vector<Index> shape{std::ssize(values)};
    struct Model {
      const NarrowNumbers& numbers;
      const std::vector<Index>& shape;
      void visit_parameters(ParameterVisitor& v) const { numbers.visit(v, "x", "", shape); }
    };
    const ParameterList list = ParameterList::of(Model{narrow, shape});
    CHECK(wide_parameter(list, "x", shape).values == values);
    CHECK_THROWS_AS(wide_parameter(list, "y", shape), InputError);
    CHECK_THROWS_AS(wide_parameter(list, "x", std::vector<Index>{7}), InputError);
  }
}

}  // namespace craton::points_test
