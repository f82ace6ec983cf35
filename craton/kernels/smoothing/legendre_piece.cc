#include "craton/kernels/smoothing/legendre_piece.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace craton {
namespace {

constexpr std::size_t kNodes = LegendrePiece::kNodes;

// P_0 to P_(count-1) at z.
template <std::size_t count>
std::array<double, count> legendre(double z) {
  std::array<double, count> p{1, z};
  for (std::size_t k = 1; k + 1 < count; ++k) {
    const auto n = static_cast<double>(k);
    p[k + 1] = ((2 * n + 1) * z * p[k] - n * p[k - 1]) / (n + 1);
  }
  return p;
}

// Nodes and weights, by Newton's method.
struct Rule {
  std::array<double, kNodes> z, weight;
  Rule() {
    constexpr auto n = static_cast<double>(kNodes);
    for (std::size_t i = 0; i < kNodes; ++i) {
      double at = -std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (n + 0.5));
      double derivative = 1;
      for (int step = 0; step < 8; ++step) {
        const auto p = legendre<kNodes + 1>(at);
        derivative = n * (at * p[kNodes] - p[kNodes - 1]) / (at * at - 1);
        at -= p[kNodes] / derivative;
      }
      z[i] = at;
      weight[i] = 2 / ((1 - at * at) * derivative * derivative);
    }
  }
};

const Rule& rule() {
  static const Rule made;
  return made;
}

}  // namespace

LegendrePiece::Values LegendrePiece::nodes() const {
  Values x;
  const double middle = std::midpoint(low_, high_), half = (high_ - low_) / 2;
  for (std::size_t i = 0; i < kNodes; ++i) {
    x[i] = std::clamp(middle + half * rule().z[i], low_, high_);
  }
  return x;
}

void LegendrePiece::set(const Values& at_nodes) {
  series_ = {};
  for (std::size_t i = 0; i < kNodes; ++i) {
    const auto p = legendre<kNodes>(rule().z[i]);
    for (std::size_t k = 0; k < kNodes; ++k) {
      const double norm = (static_cast<double>(2 * k) + 1) / 2;
      series_[k] += norm * rule().weight[i] * at_nodes[i] * p[k];
    }
  }
}

double LegendrePiece::whole() const { return series_[0] * (high_ - low_); }

// The integral of P_k is (P_(k+1) - P_(k-1)) / (2 k + 1).
double LegendrePiece::share(double from, double to) const {
  const auto scaled = [&](double x) { return 2 * ((x - low_) / (high_ - low_)) - 1; };
  const auto at_from = legendre<kNodes + 1>(scaled(from)), at_to = legendre<kNodes + 1>(scaled(to));
  double sum = series_[0] * (at_to[1] - at_from[1]);
  for (std::size_t k = 1; k < kNodes; ++k) {
    const double change = (at_to[k + 1] - at_to[k - 1]) - (at_from[k + 1] - at_from[k - 1]);
    sum += series_[k] * change / static_cast<double>(2 * k + 1);
  }
  return std::max(sum * (high_ - low_) / 2, 0.0);
}

double LegendrePiece::at(double x) const {
  const auto p = legendre<kNodes>(2 * ((x - low_) / (high_ - low_)) - 1);
  double sum = 0;
  for (std::size_t k = 0; k < kNodes; ++k) sum += series_[k] * p[k];
  return std::max(sum, 0.0);
}

double LegendrePiece::square_moment(const Values& at_nodes) const {
  const Values x = nodes();
  double sum = 0;
  for (std::size_t i = 0; i < kNodes; ++i) sum += rule().weight[i] * x[i] * x[i] * at_nodes[i];
  return sum * (high_ - low_) / 2;
}

double integral_to(double end, FunctionRef<double(double)> function) {
  double sum = 0;
  for (std::size_t i = 0; i < kNodes; ++i) {
    sum += rule().weight[i] * function(end * (1 + rule().z[i]) / 2);
  }
  return sum * end / 2;
}

}  // namespace craton
