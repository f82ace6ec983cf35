#include "craton/report/plots/column_plot.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/base/random.h"
#include "craton/draw/text.h"
#include "craton/report/plots/fit_plot.h"
#include "tests/read_svg.h"
#include "tests/well_formed.h"

namespace craton::column_plot_test {
namespace {

using tests::read_marks;
using tests::SvgElement;

constexpr std::size_t kRows = 240;

// A column of words, of counts or of numbers, and two kinds of rows.
struct OneColumn {
  explicit OneColumn(Look look) {
    table.schema.columns = {{"x", ColumnKind::kNumber}};
    if (look == Look::kCategories) {
      table.schema.columns = {{"x", ColumnKind::kCategory, {"cliff", "shore", "wood"}}};
    }
    table.schema.target = Column{"kind", ColumnKind::kCategory, {"auk", "tern"}};
    for (std::size_t i = 0; i < kRows; ++i) {
      Random random(4, Purpose::kTest, 0, i);
      const int kind = static_cast<int>(i % 2);
      labels.push_back(kind);
      const double number = random.normal() + 5 * kind;
      values.push_back(look == Look::kNumbers  ? number
                       : look == Look::kCounts ? std::floor(std::abs(number) * (1 + kind))
                       : i % 5 < 2             ? kind
                                               : static_cast<double>(i % 3));
    }
    table.x = {{ssize(values), 1}, values};
  }
  MemorySource source() const {
    return MemorySource({.x = table.x.view(), .labels = labels}, table.schema);
  }

  Table table;
  std::vector<double> values;
  std::vector<std::int32_t> labels;
};

struct Drawn {
  Drawn(const char* model, const OneColumn& of, const std::vector<NamedOption>& options = {})
      : x(of.source()), fitted(find_model(model).fit(x, options, {})) {
    svg = plot_fit(fitted, x, {0, -1}, 0, {});
    CHECK(tests::xml_problem(svg) == "");
  }
  double density(double at) {
    MemorySource row({.x = Dense<double>{&at, 1, 1, 1}}, fitted.schema);
    double log_p = 0;
    fitted.model->score_samples(row, {&log_p, 1}, {});
    return std::exp(log_p);
  }
  double share(double at, Index label) {
    MemorySource row({.x = Dense<double>{&at, 1, 1, 1}}, fitted.schema);
    std::vector<double> log_p(usize(fitted.model->classes()));
    fitted.model->predict_log_proba(row, log_p, {});
    return std::exp(log_p[usize(label)]);
  }

  MemorySource x;
  Fitted fitted;
  std::string svg;
};

TEST_CASE("a column of words is bars, as long as the probabilities of the model") {
  for (const char* model : {"nb", "categorical-nb", "generative"}) {
    CAPTURE(model);
    const OneColumn words(Look::kCategories);
    Drawn drawn(model, words);
    for (const char* name : {">cliff<", ">shore<", ">wood<"}) {
      CHECK(tests::count_of(drawn.svg, name) == 1);
    }
    const auto bars = read_marks(drawn.svg, "rect");
    REQUIRE(bars.size() == 6);
    const double unit = bars[0].number("width") / (drawn.density(0) * drawn.share(0, 0));
    for (Index label = 0; label < 2; ++label) {
      for (int level = 0; level < 3; ++level) {
        const double p = drawn.density(level) * drawn.share(level, label);
        const SvgElement& bar = bars[usize(3 * label + level)];
        CHECK(bar.number("width") == doctest::Approx(unit * p).epsilon(1e-3));
        CHECK(bar.told.ends_with(": " + rounded(p)));
      }
    }
    const auto marks = read_marks(drawn.svg, "line");
    REQUIRE(marks.size() == 3);
    const double shore = static_cast<double>(std::ranges::count(words.values, 1.0)) / kRows;
    CHECK(marks[1].told == "shore, share of the rows: " + rounded(shore));
    CHECK(drawn.svg.find("stroke-linejoin") == std::string::npos);  // no curve
  }
}

TEST_CASE("words without a density have a bar of each label's share") {
  Drawn drawn("logistic", OneColumn(Look::kCategories));
  const auto bars = read_marks(drawn.svg, "rect");
  REQUIRE(bars.size() == 6);
  const double whole = bars[0].number("width") + bars[3].number("width");
  CHECK(bars[0].number("width") == doctest::Approx(whole * drawn.share(0, 0)).epsilon(1e-3));
}

TEST_CASE("counts are steps at whole numbers, as high as their probabilities") {
  const OneColumn counts(Look::kCounts);
  for (const char* model : {"nb", "density", "mixture", "histogram"}) {
    CAPTURE(model);
    const bool histogram = std::string_view(model) == "histogram";
    const std::vector<NamedOption> options =
        std::string_view(model) == "mixture" ? std::vector<NamedOption>{{"n_components", Index{2}}}
                                             : std::vector<NamedOption>{};
    Drawn drawn(model, counts, options);
    if (histogram) continue;  // a density between whole numbers, too: a curve is true
    std::vector<SvgElement> whole = read_marks(drawn.svg, "line");
    std::erase_if(whole, [](const SvgElement& e) { return e.told.find(',') != e.told.npos; });
    REQUIRE(whole.size() >= 5);
    // Where 0 and 1 would be, by the first two steps.
    const double first = drawn.density(0);
    const double unit =
        (whole[1].number("y1") - whole[0].number("y1")) / (drawn.density(1) - first);
    const double ground = whole[0].number("y1") - unit * first;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const double p = drawn.density(static_cast<double>(i));
      CHECK(whole[i].told == fmt::format("{}: {:.3g}", i, p));
      CHECK(whole[i].number("y1") == doctest::Approx(ground + unit * p).epsilon(0.005));
    }
    CHECK(drawn.svg.find(">probability<") != std::string::npos);
  }
}

TEST_CASE("bars of whole numbers stand about them") {
  Drawn drawn("nb", OneColumn(Look::kCounts));
  for (const SvgElement& bar : read_marks(drawn.svg, "rect")) {
    CAPTURE(bar.told);
    CHECK(bar.told.find(".5 to ") != std::string::npos);
  }
}

TEST_CASE("numbers are curves that are the density of the model") {
  for (const char* model : {"nb", "gmm", "kde", "density", "gaussian-nb"}) {
    CAPTURE(model);
    Drawn drawn(model, OneColumn(Look::kNumbers));
    CHECK(drawn.svg.find(">density<") != std::string::npos);
    CHECK(drawn.svg.find("stroke-linejoin") != std::string::npos);
    CHECK(read_marks(drawn.svg, "rect").size() > 5);
  }
}

TEST_CASE("a model without probabilities shows where its labels change") {
  Drawn drawn("nearest-centroid", OneColumn(Look::kNumbers));
  const std::vector<SvgElement> lines = read_marks(drawn.svg, "line");
  REQUIRE(lines.size() == 1);
  const double border = std::strtod(lines[0].told.c_str(), nullptr);
  CHECK(border == doctest::Approx(2.5).epsilon(0.1));
}

TEST_CASE("rows drawn are an even choice of very many, which is said") {
  std::vector<double> many(60'000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i);
  MemorySource x({.x = Dense<double>{many.data(), ssize(many), 1, 1}}, numbered_schema(1));
  const DrawnRows rows = read_drawn_rows(x, {});
  CHECK(rows.rows() == 20'000);
  CHECK(rows.told() == "20,000 of 60,000 rows");
  CHECK(rows.column(0)[10'000] == 30'000);
}

}  // namespace
}  // namespace craton::column_plot_test
