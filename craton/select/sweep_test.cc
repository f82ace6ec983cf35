#include "craton/select/sweep.h"

#include <doctest/doctest.h>

#include "tests/refused.h"

namespace craton {
namespace {

std::string names_of(std::string_view model, const Sweep& sweep) {
  std::string names;
  for (const Setting& setting : settings_of(find_model(model), sweep))
    names += setting.name() + ";";
  return names;
}

TEST_CASE("settings are every kind with every number, ascending and once each") {
  CHECK(names_of("gmm", {.values = {3, 1, 3}, .kinds = {"diag", "full"}}) ==
        "1 diag;3 diag;1 full;3 full;");
}

TEST_CASE("what is not said is usual") {
  CHECK(names_of("gmm", {}) == "1 full;2 full;3 full;4 full;5 full;6 full;7 full;8 full;");
  CHECK(names_of("kmeans", {}) == "2;3;4;5;6;7;8;9;10;");
  CHECK(names_of("quadratic-discriminant", {}) == "0 full;1 full;");
  CHECK(names_of("mixture", {.values = {2}}) == "2 auto;");
}

TEST_CASE("a fit has five starts, or as many as are given") {
  const auto starts = [](const Sweep& sweep) {
    Index found = 0, times = 0;
    const std::vector<Setting> settings = settings_of(find_model("kmeans"), sweep);
    for (const auto& [name, value] : settings[0].options) {
      if (name == "n_init") found = std::get<Index>(value), ++times;
    }
    return times == 1 ? found : -1;
  };
  CHECK(starts({}) == kSweepStarts);
  CHECK(starts({.options = {{"n_init", Index{2}}}}) == 2);
}

TEST_CASE("numbers are typed as ranges and lists") {
  const ModelInfo& gmm = find_model("gmm");
  CHECK(parse_swept(gmm, "1..3,7,2:4") == std::vector<double>{1, 2, 3, 4, 7});
  CHECK(parse_swept(find_model("quadratic-discriminant"), "1,0.5") == std::vector<double>{1, 0.5});
  CHECK(parse_kinds("full,diag") == std::vector<std::string>{"full", "diag"});
  CHECK(parse_kinds("a=gamma,b=poisson;a=gaussian") ==
        std::vector<std::string>{"a=gamma,b=poisson", "a=gaussian"});
  for (const char* wrong : {"", "0", "3..1", "1..", "x", "1.5", "1..1001", "1..600,601..1200"}) {
    check_refused([&] { parse_swept(gmm, wrong); }, Code::kBadOption, -1, "whole numbers from 1");
  }
}

TEST_CASE("numbers that are none of components are refused") {
  for (const double wrong : {0.0, 1.5, -1.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    check_refused(
        [&] {
          settings_of(find_model("gmm"), {.values = {1, wrong}});
        },
        Code::kBadOption, -1, "whole numbers from 1");
  }
}

TEST_CASE("models with nothing to choose are refused") {
  check_refused([] { settings_of(find_model("density"), {}); }, Code::kNotAble, -1,
                "no number of components");
  check_refused([] { settings_of(find_model("multinomial-nb"), {}); }, Code::kNotAble, -1,
                "no number of components");
}

}  // namespace
}  // namespace craton
