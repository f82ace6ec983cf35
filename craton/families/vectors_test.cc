#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/base/distributions.h"
#include "craton/families/beta.h"
#include "craton/families/binomial.h"
#include "craton/families/categorical.h"
#include "craton/families/dirichlet.h"
#include "craton/families/gaussian.h"
#include "craton/families/multinomial.h"
#include "craton/families/multivariate_gaussian.h"
#include "craton/kernels/special.h"
#include "tests/refused.h"

// Families of vectors. Expected numbers: tests/reference/families_vectors.py.

using namespace craton;

namespace {

using Numbers = std::vector<double>;

bool near(double a, double b, double bound) {
  return std::abs(a - b) <= bound * std::max(1.0, std::abs(b));
}

// All count vectors of three levels with this sum.
template <class F>
void for_counts(double trials, const F& f) {
  for (double a = 0; a <= trials; ++a) {
    for (double b = 0; a + b <= trials; ++b) f(Numbers{a, b, trials - a - b});
  }
}

}  // namespace

TEST_CASE(
    "multinomial probabilities sum to 1, with the mean, covariance and entropy that are told") {
  const Numbers p{0.2, 0.7, 0.1};
  const Multinomial m{9, p};
  double sum = 0, entropy = 0, mean = 0, cross = 0;
  for_counts(9, [&](const Numbers& x) {
    const double log = m.log_density(x), mass = std::exp(log);
    sum += mass;
    entropy -= mass * log;
    mean += mass * x[1];
    cross += mass * x[0] * x[1];
    double natural = m.log_base(x);
    for (std::size_t k = 0; k < 3; ++k) natural += x[k] * std::log(p[k]);
    CHECK(near(natural, log, 1e-14));
  });
  CHECK(near(sum, 1, 1e-14));
  CHECK(near(entropy, m.entropy(), 1e-13));
  CHECK(near(mean, m.mean()[1], 1e-14));
  CHECK(near(cross - m.mean()[0] * m.mean()[1], m.covariance()[1], 1e-13));
  CHECK(near(m.covariance()[4], 9 * 0.7 * 0.3, 1e-15));
}

TEST_CASE("multinomial agrees with mpmath, two levels are binomial, and impossible counts are") {
  const Numbers p{0.1, 0.2, 0.3, 0.4};
  // The doubles 0.1, 0.2, ... sum to 1 + 3e-17, which a million trials show.
  CHECK(near(Multinomial{1e6, p}.log_density(Numbers{1e5, 2e5, 3e5 + 100, 4e5 - 100}),
             -20.493147298643622033, 1e-11));
  CHECK(near(Multinomial{10, p}.log_density(Numbers{4, 3, 2, 1}), -7.9214383568649411749, 1e-14));
  const Numbers two{0.25, 0.75};
  CHECK(near(Multinomial{12, two}.log_density(Numbers{5, 7}), Binomial{12, 0.25}.log_density(5),
             1e-14));
  const Numbers with_zero{0.5, 0, 0.5};
  const Multinomial m{4, with_zero};
  CHECK(m.log_density(Numbers{2, 1, 1}) == -INFINITY);
  CHECK(m.log_density(Numbers{2, 0, 1}) == -INFINITY);
  CHECK(m.log_density(Numbers{2.5, 0, 1.5}) == -INFINITY);
  CHECK(m.log_density(Numbers{4, 0, 0}) == doctest::Approx(4 * std::log(0.5)));
  CHECK(m.valid());
  CHECK_FALSE(Multinomial{2.5, with_zero}.valid());
  CHECK_FALSE(Multinomial{2, std::span(with_zero).first(2)}.valid());
}

TEST_CASE("multinomial rows are estimated by their counts") {
  Counts counts{0, Numbers(3)};
  add_counts(counts, Numbers{1, 2, 0});
  add_counts(counts, Numbers{0, 1, 0}, 2);
  CHECK(Categorical::estimate(counts) == Parameters{0.2, 0.8, 0});
}

