#include "craton/kernels/smoothing/gaussian_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "craton/kernels/smoothing/gaussian_series.h"

// Moments of n points cost O(n p), polynomials O(p^2) for each pair of cells near one another, and
// a sum O(log cells + p).

namespace craton {
namespace {

constexpr double kUnit = 0x1p-53;
// Cells further apart than this many h are left out: G is below 1e-16 there.
constexpr double kReach = 8.6;
// A polynomial for a cell pays when so many points are within reach: as many kernels cost more.
constexpr Index kEnough = 512;
// Numbers of cells beyond this are not exact.
constexpr double kFarthest = 0x1p50;

// A cell with points.
struct PointCell {
  double number;
  Index points_before;  // of all cells before it
  double weight;
  std::array<double, 20> moments;
};

double centre_of(double cell, double width) { return (cell + 0.5) * width; }

template <std::size_t kOrder>
std::vector<PointCell> sources_of(std::span<const double> y, std::span<const double> w, double h,
                                  double width) {
  std::vector<PointCell> cells;
  for (std::size_t first = 0; first < y.size();) {
    PointCell cell{std::floor(y[first] / width), static_cast<Index>(first), 0, {}};
    const double centre = centre_of(cell.number, width), end = (cell.number + 1) * width;
    std::array<double, kOrder> rest{};  // what the sums lost so far
    std::size_t i = first;
    for (; i < y.size() && y[i] < end; ++i) {
      const double z = (y[i] - centre) / h;
      double term = w[i];
      for (std::size_t b = 0; b < kOrder; ++b) {
        const double sum = cell.moments[b] + term, part = sum - cell.moments[b];
        rest[b] += (cell.moments[b] - (sum - part)) + (term - part);
        cell.moments[b] = sum;
        term *= z / static_cast<double>(b + 1);
      }
    }
    for (std::size_t b = 0; b < kOrder; ++b) cell.moments[b] += rest[b];
    cell.weight = cell.moments[0];
    cells.push_back(cell);
    first = i;
  }
  return cells;
}

}  // namespace

GaussianCells::GaussianCells(double h, std::span<const double> points,
                             std::span<const double> weights)
    : h_(h), width_(std::exp2(std::floor(std::log2(h)))) {
  const double farthest = std::max(std::abs(points.front()), std::abs(points.back()));
  if (std::ssize(points) < kEnough || !(farthest / width_ < kFarthest)) return;
  const std::vector<PointCell> cells = sources_of<kOrder>(points, weights, h, width_);
  const double cell = width_ / h;  // in units of h
  const double reach = std::ceil(kReach / cell);
  double all = 0;
  for (const PointCell& s : cells) all += s.weight;

  std::vector<std::vector<double>> derivatives_at;  // cells 0, 1, ..., reach apart
  std::vector<double> fall;                         // exp(-u^2 / 4)
  for (double apart = 0; apart <= reach; ++apart) {
    derivatives_at.push_back(
        gaussian_derivatives(static_cast<long double>(apart * width_) / h, 2 * kOrder));
    const double least = std::max(0.0, apart - 1) * cell;
    fall.push_back(std::exp(-least * least / 4));
  }
  // Of terms that a sum is made of: moments, derivatives, their products over all cells, and the
  // polynomial; distances are right to 3 roundings, and G' <= 1.0865.
  const double rounding = kUnit * (4 * kOrder + 2 * (2 * reach + 1) + 20) * series_terms(cell);
  const double rest = series_rest(kOrder, cell) + rounding;
  const double left_out = std::exp(-reach * cell * reach * cell / 2) * all;

  std::size_t low = 0, high = 0;  // cells within reach
  double last = -INFINITY;
  for (const PointCell& around : cells) {
    for (double at = std::max(last + 1, around.number - reach); at <= around.number + reach; ++at) {
      last = at;
      while (low < cells.size() && cells[low].number < at - reach) ++low;
      while (high < cells.size() && cells[high].number <= at + reach) ++high;
      const Index before = high == cells.size() ? std::ssize(points) : cells[high].points_before;
      if (low == high || before - cells[low].points_before < kEnough) continue;
      Local local{{}, left_out};
      for (std::size_t s = low; s < high; ++s) {
        const double away = at - cells[s].number;
        const double* const g = derivatives_at[static_cast<std::size_t>(std::abs(away))].data();
        // (-1)^b, and G^(n)(-u) = (-1)^n G^(n)(u)
        std::array<double, kOrder> sums{};
        for (std::size_t k = 0; k < kOrder; ++k) {
          const double moment = cells[s].moments[k];
          const double factor = k % 2 == 1 && away >= 0 ? -moment : moment;
          for (std::size_t a = 0; a < kOrder; ++a) sums[a] += factor * g[a + k];
        }
        for (std::size_t a = 0; a < kOrder; ++a) {
          local.coefficients[a] += away < 0 && a % 2 == 1 ? -sums[a] : sums[a];
        }
        local.error += rest * cells[s].weight * fall[static_cast<std::size_t>(std::abs(away))];
      }
      double factorial = 1;
      for (std::size_t a = 1; a < kOrder; ++a) {
        factorial *= static_cast<double>(a);
        local.coefficients[a] /= factorial;
      }
      cells_.push_back(at);
      locals_.push_back(local);
    }
  }
}

const GaussianCells::Local* GaussianCells::local_at(double x, double& t) const {
  const double cell = std::floor(x / width_);
  const auto found = std::lower_bound(cells_.begin(), cells_.end(), cell);
  if (found == cells_.end() || *found != cell) return nullptr;
  t = (x - centre_of(cell, width_)) / h_;
  return &locals_[static_cast<std::size_t>(found - cells_.begin())];
}

std::optional<GaussianCells::Sum> GaussianCells::at(double x) const {
  double t = 0, value = 0;
  const Local* const local = local_at(x, t);
  if (local == nullptr) return {};
  for (std::size_t a = kOrder; a-- > 0;) value = std::fma(value, t, local->coefficients[a]);
  return Sum{value, local->error};
}

std::optional<double> GaussianCells::derivative(double x, int n) const {
  double t = 0, value = 0;
  const Local* const local = local_at(x, t);
  if (local == nullptr) return {};
  for (int a = int{kOrder} - 1; a >= n; --a) {
    double factor = 1;  // a! / (a - n)!
    for (int k = a; k > a - n; --k) factor *= k;
    value = std::fma(value, t, factor * local->coefficients[a]);
  }
  return value;
}

}  // namespace craton
