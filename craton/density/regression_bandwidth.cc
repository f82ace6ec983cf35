#include "craton/density/regression_bandwidth.h"

#include <algorithm>
#include <cmath>

#include "craton/base/schema.h"
#include "craton/density/local_fit.h"

// About 40 values of CV for the common factor, and 60 for each column where there are several.

namespace craton {
namespace {

constexpr Index kLeftOutTerms = Index{1} << 25, kLeastLeftOut = 64;
constexpr double kLeastFactor = -5,
                 kGreatestFactor = 5;  // log2 of the factors for all columns together
constexpr double kGreatestOfOne = 10;  // of one column, so that it says nothing
constexpr int kRounds = 2;

struct LeastAt {
  double at, criterion;
};

// The least of f over [low, high]: the best of a grid of steps, then golden sections around it. Of
// equals the greatest argument.
template <class F>
LeastAt minimise(double low, double high, double step, const F& f) {
  constexpr int kSections = 14;
  constexpr double kGolden = 0.6180339887498949;
  LeastAt best{high, f(high)};
  for (double at = high - step; at >= low - step / 2; at -= step) {
    const double criterion = f(at);
    if (criterion < best.criterion) best = {at, criterion};
  }
  double left = std::max(low, best.at - step), right = std::min(high, best.at + step);
  double a = right - kGolden * (right - left), b = left + kGolden * (right - left);
  double of_a = f(a), of_b = f(b);
  for (int i = 0; i < kSections; ++i) {
    if (of_b <= of_a) {
      left = a;
      a = b;
      of_a = of_b;
      b = left + kGolden * (right - left);
      of_b = f(b);
    } else {
      right = b;
      b = a;
      of_b = of_a;
      a = right - kGolden * (right - left);
      of_a = f(a);
    }
  }
  const LeastAt inside = of_b <= of_a ? LeastAt{b, of_b} : LeastAt{a, of_a};
  return inside.criterion < best.criterion ? inside : best;
}

}  // namespace

Index rows_to_leave_out(const Points& points) {
  return std::min(points.size(), std::max(kLeastLeftOut, kLeftOutTerms / points.size()));
}

std::vector<double> left_out_bandwidths(const Points& points, SmoothingKernel kernel, Index degree,
                                        std::span<const double> start, const Schema& schema,
                                        std::vector<Note>& notes, const Exec& exec) {
  std::vector<double> h(start.size());
  std::vector<double> logs(start.size());
  const Index some = rows_to_leave_out(points);
  const auto criterion = [&](std::span<const double> exponents) {
    for (std::size_t j = 0; j < h.size(); ++j) h[j] = start[j] * std::exp2(exponents[j]);
    return error_left_out(points, kernel, h, degree, some, exec);
  };
  std::vector<double> trial(start.size());
  const LeastAt common = minimise(kLeastFactor, kGreatestFactor, 0.5, [&](double at) {
    std::ranges::fill(trial, at);
    return criterion(trial);
  });
  std::ranges::fill(logs, common.at);
  double least = common.criterion;
  for (int round = 0; start.size() > 1 && round < kRounds; ++round) {
    const double before = least;
    for (std::size_t j = 0; j < start.size(); ++j) {
      const LeastAt found = minimise(kLeastFactor, kGreatestOfOne, 1, [&](double at) {
        trial = logs;
        trial[j] = at;
        return criterion(trial);
      });
      if (!(found.criterion < least)) continue;
      least = found.criterion;
      logs[j] = found.at;
    }
    if (!(least < before)) break;
  }
  for (std::size_t j = 0; j < h.size(); ++j) {
    h[j] = start[j] * std::exp2(logs[j]);
    const bool narrow = logs[j] <= kLeastFactor + 0.01;
    const bool wide = logs[j] >= (start.size() > 1 ? kGreatestOfOne : kGreatestFactor) - 0.01;
    if (!narrow && !wide) continue;
    notes.push_back(
        {"bandwidth-range",
         {"{}: rows left out are predicted best with the {} bandwidth that was tried{}",
          Ref::column(schema.name(static_cast<Index>(j))), wide ? "widest" : "narrowest",
          wide ? ", as of a column that says nothing" : ", as where many rows are equal"}});
  }
  return h;
}

}  // namespace craton
