#include <algorithm>
#include <set>

#include "craton/base/error.h"
#include "craton/base/files.h"
#include "craton/io/npy.h"
#include "craton/io/open.h"
#include "craton/model/fit_steps.h"
#include "craton/model/model_file.h"
#include "tests/folder.h"
#include "tests/laws/laws.h"

// A model that prepares its rows (model/fit_steps.h) is the model of the prepared rows.

using namespace craton;
using namespace craton::laws;

namespace {

bool takes_codes(const ModelInfo& model) {
  return model.name == "categorical-nb" || model.name == "positional-nb";
}

// Rows with holes; columns of different units, as far as the model allows it.
Data rough(const ModelInfo& model, Index rows, std::uint64_t seed) {
  Data data = groups(model, rows, 3, seed);
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    if (!takes_codes(model)) data.x[i] *= i % 3 == 0 ? 1000 : 0.125;
    if (i % 17 == 0) data.x[i] = NAN;
  }
  data.x_float.assign(data.x.begin(), data.x.end());
  return data;
}

std::vector<NamedOption> prepared_options(const ModelInfo& model, const char* scale = "min_max") {
  std::vector<NamedOption> options = small_options(model);
  options.emplace_back("fill", takes_codes(model) ? "most_frequent" : "median");
  if (!takes_codes(model)) options.emplace_back("scale", scale);
  if (!takes_codes(model)) options.emplace_back("unit_rows", "max");
  return options;
}

// The same rows, prepared by hand.
Data by_hand(const Data& data, const Preparation& preparation) {
  MemorySource x = data.source();
  Data result = data;
  result.x = read_all(*preparation.over(x)).values;
  return result;
}

std::vector<Parameter> plain_parameters(const Fitted& fitted) {
  std::vector<Parameter> result;
  for (Parameter& p : fitted.model->parameters()) {
    if (!Preparation::is_parameter(p.name)) result.push_back(std::move(p));
  }
  return result;
}

bool same_parameters(const std::vector<Parameter>& a, const std::vector<Parameter>& b) {
  return std::ranges::equal(a, b, [](const Parameter& p, const Parameter& q) {
    return p.name == q.name && p.value.shape == q.value.shape &&
           std::ranges::equal(p.value.values, q.value.values, [](double v, double w) {
             return v == w || (std::isnan(v) && std::isnan(w));
           });
  });
}

}  // namespace

