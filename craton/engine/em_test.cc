#include "craton/engine/em.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "craton/base/random.h"

using namespace craton;

namespace {

// The mean of a column by gradient steps on -sum (x - m)^2 / n: a toy model for the driver.
struct Mean {
  double value = 0;
};
struct Residual {
  double centre = 0, sum = 0, squares = 0, n = 0;
  double objective() const { return -squares / n; }
  void accumulate(const Chunk& chunk) {
    const auto& x = std::get<Dense<double>>(chunk.x);
    for (Index i = 0; i < x.rows; ++i) {
      const double e = x.row(i)[0] - centre;
      sum += e, squares += e * e, n += 1;
    }
  }
  void merge(const Residual& o) { sum += o.sum, squares += o.squares, n += o.n; }
  void write(Writer& w) const { w.put(sum), w.put(squares), w.put(n); }
  void read(Reader& r) { r.get(sum), r.get(squares), r.get(n); }
  Index words() const { return 3; }
  Merge merge_kind() const { return Merge::kTree; }
};

const std::vector<double> kValues{1, 2, 3, 4, 10};

auto run(const EmOptions& options, double step) {
  MemorySource x({.x = Dense<double>{kValues.data(), 5, 1, 1}});
  return em(
      x, Mean{}, [](const Mean& m) { return Residual{m.value}; },
      [&](Mean& m, const Residual& r) {
        const double move = step * r.sum / r.n;
        m.value += move;
        return std::abs(move);
      },
      options, {});
}

}  // namespace

TEST_CASE("EM finds the maximum, and its report describes the model returned") {
  const auto fit = run({.max_iter = 1000, .tol = 0}, 0.5);
  CHECK(fit.report.converged);
  CHECK(fit.model.value == doctest::Approx(4).epsilon(1e-7));
  CHECK(fit.report.objective == doctest::Approx(-10).epsilon(1e-12));  // variance of 1,2,3,4,10
  CHECK(fit.report.objective == fit.report.trace.back());
  CHECK(fit.statistics.objective() == fit.report.objective);
  CHECK(std::is_sorted(fit.report.trace.begin(), fit.report.trace.end()));
}

TEST_CASE("max_iter counts updates, and no update follows the last pass") {
  const auto none = run({.max_iter = 0, .tol = 0}, 0.5);
  CHECK(none.model.value == 0);
  CHECK(none.report.iterations == 0);
  CHECK(none.report.trace.size() == 1);
  CHECK_FALSE(none.report.converged);
  const auto two = run({.max_iter = 2, .tol = 0}, 0.5);
  CHECK(two.report.iterations == 2);
  CHECK(two.report.trace.size() == 3);
  CHECK(two.model.value == 3);
  CHECK(two.report.objective == -11);  // about 3: 4+1+0+1+49, over 5
}

TEST_CASE("an update that changes nothing ends the loop without another pass") {
  const auto fit = run({.max_iter = 100, .tol = 0, .rule = Convergence::kShift}, 1);
  CHECK(fit.report.converged);
  CHECK(fit.report.trace.size() == 2);
}

TEST_CASE("a fall of the objective is a bug, or a note where the update does not maximise it") {
  CHECK_THROWS_AS(run({.max_iter = 5, .tol = 0, .rule = Convergence::kShift}, 3), std::logic_error);
  const auto fit =
      run({.max_iter = 5, .tol = 0, .rule = Convergence::kShift, .monotone = false}, 3);
  REQUIRE(fit.report.notes.size() == 1);
  CHECK(fit.report.notes[0].code == "objective-fell");
}

TEST_CASE("a fall within what rounding takes from the data is a note, and a larger one a bug") {
  EmOptions options{.max_iter = 1, .tol = 0, .rule = Convergence::kShift};
  options.noise = 1000;
  const auto fit = run(options, 3);
  REQUIRE(fit.report.notes.size() == 1);
  CHECK(fit.report.notes[0].code == "objective-fell");
  CHECK(fit.report.notes[0].text.plain().find("rounding") != std::string::npos);
  options.noise = 1;
  CHECK_THROWS_AS(run(options, 3), std::logic_error);
}

TEST_CASE("an update that tells the objective after it puts it into the trace, checked too") {
  MemorySource x({.x = Dense<double>{kValues.data(), 5, 1, 1}});
  const auto run_to = [&](double told) {
    return em(
        x, Mean{}, [](const Mean& m) { return Residual{m.value}; },
        [&](Mean& m, const Residual& r) {
          const EmStep step{.shift = std::abs(r.sum / r.n), .objective = told};
          m.value += r.sum / r.n;
          return step;
        },
        {.max_iter = 5, .tol = 0, .rule = Convergence::kShift}, {});
  };
  const auto fit = run_to(-10);
  CHECK(fit.report.trace == std::vector<double>{-26, -10, -10});
  CHECK(fit.report.iterations == 1);
  CHECK_THROWS_AS(run_to(-9), std::logic_error);   // the pass that follows finds -10
  CHECK_THROWS_AS(run_to(-27), std::logic_error);  // an update never makes it worse
}

TEST_CASE("statistics that have settled end the loop") {
  struct Settled : Residual {
    bool settled() const { return centre > 0; }
  };
  MemorySource x({.x = Dense<double>{kValues.data(), 5, 1, 1}});
  const auto fit = em(
      x, Mean{}, [](const Mean& m) { return Settled{{m.value}}; },
      [](Mean& m, const Settled&) {
        m.value += 1;
        return 1.0;
      },
      {.max_iter = 100, .tol = 0, .rule = Convergence::kShift}, {});
  CHECK(fit.report.converged);
  CHECK(fit.report.iterations == 1);
}
