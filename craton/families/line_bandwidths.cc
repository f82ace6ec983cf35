#include "craton/families/line_bandwidths.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "craton/engine/for_each.h"
#include "craton/kernels/exp_log.h"
#include "craton/kernels/smoothing/gaussian_cells.h"

namespace craton {
namespace {

constexpr double kPi = std::numbers::pi;
// phi, and its derivatives, vanish beyond so many h.
constexpr double kFarOut = 9, kFarOutOfDerivatives = 12;

// phi^(r)(u) / phi(u), r = 0, 4 or 6, of s = u^2.
double hermite(int order, double s) {
  if (order == 0) return 1;
  if (order == 4) return (s - 6) * s + 3;
  return ((s - 15) * s + 45) * s - 15;
}

// sum_j w_j phi^(r)((x_i - x_j) / h) sqrt(2 pi), for each i.
std::vector<double> sums_at_points(const Points& points, double h, int order) {
  const std::vector<double>& y = points.rows;
  const RowWeights& w = points.weights;
  const GaussianCells cells(h, y, w.given());
  const double far = h * (order == 0 ? kFarOut : kFarOutOfDerivatives);
  std::vector<double> sums(y.size()), bells;
  std::size_t first = 0, last = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (order == 0) {
      if (const auto found = cells.at(y[i])) {
        sums[i] = found->value;
        continue;
      }
    } else if (const auto found = cells.derivative(y[i], order)) {
      sums[i] = *found;
      continue;
    }
    while (y[i] - y[first] > far) ++first;
    last = std::max(last, i);
    while (last < y.size() && y[last] - y[i] <= far) ++last;
    bells.resize(last - first);
    for (std::size_t j = first; j < last; ++j) {
      const double u = (y[i] - y[j]) / h;
      bells[j - first] = -u * u / 2;
    }
    exp_all(bells);
    for (std::size_t j = first; j < last; ++j) {
      const double u = (y[i] - y[j]) / h;
      sums[i] += w[j] * bells[j - first] * hermite(order, u * u);
    }
  }
  return sums;
}

double psi(const Points& points, double g, int order) {
  const std::vector<double> sums = sums_at_points(points, g, order);
  double sum = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) sum += points.weights[i] * sums[i];
  const double n = points.weight();
  return sum / (n * (n - 1) * std::pow(g, order + 1) * std::sqrt(2 * kPi));
}

// -psi_6 at R's pilot bandwidth.
double pilot(const Points& points, double scale) {
  return -psi(points, 1.23 * scale * std::pow(points.weight(), -1.0 / 9), 6);
}

double from_curvature(const Points& points, double g) {
  return std::pow(1 / (2 * std::sqrt(kPi) * points.weight() * psi(points, g, 4)), 0.2);
}

// Where f changes its sign between low and high, by bisection of the logarithm; NaN: nowhere.
template <class F>
double solve(const F& f, double low, double high) {
  const double at_low = f(low);
  if (!(at_low * f(high) <= 0)) return NAN;
  while (high / low > 1 + 1e-10) {
    const double middle = std::sqrt(low * high);
    if ((f(middle) < 0) == (at_low < 0)) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return std::sqrt(low * high);
}

// The least of f between low and high, by golden section of the logarithm.
template <class F>
LocalBandwidth least(const F& f, double low, double high) {
  constexpr double kGolden = 0.6180339887498949;
  double a = std::log(low), b = std::log(high);
  double c = b - kGolden * (b - a), d = a + kGolden * (b - a);
  double at_c = f(std::exp(c)), at_d = f(std::exp(d));
  while (b - a > 1e-7) {
    if (at_c <= at_d) {
      b = d, d = c, at_d = at_c;
      c = b - kGolden * (b - a), at_c = f(std::exp(c));
    } else {
      a = c, c = d, at_c = at_d;
      d = a + kGolden * (b - a), at_d = f(std::exp(d));
    }
  }
  const double h = std::exp((a + b) / 2);
  return {h, f(h)};
}

// What is left out of a row: one copy, or all of it.
double copy_of(const Points& points, std::size_t i) { return std::min(points.weights[i], 1.0); }

double squares_left_out(const Points& points, double h) {
  const double n = points.weight(), wide = std::sqrt(2.0) * h;
  const std::vector<double> all = sums_at_points(points, wide, 0),
                            own = sums_at_points(points, h, 0);
  double square = 0, out = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double copy = copy_of(points, i);
    square += points.weights[i] * all[i];
    out += points.weights[i] * (own[i] - copy) / (n - copy);
  }
  return (square / (n * n * wide) - 2 * out / (n * h)) / std::sqrt(2 * kPi);
}

// log of the sum at row i without a copy of it, of rows whose others are little beside that copy:
// of differences from the nearest one, out to where nothing more is seen.
double log_sum_of_others(const Points& points, std::size_t i, double h, double rest) {
  constexpr double kUnseen = 40;
  const std::vector<double>& y = points.rows;
  const RowWeights& w = points.weights;
  const auto half_square = [&](std::size_t j) {
    const double u = (y[j] - y[i]) / h;
    return u * u / 2;
  };
  double least = rest > 0 ? 0 : INFINITY;
  if (i > 0) least = std::min(least, half_square(i - 1));
  if (i + 1 < y.size()) least = std::min(least, half_square(i + 1));
  double sum = rest * std::exp(least);  // there is none, or it is the nearest
  for (std::size_t j = i; j-- > 0 && half_square(j) <= least + kUnseen;) {
    sum += w[j] * std::exp(least - half_square(j));
  }
  for (std::size_t j = i + 1; j < y.size() && half_square(j) <= least + kUnseen; ++j) {
    sum += w[j] * std::exp(least - half_square(j));
  }
  return std::log(sum) - least;
}

