#include "craton/families/terms.h"

#include <algorithm>

#include "craton/base/error.h"
#include "craton/kernels/exp_log.h"

namespace craton {
namespace {

template <class S>
constexpr bool kHasTerms = std::is_same_v<S, Moments> || std::is_same_v<S, LogMoments> ||
                           std::is_same_v<S, UnitMoments> || std::is_same_v<S, Directions>;

constexpr double kLogHalf = -0.69314718055994530942;

void write_log(std::span<const double> z, double* out) {
  std::copy(z.begin(), z.end(), out);
  log_all({out, z.size()});
}
void write_square(std::span<const double> z, double* out) {
  for (std::size_t i = 0; i < z.size(); ++i) out[i] = z[i] * z[i];
}

void find(const Moments&, std::span<const double> z, double* out, std::size_t stride) {
  std::copy(z.begin(), z.end(), out);
  write_square(z, out + stride);
}
void find(const LogMoments&, std::span<const double> z, double* out, std::size_t stride) {
  std::copy(z.begin(), z.end(), out);
  write_log(z, out + stride);
  write_square({out + stride, z.size()}, out + 2 * stride);
}
void find(const UnitMoments&, std::span<const double> z, double* out, std::size_t stride) {
  std::copy(z.begin(), z.end(), out);
  write_square(z, out + stride);
  write_log(z, out + 2 * stride);
  double* const complement = out + 3 * stride;
  for (std::size_t i = 0; i < z.size(); ++i) complement[i] = std::log1p(-z[i]);
}
void find(const Directions&, std::span<const double> z, double* out, std::size_t stride) {
  for (std::size_t i = 0; i < z.size(); ++i) {
    out[i] = std::cos(z[i]);
    out[stride + i] = std::sin(z[i]);
  }
}

Moments from(const Moments&, const Coordinate& at, double n, std::span<const double> s) {
  return {n, at.origin, at.unit * s[0], at.unit * at.unit * s[1]};
}
LogMoments from(const LogMoments&, const Coordinate& at, double n, std::span<const double> s) {
  return {n, at.unit, at.unit * (s[0] - n), s[1], s[2]};
}
UnitMoments from(const UnitMoments&, const Coordinate&, double n, std::span<const double> s) {
  return {n, 0.5, s[0] - 0.5 * n, s[1] - s[0] + 0.25 * n, s[2] - n * kLogHalf, s[3] - n * kLogHalf};
}
Directions from(const Directions&, const Coordinate&, double n, std::span<const double> s) {
  return {n, s[0], s[1]};
}

std::vector<double> to(const Moments& m, const Coordinate& at) {
  const double d = m.shift - at.origin;
  return {(m.sum + m.weight * d) / at.unit,
          (m.square + 2 * d * m.sum + m.weight * d * d) / (at.unit * at.unit)};
}
std::vector<double> to(const LogMoments& m, const Coordinate& at) {
  const double log = std::log(m.scale / at.unit);
  return {(m.sum + m.weight * m.scale) / at.unit, m.log_sum + m.weight * log,
          m.log_square + 2 * log * m.log_sum + m.weight * log * log};
}
std::vector<double> to(const UnitMoments& m, const Coordinate&) {
  const double s = m.scale;
  return {m.sum + m.weight * s, m.square + 2 * s * m.sum + m.weight * s * s,
          m.log_sum + m.weight * std::log(s), m.log_complement + m.weight * std::log1p(-s)};
}
std::vector<double> to(const Directions& d, const Coordinate&) { return {d.cosine, d.sine}; }

// Calls f with the statistics, which must have terms.
template <class F>
auto with_terms(const Statistics& statistics, const F& f) {
  using Result = decltype(f(Moments{}));
  return std::visit(
      [&](const auto& s) -> Result {
        if constexpr (kHasTerms<std::decay_t<decltype(s)>>) return f(s);
        assertion_failed("terms", __FILE__, __LINE__);
      },
      statistics);
}

}  // namespace

std::size_t term_count(const Statistics& kind) {
  return std::visit(
      [](const auto& s) -> std::size_t {
        using S = std::decay_t<decltype(s)>;
        if constexpr (kHasTerms<S>) return to(s, Coordinate{}).size();
        return 0;
      },
      kind);
}

void find_terms(const Statistics& kind, std::span<const double> z, double* out,
                std::size_t stride) {
  with_terms(kind, [&](const auto& s) { find(s, z, out, stride); });
}

Statistics from_terms(const Statistics& kind, const Coordinate& at, double weight,
                      std::span<const double> sums) {
  return with_terms(kind, [&](const auto& s) -> Statistics { return from(s, at, weight, sums); });
}

std::vector<double> to_terms(const Statistics& statistics, const Coordinate& at) {
  return with_terms(statistics, [&](const auto& s) { return to(s, at); });
}

}  // namespace craton
