#pragma once
#include <array>
#include <cstddef>

#include "craton/base/function_ref.h"

// A smooth function between two numbers as a series of Legendre's polynomials, from its values at
// the 12 nodes of Gauss and Legendre's rule: so its integral over any part is known as well.

namespace craton {

class LegendrePiece {
 public:
  static constexpr std::size_t kNodes = 12;
  using Values = std::array<double, kNodes>;

  LegendrePiece(double low, double high) : low_(low), high_(high) {}
  double low() const { return low_; }
  double high() const { return high_; }

  Values nodes() const;                        // within, ascending
  void set(const Values& at_nodes);            // what the function is there
  double whole() const;                        // its integral
  double share(double from, double to) const;  // the same over a part, at least 0
  double at(double x) const;                   // the function, at least 0
  // The integral of x^2 times the function that has these values.
  double square_moment(const Values& at_nodes) const;

 private:
  double low_, high_;
  Values series_ = {};
};

// The integral from 0 to `end` of a function that is smooth there.
double integral_to(double end, FunctionRef<double(double)> function);

}  // namespace craton