TEST_CASE("a model that prepares its rows is the model of the prepared rows") {
  for_every_model([](const ModelInfo& model) {
    const Data data = rough(model, 3'000, 50);
    MemorySource x = data.source();
    const Fitted fitted = model.fit(x, prepared_options(model), {});
    const Preparation* preparation = preparation_of(*fitted.model);
    REQUIRE(preparation != nullptr);
    const Data ready = by_hand(data, *preparation);
    CHECK(std::ranges::none_of(ready.x, [](double v) { return std::isnan(v); }));
    const Fitted plain = fit(model, ready);
    CHECK(same_parameters(plain_parameters(fitted), plain.model->parameters()));
    CHECK(plain_report(fitted).objective == doctest::Approx(plain.report.objective));
    MemorySource y = ready.source();
    CHECK(predicted(fitted, x) == predicted(plain, y));
    if (model.abilities.score_samples) {
      std::vector<double> ours(usize(data.rows)), theirs(ours.size());
      fitted.model->score_samples(x, ours, {});
      plain.model->score_samples(y, theirs, {});
      for (std::size_t i = 0; i < ours.size(); ++i) {
        CHECK(ours[i] == doctest::Approx(theirs[i] + preparation->log_volume()));
      }
    }
    RowWork work(*fitted.model);
    const std::vector<double> all = predicted(fitted, x);
    for (Index i = 0; !all.empty() && i < 50; ++i) {
      const std::span<const double> row(&data.x[usize(i * 3)], 3);
      const double alone = model.abilities.predict_numbers
                               ? fitted.model->predict_number_row(row, work)
                               : fitted.model->predict_row(row, work);
      CHECK(alone == all[usize(i)]);
    }
  });
}

TEST_CASE("threads, ranks, files and float do not change what prepared models learn") {
  const Folder folder;
  for_every_model([&](const ModelInfo& model) {
    const Data data = rough(model, 20'011, 51);
    const std::vector<NamedOption> options = prepared_options(model);
    MemorySource x = data.source();
    std::set<std::string> digests;
    for (const int threads : {1, 2, 7}) {
      digests.insert(digest(model.fit(x, options, {.threads = threads})));
    }
    run_in_process_ranks(2, [&](Comm& comm) {
      MemorySource own = data.source();
      const std::string ours = digest(model.fit(own, options, {.threads = 1, .comm = &comm}));
      if (comm.rank() == 0) digests.insert(ours);
    });
    MemorySource floats = data.float_source();
    digests.insert(digest(model.fit(floats, options, {})));
    CHECK(digests.size() == 1);
    // Labels and numbers of files: tests/laws/files.cc.
    if (model.abilities.labels || model.abilities.numbers) return;
    write_file(folder / "x.npy", write_npy(Array{{data.rows, 3}, data.x}));
    const OpenedTable npy = open_table(folder / "x.npy", {}, {});
    digests.insert(digest(model.fit(*npy.source, options, {})));
    CHECK(digests.size() == 1);
  });
}

TEST_CASE("prepared models are saved with what prepares their rows") {
  for_every_model([](const ModelInfo& model) {
    const Data data = rough(model, 600, 52);
    MemorySource x = data.source();
    const Fitted fitted = model.fit(x, prepared_options(model), {});
    const Bytes bytes = pack_model(fitted);
    const Fitted again = unpack_model(bytes, "copy");
    CHECK(pack_model(again) == bytes);
    CHECK(digest(again) == digest(fitted));
    CHECK(*preparation_of(*again.model) == *preparation_of(*fitted.model));
    CHECK(predicted(again, x) == predicted(fitted, x));
    CHECK(digest(fitted) != digest(fit(model, by_hand(data, *preparation_of(*fitted.model)))));
  });
}

TEST_CASE("prepared models learn on from rows that are prepared alike") {
  for_every_model([](const ModelInfo& model) {
    const std::vector<NamedOption> options = prepared_options(model, "max_abs");  // never below 0
    const Data first = rough(model, 2'000, 53), more = rough(model, 1'500, 54);
    MemorySource x = first.source(), y = more.source();
    const Fitted fitted = model.fit(x, options, {});
    const Preparation& preparation = *preparation_of(*fitted.model);
    const Fitted plain = fit(model, by_hand(first, preparation));
    const Data ready = by_hand(more, preparation);
    MemorySource z = ready.source();
    for (const auto& [able, go_on] : {std::pair(model.abilities.fit_from, model.fit_from),
                                      std::pair(model.abilities.partial_fit, model.partial_fit)}) {
      if (!able) continue;
      const Fitted ours = go_on(fitted, y, fitted.options, {});
      CHECK(same_parameters(plain_parameters(ours),
                            go_on(plain, z, plain.options, {}).model->parameters()));
      CHECK(*preparation_of(*ours.model) == preparation);
      try {
        go_on(plain, y, options, {});
        CHECK(false);
      } catch (const InputError& error) {
        CHECK(error.code() == Code::kBadOption);
      }
    }
    if (!model.abilities.merge) return;
    const Fitted same = model.merge(fitted, unpack_model(pack_model(fitted), "copy"));
    CHECK(*preparation_of(*same.model) == preparation);
    try {
      model.merge(fitted, model.fit(y, options, {}));
      CHECK_MESSAGE(takes_codes(model), "other scales");  // codes may be filled in alike
    } catch (const InputError& error) {
      CHECK(error.code() == Code::kBadOption);
    }
  });
}

TEST_CASE("what prepared models sample has the units of the rows") {
  for_every_model([](const ModelInfo& model) {
    if (!model.abilities.sample || !model.abilities.score_samples || takes_codes(model)) return;
    const Data data = groups(model, 4'000, 3, 55);
    MemorySource x = data.source();
    std::vector<NamedOption> options = small_options(model);
    options.emplace_back("scale", "standard");
    const Sample drawn = model.fit(x, options, {}).model->sample(4'000, 7);
    for (Index j = 0; j < 3; ++j) {
      double ours = 0, theirs = 0;
      for (Index i = 0; i < 4'000; ++i) {
        ours += drawn.x.values[usize(i * 3 + j)];
        theirs += data.x[usize(i * 3 + j)];
      }
      CHECK(std::abs(ours - theirs) / 4'000 < 0.25);  // values lie in 5..18
    }
    options.emplace_back("unit_rows", "l2");
    const Fitted unit = model.fit(x, options, {});
    try {
      unit.model->sample(1, 7);
      CHECK(false);
    } catch (const InputError& error) {
      CHECK(error.code() == Code::kNotAble);
    }
  });
}
