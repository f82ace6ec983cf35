#include "craton/cluster/kmeans.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "craton/base/error.h"
#include "craton/base/notes.h"
#include "craton/base/random.h"
#include "craton/cluster/minibatch_kmeans.h"
#include "craton/cluster/starts.h"

using namespace craton;

namespace {

// Three round groups about (0,0), (10,0), (0,10).
std::vector<double> three_groups(Index rows) {
  std::vector<double> x;
  Random random(5, Purpose::kTest);
  for (Index i = 0; i < rows; ++i) {
    x.push_back((i % 3 == 1 ? 10 : 0) + random.normal());
    x.push_back((i % 3 == 2 ? 10 : 0) + random.normal());
  }
  return x;
}

MemorySource source_of(const std::vector<double>& x, Index cols = 2) {
  return MemorySource({.x = Dense<double>{x.data(), std::ssize(x) / cols, cols, cols}});
}

KMeans::Options options_with(Index k) {
  KMeans::Options o;
  o.n_clusters = k;
  return o;
}

std::string message_of(const std::vector<double>& x, const KMeans::Options& options) {
  MemorySource source = source_of(x);
  try {
    KMeans::fit(source, options, {});
  } catch (const InputError& error) {
    return error.what();
  }
  FAIL("no error");
  return "";
}

}  // namespace

TEST_CASE("planted groups are found, and each centre is the mean of its rows") {
  const std::vector<double> x = three_groups(3000);
  MemorySource source = source_of(x);
  const Fit<KMeans> fit = KMeans::fit(source, options_with(3), {});
  CHECK(fit.report.converged);
  std::vector<std::int32_t> labels(3000);
  fit.model.predict(source, labels, {});
  std::vector<double> sum(6), count(3);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto c = static_cast<std::size_t>(labels[i]);
    CHECK(labels[i] == labels[i % 3]);
    sum[c * 2] += x[i * 2], sum[c * 2 + 1] += x[i * 2 + 1], count[c] += 1;
  }
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(fit.model.centers().values[i] == doctest::Approx(sum[i] / count[i / 2]).epsilon(1e-12));
  }
}

TEST_CASE("the report's objective is minus the squared distances to the nearest centre") {
  const std::vector<double> x = three_groups(500);
  MemorySource source = source_of(x);
  const Fit<KMeans> fit = KMeans::fit(source, options_with(4), {});
  double inertia = 0;
  for (std::size_t i = 0; i < 500; ++i) {
    double nearest = INFINITY;
    for (std::size_t c = 0; c < 4; ++c) {
      const double dx = x[i * 2] - fit.model.centers().values[c * 2];
      const double dy = x[i * 2 + 1] - fit.model.centers().values[c * 2 + 1];
      nearest = std::min(nearest, dx * dx + dy * dy);
    }
    inertia += nearest;
  }
  CHECK(-fit.report.objective == doctest::Approx(inertia).epsilon(1e-13));
  CHECK(fit.model.score(source, {}) == doctest::Approx(fit.report.objective).epsilon(1e-13));
}

TEST_CASE("J never rises, over many problems") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<double> x(400);
    Random random(seed, Purpose::kTest, 1);
    for (double& v : x) v = random.normal();
    MemorySource source = source_of(x);
    KMeans::Options options = options_with(5);
    options.tol = 0;
    options.random_state = static_cast<Index>(seed);
    const FitReport report = KMeans::fit(source, options, {}).report;
    CHECK(report.converged);
    for (std::size_t i = 1; i < report.trace.size(); ++i) {
      CHECK(report.trace[i] >= report.trace[i - 1] * (1 + 1e-14));  // they are negative
    }
  }
}

TEST_CASE("a tie goes to the lower centre") {
  const KMeans model(Array{{3, 1}, {-1, 1, 1}});
  const std::vector<double> x{0, 1};
  MemorySource source = source_of(x, 1);
  std::vector<std::int32_t> labels(2);
  model.predict(source, labels, {});
  CHECK(labels == std::vector<std::int32_t>{0, 1});
}

