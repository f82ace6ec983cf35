#include "craton/classes/product/mixture.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "craton/classes/discriminant/gaussian_bayes.h"
#include "craton/classes/gaussian_mixture/gaussian_mixture.h"
#include "craton/classes/product/product_bayes.h"
#include "tests/mixture_data.h"
#include "tests/refused.h"

namespace craton::mixture_test {
namespace {

using mixture_tests::draw;
using mixture_tests::families_of;
using mixture_tests::Planted;
using mixture_tests::planted;
using mixture_tests::Rows;

Mixture::Options options_for(const ClassProduct& product) {
  Mixture::Options o;
  o.n_components = product.classes();
  o.choice.family = families_of(product);
  o.max_iter = 500;
  o.tol = 1e-7;
  return o;
}

Fit<Mixture> fit(const Rows& rows, const Mixture::Options& o, int threads = 1) {
  MemorySource x = rows.source();
  return Mixture::fit(x, o, {.threads = threads});
}

// What is found, in the order of what was planted: by the first column's first parameters.
std::vector<Index> matched(const ClassProduct& found, const ClassProduct& truth) {
  std::vector<Index> order(usize(found.classes())), best;
  std::iota(order.begin(), order.end(), Index{0});
  double least = INFINITY;
  do {
    double distance = 0;
    for (Index j = 0; j < truth.columns(); ++j) {
      for (Index z = 0; z < truth.classes(); ++z) {
        const Parameters &a = found.of(j, order[usize(z)]), &b = truth.of(j, z);
        for (std::size_t i = 0; i < a.size(); ++i) {
          distance += std::abs(a[i] - b[i]) / (0.1 + std::abs(b[i]));
        }
      }
    }
    if (distance < least) least = distance, best = order;
  } while (std::ranges::next_permutation(order).found);
  return best;
}

// In standard errors of estimates from rows whose component is known.
double largest_error(const ClassProduct& found, const ClassProduct& truth, double rows) {
  const std::vector<Index> order = matched(found, truth);
  double worst = 0;
  for (Index z = 0; z < truth.classes(); ++z) {
    const double p = std::exp(truth.class_log_prior()[usize(z)]);
    const double w = std::exp(found.class_log_prior()[usize(order[usize(z)])]);
    worst = std::max(worst, std::abs(w - p) / std::sqrt(p * (1 - p) / rows));
    for (Index j = 0; j < truth.columns(); ++j) {
      const Family& family = *truth.features()[usize(j)].family;
      const Parameters &a = found.of(j, order[usize(z)]), &b = truth.of(j, z);
      const Parameters error = family.standard_errors(b, p * rows);
      for (std::size_t i = 0; i < b.size(); ++i) {
        // The ends of a uniform distribution are known to 1 / n.
        const double scale = std::isnan(error[i]) ? 10 / (p * rows) : error[i];
        worst = std::max(worst, std::abs(a[i] - b[i]) / scale);
      }
    }
  }
  return worst;
}

void check_recovered(const ClassProduct& truth, Index rows) {
  CAPTURE(families_of(truth));
  const Fit<Mixture> found = fit(draw(truth, rows, 11), options_for(truth));
  CHECK(found.report.converged);
  CHECK(largest_error(found.model.product(), truth, static_cast<double>(rows)) < 6);
}

}  // namespace

TEST_CASE("planted components of every family are found") {
  const std::vector<double> weights{0.35, 0.65};
  const auto three = [&](const std::string& family, Parameters a, Parameters b) {
    check_recovered(planted(weights, {{family, {a, b}}, {family, {b, a}}, {family, {a, b}}}), 3000);
  };
  three("gaussian", {0, 1}, {4, 2});
  three("exponential", {1}, {0.05});
  three("gamma", {4, 2}, {30, 3});
  three("lognormal", {0, 0.2}, {2, 0.3});
  three("beta", {2, 8}, {9, 3});
  three("von-mises", {0.5, 6}, {2.5, 4});
  three("poisson", {2}, {12});
  three("geometric", {0.6}, {0.05});
  const auto few = [&](const std::string& family, Parameters a, Parameters b) {
    check_recovered(planted(weights, {{family, {a, b}}, {family, {b, a}}}), 600);
  };
  few("laplace", {0, 0.5}, {6, 1});
  few("student-t", {0, 1, 5}, {12, 1, 5});
  few("weibull", {2, 1}, {5, 8});
  few("negative-binomial", {5, 0.6}, {9, 0.15});
  // Many columns tell what one cannot: a coin's mixture is a coin.
  std::vector<Planted> coins, dice;
  for (int j = 0; j < 8; ++j) {
    coins.push_back({"bernoulli", {{j % 2 == 0 ? 0.9 : 0.2}, {j % 2 == 0 ? 0.3 : 0.8}}});
    dice.push_back({"categorical", {{0.7, 0.2, 0.1}, {0.1, 0.3, 0.6}}});
  }
  check_recovered(planted(weights, coins), 4000);
  check_recovered(planted(weights, dice), 4000);
}

TEST_CASE("planted products of different families are found") {
  check_recovered(planted({0.4, 0.6}, {{"gaussian", {{0, 1}, {3, 1}}}, {"poisson", {{3}, {9}}}}),
                  4000);
  check_recovered(planted({0.2, 0.5, 0.3}, {{"gamma", {{9, 3}, {30, 3}, {90, 4}}},
                                            {"bernoulli", {{0.9}, {0.2}, {0.5}}},
                                            {"gaussian", {{0, 1}, {4, 1}, {-4, 2}}}}),
                  4000);
  check_recovered(planted({0.5, 0.5}, {{"categorical", {{0.8, 0.1, 0.1}, {0.1, 0.1, 0.8}}},
                                       {"exponential", {{1}, {0.08}}},
                                       {"beta", {{2, 8}, {8, 2}}}}),
                  4000);
  check_recovered(planted({0.3, 0.7}, {{"von-mises", {{0, 5}, {2.5, 5}}},
                                       {"lognormal", {{0, 0.1}, {1, 0.1}}},
                                       {"geometric", {{0.5}, {0.05}}}}),
                  4000);
  check_recovered(planted({0.3, 0.3, 0.4}, {{"gaussian", {{0, 1}, {5, 1}, {10, 1}}},
                                            {"poisson", {{2}, {10}, {30}}},
                                            {"categorical", {{0.8, 0.2}, {0.5, 0.5}, {0.1, 0.9}}},
                                            {"gamma", {{4, 1}, {25, 1}, {100, 1}}}}),
                  4000);
}

TEST_CASE("uniform components cover the rows that are theirs") {
  const ClassProduct truth =
      planted({0.4, 0.6}, {{"uniform", {{0, 1}, {3, 5}}}, {"uniform", {{2, 3}, {-1, 1}}}});
  const Fit<Mixture> found = fit(draw(truth, 1000, 11), options_for(truth));
  CHECK(largest_error(found.model.product(), truth, 1000) < 6);
}

TEST_CASE("with every label seen a mixture is naive Bayes") {
  const ClassProduct truth = planted({0.4, 0.6}, {{"gaussian", {{0, 1}, {2, 2}}},
                                                  {"poisson", {{3}, {6}}},
                                                  {"categorical", {{0.8, 0.2}, {0.3, 0.7}}},
                                                  {"gamma", {{4, 1}, {9, 1}}}});
  Rows rows = draw(truth, 500, 12, 500);
  for (std::size_t i = 3; i < rows.x.values.size(); i += 17) rows.x.values[i] = NAN;
  for (std::size_t i = 0; i < 500; ++i) rows.weights.push_back(static_cast<double>(i % 3));
  for (const std::string family : {"auto", "gaussian", "1=gaussian,2=poisson,4=gamma"}) {
    Mixture::Options o;
    o.choice.family = family;
    const Fit<Mixture> mixture = fit(rows, o);
    NaiveBayes::Options same;
    same.choice = o.choice;
    MemorySource x = rows.source();
    const Fit<NaiveBayes> bayes = NaiveBayes::fit(x, same, {});
    CHECK(mixture.model.product() == bayes.model.product());  // to the bit
    CHECK(mixture.model.labelled());
    CHECK(mixture.report.converged);
  }
}

TEST_CASE("with every label seen a mixture of Gaussians is Gaussian naive Bayes") {
  const ClassProduct truth =
      planted({0.4, 0.6}, {{"gaussian", {{0, 1}, {2, 2}}}, {"gaussian", {{1e6, 4}, {1e6 + 3, 1}}}});
  const Rows rows = draw(truth, 800, 13, 800);
  Mixture::Options o;
  o.choice.family = "gaussian";
  o.choice.smoothing = {.prior_rows = 0, .var_smoothing = 0};
  const Fit<Mixture> mixture = fit(rows, o);
  GaussianNB::Options plain;
  plain.var_smoothing = 0;
  MemorySource x = rows.source();
  const Fit<GaussianNB> bayes = GaussianNB::fit(x, plain, {});
  std::vector<double> a(1600), b(1600);
  mixture.model.predict_log_proba(x, a, {});
  bayes.model.predict_log_proba(x, b, {});
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(std::abs(a[i] - b[i]) < 1e-10 * (1 + std::abs(b[i])));
  }
  const auto theta = parameters_of(bayes.model);
  for (Index z = 0; z < 2; ++z) {
    for (Index j = 0; j < 2; ++j) {
      const Parameters& found = mixture.model.product().of(j, z);
      const auto value = [&](const char* name) {
        const auto at = std::ranges::find(theta, name, &Parameter::name);
        return at->value.values[usize(z * 2 + j)];
      };
      CHECK(found[0] == doctest::Approx(value("theta")).epsilon(1e-12));
      CHECK(found[1] == doctest::Approx(value("var")).epsilon(1e-12));
    }
  }
}