TEST_CASE("Dirichlet densities agree with mpmath and with beta") {
  const Numbers a{0.5, 2, 7.5}, x{0.1, 0.2, 0.7}, big{1e6, 2e6, 3e6},
      y{0.16650390625, 0.33349609375, 0.5};
  CHECK(near(Dirichlet{a}.log_density(x), 1.9185657988591981888, 1e-13));
  CHECK(near(Dirichlet{big}.log_density(y), 14.846152344780066101, 1e-11));
  CHECK(near(Dirichlet{a}.entropy(), -2.991293172639731817, 1e-13));
  const Numbers two{3.5, 0.25}, z{0.3, 0.7};
  CHECK(near(Dirichlet{two}.log_density(z), Beta{3.5, 0.25}.log_density(0.3), 1e-14));
  CHECK(near(Dirichlet{two}.entropy(), Beta{3.5, 0.25}.entropy(), 1e-13));
  CHECK(Dirichlet{a}.log_density(Numbers{0, 0.3, 0.7}) == -INFINITY);
  CHECK(Dirichlet{a}.log_density(Numbers{0.1, 0.3, 0.7}) == -INFINITY);
  CHECK(near(Dirichlet{a}.mean()[1], 0.2, 1e-15));
  CHECK(near(Dirichlet{a}.covariance()[4], 0.2 * 0.8 / 11, 1e-15));
  double natural = -Dirichlet{a}.log_partition();
  for (std::size_t k = 0; k < 3; ++k) natural += (a[k] - 1) * std::log(x[k]);
  CHECK(near(natural, Dirichlet{a}.log_density(x), 1e-13));
  CHECK(Dirichlet{a}.valid());
  for (const Numbers& bad : {Numbers{1}, Numbers{1, 0}, Numbers{1, -2}, Numbers{1, NAN}}) {
    CHECK_FALSE(Dirichlet{bad}.valid());
  }
}

TEST_CASE("Dirichlet estimates: the gradient vanishes, halves merge, rows are unlearned") {
  for (const Numbers& alpha :
       {Numbers{0.3, 2, 5}, Numbers{100, 2000, 30, 4}, Numbers{0.05, 0.1, 0.2}}) {
    Random random(31, Purpose::kTest);
    const std::size_t d = alpha.size();
    SimplexMoments whole, left, right;
    Numbers x(d), mean_log(d);
    for (int i = 0; i < 400; ++i) {
      do draw_dirichlet(random, alpha, x);
      while (*std::min_element(x.begin(), x.end()) < 1e-300);
      whole.add(x);
      (i < 150 ? left : right).add(x);
      for (std::size_t k = 0; k < d; ++k) mean_log[k] += std::log(x[k]) / 400;
    }
    const Numbers best = Dirichlet::estimate(whole);
    const double total = std::accumulate(best.begin(), best.end(), 0.0);
    const Numbers errors = Dirichlet{best}.standard_errors(400);
    for (std::size_t k = 0; k < d; ++k) {
      CHECK(near(digamma(best[k]) - digamma(total), mean_log[k], 1e-11));
      CHECK(std::abs(best[k] - alpha[k]) < 4 * errors[k]);
    }
    left.merge(right);
    const Numbers merged = Dirichlet::estimate(left);
    left.subtract(right);
    SimplexMoments never;
    never.merge(left);
    CHECK(never.weight == 150);
    for (std::size_t k = 0; k < d; ++k) CHECK(near(merged[k] / best[k], 1, 1e-9));
  }
  SimplexMoments equal;
  for (int i = 0; i < 3; ++i) equal.add(Numbers{0.25, 0.75});
  const Numbers point = Dirichlet::estimate(equal);
  CHECK(near(point[0] / (point[0] + point[1]), 0.25, 1e-15));
  CHECK(Dirichlet{point}.valid());
}

TEST_CASE("a multivariate Gaussian agrees with mpmath, and with one column is the Gaussian") {
  const MultivariateGaussian g({1, -2, 0.5}, {4, 1, 0.5, 1, 3, -0.2, 0.5, -0.2, 2});
  CHECK(near(g.log_density(Numbers{0, 0, 0}), -5.3250387284705388224, 1e-14));
  CHECK(near(g.entropy(), 5.7764508873982554338, 1e-14));
  const MultivariateGaussian one({3}, {4});
  CHECK(near(one.log_density(Numbers{1.5}), Gaussian{3, 4}.log_density(1.5), 1e-15));
  const Numbers eta = g.natural(), x{0.3, -1, 2};
  double natural = -g.log_partition() - 3 * kHalfLogTwoPi;
  for (std::size_t i = 0; i < 3; ++i) {
    natural += eta[i] * x[i];
    for (std::size_t j = 0; j < 3; ++j) natural += eta[3 + 3 * i + j] * x[i] * x[j];
  }
  CHECK(near(natural, g.log_density(x), 1e-13));
  check_refused(
      [] {
        MultivariateGaussian({0, 0}, {1, 2, 2, 1});
      },
      Code::kNoSpread, -1, "definite");
}

