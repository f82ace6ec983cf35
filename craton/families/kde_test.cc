#include "craton/families/kde.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/report.h"
#include "craton/families/bandwidth.h"
#include "craton/families/choose.h"
#include "tests/family_cases.h"

namespace craton::family_kde_test {
namespace {

using Numbers = std::vector<double>;

const Numbers kEruptions{3.6,   1.8,   3.333, 2.283, 4.533, 2.883, 4.7,  3.6, 1.95, 4.35,
                         1.833, 3.917, 4.2,   1.75,  4.7,   2.167, 1.75, 4.8, 1.6,  4.25};
const Numbers kAt{2.0, 3.1, 5.0, 9.0};

const Family& kde() { return get_family("kde"); }

Parameters estimated(const Numbers& x, const Estimation& how = {}, const Numbers& weights = {}) {
  Statistics seen = kde().empty();
  kde().accumulate(x, weights, seen);
  return kde().estimate(seen, how);
}

Estimation known(double bandwidth) { return {.known = {bandwidth}}; }

// sum_i w_i exp(-((x - y_i) / h)^2 / 2), with `gone` less of the value x: in more digits.
long double exact_log_density(const KernelParameters& of, double x, double gone = 0) {
  long double nearest = INFINITY, sum = 0, weight = 0;
  const auto each = [&](const auto& use) {
    for (std::size_t i = 0; i < of.values.size(); ++i) {
      const long double u = (static_cast<long double>(x) - of.values[i]) / of.bandwidth;
      const long double w =
          of.weights[i] - (of.values[i] == x ? static_cast<long double>(gone) : 0);
      if (w > 0) use(u * u / 2, w);
    }
  };
  each([&](long double a, long double) { nearest = std::min(nearest, a); });
  each([&](long double a, long double w) {
    sum += w * std::exp(nearest - a);
    weight += w;
  });
  return std::log(sum) - nearest -
         std::log(weight * of.bandwidth * std::sqrt(2 * std::acos(-1.0L)));
}

}  // namespace

// tests/reference/family_kde.py has the numbers.
TEST_CASE("densities, bandwidths and distribution functions agree with SciPy") {
  struct Row {
    Parameters parameters;
    double bandwidth;
    Numbers log_density, cdf;
  };
  Numbers counts;
  for (int i = 0; i < 20; ++i) counts.push_back(1 + i % 3);
  Estimation silverman;
  silverman.bandwidth = BandwidthRule::kSilverman;
  for (const Row& row :
       {Row{estimated(kEruptions),
            0.6581517399136665,
            {-1.397631639752341, -1.6441225897625011, -1.7625658297213627, -23.251415749999904},
            {0.2318339492315336, 0.4684048136374076, 0.9120610800673157, 0.9999999999920557}},
        Row{estimated(kEruptions, known(0.25)),
            0.25,
            {-0.8557066169488106, -2.048945873123913, -1.873156619638759, -143.64615136355454},
            {0.2562158995951329, 0.45141908567889627, 0.9760209296010172, 1}},
        Row{estimated(kEruptions, silverman, counts),
            0.5970492569860834,
            {-1.3940376219923047, -1.610036677217727, -1.7114506290931817, -27.351287816811922},
            {0.2166303466573398, 0.4520646663735918, 0.9140998292470235, 0.9999999999998908}}}) {
    CHECK(row.parameters[0] == doctest::Approx(row.bandwidth).epsilon(1e-14));
    Numbers log_density(4), cdf(4);
    kde().log_density(kAt, row.parameters, log_density);
    kde().cdf(kAt, row.parameters, cdf);
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(log_density[i] == doctest::Approx(row.log_density[i]).epsilon(1e-12));
      CHECK(cdf[i] == doctest::Approx(row.cdf[i]).epsilon(1e-13));
    }
  }
}

TEST_CASE("a value left out leaves the density of the others, as SciPy has it") {
  const KernelLine line(estimated(kEruptions, known(0.25)));
  const auto near = [](double x) { return doctest::Approx(x).epsilon(1e-12); };
  CHECK(line.log_density_without(kEruptions[0], 1) == near(-1.7201823317846874));
  CHECK(line.log_density_without(kEruptions[9], 1) == near(-1.1640303109212784));
  CHECK(line.log_density_without(kEruptions[18], 1) == near(-1.2186082522982575));
}