TEST_CASE("transform gives the distance to every centre") {
  const KMeans model(Array{{2, 2}, {0, 0, 3, 0}});
  const std::vector<double> x{0, 4};
  MemorySource source = source_of(x);
  std::vector<double> distances(2);
  model.transform(source, distances, {});
  CHECK(distances == std::vector<double>{4, 5});
}

TEST_CASE("a diagnosis adds the distance to the nearest centre") {
  const KMeans model(Array{{2, 2}, {0, 0, 3, 0}});
  const std::vector<double> x{0, 4, 3, 1};
  MemorySource source = source_of(x);
  ResultTable rows{"rows", "rows"};
  model.diagnose(source, rows, {});
  REQUIRE(rows.find("distance") != nullptr);
  CHECK(*rows.find("distance")->numbers() == ResultColumn::Numbers{4, 1});
}

TEST_CASE("an empty cluster moves to the farthest row") {
  const std::vector<double> x{0, 0, 1, 0, 10, 0, 11, 0};
  MemorySource source = source_of(x);
  KMeans::Options options = options_with(2);
  options.centers = Array{{2, 2}, {5, 0, 100, 0}};
  const Fit<KMeans> fit = KMeans::fit(source, options, {});
  CHECK(-fit.report.objective == 1);
  CHECK(fit.report.notes.empty());
}

TEST_CASE("a fit from its only start says so, unless no other could end elsewhere") {
  const std::vector<double> x = three_groups(60);
  MemorySource source = source_of(x);
  const auto says_one = [&](const KMeans::Options& options) {
    MiniBatchKMeans::Options batches;
    batches.n_clusters = options.n_clusters;
    batches.n_init = options.n_init;
    batches.centers = options.centers;
    const auto told = [](const FitReport& report) {
      return std::any_of(report.notes.begin(), report.notes.end(), [](const Note& note) {
        CHECK(is_remark(note) == (note.code == "one-start"));
        return is_remark(note) && note.text.plain().find("n_init") != std::string::npos;
      });
    };
    const bool one = told(KMeans::fit(source, options, {}).report);
    CHECK(told(MiniBatchKMeans::fit(source, batches, {}).report) == one);
    return one;
  };
  KMeans::Options options = options_with(3);
  CHECK(says_one(options));
  options.n_init = 2;
  CHECK_FALSE(says_one(options));
  options.n_init = 1;
  options.centers = Array{{3, 2}, {0, 0, 10, 0, 0, 10}};
  CHECK_FALSE(says_one(options));
  CHECK_FALSE(says_one(options_with(1)));
  CHECK_FALSE(says_one(options_with(60)));  // J is 0
}

TEST_CASE("clusters that stay empty are noted") {
  const std::vector<double> x{1, 1, 1, 1, 2, 2};
  MemorySource source = source_of(x);
  KMeans::Options options = options_with(3);
  options.centers = Array{{3, 2}, {1, 1, 2, 2, 2, 2}};
  const Fit<KMeans> fit = KMeans::fit(source, options, {});
  REQUIRE(fit.report.notes.size() == 1);
  CHECK(fit.report.notes[0].code == "empty-cluster");
}

TEST_CASE("clusters beyond the distinct rows are empty copies of the first") {
  const std::vector<double> x{1, 1, 2, 2, 1, 1};
  MemorySource source = source_of(x);
  const Fit<KMeans> fit = KMeans::fit(source, options_with(3), {});
  CHECK(fit.report.objective == 0);
  REQUIRE(fit.report.notes.size() == 1);
  CHECK(fit.report.notes[0].code == "empty-cluster");
  const auto center = fit.model.centers().view();
  CHECK(std::equal(center.row(2), center.row(3), center.row(0)));
  CHECK_THROWS_WITH_AS(choose_start(source, {.k = 3}, {}),
                       doctest::Contains("only 2 distinct rows"), InputError);
}

