#include "cli/measured.h"
#include "cli/to_json.h"

namespace craton::cli {
namespace {

template <class F>
Json estimates(Metrics metrics, const F& of) {
  Json json = Json::object({});
  for (Index m = 0; m < ssize(metrics); ++m) {
    const Estimate e = of(m);
    json.set(std::string(metrics[usize(m)]->name),
             Json::object({{"mean", e.mean}, {"error", e.error}}));
  }
  return json;
}

Json fold_to_json(const FoldResult& fold, Metrics metrics) {
  Json json = Json::object({{"train_rows", fold.train_rows},
                            {"test_rows", fold.test_rows},
                            {"converged", fold.converged}});
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    json.set(std::string(metrics[m]->name), fold.values[m]);
  }
  return json;
}

}  // namespace

Json to_json(const Measured& measured, Index entry, Metrics metrics) {
  const Trial& trial = measured.entries[usize(entry)].trial;
  const Results& results = measured.results[usize(entry)];
  const Results& best = measured.results[usize(measured.best)];
  Json options = Json::object({});
  for (const auto& [name, value] : trial.options) options.set(name, to_json(value));
  Json::List folds;
  for (const FoldResult& fold : results) folds.push_back(fold_to_json(fold, metrics));
  return Json::object(
      {{"model", trial.model->name},
       {"options", options},
       {"metrics", estimates(metrics, [&](Index m) { return estimate(results, m); })},
       {"less_best", estimates(metrics, [&](Index m) { return difference(results, best, m); })},
       {"folds", Json(Json::Value(std::move(folds)))}});
}

Json all_to_json(const Measured& measured, Metrics metrics) {
  Json::List list;
  for (Index i = 0; i < ssize(measured.entries); ++i) list.push_back(to_json(measured, i, metrics));
  return Json(Json::Value(std::move(list)));
}

}  // namespace craton::cli
