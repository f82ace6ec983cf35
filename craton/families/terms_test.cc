#include "craton/families/terms.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/families/family.h"

namespace craton {
namespace {

// Values that a family of this support can have.
std::vector<double> some_values(Support support) {
  switch (support) {
    case Support::kUnit:
      return {0.1, 0.25, 0.5, 0.93};
    case Support::kBinary:
      return {0, 1, 1, 0};
    case Support::kCounts:
      return {0, 3, 1, 12};
    case Support::kReal:
    case Support::kAngle:
      return {-2, 0.5, 1, 2.5};
    default:
      return {0.3, 1, 7, 2.5};
  }
}

// The largest of what is compared, relative to size.
double gap(double a, double b) { return std::abs(a - b) / (1 + std::abs(a)); }

const Coordinate& coordinate_of(const Family& family) {
  static const Coordinate kPlain, kScaled{0, 2.5}, kShifted{-1.5, 0.4};
  return family.moves() == Moves::kNot     ? kPlain
         : family.moves() == Moves::kScale ? kScaled
                                           : kShifted;
}

std::vector<double> moved_values(const Family& family, std::span<const double> x) {
  const Coordinate& at = coordinate_of(family);
  std::vector<double> z;
  for (const double v : x) z.push_back((v - at.origin) / at.unit);
  return z;
}

}  // namespace

TEST_CASE("what is sufficient for a family is among the terms of its statistics") {
  int seen = 0;
  for (const Family* family : families()) {
    if (family->terms().empty()) continue;
    ++seen;
    CAPTURE(family->name());
    const std::vector<double> x = some_values(family->info().support);
    const std::size_t n = term_count(family->empty());
    std::vector<double> terms(n * x.size());
    find_terms(family->empty(), x, terms.data(), x.size());
    Statistics statistics = family->empty();
    family->accumulate(x, {}, statistics);
    const Parameters theta = family->estimate(statistics);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Sufficient s = *family->sufficient(x[i], theta);
      REQUIRE(s.sufficient.size() == family->terms().size());
      for (std::size_t t = 0; t < s.sufficient.size(); ++t) {
        const auto place = static_cast<std::size_t>(family->terms()[t]);
        CHECK(gap(s.sufficient[t], terms[place * x.size() + i]) < 1e-15);
      }
      std::vector<double> base{0.25};
      family->add_log_base({&x[i], 1}, base);
      CHECK(gap(s.log_base + 0.25, base[0]) < 1e-15);
      CHECK(gap(family->constant_log_base().value_or(s.log_base), s.log_base) < 1e-15);
    }
  }
  CHECK(seen >= 9);
}

TEST_CASE("sums of terms in another coordinate are the statistics, and back") {
  for (const Family* family : families()) {
    if (family->terms().empty()) continue;
    CAPTURE(family->name());
    const std::vector<double> x = some_values(family->info().support), w{1, 2, 0.5, 3};
    const std::vector<double> z = moved_values(*family, x);
    const Coordinate& at = coordinate_of(*family);
    const Statistics kind = family->empty();
    const std::size_t n = term_count(kind);
    std::vector<double> terms(n * x.size()), sums(n);
    find_terms(kind, z, terms.data(), x.size());
    for (std::size_t t = 0; t < n; ++t) {
      for (std::size_t i = 0; i < x.size(); ++i) sums[t] += w[i] * terms[t * x.size() + i];
    }
    Statistics expected = kind;
    family->accumulate(x, w, expected);
    const Statistics found = from_terms(kind, at, 6.5, sums);
    const Parameters a = family->estimate(expected), b = family->estimate(found);
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(gap(a[i], b[i]) < 1e-12);
    const std::vector<double> back = to_terms(expected, at);
    for (std::size_t t = 0; t < n; ++t) CHECK(gap(back[t], sums[t]) < 1e-13);
  }
}

TEST_CASE("a family in another coordinate is the distribution of the values there") {
  for (const Family* family : families()) {
    CAPTURE(family->name());
    if (family->info().told > 0 || family->info().support == Support::kCategory) continue;
    const std::vector<double> x = some_values(family->info().support);
    const std::vector<double> z = moved_values(*family, x);
    const Coordinate& at = coordinate_of(*family);
    Statistics statistics = family->empty();
    family->accumulate(x, {}, statistics);
    const Parameters theta = family->estimate(statistics);
    std::vector<double> of_x(x.size()), of_z(x.size());
    family->log_density(x, theta, of_x);
    family->log_density(z, family->moved(theta, at), of_z);
    for (std::size_t i = 0; i < x.size(); ++i) {
      CHECK(gap(of_x[i], of_z[i] - std::log(at.unit)) < 1e-12);
    }
  }
}

}  // namespace craton
