#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "craton/classes/class_statistics.h"
#include "craton/core/registry.h"

// Statistics as numbers in a model file, and back: what no rows could have left is refused.

namespace craton {
namespace {

template <class S>
constexpr std::size_t kDoubles = sizeof(S) / sizeof(double);

// Statistics as numbers, and back.
template <class S>
void append(const S& s, std::vector<double>& out) {
  const auto raw = std::bit_cast<std::array<double, kDoubles<S>>>(s);
  out.insert(out.end(), raw.begin(), raw.end());
}
void append(const Counts& s, std::vector<double>& out) {
  out.push_back(s.weight);
  out.insert(out.end(), s.counts.begin(), s.counts.end());
}
void append(const Values& s, std::vector<double>& out) {
  out.push_back(s.weight);
  out.push_back(static_cast<double>(s.values.size()));
  for (const auto& [x, weight] : s.values) out.insert(out.end(), {x, weight});
}

// Takes numbers from the front of what is left.
class Numbers {
 public:
  explicit Numbers(std::span<const double> values) : left_(values) {}
  bool empty() const { return left_.empty(); }
  double next() { return next(1)[0]; }
  std::span<const double> next(std::size_t count) {
    if (count > left_.size()) fail_parameters("what it remembers of its rows is cut short");
    const auto taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }

 private:
  std::span<const double> left_;
};

template <class S>
void take(Numbers& numbers, S& s) {
  std::array<double, kDoubles<S>> raw{};
  std::ranges::copy(numbers.next(raw.size()), raw.begin());
  s = std::bit_cast<S>(raw);
}
void take(Numbers& numbers, Counts& s) {
  s.weight = numbers.next();
  std::ranges::copy(numbers.next(s.counts.size()), s.counts.begin());
}
void take(Numbers& numbers, Values& s) {
  s.weight = numbers.next();
  const double count = numbers.next();
  if (!(count >= 0 && count < 1e15)) fail_parameters("a number of values makes no sense");
  for (double i = 0; i < count; ++i) {
    const auto pair = numbers.next(2);
    s.values.push_back({pair[0], pair[1]});
  }
}

// Could rows of this support have left such sums?
bool likely(const Moments& m, Support support) {
  const bool finite = std::isfinite(m.shift) && std::isfinite(m.sum) && m.square >= 0 &&
                      std::isfinite(m.square) && holds(support, m.shift);
  if (!finite || m.weight == 0) return finite;
  const double mean = m.mean();
  if (support == Support::kBinary) return mean >= 0 && mean <= 1;
  return std::isfinite(mean) && std::isfinite(m.variance()) &&
         (support == Support::kReal || support == Support::kAngle || mean >= 0);
}
bool likely(const LogMoments& m, Support) {
  const bool finite = m.scale > 0 && std::isfinite(m.scale) && std::isfinite(m.sum) &&
                      std::isfinite(m.log_sum) && m.log_square >= 0 && std::isfinite(m.log_square);
  return finite && (m.weight == 0 ||
                    (m.mean() > 0 && std::isfinite(m.mean()) && std::isfinite(m.mean_log())));
}
bool likely(const UnitMoments& m, Support) {
  const bool finite = m.scale > 0 && m.scale < 1 && std::isfinite(m.sum) && m.square >= 0 &&
                      std::isfinite(m.square) && std::isfinite(m.log_sum) &&
                      std::isfinite(m.log_complement);
  return finite && (m.weight == 0 || (m.mean() > 0 && m.mean() < 1));
}
bool likely(const Directions& m, Support) {
  return std::hypot(m.cosine, m.sine) <= m.weight * (1 + 1e-9);
}
bool likely(const Range& m, Support support) {
  return m.weight == 0 ? m.low > m.high
                       : m.low <= m.high && holds(support, m.low) && holds(support, m.high);
}
bool likely(const Counts& m, Support) {
  const double sum = std::accumulate(m.counts.begin(), m.counts.end(), 0.0);
  return std::ranges::all_of(m.counts, [](double n) { return n >= 0; }) &&
         std::abs(sum - m.weight) <= 1e-9 * m.weight;
}
bool likely(const Values& m, Support support) {
  double sum = 0;
  for (std::size_t i = 0; i < m.values.size(); ++i) {
    const auto& [x, weight] = m.values[i];
    if (!holds(support, x) || !(weight > 0) || (i > 0 && !(m.values[i - 1].x < x))) return false;
    sum += weight;
  }
  return std::abs(sum - m.weight) <= 1e-9 * m.weight;
}

}  // namespace

std::vector<double> ClassStatistics::to_values() const {
  std::vector<double> values;
  for (const Statistics& statistics : statistics_) {
    std::visit([&](const auto& s) { append(s, values); }, statistics);
  }
  return values;
}

ClassStatistics ClassStatistics::from_values(std::span<const Feature> features, Index classes,
                                             std::span<const double> weight,
                                             std::span<const double> values, std::uint64_t hash) {
  ClassStatistics result(features, classes);
  result.weight_.assign(weight.begin(), weight.end());
  result.hash_ = hash;
  Numbers numbers(values);
  for (std::size_t i = 0; i < result.statistics_.size(); ++i) {
    const Support support = features[i / usize(classes)].family->info().support;
    const bool fine = std::visit(
        [&](auto& s) {
          take(numbers, s);
          return s.weight >= 0 && s.weight < 1e300 && likely(s, support);
        },
        result.statistics_[i]);
    if (!fine) fail_parameters("what it remembers of its rows is impossible");
  }
  const auto is_weight = [](double w) { return w >= 0 && w < 1e300; };
  if (!numbers.empty() || !std::ranges::all_of(weight, is_weight)) {
    fail_parameters("what it remembers of its rows does not fit its columns");
  }
  return result;
}

}  // namespace craton
