#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "craton/base/random.h"
#include "craton/families/family.h"

namespace craton {

// Families with parameters that are neither easy nor absurd; a category has four levels, and
// kernels lie about four values.
struct FamilyCase {
  std::string name;
  Parameters parameters;

  const Family& family() const { return get_family(name); }
  Index levels() const { return std::ssize(parameters); }
  std::vector<double> draw(Index rows, std::uint64_t seed) const {
    std::vector<double> values(usize(rows));
    Random random(seed, Purpose::kTest, 77);
    family().sample(parameters, random, values);
    return values;
  }
  Estimation told() const {  // what must be
    Estimation how;
    if (name == "binomial") how.known = {parameters[0]};
    return how;
  }
};

inline std::vector<FamilyCase> family_cases() {
  return {{"gaussian", {3, 4}},
          {"gaussian", {-1e6, 0.01}},
          {"laplace", {2, 0.5}},
          {"student-t", {1, 2, 5}},
          {"student-t", {0, 1, 1.5}},
          {"uniform", {-1, 3}},
          {"von-mises", {0.5, 2}},
          {"von-mises", {-2, 300}},
          {"exponential", {0.2}},
          {"gamma", {0.3, 2}},
          {"gamma", {7, 0.5}},
          {"gamma", {5e4, 10}},
          {"lognormal", {1, 0.25}},
          {"weibull", {0.7, 3}},
          {"weibull", {9, 100}},
          {"beta", {0.4, 0.6}},
          {"beta", {20, 50}},
          {"bernoulli", {0.3}},
          {"binomial", {12, 0.4}},
          {"binomial", {4000, 0.02}},
          {"poisson", {0.8}},
          {"poisson", {900}},
          {"geometric", {0.15}},
          {"negative-binomial", {4, 1.5}},
          {"negative-binomial", {300, 0.4}},
          {"categorical", {0.1, 0.5, 0.15, 0.25}},
          {"kde", {0.5, -1, 0, 0.5, 4, 1, 2, 1, 3}}};
}

inline bool counted(const Family& family) {
  const Support support = family.info().support;
  return support == Support::kCounts || support == Support::kBinary ||
         support == Support::kCategory;
}

// The estimate of some values.
inline Parameters estimate(const Family& family, const std::vector<double>& x,
                           const Estimation& how = {}, Index levels = 0) {
  Statistics statistics = family.empty(levels);
  family.accumulate(x, {}, statistics);
  return family.estimate(statistics, how);
}

inline void check_near(const Parameters& found, const Parameters& expected, double bound) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(std::abs(found[i] - expected[i]) <= bound * std::max(1e-300, std::abs(expected[i])));
  }
}

}  // namespace craton
