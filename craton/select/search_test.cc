#include "craton/select/search.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/refused.h"

namespace craton {
namespace {

const ModelInfo& gmm() { return find_model("gmm"); }

std::string text_of(const std::vector<NamedOption>& point) {
  std::string text;
  for (const auto& [name, value] : point) text += name + " " + to_text(value) + ";";
  return text;
}

TEST_CASE("a grid has every combination, the last axis fastest") {
  const std::vector<Axis> axes{parse_axis(gmm(), "n-components=2..3"),
                               parse_axis(gmm(), "covariance_type=full,diag")};
  std::string all;
  for (const auto& point : grid(axes)) all += text_of(point) + " ";
  CHECK(all ==
        "n_components 2;covariance_type 'full'; n_components 2;covariance_type 'diag'; "
        "n_components 3;covariance_type 'full'; n_components 3;covariance_type 'diag'; ");
}

TEST_CASE("draws lie in their ranges, evenly by logarithm when so asked, and repeat") {
  const std::vector<Axis> axes{parse_axis(gmm(), "tol=0.0001..1:log"),
                               parse_axis(gmm(), "n_components=1..4")};
  const auto points = random_search(axes, 2000, 5);
  double below = 0;
  std::vector<double> counts(5);
  for (const auto& point : points) {
    const double tol = std::get<double>(point[0].second);
    REQUIRE((tol >= 1e-4 && tol <= 1));
    below += tol < 0.01 ? 1 : 0;
    ++counts.at(usize(std::get<Index>(point[1].second)));
  }
  CHECK(std::abs(below / 2000 - 0.5) < 0.05);
  CHECK(counts[0] == 0);
  for (std::size_t k = 1; k < 5; ++k) CHECK(std::abs(counts[k] / 2000 - 0.25) < 0.05);
  CHECK(random_search(axes, 3, 5) == std::vector(points.begin(), points.begin() + 3));
  CHECK(random_search(axes, 3, 6) != random_search(axes, 3, 5));
}

TEST_CASE("values may be given as they are") {
  const std::vector<Axis> typed{parse_axis(gmm(), "n_components=2,3"),
                                parse_axis(gmm(), "tol=0.5")};
  const std::vector<Axis> given{make_axis(gmm(), "n_components", {Index{2}, Index{3}}),
                                make_axis(gmm(), "tol", {0.5})};
  CHECK(grid(typed) == grid(given));
  CHECK(random_search(typed, 5, 1) == random_search(given, 5, 1));
  check_refused([&] { (void)make_axis(gmm(), "n_component", {Index{1}}); }, Code::kUnknownName, -1,
                "did you mean 'n_components'?");
  check_refused([&] { (void)make_axis(gmm(), "tol", {-1.0}); }, Code::kBadOption, -1, "tol = -1");
  check_refused([&] { (void)make_axis(gmm(), "tol", {}); }, Code::kBadOption, -1, "has no values");
}

TEST_CASE("what cannot be searched is refused with what to type") {
  const auto refuses = [](const char* text, Code code, const char* part) {
    check_refused([&] { (void)parse_axis(gmm(), text); }, code, -1, part);
  };
  refuses("n_component=1", Code::kUnknownName, "did you mean 'n_components'?");
  refuses("alpha=1", Code::kUnknownName, "gmm has no option 'alpha'");
  refuses("n_components", Code::kBadOption, "such as alpha=0.1,1,10");
  refuses("n_components=2,0", Code::kBadOption, "n_components = 0 is not allowed");
  refuses("n_components=0..3", Code::kBadOption, "n_components = 0 is not allowed");
  refuses("n_components=3..1", Code::kBadOption, "Give the lower end first");
  refuses("n_components=1.5..3", Code::kBadOption, "Give whole ends");
  refuses("tol=0..1:log", Code::kBadOption, "has no logarithm");
  refuses("tol=a..b", Code::kBadOption, "is no range");
  refuses("covariance_type=full,round", Code::kBadOption, "covariance_type = 'round'");
  refuses("means_init=x.csv", Code::kBadOption, "takes an array");
  const std::vector<Axis> open{parse_axis(gmm(), "tol=0.1..1")};
  check_refused([&] { grid(open); }, Code::kBadOption, -1, "--random N");
  const std::vector<Axis> twice{parse_axis(gmm(), "tol=1"), parse_axis(gmm(), "tol=2")};
  check_refused([&] { grid(twice); }, Code::kBadOption, -1, "is given twice");
}

}  // namespace
}  // namespace craton