double likelihood_left_out(const Points& points, double h) {
  constexpr double kEnough = 1e-3;
  const double n = points.weight();
  const std::vector<double> own = sums_at_points(points, h, 0);
  double sum = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const double w = points.weights[i], copy = copy_of(points, i), others = own[i] - copy;
    sum += w * ((others > kEnough * own[i] ? std::log(others)
                                           : log_sum_of_others(points, i, h, w - copy)) -
                std::log(n - copy));
  }
  return -sum / n + std::log(h * std::sqrt(2 * kPi));
}

}  // namespace

double plug_in_bandwidth(const Points& points, double scale) {
  const double n = points.weight();
  return from_curvature(points, std::pow(2.394 / (n * pilot(points, scale)), 1.0 / 7));
}

double solved_bandwidth(const Points& points, double scale) {
  const double n = points.weight();
  const double curvature = psi(points, 1.24 * scale * std::pow(n, -1.0 / 7), 4);
  const double ratio = 1.357 * std::pow(curvature / pilot(points, scale), 1.0 / 7);
  const auto gap = [&](double h) {
    return from_curvature(points, ratio * std::pow(h, 5.0 / 7)) - h;
  };
  const double widest = 1.144 * scale * std::pow(n, -0.2);
  const double found = solve(gap, widest / 10, widest);
  return std::isnan(found) ? solve(gap, widest / 1000, widest * 10) : found;
}

// The cosine series of a histogram over twice the range, of as many rows as there are distinct
// values: both as the paper's program takes them. (Of all rows the solution falls towards the
// rounding of the values, where these are rounded.)
double improved_bandwidth(const Points& points) {
  constexpr std::size_t kBins = 1 << 12;
  const double low = points.rows.front(), high = points.rows.back();
  const double start = low - (high - low) / 2, range = (high - low) * 2;
  const double weight = points.weight();
  const auto n = static_cast<double>(points.size());
  std::vector<double> share(kBins);
  for (std::size_t i = 0; i < points.rows.size(); ++i) {  // between the two middles around
    const double at = (points.rows[i] - start) / range * kBins - 0.5, whole = std::floor(at);
    const auto bin = static_cast<std::size_t>(whole);
    const double part = points.weights[i] / weight;
    share[bin] += part * (1 - (at - whole));
    share[bin + 1] += part * (at - whole);
  }
  std::vector<double> square(kBins);  // of (a_k / 2)^2
  std::vector<double> cosine(4 * kBins);
  for (std::size_t i = 0; i < cosine.size(); ++i) {
    cosine[i] = std::cos(kPi * static_cast<double>(i) / (2 * kBins));
  }
  for (std::size_t k = 1; k < kBins; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < kBins; ++i) {
      if (share[i] > 0) sum += share[i] * cosine[k * (2 * i + 1) % (4 * kBins)];
    }
    square[k] = sum * sum;
  }
  const auto norm = [&](int order, double t) {  // of the derivative of that order
    double sum = 0;
    for (std::size_t k = 1; k < kBins; ++k) {
      const double f = static_cast<double>(k) * static_cast<double>(k);
      const double decay = f * kPi * kPi * t;
      if (decay > 700) break;
      sum += std::pow(f, order) * square[k] * std::exp(-decay);
    }
    return 2 * std::pow(kPi, 2 * order) * sum;
  };
  const auto gap = [&](double t) {
    double f = norm(7, t);
    for (int s = 6; s >= 2; --s) {
      double odd = 1;
      for (int k = 1; k <= 2 * s - 1; k += 2) odd *= k;
      const double constant = (1 + std::pow(0.5, s + 0.5)) / 3;
      const double time =
          std::pow(2 * constant * odd / (n * std::sqrt(2 * kPi) * f), 2.0 / (3 + 2 * s));
      f = norm(s, time);
    }
    return t - std::pow(2 * n * std::sqrt(kPi) * f, -0.4);
  };
  // The least of several solutions, as the paper's program looks for it.
  constexpr double kLeast = 1e-14, kMost = 0.1;
  double end = 1e-12 + 1e-5 * (std::clamp(n, 50.0, 1050.0) - 50);
  while (end < kMost && !(gap(end) > 0)) end = std::min(2 * end, kMost);
  return range * std::sqrt(solve(gap, kLeast, end));
}

std::vector<LocalBandwidth> cross_validated(const Points& points, double scale,
                                            CrossValidation criterion, const Exec& exec) {
  constexpr int kSteps = 48;
  const auto value = [&](double h) {
    return criterion == CrossValidation::kSquares ? squares_left_out(points, h)
                                                  : likelihood_left_out(points, h);
  };
  const double widest = 3 * scale * std::pow(points.weight(), -0.2), narrowest = widest / 300;
  std::vector<double> h(kSteps), at(kSteps);
  for_each(kSteps, exec, [&](Index i) {
    h[usize(i)] = narrowest * std::pow(widest / narrowest, static_cast<double>(i) / (kSteps - 1));
    at[usize(i)] = value(h[usize(i)]);
  });
  std::vector<std::size_t> valleys;
  for (std::size_t i = 1; i + 1 < h.size(); ++i) {
    if (at[i] < at[i - 1] && at[i] <= at[i + 1]) valleys.push_back(i);
  }
  std::vector<LocalBandwidth> all(valleys.size());
  for_each(std::ssize(valleys), exec, [&](Index v) {
    const std::size_t i = valleys[usize(v)];
    all[usize(v)] = least(value, h[i - 1], h[i + 1]);
  });
  std::ranges::sort(all, {}, &LocalBandwidth::criterion);
  return all;
}

}  // namespace craton
