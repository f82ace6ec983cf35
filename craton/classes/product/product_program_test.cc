#include "craton/classes/product/product_program.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/random.h"
#include "tests/mixture_data.h"

namespace craton::product_program_test {
namespace {

using mixture_tests::Planted;
using mixture_tests::planted;

// Two classes of every family, apart by about their widths.
const std::vector<Planted> kColumns{{"gaussian", {{0, 1}, {3, 4}}},
                                    {"laplace", {{0, 1}, {3, 2}}},
                                    {"student-t", {{0, 1, 5}, {3, 2, 4}}},
                                    {"uniform", {{0, 2}, {1, 4}}},
                                    {"von-mises", {{0.5, 2}, {2, 8}}},
                                    {"exponential", {{1}, {0.2}}},
                                    {"gamma", {{2, 1}, {9, 1.5}}},
                                    {"lognormal", {{0, 0.3}, {2, 0.2}}},
                                    {"weibull", {{1.5, 1}, {2, 4}}},
                                    {"beta", {{2, 5}, {6, 2}}},
                                    {"bernoulli", {{0.2}, {0.9}}},
                                    {"poisson", {{2}, {11}}},
                                    {"geometric", {{0.5}, {0.1}}},
                                    {"negative-binomial", {{3, 0.5}, {8, 0.3}}},
                                    {"categorical", {{0.7, 0.2, 0.1}, {0.1, 0.3, 0.6}}}};

// The largest gap between the program and the families, beside 1 + the size of the density.
double largest_gap(const ClassProduct& product, const Array& x) {
  const std::size_t k = usize(product.classes());
  const Chunk chunk{0, x.view(), {}, {}, {}};
  std::vector<double> found(usize(x.rows()) * k), expected(found.size());
  product.joint(chunk, found);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = product.class_log_prior()[i % k];
  for (std::size_t f = 0; f < product.features().size(); ++f) {
    product.scores().add(f, chunk.x, expected);
  }
  double gap = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == expected[i]) continue;
    const double size = 1 + std::abs(expected[i]);
    gap = std::max(gap, std::isfinite(found[i] - expected[i])
                            ? std::abs(found[i] - expected[i]) / size
                            : INFINITY);
  }
  return gap;
}

Array rows_of(const ClassProduct& product, Index rows) { return product.sample(rows, 3).x; }

ClassProduct gaussians(const std::vector<Parameters>& parameters) {
  return planted(
      std::vector<double>(parameters.size(), 1.0 / static_cast<double>(parameters.size())),
      {{"gaussian", parameters}});
}

}  // namespace

TEST_CASE("a program says what the families say") {
  for (const Planted& column : kColumns) {
    CAPTURE(column.family);
    const ClassProduct product = planted({0.3, 0.7}, {column});
    CHECK(largest_gap(product, rows_of(product, 1000)) < 1e-12);
  }
  const ClassProduct all = planted({0.3, 0.7}, kColumns);
  for (const Index rows : {1, 7, 256, 257, 1000})
    CHECK(largest_gap(all, rows_of(all, rows)) < 1e-12);
}

TEST_CASE("what is missing says nothing, and what cannot be is impossible") {
  const ClassProduct all = planted({0.3, 0.7}, kColumns);
  Array x = rows_of(all, 600);
  for (std::size_t i = 0; i < x.values.size(); i += 7) x.values[i] = NAN;
  std::fill(x.values.begin() + 15 * 100, x.values.begin() + 15 * 101, NAN);  // a row of nothing
  CHECK(largest_gap(all, x) < 1e-12);
  std::vector<double> joint(usize(x.rows()) * 2);
  all.joint({0, x.view(), {}, {}, {}}, joint);
  CHECK(joint[200] == doctest::Approx(std::log(0.3)).epsilon(1e-12));
  for (const Planted& column : kColumns) {
    CAPTURE(column.family);
    const ClassProduct product = planted({0.3, 0.7}, {column});
    const Array odd{{6, 1}, {-3, 0, 0.5, 1, 2.5, 1e6}};  // each outside some support
    CHECK(largest_gap(product, odd) < 1e-12);
  }
}

