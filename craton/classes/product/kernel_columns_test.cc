#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/random.h"
#include "craton/classes/product/mixture.h"
#include "craton/classes/product/product_bayes.h"
#include "craton/classes/product/product_leave_one_out.h"
#include "tests/refused.h"

// Naive Bayes with a kernel about each value of a column (families/kde.h).

namespace craton::kernel_columns_test {
namespace {

const Schema kSchema{{{"height", ColumnKind::kNumber, {}}, {"width", ColumnKind::kNumber, {}}},
                     Column{"kind", ColumnKind::kCategory, {"a", "b"}}};

struct Rows {
  std::vector<double> x;
  std::vector<std::int32_t> labels;
  std::vector<double> weights = {};

  MemorySource source() const {
    return MemorySource(
        {.x = Dense<double>{x.data(), ssize(labels), 2, 2}, .labels = labels, .weights = weights},
        kSchema, "f.csv");
  }
  Rows part(std::size_t first, std::size_t last) const {
    const auto cut = [](const auto& all, std::size_t from, std::size_t to) {
      using All = std::decay_t<decltype(all)>;
      return All(all.begin() + static_cast<std::ptrdiff_t>(from),
                 all.begin() + static_cast<std::ptrdiff_t>(to));
    };
    return {cut(x, 2 * first, 2 * last), cut(labels, first, last),
            weights.empty() ? std::vector<double>{} : cut(weights, first, last)};
  }
};

Rows drawn(std::size_t count) {
  Rows rows;
  Random random(5, Purpose::kTest, 31);
  for (std::size_t i = 0; i < count; ++i) {
    const double kind = static_cast<double>(i % 2);
    rows.x.push_back(1e3 + random.normal() + (i % 3 == 0 ? 4 : 0) + 2 * kind);
    rows.x.push_back(i % 11 == 0 ? NAN : std::round(10 * random.normal() * (1 + kind)) / 10);
    rows.labels.push_back(static_cast<std::int32_t>(kind));
    rows.weights.push_back(static_cast<double>(1 + i % 3));
  }
  return rows;
}

NaiveBayes::Options with(Bandwidth bandwidth = {}) {
  NaiveBayes::Options options;
  options.choice.family = "kde";
  options.choice.smoothing.bandwidth = bandwidth;
  return options;
}
Bandwidth given(double number) { return {BandwidthRule::kNumber, number}; }

Fit<NaiveBayes> fit(const Rows& rows, const NaiveBayes::Options& options, int threads = 0) {
  MemorySource x = rows.source();
  return NaiveBayes::fit(x, options, {.threads = threads});
}

std::vector<double> joint(const NaiveBayes& model, const Rows& rows) {
  std::vector<double> out(rows.labels.size() * 2);
  model.joint({.x = Dense<double>{rows.x.data(), ssize(rows.labels), 2, 2},
               .labels = {},
               .targets = {},
               .weights = {}},
              out);
  return out;
}

std::vector<double> log_proba(const NaiveBayes& model, const Rows& rows, int threads) {
  MemorySource x = rows.source();
  std::vector<double> out(rows.labels.size() * 2);
  model.predict_log_proba(x, out, {.threads = threads});
  return out;
}

TEST_CASE(
    "the columns of a class add the densities of its own values; a missing value says nothing") {
  const Rows rows = drawn(400);
  const NaiveBayes model = fit(rows, with(given(0.3))).model;
  const std::vector<double> found = joint(model, rows);
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t c = 0; c < 2; ++c) {
      double expected = model.product().class_log_prior()[c];
      for (std::size_t j = 0; j < 2; ++j) {
        const double at = rows.x[2 * i + j];
        if (std::isnan(at)) continue;
        double sum = 0, weight = 0;
        for (std::size_t r = 0; r < 400; ++r) {
          const double y = rows.x[2 * r + j];
          if (rows.labels[r] != static_cast<std::int32_t>(c) || std::isnan(y)) continue;
          sum += rows.weights[r] * std::exp(-(at - y) * (at - y) / 0.18);
          weight += rows.weights[r];
        }
        expected += std::log(sum / (weight * 0.3 * std::sqrt(2 * std::acos(-1.0))));
      }
      CHECK(found[2 * i + c] == doctest::Approx(expected).epsilon(1e-10));
    }
  }
}

