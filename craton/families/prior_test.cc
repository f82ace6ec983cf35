#include "craton/families/prior.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/family_cases.h"
#include "tests/refused.h"

// Estimates under priors, against the textbook and against rows added to the data.

using namespace craton;

TEST_CASE("without a prior, shares are exact frequencies, 0 and 1 included") {
  CHECK(estimate(get_family("bernoulli"), {0, 0, 0}) == Parameters{0});
  CHECK(estimate(get_family("bernoulli"), {1, 1}) == Parameters{1});
  CHECK(estimate(get_family("bernoulli"), {1, 0, 0}) == Parameters{1.0 / 3});
  CHECK(estimate(get_family("categorical"), {2, 2, 0}, {}, 4) ==
        Parameters{1.0 / 3, 0, 2.0 / 3, 0});
  CHECK(estimate(get_family("poisson"), {0, 0}) == Parameters{0});
  CHECK(estimate(get_family("geometric"), {0, 0}) == Parameters{1});
}

TEST_CASE("priors by name give the textbook's estimates") {
  // Bernoulli: 3 ones in 4. Laplace (3 + 1) / (4 + 2), Jeffreys 3.5 / 5; the mode under Beta(a, b)
  // is (3 + a - 1) / (4 + a + b - 2).
  const Family& bernoulli = get_family("bernoulli");
  const std::vector<double> coins{1, 1, 0, 1};
  check_near(estimate(bernoulli, coins, {laplace(bernoulli)}), {4 / 6.0}, 1e-15);
  check_near(estimate(bernoulli, coins, {jeffreys(bernoulli)}), {3.5 / 5}, 1e-15);
  check_near(estimate(bernoulli, coins, {lidstone(bernoulli, 0.1)}), {3.1 / 4.2}, 1e-15);
  check_near(estimate(bernoulli, coins, {beta_prior(2, 5)}), {4 / 9.0}, 1e-15);
  check_near(estimate(bernoulli, coins, {beta_prior(1.5, 0.5)}), {3.5 / 4}, 1e-15);
  check_near(estimate(bernoulli, coins, {m_estimate(0.2, 6)}), {(3 + 1.2) / 10}, 1e-15);
  // A category: counts 2, 0, 1 of three levels. The mode under a Dirichlet is n_k + a_k - 1,
  // scaled.
  const Family& categorical = get_family("categorical");
  const std::vector<double> codes{0, 2, 0};
  check_near(estimate(categorical, codes, {laplace(categorical, 3)}, 3), {0.5, 1 / 6.0, 2 / 6.0},
             1e-15);
  check_near(estimate(categorical, codes, {m_estimate(3)}, 3), {0.5, 1 / 6.0, 2 / 6.0}, 1e-15);
  check_near(estimate(categorical, codes, {dirichlet_prior(std::vector<double>{2, 3, 1})}, 3),
             {0.5, 2 / 6.0, 1 / 6.0}, 1e-15);
  check_near(estimate(categorical, codes, {m_estimate(std::vector<double>{0.5, 0.25, 0.25}, 4)}, 3),
             {4 / 7.0, 1 / 7.0, 2 / 7.0}, 1e-15);
  // Binomial of 5 trials: 4 + 1 successes in 10, Beta(3, 2).
  Estimation how{beta_prior(3, 2, 5), {5}};
  check_near(estimate(get_family("binomial"), {4, 1}, how), {5, 7 / 13.0}, 1e-15);
  // Geometric: n = 2, sum = 5, Beta(3, 4): (2 + 2) / (2 + 5 + 2 + 3).
  check_near(estimate(get_family("geometric"), {4, 1}, {beta_prior_geometric(3, 4)}), {4 / 12.0},
             1e-15);
  // Poisson with Gamma(a, b): (sum + a - 1) / (n + b). Exponential: (n + a - 1) / (sum + b).
  check_near(estimate(get_family("poisson"), {4, 1, 3}, {gamma_prior_poisson(2.5, 2)}), {9.5 / 5},
             1e-15);
  check_near(estimate(get_family("exponential"), {4, 1, 3}, {gamma_prior_exponential(2.5, 2)}),
             {4.5 / 10}, 1e-15);
}

TEST_CASE("Gaussian priors give the posterior's mode") {
  const std::vector<double> x{1, 2, 4, 7};  // n = 4, mean 3.5, scatter 21
  const Family& gaussian = get_family("gaussian");
  // Known variance 9, mean ~ N(0, 3): precision-weighted, (4 / 9 3.5) / (4 / 9 + 1 / 3) = 2.
  Estimation how{normal_prior(0, 3, 9), {NAN, 9}};
  check_near(estimate(gaussian, x, how), {2, 9}, 1e-15);
  // Murphy, "Conjugate Bayesian analysis of the Gaussian distribution" (2007), section 6.3: the
  // joint mode is m_n = (k m_0 + n mean) / k_n and 2 b_n / (2 a_n + 3), with a_n = a + n / 2 and
  // b_n = b + scatter / 2 + k n (mean - m_0)^2 / (2 k_n).
  const double m0 = 1, k = 2, a = 3, b = 5, kn = 6, an = 5;
  const double bn = 5 + 10.5 + 2 * 4 * 2.5 * 2.5 / (2 * kn);
  check_near(estimate(gaussian, x, {normal_inverse_gamma(m0, k, a, b)}),
             {(k * m0 + 14) / kn, 2 * bn / (2 * an + 3)}, 1e-14);
  check_near(estimate(gaussian, x, {normal_inverse_gamma(0, 0, a, b)}),
             {3.5, 2 * (b + 10.5) / (2 * an + 3)}, 1e-14);
}

TEST_CASE("a prior equals rows added to the data") {
  for (const FamilyCase& c : family_cases()) {
    CAPTURE(c.name);
    const Family& family = c.family();
    std::vector<double> x = c.draw(60, 11);
    const std::vector<double> rows = c.draw(5, 12), weights{0.5, 2, 1, 0.25, 3};
    Estimation how = c.told();
    how.prior = pseudo_rows(family, rows, weights, c.levels());
    const Parameters mode = estimate(family, x, how, c.levels());
    std::vector<double> all_weights(60, 1.0);
    x.insert(x.end(), rows.begin(), rows.end());
    all_weights.insert(all_weights.end(), weights.begin(), weights.end());
    Statistics both = family.empty(c.levels());
    family.accumulate(x, all_weights, both);
    check_near(family.estimate(both, c.told()), mode, 1e-10);
  }
}