TEST_CASE("a mixture of Gaussian columns is a Gaussian mixture with diagonal covariances") {
  for (const double offset : {0.0, 1e6}) {
    CAPTURE(offset);
    const std::vector<Planted> columns{
        {"gaussian", {{offset, 1}, {offset + 3, 2}, {offset - 3, 1}}},
        {"gaussian", {{0, 1}, {1, 1}, {5, 3}}}};
    const ClassProduct truth = planted({0.3, 0.3, 0.4}, columns);
    const Rows rows = draw(truth, 2000, 14);
    const ClassProduct begin =
        planted({0.5, 0.25, 0.25}, {{"gaussian", {{offset, 4}, {offset + 1, 4}, {offset - 1, 4}}},
                                    {"gaussian", {{0, 4}, {1, 4}, {2, 4}}}});
    for (const Assignment assignment : {Assignment::kSoft, Assignment::kHard}) {
      Mixture::Options o = options_for(truth);
      o.choice.smoothing = {.prior_rows = 0, .var_smoothing = 0};
      o.latent.assignment = assignment;
      o.max_iter = 25;
      o.tol = 0;
      MemorySource x = rows.source();
      const Fit<Mixture> found = Mixture::fit_from(Mixture(begin), x, o, {});
      GaussianMixture::Options g;
      g.n_components = 3;
      g.covariance_type = GaussianMixture::Covariance::kDiag;
      g.covariance_floor = 0;
      g.assignment = assignment;
      g.max_iter = 25;
      g.tol = 0;
      const GaussianMixture start({{3}, {0.5, 0.25, 0.25}},
                                  {{3, 2}, {offset, 0, offset + 1, 1, offset - 1, 2}},
                                  {{3, 2}, std::vector<double>(6, 4.0)});
      const Fit<GaussianMixture> expected = GaussianMixture::fit_from(start, x, g, {});
      const std::size_t steps = std::min(found.report.trace.size(), expected.report.trace.size());
      REQUIRE(steps > 10);  // one of them may take a last one that changes the last places
      for (std::size_t i = 0; i < steps; ++i) {
        CHECK(std::abs(found.report.trace[i] - expected.report.trace[i]) < 1e-9);
        CHECK(std::abs(found.report.half_steps[i].bound() - expected.report.half_steps[i].bound()) <
              1e-9);
      }
      std::vector<double> a(2000), b(2000);
      found.model.score_samples(x, a, {});
      expected.model.score_samples(x, b, {});
      for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::abs(a[i] - b[i]) < 1e-9);
    }
  }
}

