#include <algorithm>
#include <atomic>
#include <set>

#include "tests/laws/laws.h"

using namespace craton;
using namespace craton::laws;

namespace {

// One that changes the fit, or says that it might have: the seed, or another choice.
NamedOption another_option(const ModelInfo& model) {
  for (const Option& option : model.options()) {
    if (option.name == "random_state") return {option.name, Index{1}};
  }
  for (const Option& option : model.options()) {
    if (option.name == "alpha") return {option.name, 0.5};
  }
  for (const Option& option : model.options()) {
    if (option.choices.size() > 1) return {option.name, option.choices[1]};
  }
  FAIL("no option to change");
  return {};
}

}  // namespace

TEST_CASE("1, 2, 3 and 7 threads give one digest") {
  for_every_model([](const ModelInfo& model) {
    const Data data = groups(model, 60'001, 3, 1);  // enough for every worker to have its part
    std::set<std::string> digests;
    for (const int threads : {1, 2, 3, 7})
      digests.insert(digest(fit(model, data, {.threads = threads})));
    CHECK(digests.size() == 1);
  });
}

TEST_CASE("1, 2, 3 and 5 ranks give one digest, on every rank") {
  for_every_model([](const ModelInfo& model) {
    const Data data = groups(model, 30'001, 3, 1);  // enough for every rank to have rows
    const std::string expected = digest(fit(model, data, {.threads = 1}));
    for (const int ranks : {1, 2, 3, 5}) {
      std::atomic<int> same = 0;
      run_in_process_ranks(ranks, [&](Comm& comm) {
        if (digest(fit(model, data, {.threads = 2, .comm = &comm})) == expected) ++same;
      });
      CHECK(same == ranks);
    }
  });
}

TEST_CASE("other data, another option or another seed give another digest") {
  for_every_model([](const ModelInfo& model) {
    const Data data = groups(model, 500, 2, 1);
    MemorySource x = data.source();
    std::vector<NamedOption> options = small_options(model);
    const std::string first = digest(model.fit(x, options, {}));
    CHECK(first == digest(model.fit(x, options, {})));
    CHECK(first != digest(fit(model, groups(model, 500, 2, 2))));
    options.push_back(another_option(model));
    CHECK(first != digest(model.fit(x, options, {})));
  });
}

TEST_CASE("float data give what the same values in double give") {
  for_every_model([](const ModelInfo& model) {
    const Data data = groups(model, 3'000, 3, 2);
    MemorySource as_float = data.float_source();
    CHECK(digest(fit(model, as_float)) == digest(fit(model, data)));
  });
}

TEST_CASE("what a model says of rows does not depend on the number of threads") {
  for_every_model([](const ModelInfo& model) {
    const Data data = groups(model, 5'000, 2, 3);
    const Fitted fitted = fit(model, data);
    MemorySource x = data.source();
    std::vector<std::vector<double>> answers;
    for (const int threads : {1, 2, 7}) {
      const Exec exec{.threads = threads};
      std::vector<double> all;
      const auto collect = [&](bool able, Index columns, auto&& ask) {
        if (!able) return;
        std::vector<double> out(usize(data.rows * columns));
        ask(out);
        all.insert(all.end(), out.begin(), out.end());
      };
      const Abilities& can = model.abilities;
      const AnyModel& m = *fitted.model;
      collect(can.predict_log_proba, m.classes(),
              [&](auto& out) { m.predict_log_proba(x, out, exec); });
      collect(can.score_samples, 1, [&](auto& out) { m.score_samples(x, out, exec); });
      collect(can.transform, m.outputs(), [&](auto& out) { m.transform(x, out, exec); });
      const std::vector<double> labels = predicted(fitted, x, exec);
      all.insert(all.end(), labels.begin(), labels.end());
      CHECK_FALSE(all.empty());
      answers.push_back(std::move(all));
    }
    CHECK(answers[0] == answers[1]);
    CHECK(answers[0] == answers[2]);
  });
}
