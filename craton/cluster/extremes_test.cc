#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/cluster/kmeans.h"

// Tables at the edge of what doubles and floats can hold: the result that the maths says, or an
// error.

using namespace craton;

namespace {

// Three groups in two columns; multiples of 2^-6, so that an offset of 1e8 costs no digit.
std::vector<double> groups() {
  std::vector<double> x;
  for (std::uint64_t i = 0; i < 900; ++i) {
    Random random(1, Purpose::kTest, 0, i);
    for (std::uint64_t j = 0; j < 2; ++j) {
      const double centre = static_cast<double>((i % 3 * 5 + j * 3) % 7);
      x.push_back(std::round((centre + 0.4 * random.normal()) * 64) / 64);
    }
  }
  return x;
}

template <class T>
Fit<KMeans> fit(const std::vector<T>& x, Index columns, const Array& start) {
  MemorySource source({.x = Dense<T>{x.data(), std::ssize(x) / columns, columns, columns}});
  KMeans::Options options;
  options.n_clusters = start.rows();
  options.centers = start;
  return KMeans::fit(source, options, {});
}

// The fit of (x + offset) scale, from the same start, brought back.
template <class T>
void check_moved(double offset, double scale) {
  CAPTURE(offset);
  CAPTURE(scale);
  const std::vector<double> x = groups();
  const Array start{{3, 2}, {x.begin(), x.begin() + 6}};
  const Fit<KMeans> plain = fit(x, 2, start);
  std::vector<T> moved;
  for (const double v : x) moved.push_back(static_cast<T>((v + offset) * scale));
  const Fit<KMeans> fitted = fit(moved, 2, Array{{3, 2}, {moved.begin(), moved.begin() + 6}});
  CHECK(fitted.report.iterations == plain.report.iterations);
  for (std::size_t i = 0; i < 6; ++i) {
    const double back = fitted.model.centers().values[i] / scale - offset;
    CHECK(std::abs(back - plain.model.centers().values[i]) < 1e-13 * (1 + std::abs(offset)));
  }
  CHECK(fitted.report.objective / scale / scale ==
        doctest::Approx(plain.report.objective).epsilon(1e-11));
}

}  // namespace

TEST_CASE("shift and scale of the data shift and scale the result") {
  check_moved<double>(1e8, 1);
  check_moved<double>(-1e8, 0x1p-40);
  check_moved<double>(0, 0x1p380);   // 1e114
  check_moved<double>(0, 0x1p-380);  // 1e-114
  check_moved<float>(0, 0x1p110);    // squares beyond float
  check_moved<float>(0, 0x1p-110);
  check_moved<float>(4096, 1);
}

TEST_CASE("spreads whose squares overflow or vanish are refused") {
  const auto code_of = [](double scale) {
    std::vector<double> x = groups();
    for (double& v : x) v *= scale;
    try {
      fit(x, 2, Array{{3, 2}, {x.begin(), x.begin() + 6}});
    } catch (const InputError& error) {
      return error.code();
    }
    return Code{};
  };
  CHECK(code_of(1e300) == Code::kNotFinite);
  CHECK(code_of(1e-300) == Code::kNoSpread);
}

TEST_CASE("a constant column changes nothing") {
  const std::vector<double> x = groups();
  std::vector<double> wide;
  for (std::size_t i = 0; i < x.size(); i += 2) wide.insert(wide.end(), {x[i], 7e5, x[i + 1]});
  const Fit<KMeans> a = fit(x, 2, Array{{3, 2}, {x.begin(), x.begin() + 6}});
  const Fit<KMeans> b = fit(wide, 3, Array{{3, 3}, {wide.begin(), wide.begin() + 9}});
  CHECK(a.report.iterations == b.report.iterations);
  CHECK(a.report.objective == doctest::Approx(b.report.objective).epsilon(1e-13));
  for (std::size_t c = 0; c < 3; ++c) CHECK(b.model.centers().values[c * 3 + 1] == 7e5);
}

TEST_CASE("several clusters that lost their rows move one in each pass") {
  const std::vector<double> x = groups();
  const Array start{{5, 2}, {0, 3, 5, 1, 3, 6, 1000, 1000, 1000, 1000}};
  const Fit<KMeans> fitted = fit(x, 2, start);
  CHECK(fitted.report.converged);
  CHECK(fitted.report.notes.empty());
}
