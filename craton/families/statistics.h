#pragma once
#include <cmath>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "craton/base/bytes.h"
#include "craton/engine/fold.h"

// What families keep of the values they have seen: a few types, shared.
//
// Each is a sum over values x with weights w, and has
//
//   add(values, weights)    NaN is a missing value and is skipped; no weights: all are 1
//   merge(next)             as if it had seen what `next` has
//   subtract(other)         as if it had never seen that; requires that it has
//   weight                  the sum of the weights
//
// Moments and counts of integers with integer weights are exact (below 2^53), so what is estimated
// from them has the same bits however they were merged.

namespace craton {

// log(x / s), with all digits near s.
inline double log_ratio(double x, double s) {
  const double t = (x - s) / s;
  return std::abs(t) < 0.5 ? std::log1p(t) : std::log(x / s);
}

// n = sum w, sum w (x - s), sum w (x - s)^2. The shift s is one of the values, near their mean, so
// that data far from 0 lose no digits and integers stay integers (Chan, Golub, LeVeque 1979).
struct Moments {
  double weight = 0, shift = 0, sum = 0, square = 0;

  void add(std::span<const double> x, std::span<const double> w = {});
  void merge(const Moments& next);
  void subtract(const Moments& other);

  double total() const;     // sum w x
  double mean() const;      // requires weight > 0
  double variance() const;  // divided by n
  bool operator==(const Moments&) const = default;
};

// sum w (x - s), sum w log(x / s) and sum w log^2(x / s) for positive values.
struct LogMoments {
  double weight = 0, scale = 1, sum = 0, log_sum = 0, log_square = 0;

  void add(std::span<const double> x, std::span<const double> w = {});
  void merge(const LogMoments& next);
  void subtract(const LogMoments& other);

  double mean() const;
  double mean_log() const;
  double log_variance() const;
  double log_mean_minus_mean_log() const;  // >= 0, and 0 only for equal values
  bool operator==(const LogMoments&) const = default;
};

// sum w (x - s), sum w (x - s)^2, sum w log(x / s) and sum w log((1 - x) / (1 - s)) for values
// inside (0, 1).
struct UnitMoments {
  double weight = 0, scale = 0.5, sum = 0, square = 0, log_sum = 0, log_complement = 0;

  void add(std::span<const double> x, std::span<const double> w = {});
  void merge(const UnitMoments& next);
  void subtract(const UnitMoments& other);

  double mean() const;
  double variance() const;
  bool operator==(const UnitMoments&) const = default;
};

// sum w cos x and sum w sin x.
struct Directions {
  double weight = 0, cosine = 0, sine = 0;

  void add(std::span<const double> x, std::span<const double> w = {});
  void merge(const Directions& next);
  void subtract(const Directions& other);
  bool operator==(const Directions&) const = default;
};

// The least and the greatest value. What lay between is forgotten, so subtract() throws InputError.
struct Range {
  double weight = 0;
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void add(std::span<const double> x, std::span<const double> w = {});
  void merge(const Range& next);
  void subtract(const Range& other);
  bool operator==(const Range&) const = default;
};

// The weight of each code 0, 1, ...
struct Counts {
  double weight = 0;
  std::vector<double> counts;

  void add(std::span<const double> x, std::span<const double> w = {});  // requires code < size
  void merge(const Counts& next);
  void subtract(const Counts& other);
  bool operator==(const Counts&) const = default;
};

// Every value with its weight, ascending: for families without a shorter summary.
struct Values {
  struct Value {
    double x, weight;
    bool operator==(const Value&) const = default;
  };
  double weight = 0;
  std::vector<Value> values;

  void add(std::span<const double> x, std::span<const double> w = {});
  void merge(const Values& next);
  void subtract(const Values& other);
  bool operator==(const Values&) const = default;
};

using Statistics =
    std::variant<Moments, LogMoments, UnitMoments, Directions, Range, Counts, Values>;

double weight(const Statistics& statistics);
void merge(Statistics& to, const Statistics& next);        // requires two of one type
void subtract(Statistics& from, const Statistics& other);  // requires two of one type
void write(Writer& writer, const Statistics& statistics);
void read(Reader& reader, Statistics& statistics);  // into one of the type that was written
Index words(const Statistics& statistics);          // its size in doubles

}  // namespace craton