TEST_CASE("multivariate estimates have each shape's form, merge, unlearn and keep their digits") {
  const MultivariateGaussian truth({1e9, -2, 0.5}, {4, 1, 0.5, 1, 3, -0.2, 0.5, -0.2, 2});
  for (const CovarianceShape shape :
       {CovarianceShape::kFull, CovarianceShape::kDiagonal, CovarianceShape::kSpherical}) {
    Random random(32, Purpose::kTest);
    ScatterMatrix whole{shape}, left{shape}, right{shape};
    Numbers x(3);
    for (int i = 0; i < 3000; ++i) {
      truth.sample(random, x);
      whole.add(x);
      (i < 1000 ? left : right).add(x);
    }
    const MultivariateGaussian g = MultivariateGaussian::estimate(whole);
    ScatterMatrix both = left;
    both.merge(right);
    const MultivariateGaussian merged = MultivariateGaussian::estimate(both);
    both.subtract(right);
    const MultivariateGaussian rest = MultivariateGaussian::estimate(both);
    const MultivariateGaussian first = MultivariateGaussian::estimate(left);
    const Numbers errors = truth.covariance_errors(3000);
    for (std::size_t i = 0; i < 9; ++i) {
      CHECK(near(merged.covariance()[i], g.covariance()[i], 1e-11));
      CHECK(near(rest.covariance()[i], first.covariance()[i], 1e-9));
      if (shape == CovarianceShape::kFull) {
        CHECK(std::abs(g.covariance()[i] - truth.covariance()[i]) < 4 * errors[i]);
      } else if (i % 4 != 0) {
        CHECK(g.covariance()[i] == 0);
      }
    }
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(std::abs(g.mean()[i] - truth.mean()[i]) < 4 * truth.mean_errors(3000)[i]);
    }
    if (shape == CovarianceShape::kSpherical) {
      CHECK(near(g.covariance()[0], 3, 0.1));
      CHECK(g.covariance()[0] == g.covariance()[8]);
    }
  }
  CHECK(MultivariateGaussian::free_parameters(3, CovarianceShape::kFull) == 9);
  CHECK(MultivariateGaussian::free_parameters(3, CovarianceShape::kDiagonal) == 6);
  CHECK(MultivariateGaussian::free_parameters(3, CovarianceShape::kSpherical) == 4);
  ScatterMatrix constant;
  for (int i = 0; i < 5; ++i) constant.add(Numbers{1, static_cast<double>(i)});
  check_refused([&] { MultivariateGaussian::estimate(constant); }, Code::kNoSpread, -1, "constant");
  CHECK(MultivariateGaussian::estimate(constant, 1e-6).covariance()[0] == 1e-6);
}

TEST_CASE("statistics of vectors survive writing and reading") {
  ScatterMatrix scatter{CovarianceShape::kDiagonal};
  scatter.add(Numbers{1, 2}, 0.5);
  scatter.add(Numbers{2, 5});
  SimplexMoments simplex;
  simplex.add(Numbers{0.3, 0.7});
  simplex.add(Numbers{0.4, 0.6}, 2);
  Writer writer;
  scatter.write(writer);
  simplex.write(writer);
  Reader reader(writer.bytes());
  ScatterMatrix scatter_back;
  SimplexMoments simplex_back;
  scatter_back.read(reader);
  simplex_back.read(reader);
  CHECK(reader.done());
  CHECK(scatter_back.square == scatter.square);
  CHECK(scatter_back.shape == scatter.shape);
  CHECK(simplex_back.log_sum == simplex.log_sum);
  CHECK(simplex_back.weight == 3);
}
