#include "craton/tables/preparation.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "craton/base/error.h"
#include "craton/tables/view.h"

namespace craton::preparation_test {
namespace {

using Fill = PreparationOptions::Fill;
using Scale = PreparationOptions::Scale;
using UnitRows = PreparationOptions::UnitRows;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Five rows; the third column is constant, one value is missing.
const std::vector<double> kX{1,    10, 7,  //
                             2,    20, 7,  //
                             kNan, 30, 7,  //
                             6,    40, 7,  //
                             7,    90, 7};

MemorySource table(const std::vector<double>& x = kX, Index cols = 3, Schema schema = {}) {
  return MemorySource({.x = Dense<double>{x.data(), ssize(x) / cols, cols, cols}},
                      std::move(schema), "a.csv");
}

std::vector<double> prepared(const PreparationOptions& options, MemorySource x = table()) {
  const Preparation preparation = Preparation::learn(x, options, {});
  View rows(x);
  const std::vector<double> streamed = read_all(rows.prepare(preparation)).values;
  CHECK_FALSE(rows.in_memory());
  const auto check_same = [&](const std::vector<double>& values) {
    CHECK(values.size() == streamed.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      CHECK((values[i] == streamed[i] || std::isnan(values[i])));
    }
  };
  std::vector<Index> all(usize(x.shape().rows));
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> gathered(streamed.size());
  rows.reopen()->gather(all, gathered);
  check_same(gathered);
  View over(rows);
  check_same(read_all(over.keep({})).values);
  CHECK(over.in_memory());
  check_same(read_all(rows.keep({})).values);
  CHECK(rows.in_memory());
  return streamed;
}

template <class F>
void check_refused(const F& f, Code code, const std::string& word) {
  try {
    f();
    CHECK(false);
  } catch (const InputError& error) {
    CHECK(error.code() == code);
    CHECK(std::string(error.what()).find(word) != std::string::npos);
  }
}

TEST_CASE("missing values are filled in") {
  CHECK(prepared({.fill = Fill::kMean})[6] == 4);
  CHECK(prepared({.fill = Fill::kMedian})[6] == 4);
  CHECK(prepared({.fill = Fill::kMostFrequent})[6] == 1);
  CHECK(prepared({.fill = Fill::kValue, .fill_value = -5})[6] == -5);
  CHECK(std::isnan(prepared({.scale = Scale::kStandard})[6]));
}

TEST_CASE("columns are scaled, by what is there once missing values are filled in") {
  const auto standard = prepared({.fill = Fill::kMean, .scale = Scale::kStandard});
  const double deviation = std::sqrt((9 + 4 + 0 + 4 + 9) / 5.0);
  CHECK(standard[0] == doctest::Approx(-3 / deviation));
  CHECK(standard[6] == 0);
  CHECK(standard[2] == 0);  // nothing to scale by: only moved
  CHECK(prepared({.scale = Scale::kStandard})[0] == doctest::Approx(-3 / std::sqrt(26 / 4.0)));
  const auto robust = prepared({.scale = Scale::kRobust});
  CHECK(robust[1] == -1);  // median 30, quartiles 20 and 40
  CHECK(robust[13] == 3);
  CHECK(robust[5] == 0);
  const auto min_max = prepared({.scale = Scale::kMinMax});
  CHECK(min_max[1] == 0);
  CHECK(min_max[4] == 0.125);
  CHECK(min_max[13] == 1);
  const auto max_abs = prepared({.scale = Scale::kMaxAbs});
  CHECK(max_abs[3] == doctest::Approx(2.0 / 7));
  CHECK(max_abs[2] == 1);
  MemorySource x = table();
  const double volume = Preparation::learn(x, {.scale = Scale::kMinMax}, {}).log_volume();
  CHECK(volume == doctest::Approx(-std::log(6) - std::log(80)));  // p(x) dx = p(y) dy
}

TEST_CASE("rows are divided by their lengths, however long") {
  const std::vector<double> x{3, -4, 0, 0, 3e200, 4e200, 3e-200, 4e-200};
  const auto l2 = prepared({.unit_rows = UnitRows::kL2}, table(x, 2));
  CHECK(l2 == std::vector<double>{0.6, -0.8, 0, 0, 0.6, 0.8, 0.6, 0.8});
  const auto l1 = prepared({.unit_rows = UnitRows::kL1}, table(x, 2));
  CHECK(l1[0] == doctest::Approx(3.0 / 7));
  CHECK(prepared({.unit_rows = UnitRows::kMax}, table(x, 2))[0] == 0.75);
}

TEST_CASE("sparse rows stay sparse, or are refused") {
  const std::vector<Index> offsets{0, 2, 2, 3};
  const std::vector<std::int32_t> columns{0, 2, 1};
  const std::vector<float> values{2, -8, 5};
  MemorySource x({.x = Sparse<float>{offsets.data(), columns.data(), values.data(), 3, 3}});
  const Preparation preparation =
      Preparation::learn(x, {.scale = Scale::kMaxAbs, .unit_rows = UnitRows::kMax}, {});
  View rows(x);
  rows.prepare(preparation);
  Block block;
  Chunk chunk;
  rows.fetch({0, 3}, block);
  rows.decode(block, chunk);
  const auto& view = std::get<Sparse<double>>(chunk.x);
  CHECK(std::vector(view.values, view.values + 3) == std::vector<double>{1, -1, 1});
  rows.fetch({2, 3}, block);
  rows.decode(block, chunk);
  const auto& last = std::get<Sparse<double>>(chunk.x);
  CHECK(last.offsets[0] == 0);
  CHECK(last.columns[0] == 1);
  CHECK(last.values[0] == 1);
  check_refused([&] { Preparation::learn(x, {.scale = Scale::kRobust}, {}); }, Code::kUnsupported,
                "max_abs");
  check_refused([&] { Preparation::learn(x, {.fill = Fill::kMean}, {}); }, Code::kUnsupported,
                "fill = 0");
}

TEST_CASE("categories are filled in and left alone") {
  Schema schema = numbered_schema(2);
  schema.columns[1].kind = ColumnKind::kCategory;
  schema.columns[1].levels = {"red", "green", "blue"};
  const std::vector<double> x{1, 2, 5, 0, 6, kNan, 8, 2};
  const auto ready = prepared({.fill = Fill::kMean, .scale = Scale::kMinMax}, table(x, 2, schema));
  CHECK(ready[1] == 2);
  CHECK(ready[5] == 2);
  CHECK(ready[6] == 1);
  check_refused([&] { prepared({.unit_rows = UnitRows::kL2}, table(x, 2, schema)); },
                Code::kUnsupported, "unit_rows");
}

TEST_CASE("columns that cannot be prepared are named") {
  const std::vector<double> none{1, kNan, 2, kNan};
  check_refused([&] { prepared({.fill = Fill::kMedian}, table(none, 2)); }, Code::kNotFinite,
                "column '2'");
  const std::vector<double> wide{-1e308, 1e308};
  for (const Scale scale : {Scale::kStandard, Scale::kMinMax}) {
    check_refused([&] { prepared({.scale = scale}, table(wide, 1)); }, Code::kNotFinite,
                  "overflow");
  }
  for (const Scale scale : {Scale::kRobust, Scale::kMaxAbs}) {
    CHECK(prepared({.scale = scale}, table(wide, 1)) == std::vector<double>{-1, 1});
  }
  const std::vector<double> large{1e308, 1e308, kNan};
  check_refused([&] { prepared({.fill = Fill::kMean}, table(large, 1)); }, Code::kNotFinite,
                "sums overflow");
  CHECK(prepared({.fill = Fill::kMedian, .scale = Scale::kStandard}, table(large, 1)) ==
        std::vector<double>{0, 0, 0});
  const std::vector<double> narrow{0, 1e-200};
  check_refused([&] { prepared({.scale = Scale::kStandard}, table(narrow, 1)); }, Code::kNotFinite,
                "vanish");
  const std::vector<double> infinite{1, INFINITY};
  check_refused([&] { prepared({.scale = Scale::kStandard}, table(infinite, 1)); },
                Code::kNotFinite, "infinite");
}

TEST_CASE("parameters that make no sense are refused") {
  MemorySource x = table();
  const Preparation good = Preparation::learn(
      x, {.fill = Fill::kMean, .scale = Scale::kStandard, .unit_rows = UnitRows::kL2}, {});
  const std::vector<Parameter> parameters = good.parameters();
  CHECK(Preparation::from_parameters(parameters, 3) == good);
  CHECK_FALSE(Preparation::from_parameters({}, 3).has_value());
  REQUIRE(parameters.size() == 4);
  const auto broken = [&](std::size_t which, double value) {
    std::vector<Parameter> copy = parameters;
    copy[which].value.values[0] = value;
    check_refused([&] { Preparation::from_parameters(copy, 3); }, Code::kDamagedModel, "prepare.");
  };
  broken(0, kNan);
  broken(1, INFINITY);
  broken(2, 0);
  broken(2, -1);
  broken(3, 4);
  broken(3, 1.5);
  check_refused([&] { Preparation::from_parameters(parameters, 2); }, Code::kDamagedModel, "shape");
}

TEST_CASE("labels and weights of selected rows come along") {
  const std::vector<std::int32_t> labels{4, 3, 2, 1, 0};
  const std::vector<double> weights{5, 6, 7, 8, 9};
  MemorySource x({.x = Dense<double>{kX.data(), 5, 3, 3}, .labels = labels, .weights = weights});
  const RowSet some = RowSet::where(5, [](Index row) { return row != 1; });
  View selected(x);
  selected.rows(some);
  const Preparation preparation = Preparation::learn(selected, {.scale = Scale::kStandard}, {});
  View rows(selected);
  rows.prepare(preparation);
  Block block;
  Chunk chunk;
  rows.fetch({0, 4}, block);
  rows.decode(block, chunk);
  CHECK(chunk.labels.data() == block.labels.data());  // the block has them as long as the chunk
  CHECK(chunk.weights.data() == block.weights.data());
  CHECK(std::vector(chunk.labels.begin(), chunk.labels.end()) ==
        std::vector<std::int32_t>{4, 2, 1, 0});
  CHECK(std::vector(chunk.weights.begin(), chunk.weights.end()) == std::vector<double>{5, 7, 8, 9});
}

}  // namespace
}  // namespace craton::preparation_test
