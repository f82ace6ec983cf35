#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "craton/base/error.h"
#include "craton/families/family.h"

// Makes a Family from the value type F of one. Included by families.cc only.
//
// F is a plain struct of kInfo.parameters.size() doubles with
//
//   static constexpr FamilyInfo kInfo;  using Sums = (one of Statistics);
//   static F estimate(const Sums&, const Estimation&);
//   bool valid() const;  // if there is more to it than the bounds in kInfo
//   log_density(x), cdf(x), quantile(p), mean(), variance(), entropy(), sample(random) const;
//   auto prepared() const;                            // of numbers: x -> log density, quickly
//   std::array<double, N> standard_errors() const;    // of one row
//
// and when it is exponential
//
//   std::array<double, M> natural() const, sufficient(x) const;
//   double log_partition() const, log_base(x) const;  F from_natural(natural) const;
//
// and when T and h have no parameters, for blocks of rows (family.h)
//
//   static constexpr std::array<int, M> kTerms;       // the places of T in the terms of Sums
//   static constexpr Moves kMoves;  F moved(const Coordinate&) const;  // if it moves
//   static constexpr double kLogBase;                 // if h is constant
//   static void add_log_base(z, out);                 // of many values, if that is quicker

namespace craton {

template <class F>
class Erased final : public Family {
 public:
  Erased() : Family(F::kInfo) {}

  Statistics empty(Index) const override { return Sums{}; }
  void accumulate(std::span<const double> values, std::span<const double> weights,
                  Statistics& statistics) const override {
    std::get<Sums>(statistics).add(values, weights);
  }
  Parameters estimate(const Statistics& statistics, const Estimation& how) const override {
    Sums sums = std::get<Sums>(statistics);
    if (how.prior.rows) sums.merge(std::get<Sums>(*how.prior.rows));
    CRATON_ASSERT(sums.weight > 0);
    return to_vector(std::bit_cast<Raw>(F::estimate(sums, how)));
  }
  bool valid(std::span<const double> parameters) const override {
    for (std::size_t i = 0; i < parameters.size() && i < kSize; ++i) {
      const ParameterInfo& bounds = F::kInfo.parameters[i];
      if (!(parameters[i] >= bounds.low && parameters[i] <= bounds.high)) return false;
    }
    if constexpr (requires(const F f) { f.valid(); }) {
      if (parameters.size() == kSize && !from(parameters).valid()) return false;
    }
    return parameters.size() == kSize;
  }

  void log_density(std::span<const double> values, std::span<const double> parameters,
                   std::span<double> out) const override {
    const F f = from(parameters);
    if constexpr (kCounted) {
      CountMemory memory;
      apply(values, out, 0, [&](double x) {
        return memory(x, [&](double count) { return f.log_density(count); });
      });
    } else {
      apply(values, out, 0, f.prepared());
    }
  }
  void cdf(std::span<const double> values, std::span<const double> parameters,
           std::span<double> out) const override {
    const F f = from(parameters);
    apply(values, out, NAN, [&](double x) { return f.cdf(x); });
  }
  void quantile(std::span<const double> p, std::span<const double> parameters,
                std::span<double> out) const override {
    const F f = from(parameters);
    apply(p, out, NAN, [&](double x) { return f.quantile(x); });
  }
  void sample(std::span<const double> parameters, Random& random,
              std::span<double> out) const override {
    // A draw beyond all numbers, or all counts, is the last of them.
    constexpr double kMost = kCounted ? kGreatestCount : std::numeric_limits<double>::max();
    const F f = from(parameters);
    for (double& x : out) x = std::clamp(f.sample(random), -kMost, kMost);
  }
  double mean(std::span<const double> parameters) const override { return from(parameters).mean(); }
  double variance(std::span<const double> parameters) const override {
    return from(parameters).variance();
  }
  double entropy(std::span<const double> parameters) const override {
    return from(parameters).entropy();
  }
  Parameters standard_errors(std::span<const double> parameters, double weight) const override {
    Parameters errors = to_vector(from(parameters).standard_errors());
    for (double& e : errors) e /= std::sqrt(weight);
    return errors;
  }

