#include <algorithm>

#include "craton/base/random.h"
#include "tests/laws/laws.h"

// Laws about rows: their order, their weights, and cutting the table in two.

using namespace craton;
using namespace craton::laws;

TEST_CASE("weights equal repeats") {
  for_every_model([](const ModelInfo& model) {
    Data data = groups(model, 600, 2, 4);
    std::vector<Index> repeated;
    for (Index i = 0; i < data.rows; ++i) {
      const Index copies = i % 4;  // a weight of 0 leaves the row out
      data.weights.push_back(static_cast<double>(copies));
      repeated.insert(repeated.end(), usize(copies), i);
    }
    CHECK(difference(fit(model, data), fit(model, data.rows_at(repeated))) < 1e-9);
  });
}

TEST_CASE("the order of the rows does not matter") {
  for_every_model([](const ModelInfo& model) {
    const Data data = groups(model, 2'000, 3, 5);
    std::vector<Index> order(2'000);
    Random(6, Purpose::kTest).permutation(order);
    CHECK(difference(fit(model, data), fit(model, data.rows_at(order))) < 1e-9);
  });
}

TEST_CASE("two halves merged equal the whole") {
  for_every_model([](const ModelInfo& model) {
    if (!model.abilities.statistics) return;
    constexpr Index kAligned = 8 * 4096;  // a cut at the top of the tree, whatever the grid
    const Data data = groups(model, 2 * kAligned, 2, 7);
    const Fitted fitted = fit(model, data.slice(0, 500));
    const auto statistics = [&](Index first, Index last) {
      const Data part = data.slice(first, last);
      MemorySource x = part.source();
      return fitted.model->statistics(x, {});
    };
    const Bytes whole = statistics(0, data.rows);
    const auto merged = [&](Index cut) {
      return fitted.model->merge_statistics(statistics(0, cut), statistics(cut, data.rows));
    };
    CHECK(merged(kAligned) == whole);  // the same bits

    // Any other cut: to rounding. The statistics are written in words of eight bytes.
    const Bytes other = merged(12'345);
    REQUIRE(other.size() == whole.size());
    CHECK(other != whole);
    for (std::size_t i = 0; i + 8 <= whole.size(); i += 8) {
      double a = 0, b = 0;
      std::memcpy(&a, &whole[i], 8);
      std::memcpy(&b, &other[i], 8);
      CHECK(std::abs(a - b) <= 1e-12 * std::max({std::abs(a), std::abs(b), 1e4}));
    }
  });
}

TEST_CASE("the objective never falls, and the report's is the last of the trace") {
  for_every_model([](const ModelInfo& model) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const FitReport report = fit(model, groups(model, 400, 2, seed)).report;
      REQUIRE_FALSE(report.trace.empty());
      CHECK(report.objective == report.trace.back());
      // After every pass, and after every update where the model can tell.
      CHECK(2 * report.iterations + 1 >= std::ssize(report.trace));
      for (std::size_t i = 1; i < report.trace.size(); ++i) {
        CHECK(report.trace[i] >= report.trace[i - 1] - 1e-10 * std::abs(report.trace[i - 1]));
      }
    }
  });
}