TEST_CASE("a value left out is left out wherever it lies, and however little is near") {
  for (std::uint64_t problem = 0; problem < 40; ++problem) {
    CAPTURE(problem);
    Random random(problem, Purpose::kTest, 21);
    const double offsets[] = {0, 1e3, -1e9}, widths[] = {1e-4, 0.01, 0.3, 3};
    const double offset = offsets[random.below(3)], h = widths[random.below(4)];
    Numbers x, w;
    for (int i = 0; i < 700; ++i) {
      x.push_back(offset + std::round(1e3 * random.normal()) / 1e3 + (i % 97 == 0 ? 60 * h : 0));
      w.push_back(problem % 2 == 0 ? 1 : random.uniform() + 0.01);
    }
    x.push_back(offset + 1e3);  // alone
    w.push_back(problem % 3 == 0 ? 1e-3 : 2);
    const Parameters parameters = estimated(x, known(h), w);
    const KernelLine line(parameters);
    for (std::size_t i = 0; i < x.size(); i += i < 690 ? 23 : 1) {
      const double gone = std::min(1.0, w[i]);
      const auto expected =
          static_cast<double>(exact_log_density(KernelParameters(parameters), x[i], gone));
      CHECK(line.log_density_without(x[i], gone) ==
            doctest::Approx(expected).epsilon(1e-9).scale(1));
    }
  }
}

TEST_CASE("densities are right beside many values, in tails, and of millions of weight") {
  Random random(4, Purpose::kTest, 22);
  Numbers x, w;
  for (int i = 0; i < 20'000; ++i) {
    x.push_back(1e6 + random.normal());
    w.push_back(random.uniform() * 1e6);
  }
  const Parameters parameters = estimated(x, {}, w);
  const KernelLine line(parameters);
  for (const double at : {-7.0, -3.0, -1.0, 0.0, 0.2, 2.5, 40.0}) {
    const auto expected =
        static_cast<double>(exact_log_density(KernelParameters(parameters), 1e6 + at));
    CHECK(line.log_density(1e6 + at) == doctest::Approx(expected).epsilon(1e-10).scale(1));
  }
  for (const double far : {1e150, 1e300}) {
    CHECK(line.log_density(far) == -INFINITY);
    CHECK(line.log_density(-far) == -INFINITY);
  }
  CHECK(line.log_density(INFINITY) == -INFINITY);
}

TEST_CASE("values are kept once, ascending, with the weights of equal ones added") {
  const Parameters p = estimated({3, NAN, 1, -0.0, 3, 0}, known(0.5), {1, 9, 2, 1, 4, 0.5});
  CHECK(p == Parameters{0.5, 0, 1, 3, 1.5, 2, 5});
  CHECK(estimated({1, 2, 2, 2, 5}) == estimated({5, 2, 1}, {}, {1, 3, 1}));
}

TEST_CASE("merged statistics give the bits of all values, and subtracted ones take them back") {
  const FamilyCase drawn{"gaussian", {3, 4}};
  const Numbers a = drawn.draw(500, 1), b = drawn.draw(300, 2);
  Numbers both = b;
  both.insert(both.end(), a.begin(), a.end());
  Statistics sums = kde().empty(), more = kde().empty();
  kde().accumulate(a, {}, sums);
  kde().accumulate(b, {}, more);
  merge(sums, more);
  CHECK(kde().estimate(sums) == estimated(both));
  subtract(sums, more);
  CHECK(kde().estimate(sums) == estimated(a));
}

TEST_CASE("a rule that finds nothing among ties is replaced, and that is said") {
  Numbers ties(60, 2.0);
  for (int i = 0; i < 6; ++i) ties.push_back(3 + i);
  std::vector<Note> notes;
  Estimation how;
  how.notes = &notes;
  how.bandwidth = BandwidthRule::kSquaresLeftOut;
  const double h = estimated(ties, how)[0];
  REQUIRE(notes.size() >= 1);
  CHECK(notes[0].code == "bandwidth-rule");
  CHECK(notes[0].text.plain().find("lscv") != std::string::npos);
  CHECK(h > 0);
}

TEST_CASE("no criterion counts the kernels, so none chooses them") {
  Extent extent;
  extent.add(kEruptions);
  const auto compared = comparable_families(extent);
  CHECK(std::ranges::find(compared, &kde()) == compared.end());
  const auto all = families_that_hold(extent);
  CHECK(std::ranges::find(all, &kde()) != all.end());
  CHECK(kde().free_parameters() == 0);
}

TEST_CASE("people are told the bandwidth and how many values there are, not all of them") {
  const std::vector<NamedNumber> told = kde().summary(Parameters{0.5, 0, 1, 3, 1.5, 2, 5});
  REQUIRE(told.size() == 3);
  CHECK((told[0].name == "bandwidth" && told[0].value == 0.5));
  CHECK((told[1].name == "values" && told[1].value == 3));
  CHECK((told[2].name == "weight" && told[2].value == 8.5));
}

}  // namespace craton::family_kde_test
