#include "craton/classes/discriminant/gaussian_boundary.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/kernels/algebra/linalg.h"

// About the middle of the two means, so that an offset of the data costs the points no digits.

namespace craton {
namespace {

// x' Q x + l . x + c.
struct Quadric {
  std::vector<double> q, l;
  double c = 0;
};

std::vector<double> times(std::span<const double> matrix, std::span<const double> x) {
  const std::size_t d = x.size();
  std::vector<double> result(d);
  for (std::size_t i = 0; i < d * d; ++i) result[i / d] += matrix[i] * x[i % d];
  return result;
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

// Adds sign log p(x, c), of x about a centre.
void add(Quadric& sum, double sign, const GaussianClasses& gaussians, Index label,
         std::span<const double> centre) {
  std::vector<double> mean(centre.size());
  for (std::size_t j = 0; j < mean.size(); ++j) {
    mean[j] = gaussians.means().view().row(label)[j] - centre[j];
  }
  const std::vector<double> p = gaussians.precision_of(label), pulled = times(p, mean);
  for (std::size_t i = 0; i < p.size(); ++i) sum.q[i] -= sign * p[i] / 2;
  for (std::size_t j = 0; j < mean.size(); ++j) sum.l[j] += sign * pulled[j];
  sum.c += sign * (gaussians.log_prior().values[usize(label)] + gaussians.log_scale(label) -
                   dot(mean, pulled) / 2);
}

// Where q u^2 + l u + c = 0, ascending; by the root that does not cancel, and the other's product.
std::vector<double> roots(double q, double l, double c) {
  if (q == 0) return l == 0 ? std::vector<double>{} : std::vector<double>{-c / l};
  const double square = l * l - 4 * q * c;
  if (square < 0) return {};
  if (square == 0) return {-l / (2 * q)};
  const double t = -(l + std::copysign(std::sqrt(square), l)) / 2;
  std::vector<double> both{t / q, c / t};
  std::sort(both.begin(), both.end());
  return both;
}

std::string conic_of(const Quadric& f) {
  constexpr double kFlat = 1e-12;  // of the larger curvature: rounding
  const SymmetricEigen eigen = eigen_symmetric(f.q, 2);
  const double low = eigen.values[0], high = eigen.values[1];
  const double largest = std::max(std::abs(low), std::abs(high));
  if (largest == 0) return f.l[0] == 0 && f.l[1] == 0 ? "nowhere" : "line";
  if (std::min(std::abs(low), std::abs(high)) <= kFlat * largest) return "parabola";
  if (low < 0 && high > 0) return "hyperbola";
  // At its extremum f is c - sum_i (l . v_i)^2 / (4 e_i); an ellipse has the other sign around it.
  double extremum = f.c;
  for (std::size_t i = 0; i < 2; ++i) {
    const double along = f.l[0] * eigen.vectors[i] + f.l[1] * eigen.vectors[2 + i];
    extremum -= along * along / (4 * eigen.values[i]);
  }
  return extremum * high < 0 ? "ellipse" : "nowhere";
}

Boundary boundary_of(const GaussianClasses& gaussians, Index a, Index b) {
  const std::size_t d = usize(gaussians.columns());
  std::vector<double> centre;
  for (std::size_t j = 0; j < d; ++j) {
    const double here = gaussians.means().view().row(a)[j];
    centre.push_back(here + (gaussians.means().view().row(b)[j] - here) / 2);
  }
  Quadric f{std::vector<double>(d * d), std::vector<double>(d)};
  add(f, 1, gaussians, a, centre);
  add(f, -1, gaussians, b, centre);
  const std::vector<double> turned = times(f.q, centre);  // u' Q u of u = x - centre
  Boundary result{.label = a,
                  .other = b,
                  .quadratic = {{gaussians.columns(), gaussians.columns()}, f.q},
                  .linear = {{gaussians.columns()}, f.l},
                  .constant = f.c - dot(f.l, centre) + dot(turned, centre),
                  .points = {},
                  .shape = {}};
  for (std::size_t j = 0; j < d; ++j) result.linear.values[j] -= 2 * turned[j];
  if (d == 1) {
    result.points = roots(f.q[0], f.l[0], f.c);
    for (double& point : result.points) point += centre[0];
  }
  result.shape = d == 2 ? conic_of(f) : result.points.empty() ? "nowhere" : "points";
  return result;
}

}  // namespace

std::vector<Boundary> find_boundaries(const GaussianClasses& gaussians) {
  if (gaussians.columns() > 2) {
    throw InputError(
        Code::kNotAble, {},
        fmt::format("boundaries are given of one or two features, and the model has {}",
                    gaussians.columns()),
        {"Fit it on one or two of the columns{}.", Ref::either(": --features a,b", "")});
  }
  std::vector<Boundary> result;
  const auto possible = [&](Index c) {
    return std::isfinite(gaussians.log_prior().values[usize(c)]);
  };
  for (Index a = 0; a < gaussians.classes(); ++a) {
    for (Index b = a + 1; b < gaussians.classes(); ++b) {
      if (possible(a) && possible(b)) result.push_back(boundary_of(gaussians, a, b));
    }
  }
  return result;
}

}  // namespace craton
