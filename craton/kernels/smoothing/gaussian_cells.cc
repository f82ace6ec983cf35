#include "craton/kernels/smoothing/gaussian_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "craton/kernels/smoothing/gaussian_moments.h"
#include "craton/kernels/smoothing/gaussian_series.h"

// Moments of n points cost O(n p), polynomials O(p^2) for each pair of cells near one another, and
// a sum O(1 + p), or O(log cells + p) where cells lie apart.

namespace craton {
namespace {

constexpr std::size_t kOrder = kGaussianOrder, kPadded = kPaddedGaussianOrder;
constexpr Index kPointsOfTask = 1 << 15, kCellsOfTask = 8;

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
  GaussianMoments moments;
  double weight() const { return moments[0]; }
};

double centre_of(double cell, double width) { return (cell + 0.5) * width; }

std::vector<PointCell> sources_of(std::span<const double> y, std::span<const double> w, double h,
                                  double width, RunTasks run) {
  const Index n = std::ssize(y), tasks = (n + kPointsOfTask - 1) / kPointsOfTask;
  const auto cell_of = [&](Index i) { return std::floor(y[usize(i)] / width); };
  std::vector<std::vector<PointCell>> found(usize(tasks));
  run(tasks, [&](Index task) {  // the cells whose first points these are
    const Index last = std::min(n, (task + 1) * kPointsOfTask);
    const auto end_of = [&](double number, Index first) {
      const double end = (number + 1) * width;
      const auto in = [&](Index i) { return y[usize(i)] < end; };
      Index step = 1, low = first;  // low is inside
      while (low + step < n && in(low + step)) low += step, step *= 2;
      Index high = std::min(low + step, n);
      while (high - low > 1) {
        const Index middle = low + (high - low) / 2;
        (in(middle) ? low : high) = middle;
      }
      return high;
    };
    Index first = task * kPointsOfTask;
    if (first > 0 && cell_of(first) == cell_of(first - 1)) first = end_of(cell_of(first), first);
    while (first < last) {
      const double number = cell_of(first);
      const Index end = end_of(number, first);
      const std::size_t count = usize(end - first);
      found[usize(task)].push_back({number, first,
                                    gaussian_moments(y.subspan(usize(first), count),
                                                     w.empty() ? w : w.subspan(usize(first), count),
                                                     centre_of(number, width), h)});
      first = end;
    }
  });
  std::vector<PointCell> cells;
  for (const auto& some : found) cells.insert(cells.end(), some.begin(), some.end());
  return cells;
}

}  // namespace

