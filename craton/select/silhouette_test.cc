#include "craton/select/silhouette.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/random.h"
#include "tests/refused.h"

namespace craton {
namespace {

struct Clustered {
  Array x;
  std::vector<std::int32_t> labels;
};

Clustered draw(Index rows, Index columns, Index clusters) {
  Random random(7, Purpose::kTest);
  Clustered result{{{rows, columns}, {}}, {}};
  for (Index i = 0; i < rows; ++i) {
    const Index label = random.below(clusters);
    result.labels.push_back(static_cast<std::int32_t>(label));
    for (Index j = 0; j < columns; ++j) {
      result.x.values.push_back(1e4 + random.normal() + 2 * static_cast<double>(label * (j + 1)));
    }
  }
  return result;
}

double distance(const Clustered& c, Index i, Index j) {
  double sum = 0;
  for (Index k = 0; k < c.x.cols(); ++k) {
    sum += std::pow(c.x.view().row(i)[k] - c.x.view().row(j)[k], 2);
  }
  return std::sqrt(sum);
}

TEST_CASE("silhouettes equal the definition") {
  const Clustered c = draw(200, 3, 4);
  MemorySource source({.x = c.x.view()});
  std::vector<double> out(200);
  silhouettes({source, c.labels, 5}, out, {});  // the fifth cluster is empty
  for (Index i = 0; i < 200; ++i) {
    std::vector<double> sums(5), counts(5);
    for (Index j = 0; j < 200; ++j) {
      sums[usize(c.labels[usize(j)])] += distance(c, i, j);
      counts[usize(c.labels[usize(j)])] += i == j ? 0 : 1;
    }
    const std::size_t own = usize(c.labels[usize(i)]);
    double other = INFINITY;
    for (std::size_t a = 0; a < 4; ++a) {
      if (a != own) other = std::min(other, sums[a] / counts[a]);
    }
    const double a = sums[own] / counts[own];
    CHECK(out[usize(i)] == doctest::Approx((other - a) / std::max(a, other)).epsilon(1e-12));
  }
}

TEST_CASE("threads do not change a bit of what is measured without truth") {
  const Clustered c = draw(3000, 5, 6);
  MemorySource source({.x = c.x.view()});
  const ClusteredRows rows{source, c.labels, 6};
  for (const auto metric : {silhouette, simplified_silhouette, calinski_harabasz, davies_bouldin}) {
    const double one = metric(rows, {.threads = 1});
    for (const int threads : {2, 3, 7}) CHECK(metric(rows, {.threads = threads}) == one);
  }
}

TEST_CASE("a row alone in its cluster, and rows in one place, have silhouette 0") {
  const Array x{{4, 1}, {1, 1, 1, 5}};
  MemorySource source({.x = x.view()});
  const std::vector<std::int32_t> labels{0, 0, 1, 2};
  std::vector<double> out(4);
  silhouettes({source, labels, 3}, out, {});
  CHECK(out == std::vector<double>{0, 0, 0, 0});
}

TEST_CASE("one cluster, or one for each row, is refused") {
  const Array x{{3, 1}, {1, 2, 3}};
  MemorySource source({.x = x.view()});
  const std::vector<std::int32_t> one{0, 0, 0}, each{0, 1, 2};
  check_refused([&] { silhouette({source, one, 1}, {}); }, Code::kTooFewRows, -1, "in 1 cluster,");
  check_refused(
      [&] {
        davies_bouldin({source, each, 3}, {});
      },
      Code::kTooFewRows, -1, "in 3 clusters");
}

}  // namespace
}  // namespace craton
