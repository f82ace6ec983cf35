#include "craton/report/plots/class_plot.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>

#include "craton/draw/palette.h"
#include "craton/report/confusion.h"
#include "craton/report/pictures.h"
#include "tests/birds.h"
#include "tests/read_svg.h"
#include "tests/well_formed.h"

namespace craton::class_plot_test {
namespace {

using tests::Birds;
using tests::read_marks;
using tests::read_svg;

struct Told {
  explicit Told(const char* model = "nb")
      : of(birds.some({0, 1, 2, 3})),
        x(birds.labelled(of)),
        fitted(find_model(model).fit(x, {}, {})) {}
  std::string draw(const char* picture) {
    std::string svg = draw_picture(picture, fitted, &x, {}, {});
    CHECK(tests::xml_problem(svg) == "");
    return svg;
  }
  // P(tern | row) of every row.
  std::vector<double> probabilities() {
    std::vector<double> p(birds.labels.size() * 2), found;
    fitted.model->predict_log_proba(x, p, {});
    for (std::size_t i = 1; i < p.size(); i += 2) found.push_back(std::exp(p[i]));
    return found;
  }

  Birds birds;
  Table of;
  MemorySource x;
  Fitted fitted;
};

// The share of pairs of a tern and an auk in which the tern is the more probable one, by looking
// at all pairs.
double area(const std::vector<double>& p, const std::vector<std::int32_t>& labels) {
  double right = 0, pairs = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = 0; j < p.size(); ++j) {
      if (labels[i] != 1 || labels[j] != 0) continue;
      right += p[i] > p[j] ? 1 : p[i] == p[j] ? 0.5 : 0;
      ++pairs;
    }
  }
  return right / pairs;
}

// The corners of the path that tells this, in pixels.
std::vector<std::pair<double, double>> corners_of(const std::string& svg, const std::string& told) {
  std::vector<std::pair<double, double>> corners;
  for (const tests::SvgElement& path : read_marks(svg, "path")) {
    if (!path.told.starts_with(told)) continue;
    const char* at = path.attributes.at("d").c_str();
    while (*at == 'M' || *at == 'L') {
      char* end = nullptr;
      const double x = std::strtod(at + 1, &end);
      const double y = std::strtod(end, &end);
      corners.emplace_back(x, y);
      at = end;
    }
  }
  return corners;
}

TEST_CASE("the area under the ROC curve that is drawn is the share of pairs in order") {
  Told told;
  const std::string svg = told.draw("roc");
  const double expected = area(told.probabilities(), told.birds.labels);
  CHECK(svg.find(fmt::format("area under ROC {:.3g}", expected)) != svg.npos);
  const auto corners = corners_of(svg, "tern");
  REQUIRE(corners.size() > 3);
  const double wide = corners.back().first - corners.front().first;
  const double high = corners.front().second - corners.back().second;
  double sum = 0;
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const double up = corners.front().second - (corners[i - 1].second + corners[i].second) / 2;
    sum += (corners[i].first - corners[i - 1].first) * up;
  }
  CHECK(sum / (wide * high) == doctest::Approx(expected).epsilon(1e-3));
}

TEST_CASE("a confusion has a patch for each pair of labels, with the count of its rows") {
  Told told;
  const auto confusion = find_confusion(told.fitted, told.x, {});
  const auto patches = read_marks(told.draw("confusion"), "rect");
  REQUIRE(patches.size() == 4);
  CHECK(patches[0].told.starts_with(
      fmt::format("auk taken for auk: {} (", confusion->matrix.values[0])));
  CHECK(patches[1].told.starts_with(
      fmt::format("auk taken for tern: {} (", confusion->matrix.values[1])));
  CHECK(patches[0].attributes.at("fill") ==
        shade(confusion->matrix.values[0] / confusion->rows[0]));
}

TEST_CASE("precision and recall, lift and calibration are drawn of the same rows") {
  Told told;
  for (const char* picture : {"precision-recall", "lift", "calibration"}) {
    CAPTURE(picture);
    const std::string svg = told.draw(picture);
    CHECK(svg.find("200 rows, 'tern' against 'auk'") != svg.npos);
    CHECK(corners_of(svg, "tern").size() > 3);
  }
  // A tenth of the rows that is all terns has twice their share.
  CHECK(told.draw("lift").find("the first tenth has 2 times its share") != std::string::npos);
}

TEST_CASE("a classifier without probabilities has its confusion alone") {
  Told told("nearest-centroid");
  told.draw("confusion");
  CHECK(!tells_probabilities(told.fitted));
}

TEST_CASE("of many labels those that are told worst are named") {
  Table many{.schema = numbered_schema(1), .x = Array{{600, 1}, {}}};
  std::vector<std::int32_t> labels;
  many.schema.target = Column{"kind", ColumnKind::kCategory, {}};
  for (int c = 0; c < 30; ++c) many.schema.target->levels.push_back("kind " + std::to_string(c));
  for (std::size_t i = 0; i < 600; ++i) {
    Random random(5, Purpose::kTest, 0, i);
    labels.push_back(static_cast<std::int32_t>(i % 30));
    many.x.values.push_back(static_cast<double>(i % 30) + random.normal());
  }
  MemorySource x({.x = many.x.view(), .labels = labels}, many.schema);
  const Fitted fitted = find_model("gaussian-nb").fit(x, {}, {});
  const std::string roc = draw_picture("roc", fitted, &x, {}, {});
  CHECK(roc.find("the 8 of 30 labels that are told worst") != roc.npos);
  const std::string confusion = draw_picture("confusion", fitted, &x, {}, {});
  CHECK(read_marks(confusion, "rect").size() == 24 * 24);
  CHECK(tests::xml_problem(confusion) == "");
}

}  // namespace
}  // namespace craton::class_plot_test
