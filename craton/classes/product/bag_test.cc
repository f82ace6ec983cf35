#include "craton/classes/product/bag.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/inner_rows.h"
#include "craton/base/random.h"
#include "craton/classes/product/mixture.h"
#include "craton/classes/product/product_bayes.h"
#include "craton/classes/product/product_leave_one_out.h"
#include "tests/refused.h"

namespace craton::bag_test {
namespace {

constexpr Index kTerms = 60;

// Documents of a few topics, each of which prefers terms of its own; a number beside them says a
// little.
struct Documents {
  Index topics;
  SparseArray inner;
  std::vector<double> x = {};
  std::vector<std::int32_t> labels = {}, truth = {};

  Documents(Index rows, Index topics_of, Index labelled, Index length = 12) : topics(topics_of) {
    for (Index i = 0; i < rows; ++i) {
      Random random(11, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
      const Index topic = i % topics;
      std::vector<double> counts(usize(kTerms));
      for (Index n = 0; n < length; ++n) {
        const Index own = random.below(kTerms / topics) * topics + topic;
        const Index any = random.below(kTerms);
        counts[usize(random.uniform() < 0.4 ? own : any)] += 1;
      }
      std::vector<std::int32_t> columns;
      std::vector<double> values;
      for (Index t = 0; t < kTerms; ++t) {
        if (counts[usize(t)] == 0) continue;
        columns.push_back(static_cast<std::int32_t>(t));
        values.push_back(counts[usize(t)]);
      }
      inner.add(columns.data(), values.data(), ssize(columns));
      x.push_back(0.5 * static_cast<double>(topic) + random.normal());
      truth.push_back(static_cast<std::int32_t>(topic));
      labels.push_back(i < labelled ? truth.back() : -1);
    }
  }
  Index rows() const { return ssize(truth); }
  MemorySource source(bool numbers = false, bool labelled = true) const {
    Schema schema;
    schema.inner.push_back({.name = "body", .codes = kTerms});
    const Index cols = numbers ? 1 : 0;
    if (numbers) schema.columns.push_back({"number"});
    Memory memory{.x = Dense<double>{x.data(), rows(), cols, cols}, .inner = {inner.view(kTerms)}};
    if (labelled) {
      schema.target = Column{"topic", ColumnKind::kCategory, {}};
      for (Index t = 0; t < topics; ++t) schema.target->levels.push_back(std::to_string(t));
      memory.labels = labels;
    }
    return MemorySource(memory, schema);
  }
  // The share of rows whose label is right.
  template <class M>
  double accuracy(const M& model, MemorySource x_of) const {
    std::vector<std::int32_t> found(truth.size());
    model.predict(x_of, found, {});
    double right = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) right += found[i] == truth[i] ? 1 : 0;
    return right / static_cast<double>(truth.size());
  }
};

bool never_falls(const std::vector<double>& trace) {
  for (std::size_t i = 1; i < trace.size(); ++i) {
    if (trace[i] < trace[i - 1] - 1e-10 * std::abs(trace[i - 1])) return false;
  }
  return true;
}

// Nigam's EM as the paper has it, by loops over all: log p(term | class), after so many updates.
std::vector<double> textbook(const Documents& documents, Index updates, double alpha) {
  const std::size_t k = usize(documents.topics), d = usize(kTerms), n = documents.truth.size();
  const Inner rows = documents.inner.view(kTerms);
  std::vector<double> q(n * k), log_p(k * d), log_prior(k);
  for (Index update = 0; update <= updates; ++update) {
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> joint(k);
      double sum = 0;
      for (std::size_t z = 0; z < k; ++z) {
        joint[z] = log_prior[z];
        for (Index e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e) {
          joint[z] += rows.values[e] * log_p[z * d + usize(rows.columns[e])];
        }
        sum += std::exp(joint[z]);
      }
      const std::int32_t label = documents.labels[i];
      for (std::size_t z = 0; z < k; ++z) {
        const double hidden = update == 0 ? 0 : std::exp(joint[z]) / sum;
        q[i * k + z] = label >= 0 ? (usize(label) == z ? 1 : 0) : hidden;
      }
    }
    double all = 0;
    for (const double v : q) all += v;
    for (std::size_t z = 0; z < k; ++z) {
      std::vector<double> counts(d, alpha);
      double weight = 0, total = alpha * static_cast<double>(d);
      for (std::size_t i = 0; i < n; ++i) {
        weight += q[i * k + z];
        for (Index e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e) {
          counts[usize(rows.columns[e])] += q[i * k + z] * rows.values[e];
          total += q[i * k + z] * rows.values[e];
        }
      }
      log_prior[z] = std::log(weight / all);
      for (std::size_t t = 0; t < d; ++t) log_p[z * d + t] = std::log(counts[t] / total);
    }
  }
  return log_p;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace

TEST_CASE("EM of documents, some with labels, is that of the paper") {
  const Documents documents(300, 3, 30);
  for (const Index updates : {0, 1, 5}) {
    Mixture::Options options;
    options.max_iter = updates;
    options.tol = 0;
    options.choice.smoothing.alpha = 0.5;
    MemorySource x = documents.source();
    const Fit<Mixture> fit = Mixture::fit(x, options, {});
    const std::vector<double> expected = textbook(documents, updates, 0.5);
    CHECK(largest_difference(fit.model.product().bag()->log_p().values, expected) < 1e-10);

    NaiveBayes::Options semi;
    semi.semi.unlabelled = Unlabelled::kEm;
    semi.semi.max_iter = updates;
    semi.semi.tol = 0;
    semi.choice.smoothing.alpha = 0.5;
    const Fit<NaiveBayes> nb = NaiveBayes::fit(x, semi, {});
    CHECK(largest_difference(nb.model.product().bag()->log_p().values, expected) < 1e-10);
  }
}

TEST_CASE("documents without labels help those with some") {
  const Documents documents(1200, 4, 16);
  MemorySource x = documents.source();
  NaiveBayes::Options alone;
  Mixture::Options with;
  const double before = documents.accuracy(NaiveBayes::fit(x, alone, {}).model, documents.source());
  const Fit<Mixture> fit = Mixture::fit(x, with, {});
  const double after = documents.accuracy(fit.model, documents.source());
  CHECK(never_falls(fit.report.trace));
  CHECK(before < 0.75);
  CHECK(after > before + 0.1);
}

TEST_CASE("a mixture of unigrams finds topics, and its likelihood never falls") {
  for (const bool numbers : {false, true}) {
    const Documents documents(1500, 3, 0, 25);
    MemorySource x = documents.source(numbers, false);
    Mixture::Options options;
    options.n_components = 3;
    options.init_params = Mixture::Init::kRandom;
    options.choice.family = "gaussian";
    const Fit<Mixture> fit = Mixture::fit(x, options, {});
    CHECK(never_falls(fit.report.trace));
    CHECK(fit.report.iterations > 1);
    std::vector<std::int32_t> found(documents.truth.size());
    fit.model.predict(x, found, {});
    std::vector<double> together(9);
    for (std::size_t i = 0; i < found.size(); ++i) {
      together[usize(found[i] * 3 + documents.truth[i])] += 1;
    }
    double right = 0;
    for (std::size_t z = 0; z < 3; ++z) {
      right += *std::max_element(&together[z * 3], &together[z * 3] + 3);
    }
    CHECK(right > 0.93 * 1500);
    // The objective is that of the rows, and of the half-steps in between.
    const double score = fit.model.score(x, {});
    double penalty = 0;
    for (const double v : fit.model.product().bag()->log_p().values) penalty += v + std::log(60);
    if (!numbers) CHECK(fit.report.objective == doctest::Approx(score + penalty / 1500));
    for (std::size_t i = 1; i < fit.report.half_steps.size(); ++i) {
      CHECK(fit.report.half_steps[i].bound() >= fit.report.half_steps[i - 1].bound() - 1e-9);
    }
  }
}

TEST_CASE("a document left out is as if the model had been fitted without it") {
  const Documents documents(40, 3, 40);
  NaiveBayes::Options options;
  options.choice.family = "gaussian";
  options.choice.smoothing.prior_rows = 0;
  MemorySource x = documents.source(true);
  const Fit<NaiveBayes> fit = NaiveBayes::fit(x, options, {});
  const ClassStatistics seen = find_class_statistics(x, fit.model.features(), 3, {});
  const ClassProduct& model = fit.model.product();
  const ProductLeaveOneOut left_out(seen, model.scores(), model.bag(), options.choice.smoothing,
                                    options.prior);
  Block block;
  Chunk all;
  x.fetch({0, 40}, block);
  x.decode(block, all);
  std::vector<double> found(40 * 3), length(40);
  left_out.find(all, found);
  count_values(all, length);
  for (std::size_t i = 0; i < 40; i += 7) {
    Documents without = documents;
    without.labels[i] = -1;
    MemorySource rest = without.source(true);
    const Fit<NaiveBayes> other = NaiveBayes::fit(rest, options, {});
    std::vector<double> joint(40 * 3);
    other.model.joint(all, joint);
    const auto odds = [&](const std::vector<double>& of, std::size_t z) {
      return of[i * 3 + z] - of[i * 3];
    };
    for (std::size_t z = 1; z < 3; ++z) {
      CHECK(odds(found, z) == doctest::Approx(odds(joint, z)).epsilon(1e-6));
    }
    CHECK(length[i] == 14);  // twelve words, the number, and one
  }
}

TEST_CASE("the rows of an inner table go with those of the outer one") {
  const Documents documents(200, 3, 200);
  MemorySource x = documents.source(true);
  InnerRows inside(x);
  CHECK(inside.shape().cols == kTerms);
  std::vector<double> row(usize(kTerms));
  const Index seventh = 7;
  inside.gather({&seventh, 1}, row);
  std::vector<double> expected(usize(kTerms));
  copy_row(documents.inner.view(kTerms), 7, expected.data());
  CHECK(row == expected);
}

TEST_CASE("weights below 0 are no counts") {
  Documents documents(30, 3, 0);
  documents.inner.values[usize(documents.inner.offsets[4])] = -1;
  MemorySource x = documents.source(false, false);
  check_refused([&] { Mixture::fit(x, {}, {}); }, Code::kOutsideSupport, -1, "no count");
}

}  // namespace craton::bag_test
