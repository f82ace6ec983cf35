#include "craton/families/counts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "craton/families/solve.h"

namespace craton {
namespace {

// Gauss and Legendre's rule of 20 points: abscissas above 0 and their weights (Abramowitz and
// Stegun, table 25.4).
struct Node {
  double x, weight;
};
constexpr std::array kLegendre{Node{0.0765265211334973337546404, 0.1527533871307258506980843},
                               Node{0.2277858511416450780804962, 0.1491729864726037467878287},
                               Node{0.3737060887154195606725482, 0.1420961093183820513292983},
                               Node{0.5108670019508270980043641, 0.1316886384491766268984945},
                               Node{0.6360536807265150254528367, 0.1181945319615184173123774},
                               Node{0.7463319064601507926143051, 0.1019301198172404350367501},
                               Node{0.8391169718222188233945291, 0.0832767415767047487247581},
                               Node{0.9122344282513259058677524, 0.0626720483341090635695065},
                               Node{0.9639719272779137912676661, 0.0406014298003869413310400},
                               Node{0.9931285991850949247861224, 0.0176140071391521183118620}};

}  // namespace

double integrate(FunctionRef<double(double)> f, double a, double b) {
  const double middle = (a + b) / 2, half = (b - a) / 2;
  double sum = 0;
  for (const auto& [x, weight] : kLegendre)
    sum += weight * (f(middle - half * x) + f(middle + half * x));
  return sum * half;
}

double sum_counts(FunctionRef<double(double)> f, const CountWindow& window) {
  constexpr double kOneByOne = 20'000, kFirst = 4096;
  const bool all = window.high - window.low <= kOneByOne;
  const double end = all ? window.high : window.low + kFirst - 1;
  double sum = 0;
  for (double i = 0; i <= end - window.low; ++i) sum += f(window.low + i);
  // The midpoint rule: sum_{a..b} f = integral from a - 1/2 to b + 1/2, but for f'' / 24.
  for (double a = end + 0.5; a < window.high;) {
    const double piece = std::min(a - window.low, window.deviation);
    const double b = std::min(a + piece, window.high + 0.5);
    sum += integrate(f, a, b);
    a = b;
  }
  return sum;
}

double count_entropy(FunctionRef<double(double)> log_density, const CountWindow& window) {
  const auto term = [&](double k) {
    const double log = log_density(k);
    return log == -INFINITY ? 0 : -std::exp(log) * log;
  };
  return sum_counts(term, window);
}

double least_integer(FunctionRef<bool(double)> holds, double guess, double step, double low,
                     double high) {
  double below = low - 1, above = high, at = std::clamp(std::floor(guess), low, high);
  step = std::max(1.0, std::floor(step));
  if (holds(at)) {
    above = at;
    for (at -= step; at >= low && below < low; at -= step) {
      (holds(at) ? above : below) = at;
      step *= 2;
    }
  } else {
    below = at;
    for (at += step; at < high && above == high; at += step) {
      (holds(at) ? above : below) = at;
      step *= 2;
    }
  }
  while (above - below > 1) {
    at = std::floor(below + (above - below) / 2);
    (holds(at) ? above : below) = at;
  }
  return above;
}

}  // namespace craton