TEST_CASE("offsets and narrow classes cost no digits") {
  for (const double offset : {0.0, 1e3, -1e8, 1e12}) {
    for (const double width : {1.0, 1e-2, 1e-4, 1e-6}) {
      CAPTURE(offset);
      CAPTURE(width);
      const double variance = width * width;
      const ClassProduct product = gaussians(
          {{offset, 1}, {offset + 1, variance}, {offset - 2, variance * 4}, {offset + 3, 1e-3}});
      CHECK(largest_gap(product, rows_of(product, 2000)) < 1e-9);
    }
  }
  // Other families, where natural parameters are large.
  for (const auto& [family, parameters] :
       std::vector<Planted>{{"gamma", {{1e6, 1e3}, {3e6, 1e3}}},
                            {"gamma", {{2, 1e-9}, {9, 1e-8}}},
                            {"poisson", {{1e9}, {1.001e9}}},
                            {"poisson", {{5e3}, {8e3}}},
                            {"lognormal", {{300, 1e-8}, {-300, 1e-4}}},
                            {"exponential", {{1e-200}, {3e-200}}},
                            {"beta", {{1e5, 2e5}, {3e5, 1e5}}},
                            {"von-mises", {{0, 1e7}, {1, 1e6}}},
                            {"geometric", {{1e-9}, {1e-8}}},
                            {"poisson", {{0}, {4}}},
                            {"bernoulli", {{0}, {1}}}}) {
    CAPTURE(family);
    const ClassProduct product = planted({0.5, 0.5}, {{family, parameters}});
    CHECK(largest_gap(product, rows_of(product, 1000)) < 1e-9);
  }
}

TEST_CASE("rows far from every class keep their digits too") {
  const ClassProduct product = gaussians({{0, 1}, {5, 1e-3}, {100, 2}});
  const Array far{{6, 1}, {1e3, -1e4, 1e6, 1e10, 1e15, 5.001}};
  CHECK(largest_gap(product, far) < 1e-12);
}

TEST_CASE("sums of a program are the statistics of shared rows") {
  const ClassProduct all = planted({0.3, 0.7}, kColumns);
  Array x = rows_of(all, 900);
  for (std::size_t i = 0; i < x.values.size(); i += 11) x.values[i] = NAN;
  const Chunk chunk{0, x.view(), {}, {}, {}};
  std::vector<double> shares(900 * 2);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i] = Random(4, Purpose::kTest, 0, i).uniform();
  }
  MemorySource source({.x = x.view()}, numbered_schema(x.cols()));
  ClassStatistics expected(source, all.features(), 2);
  expected.share(chunk, shares);

  ProductSums sums(all.program());
  ProductBlock block(all.program());
  std::vector<double> r(2 * kProgramRows);
  for (Index first = 0; first < 900; first += 256) {
    const Index count = std::min<Index>(256, 900 - first);
    block.load(chunk.x, first, count);
    std::ranges::fill(r, 0.0);
    for (std::size_t b = 0; b < usize(count); ++b) {
      for (std::size_t z = 0; z < 2; ++z) {
        r[z * kProgramRows + b] = shares[(usize(first) + b) * 2 + z];
      }
    }
    sums.add(block, r.data());
  }
  const ClassStatistics found = sums.statistics();
  for (std::size_t f = 0; f < all.features().size(); ++f) {
    const Family& family = *all.features()[f].family;
    CAPTURE(family.name());
    for (std::size_t z = 0; z < 2; ++z) {
      CHECK(weight(found.of(f, z)) == doctest::Approx(weight(expected.of(f, z))).epsilon(1e-12));
      const Parameters a = family.estimate(expected.of(f, z)), b = family.estimate(found.of(f, z));
      for (std::size_t i = 0; i < a.size(); ++i) {
        CHECK(std::abs(a[i] - b[i]) < 1e-10 * (1 + std::abs(a[i])));
      }
    }
  }
}

}  // namespace craton::product_program_test
