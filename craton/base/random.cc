#include "craton/base/random.h"

#include <Random123/philox.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "craton/base/error.h"

// Costs: one Philox block (ten rounds of two multiplications) gives two words of bits; a row's hash
// is one mix a nonzero.

namespace craton {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio, odd

std::uint64_t finalise(std::uint64_t x) {
  x = (x ^ (x >> 30)) * kMixFirst;
  x = (x ^ (x >> 27)) * kMixSecond;
  return x ^ (x >> 31);
}

// Coefficients from the constant term upwards, by Horner's rule.
double polynomial(std::span<const double> coefficients, double x) {
  double sum = 0;
  for (std::size_t i = coefficients.size(); i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}

// A rational function of degree 7 over 7.
struct Rational {
  double numerator[8], denominator[8];
  double operator()(double x) const {
    return polynomial(numerator, x) / polynomial(denominator, x);
  }
};

// M. J. Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied
// Statistics 37 (1988), routine PPND16: the middle, the near tail and the far tail.
constexpr double kMiddle = 0.425, kMiddleSquare = 0.180625, kNearTail = 1.6, kFarTail = 5.0;
constexpr Rational kMiddleRatio{
    {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
     1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
     3.3430575583588128105e4, 2.5090809287301226727e3},
    {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
     2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
     5.2264952788528545610e3}};
constexpr Rational kNearRatio{
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
     3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
     2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9}};
constexpr Rational kFarRatio{
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15}};

// Adds one nonzero at a time, in any order. Zeros of either sign add nothing.
class RowHash {
 public:
  void add(Index column, double value) {
    if (value == 0) return;
    sum_ += mix(static_cast<std::uint64_t>(column), std::bit_cast<std::uint64_t>(value));
    ++nonzeros_;
  }
  std::uint64_t value() const { return mix(sum_, nonzeros_); }

 private:
  std::uint64_t sum_ = 0, nonzeros_ = 0;
};

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t key) {
  const philox4x32_ctr_t in = {{counter[0], counter[1], counter[2], counter[3]}};
  const philox4x32_key_t word = {
      {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)}};
  const philox4x32_ctr_t out = philox4x32_R(10, in, word);
  return {out[0], out[1], out[2], out[3]};
}

// counter: the block within the stream, the iteration, and the row's two halves.
Random::Random(std::uint64_t seed, Purpose purpose, std::uint32_t iteration, std::uint64_t row)
    : key_(mix(seed, static_cast<std::uint64_t>(purpose))),
      counter_{0, iteration, static_cast<std::uint32_t>(row),
               static_cast<std::uint32_t>(row >> 32)} {}

std::uint64_t Random::bits() {
  if (used_ == 4) {
    CRATON_ASSERT(counter_[0] != std::numeric_limits<std::uint32_t>::max());
    block_ = philox(counter_, key_);
    ++counter_[0];
    used_ = 0;
  }
  const std::uint64_t low = block_[static_cast<std::size_t>(used_)];
  const std::uint64_t high = block_[static_cast<std::size_t>(used_) + 1];
  used_ += 2;
  return high << 32 | low;
}

// 52 bits and a half are exact in a double; 53 and a half would round to 1.
double Random::uniform() { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }

double Random::normal() { return normal_quantile(uniform()); }

// D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019).
Index Random::below(Index n) {
  CRATON_ASSERT(n > 0);
  const auto range = static_cast<std::uint64_t>(n);
  const std::uint64_t surplus = (0 - range) % range;  // 2^64 mod n: draws below it are rejected
  Wide product = 0;
  do {
    product = static_cast<Wide>(bits()) * range;
  } while (static_cast<std::uint64_t>(product) < surplus);
  return static_cast<Index>(product >> 64);
}

Index Random::categorical(std::span<const double> weights) {
  double total = 0;
  for (const double weight : weights) {
    CRATON_ASSERT(weight >= 0);
    total += weight;
  }
  CRATON_ASSERT(total > 0 && std::isfinite(total));
  const double mark = uniform() * total;
  // The first sum beyond the mark has just grown, so its weight is positive. When rounding puts the
  // mark on the total itself, the last positive weight is meant.
  double sum = 0;
  Index last = 0;
  for (Index i = 0; i < ssize(weights); ++i) {
    sum += weights[usize(i)];
    if (sum > mark) return i;
    if (weights[usize(i)] > 0) last = i;
  }
  return last;
}

// Fisher and Yates.
void Random::permutation(std::span<Index> out) {
  std::iota(out.begin(), out.end(), Index{0});
  for (Index i = ssize(out) - 1; i > 0; --i) std::swap(out[usize(i)], out[usize(below(i + 1))]);
}

double normal_quantile(double p) {
  CRATON_ASSERT(p > 0 && p < 1);
  const double q = p - 0.5;
  if (std::abs(q) <= kMiddle) return q * kMiddleRatio(kMiddleSquare - q * q);
  const double r = std::sqrt(-std::log(q < 0 ? p : 1 - p));
  const double tail = r <= kFarTail ? kNearRatio(r - kNearTail) : kFarRatio(r - kFarTail);
  return std::copysign(tail, q);
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return finalise(finalise(a + kGolden) + b); }

std::uint64_t mix_key(Index column) {
  return finalise(static_cast<std::uint64_t>(column) + kGolden);
}

template <class T>
std::uint64_t row_hash(const Dense<T>& x, Index row) {
  RowHash hash;
  for (Index j = 0; j < x.cols; ++j) hash.add(j, static_cast<double>(x.row(row)[j]));
  return hash.value();
}

template <class T>
std::uint64_t row_hash(const Sparse<T>& x, Index row) {
  RowHash hash;
  for (Index e = x.offsets[row]; e < x.offsets[row + 1]; ++e) {
    hash.add(x.columns[e], static_cast<double>(x.values[e]));
  }
  return hash.value();
}

template std::uint64_t row_hash(const Dense<float>&, Index);
template std::uint64_t row_hash(const Dense<double>&, Index);
template std::uint64_t row_hash(const Sparse<float>&, Index);
template std::uint64_t row_hash(const Sparse<double>&, Index);

std::uint64_t row_hash(const Chunk& chunk, Index row) {
  std::uint64_t hash = std::visit([&](const auto& x) { return row_hash(x, row); }, chunk.x);
  for (const Inner& inner : chunk.inner) hash = mix(hash, row_hash(inner, row));
  return hash;
}

}  // namespace craton