GaussianCells::GaussianCells(double h, std::span<const double> points,
                             std::span<const double> weights, RunTasks run)
    : h_(h), width_(std::exp2(std::floor(std::log2(h)))) {
  const double farthest = std::max(std::abs(points.front()), std::abs(points.back()));
  if (std::ssize(points) < kEnough || !(farthest / width_ < kFarthest)) return;
  const std::vector<PointCell> cells = sources_of(points, weights, h, width_, run);
  const double cell = width_ / h;  // in units of h
  const double reach = std::ceil(kReach / cell);
  double all = 0;
  for (const PointCell& s : cells) all += s.weight();

  std::vector<std::vector<double>> derivatives_at;  // cells 0, 1, ..., reach apart
  std::vector<double> fall;                         // exp(-u^2 / 4)
  for (double apart = 0; apart <= reach; ++apart) {
    derivatives_at.push_back(
        gaussian_derivatives(static_cast<long double>(apart * width_) / h, kOrder + kPadded));
    const double least = std::max(0.0, apart - 1) * cell;
    fall.push_back(std::exp(-least * least / 4));
  }
  // Of terms that a sum is made of: moments and the sums of their blocks, derivatives, their
  // products over all cells, and the polynomial; distances are right to 3 roundings, and
  // G' <= 1.0865.
  const double rounding =
      kUnit * (6 * kOrder + kGaussianRun + 2 * (2 * reach + 1) + 20) * series_terms(cell);
  const double rest = series_rest(kOrder, cell) + rounding;
  const double left_out = std::exp(-reach * cell * reach * cell / 2) * all;

  struct Around {
    std::size_t low, high;  // cells within reach
  };
  std::vector<Around> around;
  std::size_t low = 0, high = 0;
  double last = -INFINITY;
  for (const PointCell& from : cells) {
    for (double at = std::max(last + 1, from.number - reach); at <= from.number + reach; ++at) {
      last = at;
      while (low < cells.size() && cells[low].number < at - reach) ++low;
      while (high < cells.size() && cells[high].number <= at + reach) ++high;
      const Index before = high == cells.size() ? std::ssize(points) : cells[high].points_before;
      if (low == high || before - cells[low].points_before < kEnough) continue;
      cells_.push_back(at);
      around.push_back({low, high});
    }
  }
  locals_.resize(cells_.size());
  const Index tasks = (std::ssize(cells_) + kCellsOfTask - 1) / kCellsOfTask;
  run(tasks, [&](Index task) {
    const Index end = std::min(std::ssize(cells_), (task + 1) * kCellsOfTask);
    for (Index c = task * kCellsOfTask; c < end; ++c) {
      double sums[kPadded] = {}, error = left_out;
      for (std::size_t s = around[usize(c)].low; s < around[usize(c)].high; ++s) {
        const double away = cells_[usize(c)] - cells[s].number;
        const std::size_t apart = static_cast<std::size_t>(std::abs(away));
        // (-1)^b G^(a+b)(u), and G^(n)(-u) = (-1)^n G^(n)(u): of one sign where u < 0, but for the
        // (-1)^a of all.
        GaussianMoments moments = cells[s].moments;
        if (away >= 0) {
          for (std::size_t b = 1; b < kOrder; b += 2) moments[b] = -moments[b];
        }
        std::array<double, kPadded> part{};
        add_translated(moments, derivatives_at[apart], part);
        for (std::size_t a = 0; a < kOrder; ++a) {
          sums[a] += away < 0 && a % 2 == 1 ? -part[a] : part[a];
        }
        error += rest * cells[s].weight() * fall[apart];
      }
      Local& local = locals_[usize(c)];
      local.error = error;
      double factorial = 1;
      for (std::size_t a = 0; a < kOrder; ++a) {
        if (a > 0) factorial *= static_cast<double>(a);
        local.coefficients[a] = sums[a] / factorial;
      }
    }
  });
}

const GaussianCells::Local* GaussianCells::local_at(double x, double& t) const {
  const double cell = std::floor(x / width_);
  if (cells_.empty() || !(cell >= cells_.front() && cell <= cells_.back())) return nullptr;
  // Where there is one in each place, this one lies here.
  std::size_t place = static_cast<std::size_t>(
      std::min(cell - cells_.front(), static_cast<double>(cells_.size() - 1)));
  if (cells_[place] != cell) {
    place = static_cast<std::size_t>(std::ranges::lower_bound(cells_, cell) - cells_.begin());
    if (cells_[place] != cell) return nullptr;
  }
  t = (x - centre_of(cell, width_)) / h_;
  return &locals_[place];
}

// In four parts, that none waits for the others.
std::optional<GaussianCells::Sum> GaussianCells::at(double x) const {
  double t = 0;
  const Local* const local = local_at(x, t);
  if (local == nullptr) return {};
  const double t2 = t * t, t4 = t2 * t2;
  double parts[4] = {};
  for (std::size_t a = kOrder; a > 0; a -= 4) {
    for (std::size_t k = 0; k < 4; ++k) parts[k] = parts[k] * t4 + local->coefficients[a - 4 + k];
  }
  return Sum{(parts[0] + t * parts[1]) + t2 * (parts[2] + t * parts[3]), local->error};
}

std::optional<double> GaussianCells::derivative(double x, int n) const {
  double t = 0, value = 0;
  const Local* const local = local_at(x, t);
  if (local == nullptr) return {};
  for (int a = int{kOrder} - 1; a >= n; --a) {
    double factor = 1;  // a! / (a - n)!
    for (int k = a; k > a - n; --k) factor *= k;
    value = value * t + factor * local->coefficients[a];
  }
  return value;
}

}  // namespace craton
