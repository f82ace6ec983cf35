#include "craton/density/parts_of_kernels.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/density/kde.h"
#include "craton/model/model_file.h"
#include "tests/refused.h"

namespace craton::parts_of_kernels_test {

namespace {

using Numbers = std::vector<double>;

// Three columns, of which the last lies on a circle.
const Numbers kRows{1.2, 3, 10,  2.5, 4, 350, 0.4, 7.5, 90, 3.1, 5, 200,
                    2.2, 6, 180, 0.1, 3, 355, 1.9, 4.4, 30, 2.8, 2, 100};

Fitted fit(const std::vector<NamedOption>& options, const Numbers& weights = {}) {
  const Dense<double> view{kRows.data(), 8, 3, 3};
  const Schema schema{{{"a"}, {"b"}, {"angle"}}};
  MemorySource source({.x = view, .weights = weights}, schema, "data");
  return find_model("kde").fit(source, options, {});
}

double log_density(const Fitted& fitted, const Numbers& row) {
  const auto d = static_cast<Index>(row.size());
  const Dense<double> view{row.data(), 1, d, d};
  MemorySource source({.x = view}, fitted.schema, "data");
  double found = 0;
  fitted.model->score_samples(source, {&found, 1}, {});
  return found;
}

std::vector<std::vector<NamedOption>> shapes() {
  const Array diagonal{{3}, {0.5, 2, 900}};
  const Array matrix{{3, 3}, {0.5, 0.3, 5, 0.3, 2, 9, 5, 9, 900}};
  return {{{"bandwidth", 0.8}},
          {{"bandwidth_matrix", diagonal}},
          {{"bandwidth_matrix", matrix}},
          {{"bandwidth_matrix", std::string("covariance")}},
          {{"bandwidth_matrix", diagonal},
           {"support", std::string("a=0.., b=1..8, angle=0..360 periodic")}}};
}

}  // namespace

TEST_CASE("a density is what it is given some columns times what these are by themselves") {
  const Numbers weights{1, 2, 0.5, 1, 3, 1, 1, 0.25};
  for (const auto& options : shapes()) {
    for (const bool weighted : {false, true}) {
      const Fitted whole = fit(options, weighted ? weights : Numbers{});
      const ModelInfo& info = whole.info();
      for (const Numbers& x : {Numbers{1, 4, 100}, Numbers{0.2, 7.9, 359}, Numbers{3, 1.5, 20}}) {
        for (const std::vector<Index>& given :
             {std::vector<Index>{0}, {1}, {2}, {0, 1}, {2, 0}, {1, 2}}) {
          Numbers at, rest;
          std::vector<Index> kept;
          for (const Index j : given) at.push_back(x[usize(j)]);
          for (Index j = 0; j < 3; ++j) {
            if (std::ranges::find(given, j) != given.end()) continue;
            kept.push_back(j);
            rest.push_back(x[usize(j)]);
          }
          const Fitted alone = info.marginal(whole, given);
          const Fitted others = info.condition(whole, given, at);
          CHECK(others.schema.name(0) == whole.schema.name(kept[0]));
          CHECK(log_density(alone, at) + log_density(others, rest) ==
                doctest::Approx(log_density(whole, x)).epsilon(1e-10));
        }
      }
    }
  }
}

TEST_CASE("parts of a density are models like others: saved, learned on, parted again") {
  for (const auto& options : shapes()) {
    const Fitted whole = fit(options);
    const ModelInfo& info = whole.info();
    const Fitted pair = info.condition(whole, std::vector<Index>{1}, Numbers{4});
    const Fitted again = unpack_model(pack_model(pair), "");
    CHECK(again.model->parameters() == pair.model->parameters());
    const Fitted both = info.condition(whole, std::vector<Index>{1, 2}, Numbers{4, 100});
    const Fitted stepwise = info.condition(pair, std::vector<Index>{1}, Numbers{100});
    for (const double x : {0.3, 2.0}) {
      CHECK(log_density(stepwise, {x}) == doctest::Approx(log_density(both, {x})).epsilon(1e-10));
    }
    // Rows learned later have the same kernels about them.
    const Fitted alone = info.marginal(whole, std::vector<Index>{2, 0});
    CHECK(alone.schema.name(0) == "angle");
    const Numbers more{50, 0.5};
    const Dense<double> view{more.data(), 1, 2, 2};
    MemorySource source({.x = view}, alone.schema, "data");
    const Fitted next = info.partial_fit(alone, source, alone.options, {});
    CHECK(log_density(next, {50, 0.5}) > log_density(alone, {50, 0.5}));
    CHECK(parameter_of(*next.model, "bandwidth")->value ==
          parameter_of(*alone.model, "bandwidth")->value);
  }
}

TEST_CASE("far away one row is all that a condition leaves") {
  const Fitted whole = fit({{"bandwidth", 0.8}});
  const Fitted far = whole.info().condition(whole, std::vector<Index>{2}, Numbers{800});
  CHECK(log_density(far, {0.1, 3}) == doctest::Approx(-std::log(2 * 3.14159265358979 * 0.64)));
}

TEST_CASE("what has no parts is refused with what to do") {
  const Fitted whole = fit({{"bandwidth", 0.8}});
  const ModelInfo& info = whole.info();
  const auto refused = [&](const Fitted& of, std::vector<Index> given, Code code, const char* words,
                           double value = 1) {
    check_refused([&] { info.condition(of, given, Numbers(given.size(), value)); }, code, -1,
                  words);
  };
  refused(whole, {3}, Code::kWrongColumns, "no column 3");
  refused(whole, {1, 1}, Code::kDuplicateName, "twice");
  refused(whole, {}, Code::kWrongColumns, "no columns are chosen");
  refused(whole, {0, 1, 2}, Code::kWrongColumns, "no columns are left");
  refused(whole, {0}, Code::kNotFinite, "overflow", 1e300);
  refused(fit({{"kernel", std::string("cosine")}}), {0}, Code::kNotAble, "not gaussian");
  refused(fit({{"scale", std::string("standard")}}), {0}, Code::kNotAble, "prepared");
  refused(fit({{"bandwidth", 0.5}, {"support", std::string("a=0..")}}), {0}, Code::kOutsideSupport,
          "outside of", -1);
}

}  // namespace craton::parts_of_kernels_test
