#include <algorithm>
#include <optional>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/model/model_file.h"
#include "tests/laws/laws.h"

// Plain data at the ends of what doubles hold: a finite answer, or an error with a code. (The
// campaign, tests/campaign, has every table, option and verb; here is what once went wrong.)

using namespace craton;
using namespace craton::laws;

namespace {

using Options = std::vector<NamedOption>;

// What the code of the error is; nothing: it was fitted, and its file is read again.
std::optional<Code> code_of(std::string_view name, const Data& data, const Options& options = {}) {
  try {
    MemorySource x = data.source();
    const Fitted fitted = find_model(name).fit(x, options, {});
    CHECK(std::isfinite(fitted.report.objective));
    unpack_model(pack_model(fitted), "its own file");
  } catch (const InputError& error) {
    CAPTURE(error.what());
    CHECK(std::string(error.what()).find("nan") == std::string::npos);
    return error.code();
  }
  return std::nullopt;
}

Data changed(Data data, double scale, double offset) {
  for (double& v : data.x) v = v * scale + offset;
  data.x_float.clear();
  return data;
}

}  // namespace

TEST_CASE("weights that are absurd together are refused, by every model") {
  for_every_model([](const ModelInfo& model) {
    for (const double weight : {1e308, 1e200, 1e-300}) {
      CAPTURE(weight);
      Data data = groups(model, 60, 2, 31);
      data.weights.assign(60, weight);
      CHECK(code_of(model.name, data, small_options(model)) == Code::kBadWeight);
    }
  });
}

TEST_CASE("a model without any row is not left by unlearning") {
  for_every_model([](const ModelInfo& model) {
    if (!model.abilities.unlearn) return;
    const Data data = groups(model, 60, 2, 32);
    MemorySource x = data.source();
    const Fitted fitted = fit(model, x);
    CHECK_THROWS_AS(model.unlearn(fitted, x, fitted.options, {}), InputError);
  });
}

TEST_CASE("values too large or too close to be squared are refused by column") {
  const Data huge = changed(groups(60, 2, 33), 1e307, 0),
             tiny = changed(groups(60, 2, 33), 1e-301, 0);
  for (const char* family : {"gaussian", "equal-width", "lognormal", "weibull", "auto"}) {
    CAPTURE(family);
    for (const char* name : {"nb", "mixture"}) {
      CHECK(code_of(name, huge, {{"family", family}}) == Code::kNotFinite);
      CHECK(code_of(name, tiny, {{"family", family}}) == Code::kNoSpread);
    }
  }
  for (const char* family : {"lognormal", "weibull", "gamma"}) {
    CHECK(code_of("density", tiny, {{"family", family}}) == Code::kNoSpread);
  }
  for (const char* name : {"multinomial-nb", "complement-nb"}) {
    CHECK(code_of(name, huge) == Code::kNotFinite);
  }
}

TEST_CASE("whole numbers beyond any count are numbers like others") {
  const Data data = changed(groups(60, 2, 39), 0x1p180, 0);
  for (const char* name : {"density", "nb", "mixture"}) CHECK_FALSE(code_of(name, data));
}

TEST_CASE("where an offset has taken the digits EM ends without a bug") {
  for (const double offset : {1e10, 1e12, 1e14, 1e15, 1e16}) {
    CAPTURE(offset);
    Data data = changed(groups(120, 2, 34), 1, offset);
    std::ranges::fill(data.labels, -1);
    for (const Index seed : {0, 1, 2, 3}) {
      const Options options{{"n_components", Index{3}}, {"random_state", seed}};
      CHECK_NOTHROW(code_of("gmm", data, options));
      CHECK_NOTHROW(code_of("mixture", data, options));
    }
  }
}

TEST_CASE("shrinkage is a matter of ratios: units change nothing, or are refused") {
  for (const char* name : {"linear-discriminant", "quadratic-discriminant"}) {
    for (const char* type : {"full", "diag"}) {
      const Options options{{"shrinkage", "oas"}, {"covariance_type", type}};
      const Data data = groups(90, 3, 35);
      MemorySource x = data.source();
      const Fitted plain = find_model(name).fit(x, options, {});
      for (const double unit : {0x1p-300, 0x1p300}) {
        const Data other = changed(data, unit, 0);
        MemorySource y = other.source();
        const Fitted same = find_model(name).fit(y, options, {});
        const auto covariances = [](const Fitted& fitted) {
          for (const Parameter& p : fitted.model->parameters()) {
            if (p.name.starts_with("covariance")) return p.value.values;
          }
          return std::vector<double>{};
        };
        std::vector<double> expected = covariances(plain);
        REQUIRE_FALSE(expected.empty());
        for (double& v : expected) v *= unit * unit;
        CHECK(covariances(same) == expected);
      }
    }
    CHECK(code_of(name, changed(groups(90, 3, 35), 1e100, 0), {{"shrinkage", "auto"}}) ==
          Code::kNotFinite);
    CHECK(code_of(name, changed(groups(90, 3, 35), 1e-100, 0), {{"shrinkage", "auto"}}) ==
          Code::kNoSpread);
  }
}

TEST_CASE("a weight that stands for more rows than batches can be is refused as one") {
  Data data = groups(60, 2, 36);
  data.weights.assign(60, 1);
  data.weights[7] = 1e18;
  CHECK(code_of("minibatch-kmeans", data, {{"n_clusters", Index{3}}}) == Code::kBadWeight);
}

TEST_CASE("the least prior of outcomes that were never seen is no bug") {
  Data data = groups(60, 2, 40);
  for (std::size_t i = 0; i < data.x.size(); ++i) data.x[i] = data.labels[i / 2] == 1 ? 1 : 0;
  for (const double alpha : {1e-300, 1e-310}) {
    CHECK_FALSE(code_of("mixture", data, {{"alpha", alpha}}));
  }
}

TEST_CASE("mini-batches learn on from no row too far away") {
  const ModelInfo& model = find_model("minibatch-kmeans");
  const Fitted fitted = fit(model, changed(groups(60, 2, 41), 1, 1e300));
  const Data near = groups(4, 2, 38);
  MemorySource x = near.source();
  CHECK_THROWS_AS(model.partial_fit(fitted, x, fitted.options, {}), InputError);
}

TEST_CASE("statistics of rows too far away are refused") {
  const Fitted fitted = fit(find_model("kmeans"), groups(60, 2, 37));
  Data far = groups(4, 2, 38);
  far.x.assign(8, 1e300);
  MemorySource x = far.source();
  CHECK_THROWS_AS(fitted.model->statistics(x, {}), InputError);
}
