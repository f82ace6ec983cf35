#include <doctest/doctest.h>

#include <algorithm>

#include "craton/base/random.h"
#include "craton/report/choice.h"
#include "craton/report/confusion.h"
#include "craton/report/plots/fit_plot.h"
#include "craton/report/plots/stages.h"
#include "craton/report/plots/traces.h"
#include "craton/report/words.h"
#include "tests/refused.h"
#include "tests/well_formed.h"

namespace craton {
namespace {

// Rows about two points, and which of them.
struct Rows {
  explicit Rows(Index rows, Index cols) : x{{rows, cols}, {}} {
    Random random(9, Purpose::kTest);
    for (Index i = 0; i < rows; ++i) {
      labels.push_back(static_cast<std::int32_t>(i % 2));
      for (Index j = 0; j < cols; ++j) {
        x.values.push_back(8 * static_cast<double>(i % 2) + random.normal());
      }
    }
    schema = numbered_schema(cols);
    schema.target = Column{"kind", ColumnKind::kCategory, {"a", "b"}};
  }
  MemorySource source(const std::string& name = "folder/rows.csv") const {
    return MemorySource({.x = x.view(), .labels = labels}, schema, name);
  }

  Array x;
  std::vector<std::int32_t> labels = {};
  Schema schema;
};

TEST_CASE("a picture of Gaussians has an ellipse at one and at two deviations of each") {
  const Rows rows(80, 2);
  MemorySource x = rows.source();
  const std::vector<NamedOption> options{{"n_components", Index{2}}};
  const Fitted fitted = find_model("gmm").fit(x, options, {});
  const std::string svg = plot_fit(fitted, x, {0, 1}, fitted.report.objective, {});
  CHECK(tests::xml_problem(svg) == "");
  CHECK(tests::count_of(svg, "<path") == 4);
  CHECK(svg.find("rows.csv: 2 components found by gmm") != svg.npos);
  CHECK(svg.find("folder") == svg.npos);
  MemorySource unnamed = rows.source("");
  const std::string untitled = plot_fit(fitted, unnamed, {0, 1}, fitted.report.objective, {});
  CHECK(untitled.find(">2 components found by gmm") != untitled.npos);
}

TEST_CASE("one column is a histogram, with weights if there are any") {
  const Rows rows(60, 1);
  MemorySource x = rows.source();
  const std::vector<NamedOption> options{{"n_components", Index{2}}};
  const Fitted fitted = find_model("gmm").fit(x, options, {});
  const PlotColumns columns = PlotColumns::first_two(x.schema());
  CHECK(columns.up == -1);
  const std::string svg = plot_fit(fitted, x, columns, 0, {});
  CHECK(tests::xml_problem(svg) == "");
  std::vector<double> weights(60, 1.0);
  weights[0] = 30;
  MemorySource weighted({.x = rows.x.view(), .weights = weights}, rows.schema, "rows.csv");
  CHECK(plot_fit(fitted, weighted, columns, 0, {}) != svg);
}

TEST_CASE("the borders of classes are drawn where they know them") {
  const Rows rows(80, 2);
  MemorySource x = rows.source();
  const Fitted fitted = find_model("linear-discriminant").fit(x, {}, {});
  const std::string svg = plot_fit(fitted, x, {0, 1}, 0, {});
  CHECK(svg.find("rows.csv: kind by linear-discriminant") != svg.npos);
  CHECK(svg.find("accuracy 1") != svg.npos);
  CHECK(svg.find("dark line") != svg.npos);
}

TEST_CASE("stages end where the fit does, and are refused where there are none") {
  const Rows rows(80, 2);
  MemorySource x = rows.source();
  const std::vector<NamedOption> options{{"n_clusters", Index{2}}};
  const Index updates[] = {0, 1, 500, 1000};
  const std::string svg = plot_stages(find_model("kmeans"), options, x, updates, {0, 1}, {});
  CHECK(tests::xml_problem(svg) == "");
  CHECK(svg.find(">the start") != svg.npos);
  const Index fewer[] = {0, 1, 500};
  CHECK(plot_stages(find_model("kmeans"), options, x, fewer, {0, 1}, {}) == svg);
  check_refused(
      [&] {
        plot_stages(find_model("gaussian-nb"), {}, x, updates, {0, 1}, {});
      },
      Code::kNotAble, -1, "has no stages");
}

TEST_CASE("traces name the start that was kept") {
  const Rows rows(80, 2);
  MemorySource x = rows.source();
  const std::vector<NamedOption> options{{"n_clusters", Index{3}}, {"n_init", Index{4}}};
  const std::string svg = plot_traces(find_model("kmeans").fit(x, options, {}), x.name());
  CHECK(tests::xml_problem(svg) == "");
  CHECK(svg.find("rows.csv: kmeans") != svg.npos);
  CHECK(svg.find("4 starts, ") != svg.npos);
  CHECK(svg.find(" by start ") != svg.npos);
}

TEST_CASE("the table, the figures and the curve of a choice agree") {
  const Rows rows(80, 2);
  MemorySource x = rows.source();
  const ModelInfo& model = find_model("gmm");
  const ModelChoice choice =
      choose_model(model, x, settings_of(model, {.values = {1, 2}, .kinds = {"full", "diag"}}),
                   find_choice_criterion(model, "bic"), {}, [](Index) {});
  const SummaryTable table = choice_table(choice);
  REQUIRE(table.rows.size() == 4);
  CHECK(table.rows[usize(choice.best)].back() == "<- best");
  const std::vector<ChoiceColumn> columns = choice_columns(choice);
  const auto bic = std::ranges::find(columns, "bic", &ChoiceColumn::name);
  REQUIRE(bic != columns.end());
  const Curve curve = choice_curve(choice, x);
  REQUIRE(curve.series.size() == 2);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(std::get<double>(bic->values[i]) == curve.series[i / 2].y[i % 2]);
  }
  CHECK(curve.series[usize(choice.best / 2)].best_label == "lowest");
  CHECK(curve.title == "rows.csv: BIC of gmm");
}

TEST_CASE("a confusion counts rows of each label by what they were taken for") {
  const Rows rows(40, 2);
  MemorySource x = rows.source();
  const Fitted fitted = find_model("gaussian-nb").fit(x, {}, {});
  std::vector<std::int32_t> wrong = rows.labels;
  wrong[0] = 1;  // it was 0
  MemorySource mislabelled({.x = rows.x.view(), .labels = wrong}, rows.schema);
  const auto confusion = find_confusion(fitted, mislabelled, {});
  REQUIRE(confusion);
  CHECK(confusion->matrix.values == std::vector<double>{19, 0, 1, 20});
  CHECK(confusion_tables(*confusion).size() == 2);
  MemorySource unlabelled({.x = rows.x.view()});
  CHECK(!find_confusion(fitted, unlabelled, {}));
}

TEST_CASE("words of tables") {
  CHECK(plural(1, "row") == "1 row");
  CHECK(plural(0, "row") == "0 rows");
  CHECK(shown(-0.0) == "0");
  CHECK(base_name("a/b.csv") == "b.csv");
  CHECK(title_start("") == "");
}

}  // namespace
}  // namespace craton