TEST_CASE("rows with a label keep it, and say which component is which") {
  const ClassProduct truth =
      planted({0.5, 0.5}, {{"gaussian", {{0, 1}, {2, 1}}}, {"poisson", {{3}, {5}}}});
  Rows rows = draw(truth, 2000, 15, 40);
  Mixture::Options o;
  o.choice.family = "1=gaussian,2=poisson";
  o.max_iter = 500;
  o.tol = 1e-8;
  const Fit<Mixture> found = fit(rows, o);
  NaiveBayes::Options same;
  same.choice = o.choice;
  same.semi = {.unlabelled = Unlabelled::kEm, .max_iter = 500, .tol = 1e-8};
  MemorySource x = rows.source();
  const Fit<NaiveBayes> bayes = NaiveBayes::fit(x, same, {});
  CHECK(found.report.objective == doctest::Approx(bayes.report.objective).epsilon(1e-12));
  CHECK(found.model.product() == bayes.model.product());
  CHECK(largest_error(found.model.product(), truth, 2000) < 10);
  CHECK(found.model.product().of(0, 1)[0] > found.model.product().of(0, 0)[0]);
}

TEST_CASE("a start's order of rows, weights for repeats, threads and floats do not matter") {
  const ClassProduct truth = planted({0.3, 0.7}, {{"gamma", {{4, 1}, {20, 1}}},
                                                  {"poisson", {{3}, {12}}},
                                                  {"categorical", {{0.8, 0.2}, {0.3, 0.7}}}});
  Rows rows = draw(truth, 12'000, 16);  // more than the sample of the start
  for (std::size_t i = 5; i < rows.x.values.size(); i += 31) rows.x.values[i] = NAN;
  Mixture::Options o = options_for(truth);
  o.max_iter = 10;
  const Fit<Mixture> one = fit(rows, o);
  for (const int threads : {2, 7})
    CHECK(fit(rows, o, threads).model.product() == one.model.product());
  Rows doubled = rows;
  doubled.x.values.insert(doubled.x.values.end(), rows.x.values.begin(), rows.x.values.end());
  doubled.x.shape[0] = 24'000;
  Rows weighted = rows;
  weighted.weights.assign(12'000, 2);
  o.choice.smoothing.prior_rows = 0;
  CHECK(fit(doubled, o).report.objective ==
        doctest::Approx(fit(weighted, o).report.objective).epsilon(1e-10));
}

TEST_CASE("a component without rows stays empty, and a note says since when") {
  const ClassProduct truth = planted({0.5, 0.5}, {{"poisson", {{2}, {20}}}});
  const ClassProduct begin = planted({0.4, 0.4, 0.2}, {{"poisson", {{2}, {20}, {1e6}}}});
  Mixture::Options o = options_for(begin);
  o.latent.assignment = Assignment::kHard;
  const Rows rows = draw(truth, 300, 17);
  MemorySource x = rows.source();
  const Fit<Mixture> found = Mixture::fit_from(Mixture(begin), x, o, {});
  REQUIRE(found.report.notes.size() == 1);
  CHECK(found.report.notes[0].code == "empty-component");
  CHECK(found.report.notes[0].text ==
        "component 2 lost all its rows in iteration 1, and stays empty");
  CHECK(found.model.product().class_log_prior()[2] == -INFINITY);
  CHECK(std::isfinite(found.model.product().of(0, 2)[0]));
}

TEST_CASE("several starts are told apart") {
  const ClassProduct truth =
      planted({0.25, 0.25, 0.25, 0.25}, {{"gaussian", {{0, 1}, {6, 1}, {12, 1}, {18, 1}}}});
  Mixture::Options o = options_for(truth);
  o.init_params = Mixture::Init::kRandomRows;
  o.n_init = 10;
  const Fit<Mixture> found = fit(draw(truth, 800, 18), o);
  CHECK(found.report.start_traces.size() == 10);
  REQUIRE(found.report.notes.size() == 1);
  CHECK(found.report.notes[0].code == "optima");
  double best = -INFINITY;
  for (const auto& trace : found.report.start_traces) best = std::max(best, trace.back());
  CHECK(found.report.objective == best);
}

TEST_CASE("every start leads to the planted components where they lie apart") {
  const ClassProduct truth =
      planted({0.4, 0.6}, {{"gaussian", {{0, 1}, {9, 1}}}, {"poisson", {{2}, {30}}}});
  for (const auto init : {Mixture::Init::kKMeans, Mixture::Init::kPlusPlus,
                          Mixture::Init::kRandomRows, Mixture::Init::kRandom}) {
    Mixture::Options o = options_for(truth);
    o.init_params = init;
    o.n_init = 3;
    CHECK(largest_error(fit(draw(truth, 1500, 19), o).model.product(), truth, 1500) < 6);
  }
}

TEST_CASE("what cannot be fitted is refused") {
  const ClassProduct truth = planted({0.5, 0.5}, {{"poisson", {{2}, {20}}}});
  Rows rows = draw(truth, 50, 20);
  Mixture::Options o;
  o.n_components = 51;
  check_refused([&] { fit(rows, o); }, Code::kTooFewRows, -1, "only 50 rows");
  o.n_components = 2;
  o.choice.family = "mdl";
  check_refused([&] { fit(rows, o); }, Code::kBadOption, -1, "there are none");
  o.choice.family = "poisson";
  rows.x.values[7] = -3;
  check_refused([&] { fit(rows, o); }, Code::kOutsideSupport, -1, "poisson");
  rows.x.values[7] = INFINITY;
  check_refused([&] { fit(rows, o); }, Code::kNotFinite, -1, "inf");
  Rows labelled = draw(truth, 50, 20, 10);
  std::ranges::replace(labelled.labels, 1, -1);
  check_refused([&] { fit(labelled, o); }, Code::kBadTarget, -1, "no row has the label 'k1'");
  Rows nothing = draw(truth, 50, 20);
  std::ranges::fill(nothing.x.values, NAN);
  o.choice.family = "auto";
  const Mixture all_missing = fit(nothing, o).model;
  const std::vector<Parameter> parameters = parameters_of(all_missing);
  for (const double v : parameters.back().value.values) CHECK(std::isfinite(v));
}

}  // namespace craton::mixture_test
