#include "craton/density/matrix_units.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace craton {

double MatrixUnits::apply(const double* x, double* z) const {
  constexpr double kUnit = 0x1p-53;
  const Index d = columns();
  double square = 0;
  double* const doubts = z + d;
  for (Index j = 0; j < d; ++j) {
    const double* const row = &lower_[usize(j * d)];
    double rest = x[j] - centre_[usize(j)], size = std::abs(rest), doubt = 0;
    for (Index k = 0; k < j; ++k) {
      rest -= row[k] * z[k];
      size += std::abs(row[k] * z[k]);
      doubt += std::abs(row[k]) * doubts[k];
    }
    z[j] = rest / row[j];
    doubt += kUnit * static_cast<double>(2 * j + 3) * size;
    doubts[j] = 1.001 * doubt / row[j] + kUnit * std::abs(z[j]);
    square += doubts[j] * doubts[j];
  }
  const bool finite = std::all_of(z, z + d, [](double v) { return std::isfinite(v); });
  const double doubt = 1.001 * std::sqrt(square);
  return finite && doubt < std::numeric_limits<double>::infinity()
             ? doubt
             : std::numeric_limits<double>::infinity();
}

Points MatrixUnits::apply(const Points& points, double& relative_doubt) const {
  Points all{points.columns, std::vector<double>(points.rows.size()), points.weights};
  relative_doubt = 0;
  std::vector<double> z(usize(2 * points.columns));
  for (Index i = 0; i < points.size(); ++i) {
    const double doubt = apply(points.view().row(i), z.data());
    if (doubt > 0) relative_doubt = std::max(relative_doubt, doubt / length(z.data()));
    std::copy_n(z.data(), points.columns, &all.rows[usize(i * points.columns)]);
  }
  return all;
}

MatrixUnits::Square MatrixUnits::careful_square(const double* x, const double* y, Index first,
                                                double* work) const {
  constexpr double kUnit = 0x1p-98;  // of sums, products and quotients, with some to spare
  const Index d = columns();
  double *const high = work, *const low = work + d, *const doubts = work + 2 * d;
  DoubleDouble square;
  double doubt_square = 0;
  for (Index j = 0; j < first; ++j) {
    const double* const row = &lower_[usize(j * d)];
    DoubleDouble rest = exact_difference(x[j], y[j]);
    double size = std::abs(rest.high), doubt = 0;
    for (Index k = 0; k < j; ++k) {
      const DoubleDouble part = DoubleDouble(row[k]) * DoubleDouble(high[k], low[k]);
      rest -= part;
      size += std::abs(part.high);
      doubt += std::abs(row[k]) * doubts[k];
    }
    const DoubleDouble z = rest / DoubleDouble(row[j]);
    doubt += kUnit * static_cast<double>(2 * j + 3) * size;
    doubts[j] = 1.001 * doubt / row[j] + kUnit * std::abs(z.high);
    high[j] = z.high, low[j] = z.low;
    square += z * z;
    doubt_square += doubts[j] * doubts[j];
  }
  return {square, 1.001 * std::sqrt(doubt_square)};
}

double MatrixUnits::length(const double* z) const {
  double square = 0;
  for (Index j = 0; j < columns(); ++j) square += z[j] * z[j];
  return std::sqrt(square);
}

void MatrixUnits::turn(const double* u, double* out) const {
  const Index d = columns();
  for (Index j = d; j-- > 0;) {  // from the last, so that `out` may be u
    double sum = 0;
    for (Index k = 0; k <= j; ++k) sum += lower_[usize(j * d + k)] * u[k];
    out[j] = sum;
  }
}

}  // namespace craton