  std::optional<Natural> natural(std::span<const double> parameters) const override {
    if constexpr (kExponential) {
      const F f = from(parameters);
      return Natural{to_vector(f.natural()), f.log_partition()};
    }
    return std::nullopt;
  }
  std::optional<Sufficient> sufficient(double x,
                                       std::span<const double> parameters) const override {
    if constexpr (kExponential) {
      const F f = from(parameters);
      return Sufficient{to_vector(f.sufficient(x)), f.log_base(x)};
    }
    return std::nullopt;
  }
  Parameters from_natural(std::span<const double> natural,
                          std::span<const double> like) const override {
    if constexpr (kExponential) {
      decltype(from(like).natural()) eta{};
      CRATON_ASSERT(natural.size() == eta.size());
      std::copy(natural.begin(), natural.end(), eta.begin());
      return to_vector(std::bit_cast<Raw>(from(like).from_natural(eta)));
    }
    assertion_failed("exponential", __FILE__, __LINE__);
  }

  std::span<const int> terms() const override {
    if constexpr (kBlocks) return F::kTerms;
    return {};
  }
  Moves moves() const override {
    if constexpr (kMovable) return F::kMoves;
    return Moves::kNot;
  }
  Parameters moved(std::span<const double> parameters, const Coordinate& at) const override {
    if constexpr (kMovable) return to_vector(std::bit_cast<Raw>(from(parameters).moved(at)));
    return Family::moved(parameters, at);
  }
  void add_log_base(std::span<const double> z, std::span<double> out) const override {
    if constexpr (kBlocks) {
      if constexpr (requires { F::add_log_base(z, out); }) return F::add_log_base(z, out);
      const F f{};
      for (std::size_t i = 0; i < z.size(); ++i) out[i] += f.log_base(z[i]);
    }
  }
  std::optional<double> constant_log_base() const override {
    if constexpr (requires { F::kLogBase; }) return F::kLogBase;
    return std::nullopt;
  }

 private:
  using Sums = typename F::Sums;
  static constexpr std::size_t kSize = F::kInfo.parameters.size();
  using Raw = std::array<double, kSize>;
  static constexpr bool kExponential = requires(const F f) { f.log_partition(); };
  static constexpr bool kBlocks = requires { F::kTerms; };
  static constexpr bool kMovable = requires { F::kMoves; };
  static constexpr bool kCounted =
      F::kInfo.support == Support::kCounts || F::kInfo.support == Support::kBinary;

  static F from(std::span<const double> parameters) {
    CRATON_ASSERT(parameters.size() == kSize);
    Raw raw{};
    std::copy(parameters.begin(), parameters.end(), raw.begin());
    return std::bit_cast<F>(raw);
  }
  template <std::size_t N>
  static std::vector<double> to_vector(const std::array<double, N>& values) {
    return {values.begin(), values.end()};
  }
  template <class Function>
  static void apply(std::span<const double> values, std::span<double> out, double missing,
                    const Function& f) {
    CRATON_ASSERT(values.size() == out.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = std::isnan(values[i]) ? missing : f(values[i]);
    }
  }

  // A block of counts has few different ones: each is worked out once.
  class CountMemory {
   public:
    CountMemory() { known_.fill(NAN); }
    template <class Function>
    double operator()(double x, const Function& f) {
      const std::size_t count = x >= 0 && x < kMost ? static_cast<std::size_t>(x) : kMost;
      if (static_cast<double>(count) != x || count == kMost) return f(x);
      double& known = known_[count];
      if (std::isnan(known)) known = f(x);
      return known;
    }

   private:
    static constexpr std::size_t kMost = 128;
    std::array<double, kMost> known_{};
  };
};

}  // namespace craton
