#include "craton/report/plots/profile_plot.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/draw/text.h"
#include "craton/report/pictures.h"
#include "tests/birds.h"
#include "tests/read_svg.h"
#include "tests/well_formed.h"

namespace craton::profile_plot_test {
namespace {

using tests::Birds;
using tests::read_marks;

TEST_CASE("profiles have a box for each group, at the quartiles of its rows") {
  const Birds birds;
  Table of = birds.some({1, 3});
  MemorySource x = birds.labelled(of);
  const std::string svg = draw_picture("profiles", find_model("nb").fit(x, {}, {}), &x, {}, {});
  CHECK(tests::xml_problem(svg) == "");
  std::vector<double> auks;
  for (std::size_t i = 0; i < 200; i += 2) auks.push_back(birds.table.x.values[4 * i + 1]);
  std::ranges::sort(auks);
  // R's type 7, of 100 rows: at 24.75, 49.5 and 74.25.
  const double first = auks[24] + 0.75 * (auks[25] - auks[24]);
  const double median = (auks[49] + auks[50]) / 2;
  const double third = auks[74] + 0.25 * (auks[75] - auks[74]);
  const std::string told = fmt::format("auk: median {}, half between {} and {}", rounded(median),
                                       rounded(first), rounded(third));
  CHECK(svg.find("<title>" + told + "</title>") != svg.npos);
  // Words: shares of each group.
  const double cliffs = [&] {
    double count = 0;
    for (std::size_t i = 0; i < 200; i += 2) count += birds.table.x.values[4 * i + 3] == 0 ? 1 : 0;
    return count / 100;
  }();
  CHECK(svg.find("<title>auk, cliff: " + rounded(cliffs) + "</title>") != svg.npos);
}

TEST_CASE("pairs of columns are drawn of every classifier and clustering") {
  const Birds birds;
  Table of = birds.some({0, 1});
  MemorySource x = Birds::plain(of);
  const std::vector<NamedOption> two{{"n_clusters", Index{2}}};
  const std::string svg = draw_picture("pairs", find_model("kmeans").fit(x, two, {}), &x, {}, {});
  CHECK(tests::xml_problem(svg) == "");
  CHECK(tests::count_of(svg, "viewBox=\"0 0 480 320\"") == 4);
}

TEST_CASE("uncertain rows are larger, and counted") {
  const Birds birds;
  Table of = birds.some({0, 1});
  MemorySource x = Birds::plain(of);
  const std::vector<NamedOption> two{{"n_components", Index{2}}};
  const Fitted fitted = find_model("gmm").fit(x, two, {});
  std::vector<double> p(400);
  fitted.model->predict_log_proba(x, p, {});
  int unsure = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    unsure += std::exp(std::max(p[2 * i], p[2 * i + 1])) < 0.8 ? 1 : 0;
  }
  const std::string svg = draw_picture("uncertainty", fitted, &x, {}, {});
  CHECK(tests::xml_problem(svg) == "");
  CHECK(svg.find(fmt::format("{} of 200 rows less certain than 80 %", unsure)) != svg.npos);
}

TEST_CASE("silhouettes are bars of every row, group by group") {
  const Birds birds;
  Table of = birds.some({0, 1});
  MemorySource x = Birds::plain(of);
  const std::vector<NamedOption> two{{"n_clusters", Index{2}}};
  const std::string svg =
      draw_picture("silhouette", find_model("kmeans").fit(x, two, {}), &x, {}, {});
  CHECK(tests::xml_problem(svg) == "");
  const auto bars = read_marks(svg, "rect");
  REQUIRE(bars.size() == 200);
  CHECK(bars.front().told.starts_with("cluster 1, row "));
  CHECK(bars.back().told.starts_with("cluster 0, row "));
  CHECK(bars.back().number("width") > bars[150].number("width") - 1e-9);
}

}  // namespace
}  // namespace craton::profile_plot_test
