#include "craton/density/histogram.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/base/random.h"
#include "craton/model/model_file.h"
#include "tests/refused.h"

namespace craton::histogram_test {

namespace {

using Numbers = std::vector<double>;
using Options = HistogramDensity::Options;
using End = CellOptions::End;

MemorySource table(const Numbers& x, Index columns = 1, const Numbers& weights = {}) {
  const Dense<double> view{x.data(), std::ssize(x) / columns, columns, columns};
  return MemorySource({.x = view, .weights = weights}, numbered_schema(columns), "data");
}

Fit<HistogramDensity> fit(const Numbers& x, const Options& options = {}, Index columns = 1,
                          const Numbers& weights = {}) {
  MemorySource source = table(x, columns, weights);
  return HistogramDensity::fit(source, options, {});
}

Options bins(BinRule rule) { return {.cells = {.bins = rule}}; }
Options bins(double count) {
  return {.cells = {.bins = BinRule::kNumber, .number_of_bins = count}};
}
Options bins(double count, double low, double high) {
  Options options = bins(count);
  options.cells.low = options.cells.high = End::kNumber;
  options.cells.given_low = low;
  options.cells.given_high = high;
  return options;
}
Options edges(const Numbers& ends) { return {.cells = {.edges = {{std::ssize(ends)}, ends}}}; }

Numbers normal(Index rows, std::uint64_t seed) {
  Numbers x;
  for (Index i = 0; i < rows; ++i) {
    x.push_back(Random(seed, Purpose::kTest, 0, static_cast<std::uint64_t>(i)).normal());
  }
  return x;
}

// Durations of the first 20 eruptions of Old Faithful in R's table `faithful`.
const Numbers kEruptions{3.6,   1.8,   3.333, 2.283, 4.533, 2.883, 4.7,  3.6, 1.95, 4.35,
                         1.833, 3.917, 4.2,   1.75,  4.7,   2.167, 1.75, 4.8, 1.6,  4.25};

void check_same(const Fit<HistogramDensity>& a, const Fit<HistogramDensity>& b) {
  REQUIRE(a.model.columns() == b.model.columns());
  for (Index j = 0; j < a.model.columns(); ++j) {
    CHECK(a.model.column(j).edges == b.model.column(j).edges);
    CHECK(a.model.column(j).first == b.model.column(j).first);
    CHECK(a.model.column(j).counts == b.model.column(j).counts);
  }
  CHECK(a.report.data_hash == b.report.data_hash);
  CHECK(a.report.objective == b.report.objective);
}

}  // namespace

// NumPy 2.4: python/tests/test_histogram.py compares many more, edges and counts.
TEST_CASE("every rule makes as many bins as NumPy's") {
  const auto count = [](const Numbers& x, BinRule rule) {
    return fit(x, bins(rule)).model.column(0).cells();
  };
  struct Row {
    BinRule rule;
    Index of_eruptions, of_squares;
  };
  Numbers squares;
  for (Index i = 0; i < 300; ++i) {
    const double root = static_cast<double>(i * i % 997) / 7;
    squares.push_back(root * root);
  }
  for (const auto& [rule, of_eruptions, of_squares] :
       {Row{BinRule::kAuto, 6, 10}, Row{BinRule::kFreedmanDiaconis, 2, 7},
        Row{BinRule::kDoane, 6, 12}, Row{BinRule::kScott, 3, 7}, Row{BinRule::kStone, 5, 85},
        Row{BinRule::kRice, 6, 14}, Row{BinRule::kSturges, 6, 10}, Row{BinRule::kSqrt, 5, 18}}) {
    CAPTURE(name_of(rule));
    CHECK(count(kEruptions, rule) == of_eruptions);
    CHECK(count(squares, rule) == of_squares);
  }
}

TEST_CASE("widths of bins are those of the formulas, to one bin in hundreds") {
  const BinnedColumn column{
      .high = 1000, .deviation = 3, .skewness = 2, .low_quartile = 10, .high_quartile = 14};
  CHECK(bins_by(BinRule::kAuto, column, 5000) == 142);
  CHECK(bins_by(BinRule::kFreedmanDiaconis, column, 5000) == 2138);
  CHECK(bins_by(BinRule::kDoane, column, 5000) == 20);
  CHECK(bins_by(BinRule::kScott, column, 5000) == 1633);
  CHECK(bins_by(BinRule::kRice, column, 5000) == 35);
  CHECK(bins_by(BinRule::kSturges, column, 5000) == 14);
  CHECK(bins_by(BinRule::kSqrt, column, 5000) == 71);
}

TEST_CASE("a row lies in the bin that begins with it, and in the last one if that ends with it") {
  const auto counts = fit({0, 1, 1, 2, 3, 4}, bins(4)).model.column(0).counts;
  CHECK(counts == Numbers{1, 2, 1, 2});
  CHECK(bin_of({0, 1, 2}, 2) == 1);
  CHECK(bin_of({0, 1, 2}, 1) == 1);
  CHECK(bin_of({0, 1, 2}, -1e-300) == -1);
  CHECK(bin_of({0, 1, 2}, NAN) == -1);
}

TEST_CASE("densities integrate to one, and are 0 outside of all bins") {
  for (const double alpha : {0.0, 2.5}) {
    Options options = bins(BinRule::kFreedmanDiaconis);
    options.alpha = alpha;
    const HistogramDensity model = fit(normal(500, 1), options).model;
    const HistogramColumn& column = model.column(0);
    double integral = 0;
    for (Index k = 0; k < column.cells(); ++k) {
      const double middle = column.edges[usize(k)] + column.width(k) / 2;
      integral += std::exp(model.density(0, middle)) * column.width(k);
      CHECK((alpha == 0 || std::isfinite(model.density(0, middle))));
    }
    CHECK(integral == doctest::Approx(1).epsilon(1e-12));
    CHECK(model.density(0, column.high() + 1e-9) == -INFINITY);
    CHECK(model.density(0, column.low() - 1e-9) == -INFINITY);
  }
}

TEST_CASE("a column that does not vary has one bin, half to either side of it") {
  for (const BinRule rule :
       {BinRule::kAuto, BinRule::kFreedmanDiaconis, BinRule::kDoane, BinRule::kScott,
        BinRule::kStone, BinRule::kRice, BinRule::kSturges, BinRule::kSqrt}) {
    const HistogramDensity model = fit({7, 7, 7}, bins(rule)).model;
    CHECK(model.column(0).edges == Numbers{6.5, 7.5});
    CHECK(model.density(0, 7) == 0);
  }
  CHECK(fit({7, 7, 7}, bins(2)).model.column(0).counts == Numbers{0, 3});
  CHECK(fit({3}).model.column(0).counts == Numbers{1});
}

TEST_CASE("frequency tables have a cell for each whole number, and alpha for those without rows") {
  Options options = bins(BinRule::kValues);
  const HistogramDensity plain = fit({3, 5, 5, 6, 3, 5}, options).model;
  CHECK(plain.column(0).first == 3);
  CHECK(plain.column(0).counts == Numbers{2, 0, 3, 1});
  CHECK(plain.density(0, 5) == doctest::Approx(std::log(0.5)));
  for (const double none : {4.0, 2.0, 7.0, 5.5}) CHECK(plain.density(0, none) == -INFINITY);
  options.alpha = 0.5;
  const HistogramDensity more = fit({3, 5, 5, 6, 3, 5}, options).model;
  CHECK(more.density(0, 4) == doctest::Approx(std::log(0.5 / 8)));
  CHECK(more.density(0, 5) == doctest::Approx(std::log(3.5 / 8)));
}

TEST_CASE("categories have a cell for each level, whatever the rule for numbers") {
  Schema schema = numbered_schema(2);
  schema.columns[1] = {"colour", ColumnKind::kCategory, {"red", "green", "blue"}};
  const Numbers x{0.5, 2, 1.5, 0, 2.5, 2, 3.5, 2};
  const Dense<double> view{x.data(), 4, 2, 2};
  MemorySource source({.x = view}, schema);
  const auto fitted = HistogramDensity::fit(source, bins(2), {});
  CHECK(fitted.model.column(0).counts == Numbers{2, 2});
  CHECK(fitted.model.column(1).counts == Numbers{1, 0, 3});
  CHECK(fitted.model.density(1, 2) == doctest::Approx(std::log(0.75)));
  CHECK(fitted.model.free_parameters({}) == 1 + 2);
}

TEST_CASE("weights are copies, for every rule") {
  const Numbers x = normal(300, 2);
  Numbers weights, repeated;
  for (std::size_t i = 0; i < x.size(); ++i) {
    weights.push_back(static_cast<double>(i % 4));
    repeated.insert(repeated.end(), i % 4, x[i]);
  }
  for (int rule = 0; rule < static_cast<int>(BinRule::kValues); ++rule) {
    const Options options = bins(static_cast<BinRule>(rule));
    const auto a = fit(x, options, 1, weights), b = fit(repeated, options);
    CHECK(a.model.column(0).edges == b.model.column(0).edges);
    CHECK(a.model.column(0).counts == b.model.column(0).counts);
  }
}

TEST_CASE("with given cells batches learned on, merged and unlearned are one fit") {
  Numbers x;
  for (const double v : normal(400, 3)) x.push_back(std::round(4 * v));
  const Numbers first(x.begin(), x.begin() + 150), rest(x.begin() + 150, x.end());
  for (const Options& options :
       {bins(20, -10, 10), edges({-8, -2, 0, 1, 9}), bins(BinRule::kValues)}) {
    const auto whole = fit(x, options), start = fit(first, options), end = fit(rest, options);
    MemorySource more = table(rest);
    check_same(HistogramDensity::partial_fit(start, more, options, {}), whole);
    check_same(HistogramDensity::merge(start, end, options), whole);
    check_same(HistogramDensity::unlearn(whole, more, options, {}), start);
    check_refused([&] { HistogramDensity::unlearn(start, more, options, {}); }, Code::kBadTarget,
                  -1, "not seen");
  }
}

TEST_CASE("cells by a rule, or others, are refused by name where models go on") {
  MemorySource more = table(kEruptions);
  const auto ruled = fit(kEruptions), given = fit(kEruptions, bins(3, 0, 6));
  for (const Options& options : {bins(BinRule::kAuto), bins(5)}) {
    const auto chosen = fit(kEruptions, options);
    check_refused([&] { HistogramDensity::partial_fit(chosen, more, options, {}); }, Code::kNotAble,
                  -1, "edges");
    check_refused([&] { HistogramDensity::unlearn(chosen, more, options, {}); }, Code::kNotAble, -1,
                  "edges");
    check_refused([&] { HistogramDensity::merge(given, chosen, options); }, Code::kNotAble, -1,
                  "edges");
  }
  check_refused(
      [&] { HistogramDensity::merge(given, fit(kEruptions, bins(4, 0, 6)), bins(3, 0, 6)); },
      Code::kWrongColumns, -1, "other cells");
}

TEST_CASE("rows outside of given bins are left aside, and a note says how many") {
  const auto fitted = fit({1, 2, 3, 9, -4}, edges({0, 2, 4}));
  CHECK(fitted.model.column(0).counts == Numbers{1, 2});
  REQUIRE(fitted.report.notes.size() == 1);
  CHECK(fitted.report.notes[0].code == "outside-bins");
  check_refused([] { fit({1, 2}, edges({5, 6})); }, Code::kTooFewRows, -1, "no row lies");
}

TEST_CASE("options that make no cells are refused") {
  const auto refused = [](const Options& options, Code code, const char* words,
                          const Numbers& x = kEruptions) {
    check_refused([&] { fit(x, options); }, code, -1, words);
  };
  refused(edges({1}), Code::kBadOption, "edges");
  refused(edges({1, 1, 2}), Code::kBadOption, "edges");
  refused(edges({2, 1}), Code::kBadOption, "edges");
  refused(edges({1, NAN, 2}), Code::kBadOption, "edges");
  refused(bins(2.5), Code::kBadOption, "whole number");
  refused(bins(3, 6, 5), Code::kNoSpread, "no 3 bins");
  refused(bins(8), Code::kNoSpread, "no 8 bins", {1e15, 1e15 + 0.25});
  Options both = edges({0, 6});
  both.cells.bins = BinRule::kSqrt;
  refused(both, Code::kBadOption, "edges");
  Options low = bins(BinRule::kSqrt);
  low.cells.low = End::kNumber;
  refused(low, Code::kBadOption, "low");
  refused(bins(BinRule::kValues), Code::kOutsideSupport, "whole numbers");
  refused(bins(BinRule::kValues), Code::kBadOption, "cells", {0, 1e9});
  Numbers far(100, 0.0);  // quartiles near each other, and one value far away
  std::iota(far.begin(), far.end(), 0.0);
  far.push_back(1e12);
  refused(bins(BinRule::kFreedmanDiaconis), Code::kBadOption, "bins of the values", far);
}

TEST_CASE("the distribution function and quantiles are inverse, in bins and in whole numbers") {
  const HistogramDensity model = fit(normal(300, 4), bins(BinRule::kRice)).model;
  for (const double p : {1e-6, 0.2, 0.5, 0.97, 1 - 1e-9}) {
    CHECK(model.cdf(0, model.quantile(0, p)) == doctest::Approx(p).epsilon(1e-12));
  }
  CHECK(model.cdf(0, -100) == 0);
  CHECK(model.cdf(0, 100) == 1);
  const HistogramDensity counts = fit({3, 5, 5, 6}, bins(BinRule::kValues)).model;
  CHECK(counts.cdf(0, 4.5) == 0.25);
  CHECK(counts.cdf(0, 5) == 0.75);
  CHECK(counts.quantile(0, 0.25) == 3);
  CHECK(counts.quantile(0, 0.26) == 5);
  CHECK(counts.quantile(0, 0.8) == 6);
}

// D_n of Kolmogorov and Smirnov is beyond 1.95 / sqrt(n) with probability 0.001.
TEST_CASE("samples have the distribution, and lie where there is a density") {
  const HistogramDensity model = fit(normal(200, 5), bins(BinRule::kDoane)).model;
  Numbers drawn = model.sample(20'000, 1).x.values;
  std::ranges::sort(drawn);
  double largest = 0;
  const auto n = static_cast<double>(drawn.size());
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    CHECK(std::isfinite(model.density(0, drawn[i])));
    const double p = model.cdf(0, drawn[i]), below = static_cast<double>(i) / n;
    largest = std::max({largest, std::abs(p - below), std::abs(p - below - 1 / n)});
  }
  CHECK(largest < 1.95 / std::sqrt(n));
}

TEST_CASE("the objective is the mean log density of the rows") {
  const Numbers x = normal(1'000, 6);
  const auto fitted = fit(x, bins(12), 2);
  MemorySource source = table(x, 2);
  CHECK(fitted.model.score(source, {}) == doctest::Approx(fitted.report.objective));
}

TEST_CASE("a loaded model says what the saved one said") {
  const HistogramDensity model = fit(kEruptions, bins(BinRule::kStone)).model;
  const auto parameters = parameters_of(model);
  const HistogramDensity again = HistogramDensity::from_parameters(parameters);
  for (const double x : kEruptions) CHECK(again.density(0, x) == model.density(0, x));
}

}  // namespace craton::histogram_test
