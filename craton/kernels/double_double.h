#pragma once
#include <cmath>

// Numbers of 106 bits: a sum of two doubles, the second at most half a last bit of the first. Sums
// and products are right to about 2^-104. (Dekker, Numerische Mathematik 18, 1971; Joldes, Muller,
// Popescu, "Tight and rigorous error bounds for basic building blocks of double-word arithmetic",
// ACM TOMS 44, 2017.)

namespace craton {

struct DoubleDouble {
  double high = 0, low = 0;

  constexpr DoubleDouble() = default;
  constexpr DoubleDouble(double value) : high(value) {}  // NOLINT: as numbers are
  constexpr DoubleDouble(double h, double l) : high(h), low(l) {}
  explicit operator double() const { return high + low; }
};

// a + b, a - b and a b without rounding.
inline DoubleDouble exact_sum(double a, double b) {
  const double s = a + b, part = s - a;
  return {s, (a - (s - part)) + (b - part)};
}
inline DoubleDouble exact_difference(double a, double b) { return exact_sum(a, -b); }
inline DoubleDouble exact_product(double a, double b) {
  const double p = a * b;
  return {p, std::fma(a, b, -p)};
}
// The same for |a| >= |b|, or a = 0.
inline DoubleDouble ordered_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}

inline DoubleDouble operator-(DoubleDouble a) { return {-a.high, -a.low}; }
inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble s = exact_sum(a.high, b.high), t = exact_sum(a.low, b.low);
  const DoubleDouble v = ordered_sum(s.high, s.low + t.high);
  return ordered_sum(v.high, t.low + v.low);
}
inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }
inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble p = exact_product(a.high, b.high);
  const double cross = std::fma(a.high, b.low, a.low * b.high);
  return ordered_sum(p.high, p.low + cross);
}
inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double first = a.high / b.high;
  const DoubleDouble rest = a - b * DoubleDouble(first);
  const double second = rest.high / b.high;
  const DoubleDouble rest2 = rest - b * DoubleDouble(second);
  return DoubleDouble(first) + DoubleDouble(second) + DoubleDouble(rest2.high / b.high);
}
inline DoubleDouble& operator+=(DoubleDouble& a, DoubleDouble b) { return a = a + b; }
inline DoubleDouble& operator-=(DoubleDouble& a, DoubleDouble b) { return a = a - b; }

inline DoubleDouble sqrt(DoubleDouble a) {  // a >= 0
  if (!(a.high > 0)) return 0.0;
  const double root = std::sqrt(a.high);
  const DoubleDouble rest = a - exact_product(root, root);
  return exact_sum(root, rest.high / (2 * root));
}

}  // namespace craton
