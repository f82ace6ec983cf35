#include "craton/report/plots/density_plot.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/random.h"
#include "craton/report/pictures.h"
#include "tests/refused.h"
#include "tests/well_formed.h"

namespace craton::density_plot_test {

namespace {

using tests::count_of;
using tests::xml_problem;

// Two groups of 60 rows.
Table two_groups(Index columns) {
  Table table{.schema = numbered_schema(columns), .x = Array{{120, columns}, {}}, .name = "rows"};
  for (Index i = 0; i < 120; ++i) {
    Random random(3, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    for (Index j = 0; j < columns; ++j) {
      table.x.values.push_back(static_cast<double>(i % 2 * 8) + random.normal());
    }
  }
  return table;
}

std::string draw(const char* picture, const char* model, const Table& table,
                 const std::vector<NamedOption>& options = {}) {
  MemorySource x = table.source();
  const Fitted fitted = find_model(model).fit(x, options, {});
  return draw_picture(picture, fitted, &x, PlotColumns::first_two(table.schema), {});
}

}  // namespace

TEST_CASE("the density of one column is a curve over a tick for each row, without bars") {
  const std::string svg = draw("density", "kde", two_groups(1));
  CHECK(xml_problem(svg) == "");
  CHECK(count_of(svg, "<rect") == 1);  // the page
  CHECK(svg.find("120 rows") != svg.npos);
  CHECK(svg == draw("density", "kde", two_groups(1)));
}

TEST_CASE("that of a histogram is its bars and their band, scaled back where it saw scaled rows") {
  const std::vector<NamedOption> four{{"bins", Index{4}}};
  const std::string svg = draw("density", "histogram", two_groups(1), four);
  CHECK(xml_problem(svg) == "");
  CHECK(count_of(svg, "<rect") >= 1 + 2);
  CHECK(svg.find("probability 0.95") != svg.npos);
  CHECK(draw("density", "histogram", two_groups(1),
             {{"bins", Index{4}}, {"scale", std::string("standard")}}) == svg);
  CHECK(xml_problem(draw("density", "histogram", two_groups(3), four)) == "");
}

TEST_CASE("the density of one column is a chart for the terminal, of any model that draws it") {
  const auto chart = [](const char* model, const Table& table,
                        const std::vector<NamedOption>& options = {}) {
    MemorySource x = table.source();
    return density_chart(find_model(model).fit(x, options, {}));
  };
  Table whole{.schema = numbered_schema(1), .x = Array{{40, 1}, {}}, .name = "rows"};
  for (int i = 0; i < 40; ++i) whole.x.values.push_back(1e9 + i % 4 * i % 7);
  for (const char* model : {"kde", "histogram", "density", "gmm"}) {
    CAPTURE(model);
    for (const Table& table : {two_groups(1), whole}) {
      const std::string text = chart(model, table);
      CHECK(text.starts_with("density\n"));
      CHECK(count_of(text, "highest") == 1);
      CHECK(count_of(text, "\n") <= 34);
      CHECK(count_of(text, "\n") == count_of(text, "●") + 2);
    }
    CHECK(chart(model, two_groups(2)) == "");
  }
  // Bins are lines, and the longest has most rows.
  const std::string bins = chart("histogram", two_groups(1), {{"bins", Index{4}}});
  CHECK(count_of(bins, "●") == 4);
  // In units of the rows before they were scaled.
  CHECK(chart("kde", two_groups(1), {{"scale", std::string("standard")}}) ==
        chart("kde", two_groups(1)));
}

TEST_CASE("of two columns lines enclose each group, of any model that has a density") {
  for (const char* model : {"kde", "histogram", "gmm", "density"}) {
    CAPTURE(model);
    const std::string svg = draw("density", model, two_groups(2));
    CHECK(xml_problem(svg) == "");
    CHECK(svg.find("lines enclose") != svg.npos);
  }
  // The groups are far apart: the outermost line is two.
  const std::string svg = draw("density", "kde", two_groups(2), {{"bandwidth", 0.7}});
  const std::size_t first = svg.find("stroke-linejoin=\"round\"");
  REQUIRE(first != svg.npos);
  const std::size_t begin = svg.rfind("<path", first);
  CHECK(count_of(svg.substr(begin, first - begin), "Z") == 2);
}

TEST_CASE("the curve of a density integrates to one") {
  const Table table = two_groups(1);
  MemorySource x = table.source();
  const Fitted fitted = find_model("kde").fit(x, {}, {});
  const Series curve = density_curve(fitted, -16, 24, 4'001, {});
  double integral = 0;
  for (const double y : curve.y) integral += y * 40 / 4'000;
  CHECK(integral == doctest::Approx(1).epsilon(1e-6));
}

TEST_CASE("five bandwidths are five pictures, of the model and of others like it") {
  const std::string svg = draw("bandwidths", "kde", two_groups(1), {{"bandwidth", 0.5}});
  CHECK(xml_problem(svg) == "");
  for (const char* words : {"bandwidth 0.125<", "bandwidth 0.25<", "0.5, the one of the model",
                            "bandwidth 1<", "bandwidth 2<"}) {
    CAPTURE(words);
    CHECK(svg.find(words) != svg.npos);
  }
}

TEST_CASE("a picture that a density has not is refused, with those that there are") {
  check_refused([] { draw("density", "kde", two_groups(3)); }, Code::kNotAble, -1,
                "there are: fit");
  check_refused([] { draw("bandwidths", "kde", two_groups(2)); }, Code::kNotAble, -1, "density");
  check_refused([] { draw("density", "kmeans", two_groups(2)); }, Code::kNotAble, -1, "fit");
}

}  // namespace craton::density_plot_test
