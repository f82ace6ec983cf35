#include "craton/text/weights.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace craton;

namespace {

using Tf = WeightOptions::Tf;
using Idf = WeightOptions::Idf;
using Norm = WeightOptions::Norm;

// Columns 0 and 1 of a document, counted 3 and 1 times, of 4 documents: df = 2, 4.
std::vector<double> weighed(const WeightOptions& options, std::vector<double> counts = {3, 1}) {
  const std::vector<Index> df = {2, 4};
  const std::vector<std::int32_t> columns = {0, 1};
  TermWeights(options, df, 4, 8).weigh(columns.data(), counts.data(), 2);
  return counts;
}

void check(const std::vector<double>& found, double first, double second) {
  CHECK(found[0] == doctest::Approx(first).epsilon(1e-15));
  CHECK(found[1] == doctest::Approx(second).epsilon(1e-15));
}

}  // namespace

TEST_CASE("weights: counts become what the formulas say") {
  check(weighed({}), 3, 1);
  check(weighed({.tf = Tf::kPresence}), 1, 1);
  check(weighed({.tf = Tf::kShare}), 0.75, 0.25);
  check(weighed({.tf = Tf::kLog}), 1 + std::log(3.0), 1);
  // L = 4, A = 2: k1 (1 - b + 2 b) = 1.2 * 1.75
  check(weighed({.tf = Tf::kBm25}), 3 * 2.2 / (3 + 2.1), 2.2 / 3.1);
}

TEST_CASE("weights: terms weigh what the formulas say") {
  check(weighed({.idf = Idf::kTextbook}), 3 * std::log(2.0), 0);
  check(weighed({.idf = Idf::kTextbookPlus}), 3 * std::log(4 / 3.0), std::log(4 / 5.0));
  check(weighed({.idf = Idf::kPlain}), 3 * (std::log(2.0) + 1), 1);
  check(weighed({.idf = Idf::kSmooth}), 3 * (std::log(5 / 3.0) + 1), 1);
  check(weighed({.idf = Idf::kBm25}), 3 * std::log(1 + 2.5 / 2.5), std::log(1 + 0.5 / 4.5));
}

TEST_CASE("weights: rows are divided by their norms, unless these are 0") {
  check(weighed({.norm = Norm::kL1}), 0.75, 0.25);
  check(weighed({.norm = Norm::kL2}), 3 / std::sqrt(10.0), 1 / std::sqrt(10.0));
  check(weighed({.idf = Idf::kTextbook, .norm = Norm::kL2}, {0, 5}), 0, 0);
}

TEST_CASE("weights: hashed counts keep their signs, and zeros stay") {
  check(weighed({.tf = Tf::kLog}, {-3, 0}), -1 - std::log(3.0), 0);
  check(weighed({.tf = Tf::kShare, .norm = Norm::kL1}, {-3, 1}), -0.75, 0.25);
  check(weighed({.tf = Tf::kShare}, {0, 0}), 0, 0);
}

TEST_CASE("weights: a term that no document has counts as one of one document") {
  const std::vector<Index> df = {0};
  CHECK(TermWeights({.idf = Idf::kPlain}, df, 8, 1).idf()[0] == doctest::Approx(std::log(8.0) + 1));
}
