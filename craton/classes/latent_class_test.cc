#include "craton/classes/latent_class.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/random.h"
#include "tests/refused.h"

namespace craton::latent_class_test {
namespace {

constexpr std::size_t kClasses = 3, kStride = 16;
constexpr Index kRows = 11;

std::vector<double> some_joint() {
  std::vector<double> table(kClasses * kStride);
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = 4 * Random(8, Purpose::kTest, 0, i).normal() - 5;
  }
  return table;
}

Chunk chunk_of(std::span<const double> x, std::span<const std::int32_t> labels,
               std::span<const double> weights) {
  return {100, Dense<double>{x.data(), kRows, 1, 1}, labels, {}, weights};
}

double log_p(const std::vector<double>& joint, std::size_t b) {
  double sum = 0;
  for (std::size_t z = 0; z < kClasses; ++z) sum += std::exp(joint[z * kStride + b]);
  return std::log(sum);
}

// E_q[log p(x, z)] + H(q) by its definition.
double bound_of(const std::vector<double>& joint, const std::vector<double>& q, std::size_t rows) {
  double sum = 0;
  for (std::size_t b = 0; b < rows; ++b) {
    for (std::size_t z = 0; z < kClasses; ++z) {
      const double p = q[z * kStride + b];
      if (p > 0) sum += p * (joint[z * kStride + b] - std::log(p));
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("the E-step makes the bound the log-likelihood, and no other guess has more") {
  const std::vector<double> x(usize(kRows)), joint = some_joint();
  std::vector<double> q = joint;
  const Bound bound =
      EStep(Assignment::kSoft, 1, kStride)(chunk_of(x, {}, {}), 0, kRows, kClasses, q.data());
  double log_likelihood = 0;
  for (std::size_t b = 0; b < usize(kRows); ++b) log_likelihood += log_p(joint, b);
  CHECK(bound.weight == kRows);
  CHECK(bound.value() == doctest::Approx(log_likelihood).epsilon(1e-13));
  CHECK(bound_of(joint, q, usize(kRows)) == doctest::Approx(log_likelihood).epsilon(1e-13));
  for (std::size_t z = 0; z < kClasses; ++z) CHECK(q[z * kStride + usize(kRows)] == 0);
  std::vector<double> other(q.size(), 1.0 / kClasses);
  CHECK(bound_of(joint, other, usize(kRows)) < log_likelihood);
}

TEST_CASE("labels are kept, weights count, and what all classes share is added") {
  const std::vector<double> x(usize(kRows)), joint = some_joint();
  std::vector<std::int32_t> labels(usize(kRows), -1);
  std::vector<double> weights(usize(kRows), 1), base(kStride, 0.5);
  labels[2] = 1, labels[5] = 0;
  weights[3] = 2.5, weights[4] = 0;
  std::vector<double> q = joint;
  const Bound bound = EStep(Assignment::kSoft, 0.5, kStride)(chunk_of(x, labels, weights), 0, kRows,
                                                             kClasses, q.data(), base.data());
  double total = 0, value = 0;
  for (std::size_t b = 0; b < usize(kRows); ++b) {
    const bool seen = labels[b] >= 0;
    const double w = weights[b] * (seen ? 1 : 0.5);
    total += w;
    value += w * (0.5 + (seen ? joint[usize(labels[b]) * kStride + b] : log_p(joint, b)));
    double sum = 0;
    for (std::size_t z = 0; z < kClasses; ++z) sum += q[z * kStride + b];
    CHECK(sum == doctest::Approx(w).epsilon(1e-14));
    if (seen) CHECK(q[usize(labels[b]) * kStride + b] == 1);
  }
  CHECK(bound.weight == doctest::Approx(total).epsilon(1e-14));
  CHECK(bound.value() == doctest::Approx(value).epsilon(1e-13));
}

TEST_CASE("hard rows go to the best class, the lower one of equals") {
  const std::vector<double> x(usize(kRows));
  std::vector<double> joint = some_joint();
  joint[0] = joint[kStride] = joint[2 * kStride] = -1;
  std::vector<double> q = joint;
  const Bound bound =
      EStep(Assignment::kHard, 1, kStride)(chunk_of(x, {}, {}), 0, kRows, kClasses, q.data());
  double best = 0;
  for (std::size_t b = 0; b < usize(kRows); ++b) {
    best += std::max({joint[b], joint[kStride + b], joint[2 * kStride + b]});
  }
  CHECK(q[0] == 1);
  CHECK(bound.entropy == 0);
  CHECK(bound.value() == doctest::Approx(best).epsilon(1e-14));
}

TEST_CASE("a row that no class can have is refused by its number, unless its weight is 0") {
  const std::vector<double> x(usize(kRows));
  for (const Assignment assignment : {Assignment::kSoft, Assignment::kHard}) {
    std::vector<double> joint = some_joint(), weights(usize(kRows), 1);
    for (std::size_t z = 0; z < kClasses; ++z) joint[z * kStride + 6] = -INFINITY;
    const auto run = [&] {
      std::vector<double> q = joint;
      const Bound bound =
          EStep(assignment, 1, kStride)(chunk_of(x, {}, weights), 0, kRows, kClasses, q.data());
      CHECK(q[6] == 0);
      return bound;
    };
    try {
      run();
      FAIL("was taken");
    } catch (const InputError& error) {
      CHECK(error.code() == Code::kOutsideSupport);
      CHECK(error.place().row == 106);
    }
    weights[6] = 0;
    CHECK(std::isfinite(run().value()));
  }
}

}  // namespace craton::latent_class_test
