#include "craton/report/row_scores.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/base/random.h"

namespace craton::row_scores_test {
namespace {

// Two columns that go together (correlation 0.95) and one by itself.
struct Bodies {
  explicit Bodies(Index rows) : x{{rows, 3}, {}} {
    Random random(3, Purpose::kTest);
    for (Index i = 0; i < rows; ++i) {
      const double a = random.normal(), b = random.normal();
      x.values.push_back(170 + 10 * a);
      x.values.push_back(65 + 12 * (0.95 * a + std::sqrt(1 - 0.95 * 0.95) * b));
      x.values.push_back(40 + 5 * random.normal());
    }
  }
  void set(Index row, std::vector<double> values) {
    std::ranges::copy(values, &x.values[usize(3 * row)]);
  }
  MemorySource source() const {
    return MemorySource({.x = x.view()},
                        {.columns = {{"height"}, {"weight"}, {"age"}}, .target = std::nullopt});
  }
  Array x;
};

Fitted gaussian(const Bodies& bodies) {
  MemorySource x = bodies.source();
  return find_model("gmm").fit(x, {}, {});
}

double largest_gap(std::vector<double> sorted) {  // Kolmogorov and Smirnov's, to the uniform
  std::ranges::sort(sorted);
  double gap = 0;
  const double n = static_cast<double>(sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double at = static_cast<double>(i);
    gap = std::max({gap, sorted[i] - at / n, (at + 1) / n - sorted[i]});
  }
  return gap;
}

TEST_CASE("tail probabilities are uniform on rows that the model draws") {
  const Fitted fitted = gaussian(Bodies(300));
  const Sample own = fitted.model->sample(2000, 17);
  MemorySource x({.x = own.x.view()}, fitted.schema);
  const RowScores scores = find_row_scores(fitted, x, {});
  // 1% of such tables have a larger one: 1.63 sqrt(1 / rows + 1 / draws).
  CHECK(largest_gap(scores.tails) < 1.63 * std::sqrt(1.0 / 2000 + 1.0 / 10'000));
  const ResultTable table = row_score_table(scores, fitted, x);
  CHECK(table.rows() == 2000);
}

TEST_CASE("the tail probability of a row is how much of the model lies further out") {
  const Fitted fitted = gaussian(Bodies(300));
  const std::vector<Parameter> all = fitted.model->parameters();
  const std::vector<double>& mean = std::ranges::find(all, "means", &Parameter::name)->value.values;
  const double row[] = {mean[0], mean[1], mean[2]};
  MemorySource x({.x = Dense<double>{row, 1, 3, 3}}, fitted.schema);
  CHECK(find_row_scores(fitted, x, {}).tails[0] == 1.0);  // the top of the density
}

TEST_CASE("swapped values are the strangest row, and what would suit is told") {
  Bodies bodies(300);
  bodies.set(12, {80, 172, 41});
  Bodies clean = bodies;
  clean.set(12, {172, 68, 41});
  const Fitted fitted = gaussian(clean);
  MemorySource x = bodies.source();
  const RowScores scores = find_row_scores(fitted, x, {});
  CHECK(scores.by_rank[0] == 12);
  CHECK(scores.tails[12] == doctest::Approx(1.0 / 10'001));
  REQUIRE(scores.reasons[0].size() >= 1);
  for (const ColumnReason& reason : scores.reasons[0]) CHECK(reason.column != 2);
  const ResultTable strangest = strangest_rows(scores, fitted, x, 5);
  CHECK(strangest.rows() == 5);
  CHECK(strangest.find("row")->numbers()->at(0) == 12);
  const std::string& because = strangest.find("because")->words()->at(0);
  CHECK(because.find("height 80 (") != because.npos);
  CHECK(because.find("weight 172 (") != because.npos);
  CHECK(because.find("suits the rest") != because.npos);
}

TEST_CASE("one wrong value is the only reason, and what suits is the conditional mean") {
  Bodies bodies(300);
  const Fitted fitted = gaussian(bodies);
  bodies.set(7, {180, 77, 95});
  MemorySource x = bodies.source();
  const RowScores scores = find_row_scores(fitted, x, {});
  CHECK(scores.by_rank[0] == 7);
  REQUIRE(scores.reasons[0].size() == 1);
  const ColumnReason& reason = scores.reasons[0][0];
  CHECK(reason.column == 2);
  CHECK(reason.value == 95);
  CHECK(reason.suits == doctest::Approx(40).epsilon(0.05));
  // The gain is that of the log density with what suits.
  const double both[] = {180, 77, 95, 180, 77, reason.suits};
  MemorySource pair({.x = Dense<double>{both, 2, 3, 3}}, fitted.schema);
  std::vector<double> log_p(2);
  fitted.model->score_samples(pair, log_p, {});
  CHECK(reason.gain == doctest::Approx(log_p[1] - log_p[0]).epsilon(1e-12));
  // Of a Gaussian the gain is half the square of the distance from the conditional mean.
  CHECK(reason.gain == doctest::Approx(0.5 * (55.0 / 5) * (55.0 / 5)).epsilon(0.15));
}

TEST_CASE("columns that go together and are both far out are told, though neither could change") {
  Bodies bodies(300);
  const Fitted fitted = gaussian(bodies);
  const double far = 6;
  bodies.set(5, {170 + 10 * far, 65 + 12 * far, 40});
  MemorySource x = bodies.source();
  const RowScores scores = find_row_scores(fitted, x, {});
  CHECK(scores.by_rank[0] == 5);
  REQUIRE(scores.reasons[0].size() >= 2);
  std::vector<Index> columns{scores.reasons[0][0].column, scores.reasons[0][1].column};
  std::ranges::sort(columns);
  CHECK(columns == std::vector<Index>{0, 1});
}

TEST_CASE("scores of rows are the same bits for any threads") {
  Bodies bodies(400);
  const Fitted fitted = gaussian(bodies);
  MemorySource x = bodies.source();
  const auto text = [&](int threads) {
    const RowScores scores = find_row_scores(fitted, x, {.threads = threads});
    const ResultTable table = row_score_table(scores, fitted, x);
    return std::make_tuple(*table.find("tail_probability")->numbers(),
                           *table.find("log_density")->numbers(), *table.find("because")->words());
  };
  const auto one = text(1);
  CHECK(text(2) == one);
  CHECK(text(7) == one);
}

TEST_CASE("clusters have distances instead of densities, and their reasons") {
  Bodies bodies(200);
  bodies.set(3, {170, 65, 140});
  MemorySource x = bodies.source();
  const std::vector<NamedOption> options{{"n_clusters", Index{2}}};
  const Fitted fitted = find_model("kmeans").fit(x, options, {});
  const RowScores scores = find_row_scores(fitted, x, {});
  CHECK(scores.measure == "distance");
  CHECK(scores.tails.empty());
  CHECK(scores.by_rank[0] == 3);
  CHECK(scores.reasons[0][0].column == 2);
}

TEST_CASE("of numbers the residual is how strange a row is, and without numbers none is") {
  Bodies bodies(100);
  std::vector<double> y;
  for (Index i = 0; i < 100; ++i) y.push_back(2 * bodies.x.values[usize(3 * i)]);
  y[31] += 50;
  const Memory memory{.x = bodies.x.view(), .targets = y};
  Schema schema = bodies.source().schema();
  schema.target = Column{"y"};
  MemorySource x(memory, schema);
  const Fitted fitted = find_model("linear").fit(x, {}, {});
  const RowScores scores = find_row_scores(fitted, x, {});
  CHECK(scores.by_rank[0] == 31);
  CHECK(row_score_table(scores, fitted, x).find("residual")->numbers()->at(31) > 40);
  MemorySource without = bodies.source();
  CHECK_THROWS_AS(find_row_scores(fitted, without, {}), InputError);
}

TEST_CASE("a table without rows is refused") {
  const Fitted fitted = gaussian(Bodies(50));
  MemorySource x({.x = Dense<double>{nullptr, 0, 3, 3}}, fitted.schema);
  CHECK_THROWS_AS(find_row_scores(fitted, x, {}), InputError);
}

}  // namespace
}  // namespace craton::row_scores_test