// The mean of copies of a row is not always that row: J is then a little above the 0 it was.
TEST_CASE("a centre on every distinct row is no worse for rounding") {
  for (std::uint64_t problem = 0; problem < 50; ++problem) {
    Random random(problem, Purpose::kTest);
    std::vector<double> x;
    for (int i = 0; i < 8; ++i) x.push_back(random.normal());
    for (int i = 0; i < 16; ++i) x.push_back(x[x.size() - 8]);  // four rows, three times
    MemorySource source = source_of(x);
    CHECK(-KMeans::fit(source, options_with(4), {}).report.objective < 1e-28);
  }
}

TEST_CASE("more starts never give a worse result") {
  const std::vector<double> x = three_groups(300);
  MemorySource source = source_of(x);
  KMeans::Options options = options_with(7);
  double last = -INFINITY;
  for (const Index n_init : {1, 2, 5, 10}) {
    options.n_init = n_init;
    const double objective = KMeans::fit(source, options, {}).report.objective;
    CHECK(objective >= last);
    last = objective;
  }
}

TEST_CASE("starts are distinct rows of the data") {
  const std::vector<double> x{1, 1, 1, 1, 1, 1, 2, 2, 3, 3};
  MemorySource source = source_of(x);
  for (const StartRule rule : {StartRule::kPlusPlus, StartRule::kRandom}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Array start = choose_start(source, {.rule = rule, .k = 3, .seed = seed}, {});
      CHECK(std::set(start.values.begin(), start.values.end()) == std::set<double>{1, 2, 3});
    }
  }
}

// Rows 0, 1 and 3 on a line, from centre 0: k-means++ takes 3 with probability 9/10.
TEST_CASE("k-means++ draws rows by squared distance, and random rows by weight") {
  const std::vector<double> x{0, 1, 3}, weights{1e9, 1, 1};
  MemorySource source({.x = Dense<double>{x.data(), 3, 1, 1}, .weights = weights});
  int far = 0, light = 0;
  constexpr int kDraws = 2000;
  for (int seed = 0; seed < kDraws; ++seed) {
    const auto s = static_cast<std::uint64_t>(seed);
    far += choose_start(source, {.k = 2, .seed = s}, {}).values[1] == 3;
    light +=
        choose_start(source, {.rule = StartRule::kRandom, .k = 2, .seed = s}, {}).values[1] == 1;
  }
  // Four standard deviations of a binomial.
  CHECK(std::abs(far - 0.9 * kDraws) < 4 * std::sqrt(kDraws * 0.09));
  CHECK(std::abs(light - 0.5 * kDraws) < 4 * std::sqrt(kDraws * 0.25));
}

TEST_CASE("values whose squares overflow or vanish are refused") {
  const KMeans model(Array{{1, 2}, {0, 0}});
  const std::vector<double> far{0, 0, 1e200, 0}, tiny{1e-200, 0, 2e-200, 0, 3e-200, 0};
  MemorySource source = source_of(far);
  std::vector<std::int32_t> labels(2);
  CHECK_THROWS_WITH_AS(model.predict(source, labels, {}), doctest::Contains("row 1"), InputError);
  CHECK_THROWS_WITH_AS(model.score(source, {}), doctest::Contains("overflow"), InputError);
  CHECK(message_of(tiny, options_with(2)).find("vanish") != std::string::npos);
  KMeans::Options options = options_with(2);
  options.centers = Array{{2, 2}, {1e300, 0, 0, 0}};
  CHECK(message_of({1, 2, 3, 4, 5, 6}, options).find("init has the value") != std::string::npos);
}

TEST_CASE("what cannot be clustered is refused with value, rule and fix") {
  const std::vector<double> x{1, 1, 2, 2, 1, 1};
  const auto says = [&](KMeans::Options options, const std::string& part) {
    CAPTURE(part);
    return message_of(x, options).find(part) != std::string::npos;
  };
  CHECK(says(options_with(0), "n_clusters = 0"));
  CHECK(says(options_with(4), "only 3 rows"));
  CHECK(says(options_with(4), "at most 3"));
  KMeans::Options wrong_start = options_with(2);
  wrong_start.centers = Array{{2, 3}, {1, 2, 3, 4, 5, 6}};
  CHECK(says(wrong_start, "array of 2 x 3"));
}