TEST_CASE("rows learned later, unlearned or merged change no bit of what all of them give") {
  const Rows all = drawn(700), first = all.part(0, 400), rest = all.part(400, 700);
  for (const Bandwidth bandwidth : {Bandwidth{}, given(0.25), Bandwidth{BandwidthRule::kSolved}}) {
    const NaiveBayes::Options options = with(bandwidth);
    const Fit<NaiveBayes> whole = fit(all, options), part = fit(first, options);
    MemorySource more = rest.source();
    const Fit<NaiveBayes> later = NaiveBayes::partial_fit(part, more, options, {});
    CHECK(later.model.product() == whole.model.product());
    CHECK(NaiveBayes::unlearn(later, more, options, {}).model.product() == part.model.product());
    const Fit<NaiveBayes> merged = NaiveBayes::merge(part, fit(rest, options), options);
    CHECK(merged.model.product() == whole.model.product());
  }
}

TEST_CASE("threads, blocks and rows by themselves change no bit") {
  const Rows rows = drawn(5000);
  const NaiveBayes model = fit(rows, with(), 1).model;
  const std::vector<double> one = log_proba(model, rows, 1);
  for (const int threads : {2, 7}) {
    const NaiveBayes other = fit(rows, with(), threads).model;
    CHECK(other.product() == model.product());
    CHECK(log_proba(other, rows, threads) == one);
  }
  for (const std::size_t i : {1UL, 2UL, 4998UL}) {
    alignas(64) double work[4096];
    REQUIRE(model.row_work() <= 4096);
    std::vector<double> out(2);
    REQUIRE(model.predict_log_proba_row(&rows.x[2 * i], work, out.data()));
    CHECK(out[0] == one[2 * i]);
    CHECK(out[1] == one[2 * i + 1]);
  }
}

// The brute force: fit without the row, with the same bandwidth, and score it.
TEST_CASE("rows left out lose their own kernels") {
  Rows rows = drawn(60);
  for (std::size_t i = 0; i < 60; i += 5) rows.weights[i] = 0.5;
  rows.x[2] = 1e3 + 50;  // alone
  const NaiveBayes::Options o = with(given(0.2));
  const NaiveBayes model = fit(rows, o).model;
  MemorySource x = rows.source();
  const ClassStatistics seen = find_class_statistics(x, model.features(), 2, {});
  const FeatureScores& scores = model.product().scores();
  const ProductLeaveOneOut left_out(seen, scores, std::nullopt, o.choice.smoothing, o.prior);
  std::vector<double> out(120);
  left_out.find({.x = Dense<double>{rows.x.data(), 60, 2, 2},
                 .labels = rows.labels,
                 .targets = {},
                 .weights = rows.weights},
                out);
  for (std::size_t i = 0; i < 60; ++i) {
    CAPTURE(i);
    Rows others = rows;
    others.weights[i] -= std::min(1.0, rows.weights[i]);
    const std::vector<double> expected = joint(fit(others, o).model, rows.part(i, i + 1));
    for (std::size_t c = 0; c < 2; ++c) {
      CHECK(out[2 * i + c] == doctest::Approx(expected[c]).epsilon(1e-9));
    }
  }
}

TEST_CASE("a class without a spread of its own has the column's bandwidth") {
  Rows rows = drawn(200);
  for (std::size_t i = 0; i < 200; ++i) {
    if (rows.labels[i] == 1) rows.x[2 * i] = 1001;
  }
  const NaiveBayes model = fit(rows, with()).model;
  CHECK(model.of(0, 1).size() == 3);
  Statistics column = get_family("kde").empty();
  std::vector<double> heights;
  for (std::size_t i = 0; i < 200; ++i) heights.push_back(rows.x[2 * i]);
  get_family("kde").accumulate(heights, rows.weights, column);
  CHECK(model.of(0, 1)[0] == get_family("kde").estimate(column)[0]);
}

TEST_CASE("a model file has the kernels of every class") {
  const Rows rows = drawn(300);
  const NaiveBayes model = fit(rows, with()).model;
  const ParameterList parameters = ParameterList::of(model);
  CHECK(NaiveBayes::from_parameters(parameters).product() == model.product());
}

TEST_CASE("kernels are chosen by nobody's criterion, and shared by no EM") {
  Rows rows = drawn(300);
  for (std::size_t i = 0; i < 600; i += 2) rows.x[i] = std::round(40 * rows.x[i]);  // as counts
  NaiveBayes::Options o = with();
  CHECK_FALSE(fit(rows, o).model.counts_parameters());
  o.choice.family = "auto";
  const NaiveBayes chosen = fit(rows, o).model;
  for (const Feature& f : chosen.features()) CHECK(f.name() != "kde");
  o = with();
  o.semi.unlabelled = Unlabelled::kEm;
  check_refused([&] { fit(rows, o); }, Code::kBadOption, -1, "unlabelled");
  Mixture::Options mixture;
  mixture.n_components = 2;
  mixture.choice.family = "width=kde";
  MemorySource x = rows.source();
  check_refused([&] { Mixture::fit(x, mixture, {}); }, Code::kBadOption, -1, "mixture");
}

}  // namespace
}  // namespace craton::kernel_columns_test
