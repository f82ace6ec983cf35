#include "craton/kernels/smoothing/given_kernel.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "craton/base/error.h"

namespace craton {
namespace {

constexpr int kFinest = -20, kDoublings = 30;  // pieces from 2^-20 to 2^30 bandwidths, doubling
constexpr int kHalvings = 40;                  // at most, of a piece
constexpr std::size_t kMostPieces = 4096;
constexpr double kPieceError = 1e-13, kIntegralError = 1e-6;
constexpr double kAlike = 1e-9;        // of values on both sides
constexpr double kHeavy = 1e-3;        // of the second moment, what may lie from 2^28 bandwidths on
constexpr std::size_t kAtOnce = 4096;  // values asked for at a time
constexpr double kHalfUnit = 0x1p-53;

[[noreturn]] void refuse(const std::string& what, const std::string& fix) {
  throw InputError(Code::kBadOption, {},
                   {"the function given as {} {}", Ref::option("kernel"), what}, fix);
}

[[noreturn]] void refuse_value(double value, double u) {
  refuse(fmt::format("is {:.6g} at u = {:.6g}", value, u),
         "Give a function that is nowhere below 0, such as a density.");
}

}  // namespace

LegendrePiece::Values KernelTable::values_of(const LegendrePiece& piece) {
  constexpr std::size_t n = LegendrePiece::kNodes;
  const LegendrePiece::Values x = piece.nodes();
  std::array<double, 2 * n> u, found;
  for (std::size_t i = 0; i < n; ++i) u[i] = x[i], u[n + i] = -x[i];
  kernel_->values(u, found);
  LegendrePiece::Values values;
  for (std::size_t i = 0; i < 2 * n; ++i) {
    if (found[i] >= 0 && found[i] < INFINITY) continue;
    refuse_value(found[i], u[i]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = found[i];
    if (std::abs(found[i] - found[n + i]) <= kAlike * (found[i] + found[n + i]) + 1e-15) continue;
    refuse(fmt::format("is not symmetric: {:.6g} at u = {:.6g}, {:.6g} at u = {:.6g}", found[i],
                       x[i], found[n + i], -x[i]),
           "Give a function of |u|.");
  }
  return values;
}

// Halves say what the whole has missed.
void KernelTable::add(LegendrePiece piece, const LegendrePiece::Values& values, int halvings) {
  const double middle = (piece.low() + piece.high()) / 2;
  LegendrePiece left(piece.low(), middle), right(middle, piece.high());
  const auto of_left = values_of(left), of_right = values_of(right);
  left.set(of_left), right.set(of_right);
  const double error = std::abs(piece.whole() - left.whole() - right.whole());
  if (error <= kPieceError || halvings == kHalvings) {
    piece.set(values);
    if (piece.whole() == 0 && left.whole() == 0 && right.whole() == 0) return;
    for (const auto& [half, own] : {std::pair{left, of_left}, std::pair{right, of_right}}) {
      pieces_.push_back(half);
      square_ += half.square_moment(own);
    }
    return;
  }
  if (pieces_.size() >= kMostPieces) {
    refuse("is too rough to be integrated", "Give one with fewer steps and peaks.");
  }
  add(left, of_left, halvings + 1);
  add(right, of_right, halvings + 1);
}

KernelTable::KernelTable(std::shared_ptr<const GivenKernel> kernel) : kernel_(std::move(kernel)) {
  double square_before = 0;
  for (int k = kFinest - 1; k < kDoublings; ++k) {
    LegendrePiece piece(k < kFinest ? 0 : std::exp2(k), std::exp2(k + 1));
    const LegendrePiece::Values values = values_of(piece);
    piece.set(values);
    if (k == kDoublings - 2) square_before = square_;
    add(piece, values, 0);
  }
  above_.resize(pieces_.size());
  for (std::size_t i = pieces_.size(); i-- > 0;) {
    above_[i] = total_;
    total_ += pieces_[i].whole();
  }
  if (!(std::abs(2 * total_ - 1) <= kIntegralError)) {
    refuse(fmt::format("has the integral {:.8g}, not 1", 2 * total_),
           total_ > 0 ? fmt::format("Divide it by {:.8g}.", 2 * total_) : "Give a density.");
  }
  deviation_ = square_ - square_before <= kHeavy * square_ ? std::sqrt(square_ / total_) : INFINITY;
  std::vector<double> u(kKnown);
  for (std::size_t i = 0; i < kKnown; ++i) u[i] = known_at(i);
  known_.resize(kKnown);
  kernel_->values(u, known_);
}

double KernelTable::tail(double u) const {
  const auto after = std::ranges::upper_bound(pieces_, u, {}, &LegendrePiece::low);
  if (after == pieces_.begin()) return 0.5;  // nothing lies below it
  const auto i = static_cast<std::size_t>(after - pieces_.begin()) - 1;
  const LegendrePiece& piece = pieces_[i];
  const double within = u < piece.high() ? piece.share(u, piece.high()) : 0;
  return std::min((above_[i] + within) / (2 * total_), 0.5);
}

double KernelTable::at(double u) const {
  const auto after = std::ranges::upper_bound(pieces_, u, {}, &LegendrePiece::low);
  if (after == pieces_.begin() || u > (after - 1)->high()) return 0;
  return (after - 1)->at(u);
}

double KernelTable::draw(Random& random) const {
  const double uniform = 2 * random.uniform() - 1, rest = std::abs(uniform) * total_;
  std::size_t i = 0;  // the piece that has it: integrals from it on ascend to the left
  while (i + 1 < pieces_.size() && above_[i] > rest) ++i;
  const LegendrePiece& piece = pieces_[i];
  double low = piece.low(), high = piece.high();
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    if (!(low < middle && middle < high)) break;
    (above_[i] + piece.share(middle, piece.high()) > rest ? low : high) = middle;
  }
  return uniform < 0 ? -high : high;
}

void KernelTable::products(const double* x, std::span<const double> bandwidths,
                           const Dense<double>& points, Index first, std::span<double> out) const {
  std::vector<double> u(out.size()), k(out.size());
  std::ranges::fill(out, 1.0);
  for (std::size_t j = 0; j < bandwidths.size(); ++j) {
    for (std::size_t i = 0; i < u.size(); ++i) {
      u[i] = (x[j] - points.row(first + static_cast<Index>(i))[j]) / bandwidths[j];
    }
    kernel_->values(u, k);
    for (std::size_t i = 0; i < k.size(); ++i) {
      if (!(k[i] >= 0 && k[i] < INFINITY)) refuse_value(k[i], u[i]);
      out[i] *= k[i];
    }
  }
}

KernelSum KernelTable::sum(const double* x, std::span<const double> bandwidths,
                           const Dense<double>& points, std::span<const double> weights) const {
  std::vector<double> values;
  double sum = 0;
  for (std::size_t first = 0; first < weights.size(); first += kAtOnce) {
    values.resize(std::min(kAtOnce, weights.size() - first));
    products(x, bandwidths, points, static_cast<Index>(first), values);
    double block = 0;
    for (std::size_t i = 0; i < values.size(); ++i) block += weights[first + i] * values[i];
    sum += block;
  }
  const std::size_t roundings =
      std::min(kAtOnce, weights.size()) + weights.size() / kAtOnce + bandwidths.size() + 8;
  return {std::log(sum), kHalfUnit * static_cast<double>(roundings)};
}

}  // namespace craton
