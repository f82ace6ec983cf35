#include "craton/kernels/algebra/block_products.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "craton/base/random.h"

namespace craton {
namespace {

std::vector<double> some_numbers(std::size_t count, std::uint64_t row) {
  Random random(3, Purpose::kTest, 0, row);
  std::vector<double> result(count);
  for (double& v : result) v = random.normal();
  return result;
}

}  // namespace

TEST_CASE("scores and sums of a block are products of matrices") {
  for (const std::size_t classes : std::vector<std::size_t>{1, 2, 3, 4, 5, 7, 8, 13}) {
    for (const std::size_t terms : std::vector<std::size_t>{0, 1, 2, 3, 8, 33}) {
      for (const std::size_t rows : std::vector<std::size_t>{16, 48, 256}) {
        CAPTURE(classes);
        CAPTURE(terms);
        CAPTURE(rows);
        const std::vector<double> t = some_numbers(terms * kProgramRows, 1);
        const std::vector<double> r = some_numbers(classes * kProgramRows, 2);
        const std::vector<double> h = some_numbers(classes * terms, 3);
        const std::vector<double> constant = some_numbers(classes, 4);
        std::vector<double> out(classes * kProgramRows, 7.0);
        block_scores(t.data(), terms, h.data(), constant.data(), classes, rows, out.data());
        std::vector<double> sums(classes * terms, 1.0), weight(classes, 2.0);
        add_block_sums(t.data(), terms, r.data(), classes, rows, sums.data(), weight.data());
        double gap = 0;
        for (std::size_t c = 0; c < classes; ++c) {
          double n = 2;
          for (std::size_t b = 0; b < rows; ++b) {
            double score = constant[c];
            for (std::size_t p = 0; p < terms; ++p) {
              score += h[c * terms + p] * t[p * kProgramRows + b];
            }
            gap = std::max(gap, std::abs(score - out[c * kProgramRows + b]));
            n += r[c * kProgramRows + b];
          }
          gap = std::max(gap, std::abs(n - weight[c]));
          for (std::size_t p = 0; p < terms; ++p) {
            double sum = 1;
            for (std::size_t b = 0; b < rows; ++b) {
              sum += r[c * kProgramRows + b] * t[p * kProgramRows + b];
            }
            gap = std::max(gap, std::abs(sum - sums[c * terms + p]));
          }
          if (rows < kProgramRows) CHECK(out[c * kProgramRows + rows] == 7.0);
        }
        CHECK(gap < 1e-12);
      }
    }
  }
}

TEST_CASE("a value outside a range, or between whole numbers, is found wherever it is") {
  std::vector<double> x(kProgramRows, 3.0);
  CHECK(all_within(x.data(), kProgramRows, 0, 5, true));
  for (const std::size_t at : std::vector<std::size_t>{0, 13, 255}) {
    for (const double bad : {-0.5, 5.5, static_cast<double>(NAN)}) {
      x[at] = bad;
      CHECK_FALSE(all_within(x.data(), kProgramRows, 0, 5, false));
    }
    x[at] = 2.5;
    CHECK(all_within(x.data(), kProgramRows, 0, 5, false));
    CHECK_FALSE(all_within(x.data(), kProgramRows, 0, 5, true));
    x[at] = 3;
  }
}

TEST_CASE("values are moved and squared, and what is not finite is told") {
  std::vector<double> x = some_numbers(kProgramRows, 5);
  std::vector<double> z(kProgramRows), square(kProgramRows);
  CHECK(standardise(x.data(), kProgramRows, 0.5, 4, z.data(), square.data()));
  for (std::size_t b = 0; b < kProgramRows; ++b) {
    CHECK(z[b] == (x[b] - 0.5) * 4);
    CHECK(square[b] == z[b] * z[b]);
  }
  for (const double bad : {static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    x[77] = bad;
    CHECK_FALSE(standardise(x.data(), kProgramRows, 0.5, 4, z.data(), square.data()));
  }
}

}  // namespace craton
