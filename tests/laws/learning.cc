#include <set>

#include "craton/base/error.h"
#include "craton/model/model_file.h"
#include "tests/laws/laws.h"
#include "tests/refused.h"

// Laws of models that go on from what was fitted: warm starts, more rows, and merging.

using namespace craton;
using namespace craton::laws;

namespace {

// With so many updates, and no rule that stops them earlier.
std::vector<NamedOption> updates(const ModelInfo& model, Index count) {
  std::vector<NamedOption> options;
  for (NamedOption& option : small_options(model)) {
    if (option.first != "max_iter") options.push_back(std::move(option));
  }
  for (const Option& option : model.options()) {
    if (option.name == "max_iter") options.emplace_back("max_iter", count);
    if (option.name == "tol") options.emplace_back("tol", 0.0);
  }
  return options;
}

Fitted copy(const Fitted& fitted) { return unpack_model(pack_model(fitted), "copy"); }

}  // namespace

TEST_CASE("a fit from a fit goes on as if it had not stopped") {
  for_every_model([](const ModelInfo& model) {
    if (!model.abilities.fit_from) return;
    const Data data = groups(model, 1'500, 2, 40);
    MemorySource x = data.source();
    const Fitted whole = model.fit(x, updates(model, 7), {});
    const Fitted half = copy(model.fit(x, updates(model, 3), {}));
    const Fitted rest = model.fit_from(half, x, updates(model, 4), {});
    CHECK(difference(rest, whole) == 0);
    CHECK(rest.report.objective == whole.report.objective);
    CHECK(rest.report.trace[0] == half.report.objective);
    CHECK(rest.memory.get() == whole.memory.get());
  });
}

TEST_CASE("what is remembered is in the file and not in the digest") {
  for_every_model([](const ModelInfo& model) {
    Fitted fitted = fit(model, groups(model, 400, 2, 41));
    CHECK(fitted.memory.get().empty() == !model.abilities.memory);
    const Fitted back = copy(fitted);
    const std::vector<Parameter>&was = fitted.memory.get(), &is = back.memory.get();
    REQUIRE(is.size() == was.size());
    for (std::size_t i = 0; i < is.size(); ++i) {
      CHECK(is[i].name == was[i].name);
      CHECK(is[i].value == was[i].value);
    }
    const std::string before = digest(fitted);
    fitted.memory = {};
    CHECK(digest(fitted) == before);
    CHECK(copy(fitted).memory.get().empty());  // as files of older versions
  });
}

TEST_CASE(
    "learning on gives one digest and one memory with any number of threads, and from a file") {
  for_every_model([](const ModelInfo& model) {
    if (!model.abilities.partial_fit) return;
    const Data data = groups(model, 60'001, 3, 42), more = groups(model, 50'003, 3, 43);
    std::set<std::string> digests;
    std::set<Bytes> files;
    for (const int threads : {1, 2, 3, 7}) {
      const Exec exec{.threads = threads};
      const Fitted first = fit(model, data, exec);
      MemorySource x = more.source();
      const Fitted next = model.partial_fit(first, x, first.options, exec);
      const Fitted copied = model.partial_fit(copy(first), x, first.options, exec);
      for (const Fitted* fitted : {&next, &copied}) {
        digests.insert(digest(*fitted));
        files.insert(pack_model(*fitted));
      }
      CHECK(digest(first) != digest(next));
      if (!first.report.data_hash.empty()) {
        CHECK(next.report.data_hash != first.report.data_hash);
      }
    }
    CHECK(digests.size() == 1);
    CHECK(files.size() == 1);
  });
}

// The statistics of two halves under one model, and a step of it: the same bits as on the whole
// where the cut is one of the tree's.
TEST_CASE("models of two halves merged are a step on the whole") {
  for_every_model([](const ModelInfo& model) {
    if (!model.abilities.merge || !model.abilities.fit_from) return;
    constexpr Index kAligned = 8 * 4096;
    const Data data = groups(model, 2 * kAligned, 2, 44);
    const Fitted start = fit(model, data.slice(0, 500));
    const auto from = [&](Index first, Index last, Index count) {
      const Data part = data.slice(first, last);
      MemorySource x = part.source();
      return model.fit_from(start, x, updates(model, count), {});
    };
    const Fitted whole = from(0, data.rows, 1);
    const auto merged = [&](Index cut) {
      return model.merge(from(0, cut, 0), copy(from(cut, data.rows, 0)));
    };
    const Fitted same = merged(kAligned);
    CHECK(difference(same, whole) == 0);
    CHECK(same.report.data_hash == whole.report.data_hash);
    CHECK(same.report.objective == whole.report.trace[0]);
    const double gap = difference(merged(12'345), whole);
    CHECK(gap > 0);
    CHECK(gap < 1e-12);
  });
}

TEST_CASE("going on from another model, other columns or nothing is refused by name") {
  for_every_model([](const ModelInfo& model) {
    const Data two = groups(model, 200, 2, 45), three = groups(model, 200, 3, 45);
    MemorySource x = two.source(), wide = three.source();
    const Fitted fitted = fit(model, two), other = fit(model, three);
    for (const auto& [able, go_on] : {std::pair(model.abilities.fit_from, model.fit_from),
                                      std::pair(model.abilities.partial_fit, model.partial_fit),
                                      std::pair(model.abilities.unlearn, model.unlearn)}) {
      const auto call = [&, f = go_on](Source& rows) { f(fitted, rows, fitted.options, {}); };
      if (able) {
        check_refused([&] { call(wide); }, Code::kWrongColumns, -1, "columns");
      } else {
        check_refused([&] { call(x); }, Code::kNotAble, -1, "cannot");
      }
    }
    check_refused([&] { model.merge(fitted, other); },
                  model.abilities.merge ? Code::kWrongColumns : Code::kNotAble, -1,
                  model.abilities.merge ? "columns" : "cannot");
    for (const ModelInfo& stranger : models()) {
      if (stranger.name == model.name || !stranger.abilities.partial_fit) continue;
      check_refused([&] { stranger.partial_fit(fitted, x, {}, {}); }, Code::kBadOption, -1,
                    "the model to go on from is a");
    }
  });
}
