#include "craton/select/metric.h"

#include <doctest/doctest.h>

#include "tests/refused.h"

namespace craton {
namespace {

TEST_CASE("a model that needs no labels does not see them unless a metric of labels asks") {
  const ModelInfo& mixture = find_model("mixture");
  const std::vector<const Metric*> both{&find_metric("accuracy"), &find_metric("log-loss")};
  const std::vector<const Metric*> ari{&find_metric("ari")};
  CHECK_FALSE(learns_target(mixture, ari));
  CHECK(learns_target(mixture, both));
  CHECK_FALSE(learns_target(find_model("kmeans"), ari));
  CHECK(learns_target(find_model("gaussian-nb"), both));
}

TEST_CASE("a metric that does not fit the model says which do") {
  const auto refuses = [](const char* metric, const char* model, bool labelled, Code code,
                          const char* text) {
    check_refused([&] { check_metric(find_metric(metric), find_model(model), labelled); }, code, -1,
                  text);
  };
  refuses("accuracy", "kmeans", true, Code::kNotAble, "finds clusters");
  refuses("silhouette", "gaussian-nb", true, Code::kNotAble, "learns given classes");
  refuses("silhouette", "density", false, Code::kNotAble, "Give one of log-likelihood.");
  refuses("mse", "gaussian-nb", true, Code::kNotAble, "predicts no numbers");
  refuses("accuracy", "linear", true, Code::kNotAble, "Give one of mse, mae, r2, pinball.");
  refuses("r2", "linear", false, Code::kBadOption, "true numbers, and none are given");
  refuses("ari", "kmeans", false, Code::kBadOption, "Give --target COLUMN.");
  check_refused([] { find_metric("accurracy"); }, Code::kUnknownName, -1, "'accuracy'?");
}

}  // namespace
}  // namespace craton
