#pragma once
#include <cmath>

namespace craton {

// A sum that keeps what each addition rounds away: its error is about 2 epsilon of the sum, and of
// order n^2 epsilon^2 of all magnitudes (Neumaier, "Rundungsfehleranalyse einiger Verfahren zur
// Summation endlicher Summen", 1974).
class Sum {
 public:
  void operator+=(double x) {
    const double sum = sum_ + x;
    rest_ += std::abs(sum_) >= std::abs(x) ? (sum_ - sum) + x : (x - sum) + sum_;
    sum_ = sum;
  }
  double value() const { return std::isfinite(sum_) ? sum_ + rest_ : sum_; }

 private:
  double sum_ = 0, rest_ = 0;
};

}  // namespace craton
