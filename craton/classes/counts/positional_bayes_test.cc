#include "craton/classes/counts/positional_bayes.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/random.h"
#include "craton/classes/counts/count_bayes.h"
#include "tests/refused.h"

namespace craton {
namespace {

constexpr Index kPositions = 4, kWords = 6;

struct Texts {
  std::vector<double> x;  // NaN: the text has ended
  std::vector<std::int32_t> labels;
  Schema schema = numbered_schema(kPositions);

  MemorySource source() const {
    const Index n = ssize(labels);
    Schema labelled = schema;
    labelled.target = Column{"kind", ColumnKind::kCategory, {"a", "b", "c"}};
    return MemorySource({.x = Dense<double>{x.data(), n, kPositions, kPositions}, .labels = labels},
                        labelled, "t.csv");
  }
};

Texts texts(Index rows) {
  Texts result;
  for (Index i = 0; i < rows; ++i) {
    Random random(9, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    const Index label = random.below(3), length = 1 + random.below(kPositions);
    result.labels.push_back(static_cast<std::int32_t>(label));
    for (Index t = 0; t < kPositions; ++t) {
      const Index word = (random.below(3) + label * (t + 1)) % kWords;
      result.x.push_back(t < length ? static_cast<double>(word) : NAN);
    }
  }
  return result;
}

Fit<PositionalNB> fit(const Texts& rows, const PositionalNB::Options& options = {}) {
  MemorySource x = rows.source();
  return PositionalNB::fit(x, options, {});
}

template <class M>
std::vector<double> log_proba(const M& model, MemorySource x) {
  std::vector<double> out(usize(x.shape().rows * 3));
  model.predict_log_proba(x, out, {});
  return out;
}

TEST_CASE("tied, it is the multinomial model of the counts, to the bit") {
  const Texts rows = texts(700);
  std::vector<double> counts(700 * kWords);
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    if (!std::isnan(rows.x[i])) {
      counts[i / kPositions * kWords + static_cast<std::size_t>(rows.x[i])] += 1;
    }
  }
  Schema schema = numbered_schema(kWords);
  schema.target = rows.source().schema().target;
  for (const double alpha : {0.0, 0.5, 1.0}) {
    MemorySource x({.x = Dense<double>{counts.data(), 700, kWords, kWords}, .labels = rows.labels},
                   schema);
    MultinomialNB::Options of_counts;
    of_counts.smoothing.alpha = alpha;
    const Fit<MultinomialNB> counted = MultinomialNB::fit(x, of_counts, {});
    const Fit<PositionalNB> tied = fit(rows, {.alpha = alpha, .prior = {}, .tied = true});
    CHECK(tied.model.word_log_prob().values == counted.model.feature_log_prob().values);
    CHECK(log_proba(tied.model, rows.source()) == log_proba(counted.model, x));
    CHECK(tied.report.objective == doctest::Approx(counted.report.objective).epsilon(1e-13));
  }
}

TEST_CASE("each position has its own table, by hand") {
  // Position 1: a a b. Position 2: one text of class 0 only.
  Texts rows{{0, 1, NAN, NAN, 0, NAN, NAN, NAN, 1, NAN, NAN, NAN}, {0, 0, 1}};
  const PositionalNB model =
      fit(rows, {.alpha = 1, .prior = {}, .tied = false, .n_words = 2}).model;
  const auto p = [&](std::size_t c, std::size_t t, std::size_t w) {
    return std::exp(model.word_log_prob().values[(c * kPositions + t) * 2 + w]);
  };
  CHECK(p(0, 0, 0) == doctest::Approx(3. / 4));
  CHECK(p(1, 0, 0) == doctest::Approx(1. / 3));
  CHECK(p(0, 1, 1) == doctest::Approx(2. / 3));
  CHECK(p(1, 1, 1) == doctest::Approx(1. / 2));
  CHECK(p(2, 3, 0) == doctest::Approx(1. / 2));
}

TEST_CASE("what no text has reached, or no text has, says nothing") {
  const Texts rows = texts(300);
  for (const double alpha : {0.0, 1.0}) {
    Texts short_ones = rows;
    for (std::size_t i = kPositions - 1; i < rows.x.size(); i += kPositions) short_ones.x[i] = NAN;
    const PositionalNB model = fit(short_ones, {.alpha = alpha, .prior = {}}).model;
    const std::vector<double> expected = log_proba(model, short_ones.source());
    Texts longer = short_ones;
    for (std::size_t i = kPositions - 1; i < rows.x.size(); i += kPositions) longer.x[i] = 2;
    const std::vector<double> out = log_proba(model, longer.source());
    for (std::size_t i = 0; i < out.size(); ++i) {
      CHECK((out[i] == expected[i] || out[i] == doctest::Approx(expected[i]).epsilon(1e-12)));
    }
    longer.x = short_ones.x;
    for (std::size_t i = kPositions - 1; i < rows.x.size(); i += kPositions) longer.x[i] = 77;
    CHECK(log_proba(model, longer.source()) == expected);
  }
}

TEST_CASE("words of columns with levels of their own are the same words") {
  const Texts rows = texts(400);
  Texts named = rows;  // each column has the words in another order
  for (Index t = 0; t < kPositions; ++t) {
    Column& column = named.schema.columns[usize(t)];
    column.kind = ColumnKind::kCategory;
    for (Index w = 0; w < kWords; ++w) {
      column.levels.push_back("word " + std::to_string((w + t) % kWords));
    }
  }
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    const double t = static_cast<double>(i % kPositions);
    if (!std::isnan(rows.x[i])) named.x[i] = std::fmod(rows.x[i] - t + 2 * kWords, kWords);
  }
  for (const bool tied : {true, false}) {
    const PositionalNB::Options options{.alpha = 1, .prior = {}, .tied = tied};
    const PositionalNB codes = fit(rows, options).model, words = fit(named, options).model;
    CHECK(codes.word_log_prob() == words.word_log_prob());
    CHECK(log_proba(codes, rows.source()) == log_proba(words, named.source()));
    CHECK(parameters_of(PositionalNB::from_parameters(parameters_of(words))) ==
          parameters_of(words));
  }
  named.schema.columns[2] = {"numbers"};
  check_refused([&] { fit(named); }, Code::kUnsupported, -1, "3 of 4 columns have words");
}

TEST_CASE("values that are no codes are refused by row and position") {
  Texts rows = texts(50);
  for (const double bad : {-1.0, 0.5, 3e9}) {
    Texts wrong = rows;
    wrong.x[4 * 7 + 2] = bad;
    check_refused([&] { fit(wrong); }, Code::kOutsideSupport, -1,
                  "row 7 (counted from 0), column '3'");
  }
  rows.x[5] = 2e9;
  check_refused([&] { fit(rows); }, Code::kOutsideSupport, -1, "are too many");
}

}  // namespace
}  // namespace craton
