#include "craton/families/statistics.h"

#include <algorithm>
#include <array>

#include "craton/base/error.h"

// All in one pass over a block, but for a sample of it that finds the shift.

namespace craton {
namespace {

// Calls f(x, w) for the values that are there.
template <class F>
void for_values(std::span<const double> x, std::span<const double> w, const F& f) {
  CRATON_ASSERT(w.empty() || w.size() == x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double weight = w.empty() ? 1.0 : w[i];
    if (!std::isnan(x[i]) && weight != 0) f(x[i], weight);
  }
}

// One of the values, near the mean of some of them; NaN when all of those are missing.
double central_value(std::span<const double> x, std::span<const double> w) {
  constexpr std::size_t kSome = 64;
  std::array<double, kSome> some{};
  std::size_t count = 0;
  double sum = 0;
  const std::size_t step = x.size() / kSome + 1;
  for (std::size_t i = 0; i < x.size(); i += step) {
    if (std::isnan(x[i]) || (!w.empty() && w[i] == 0)) continue;
    some[count++] = x[i];
    sum += x[i];
  }
  if (count == 0) return NAN;
  const double mean = sum / static_cast<double>(count);
  return *std::min_element(
      some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count),
      [&](double a, double b) { return std::abs(a - mean) < std::abs(b - mean); });
}
double central_or_first(std::span<const double> x, std::span<const double> w) {
  double found = central_value(x, w);
  if (std::isnan(found)) {
    for_values(x, w, [&](double value, double) {
      if (std::isnan(found)) found = value;
    });
  }
  return found;
}

// a b + c d to twice the digits, then rounded: exact for integers, whatever the shift was.
double sum_of_products(double a, double b, double c, double d) {
  const double p = a * b, q = c * d;
  const double s = p + q, t = s - p;
  const double rest = (p - (s - t)) + (q - t);  // Knuth: s + rest = p + q
  return s + (rest + std::fma(a, b, -p) + std::fma(c, d, -q));
}

// Sums about a centre, moved to another one, and added to those of the same centre.
Moments moved(const Moments& m, double shift) {
  const double d = m.shift - shift;
  return {m.weight, shift, m.sum + m.weight * d, m.square + 2 * d * m.sum + m.weight * d * d};
}
LogMoments moved(const LogMoments& m, double scale) {
  const double log = log_ratio(m.scale, scale);
  return {m.weight, scale, m.sum + m.weight * (m.scale - scale), m.log_sum + m.weight * log,
          m.log_square + 2 * log * m.log_sum + m.weight * log * log};
}
UnitMoments moved(const UnitMoments& m, double scale) {
  const double d = m.scale - scale;
  return {m.weight,
          scale,
          m.sum + m.weight * d,
          m.square + 2 * d * m.sum + m.weight * d * d,
          m.log_sum + m.weight * log_ratio(m.scale, scale),
          m.log_complement + m.weight * log_ratio(1 - m.scale, 1 - scale)};
}
void add_sums(Moments& a, const Moments& b, double sign) {
  a.weight += sign * b.weight;
  a.sum += sign * b.sum;
  a.square += sign * b.square;
}
void add_sums(LogMoments& a, const LogMoments& b, double sign) {
  a.weight += sign * b.weight;
  a.sum += sign * b.sum;
  a.log_sum += sign * b.log_sum;
  a.log_square += sign * b.log_square;
}
void add_sums(UnitMoments& a, const UnitMoments& b, double sign) {
  a.weight += sign * b.weight;
  a.sum += sign * b.sum;
  a.square += sign * b.square;
  a.log_sum += sign * b.log_sum;
  a.log_complement += sign * b.log_complement;
}
double centre(const Moments& m) { return m.shift; }
double centre(const LogMoments& m) { return m.scale; }
double centre(const UnitMoments& m) { return m.scale; }

// A prior may have sums and no weight.
template <class S>
bool is_empty(const S& s) {
  return s.weight == 0 && s.sum == 0;
}
bool is_empty(const Moments& m) { return m.weight == 0 && m.sum == 0 && m.square == 0; }

// About that one of the two centres which is nearer to the mean of all.
template <class S>
void merge_sums(S& a, const S& b) {
  if (is_empty(b)) return;
  if (is_empty(a)) {
    a = b;
    return;
  }
  const double distance = centre(b) - centre(a);
  const double mean = (a.sum + b.sum + b.weight * distance) / (a.weight + b.weight);
  if (std::abs(mean - distance) < std::abs(mean)) a = moved(a, centre(b));
  add_sums(a, moved(b, centre(a)), 1);
}

template <class S>
void subtract_sums(S& a, const S& b) {
  if (is_empty(b)) return;
  add_sums(a, moved(b, centre(a)), -1);
  if (a.weight <= 0) a = {};
}

}  // namespace

void Moments::add(std::span<const double> x, std::span<const double> w) {
  Moments m{0, central_or_first(x, w), 0, 0};
  for_values(x, w, [&](double value, double by) {
    const double d = value - m.shift;
    m.weight += by;
    m.sum += by * d;
    m.square += by * d * d;
  });
  merge(m);
}
void Moments::merge(const Moments& next) { merge_sums(*this, next); }
void Moments::subtract(const Moments& other) { subtract_sums(*this, other); }
double Moments::total() const { return sum_of_products(weight, shift, sum, 1); }
// Of equal values it is that value, to the last place.
double Moments::mean() const { return sum == 0 ? shift : total() / weight; }
double Moments::variance() const {
  const double scatter = sum_of_products(weight, square, -sum, sum) / weight / weight;
  return std::max(scatter, 0.0);
}

void LogMoments::add(std::span<const double> x, std::span<const double> w) {
  LogMoments m{0, central_or_first(x, w), 0, 0, 0};
  for_values(x, w, [&](double value, double by) {
    const double log = log_ratio(value, m.scale);
    m.weight += by;
    m.sum += by * (value - m.scale);
    m.log_sum += by * log;
    m.log_square += by * log * log;
  });
  merge(m);
}
void LogMoments::merge(const LogMoments& next) { merge_sums(*this, next); }
void LogMoments::subtract(const LogMoments& other) { subtract_sums(*this, other); }
double LogMoments::mean() const { return scale + sum / weight; }
double LogMoments::mean_log() const { return std::log(scale) + log_sum / weight; }
double LogMoments::log_variance() const {
  return std::max(sum_of_products(weight, log_square, -log_sum, log_sum) / weight / weight, 0.0);
}
double LogMoments::log_mean_minus_mean_log() const {
  return std::max(std::log1p(sum / weight / scale) - log_sum / weight, 0.0);
}

void UnitMoments::add(std::span<const double> x, std::span<const double> w) {
  UnitMoments m{0, central_or_first(x, w), 0, 0, 0, 0};
  for_values(x, w, [&](double value, double by) {
    const double d = value - m.scale;
    m.weight += by;
    m.sum += by * d;
    m.square += by * d * d;
    m.log_sum += by * log_ratio(value, m.scale);
    m.log_complement += by * log_ratio(1 - value, 1 - m.scale);
  });
  merge(m);
}
void UnitMoments::merge(const UnitMoments& next) { merge_sums(*this, next); }
void UnitMoments::subtract(const UnitMoments& other) { subtract_sums(*this, other); }
double UnitMoments::mean() const { return scale + sum / weight; }
double UnitMoments::variance() const {
  return std::max(sum_of_products(weight, square, -sum, sum) / weight / weight, 0.0);
}

void Directions::add(std::span<const double> x, std::span<const double> w) {
  for_values(x, w, [&](double value, double by) {
    weight += by;
    cosine += by * std::cos(value);
    sine += by * std::sin(value);
  });
}
void Directions::merge(const Directions& next) {
  weight += next.weight;
  cosine += next.cosine;
  sine += next.sine;
}
void Directions::subtract(const Directions& other) {
  *this = {weight - other.weight, cosine - other.cosine, sine - other.sine};
  if (weight <= 0) *this = {};
}

void Range::add(std::span<const double> x, std::span<const double> w) {
  for_values(x, w, [&](double value, double by) {
    weight += by;
    low = std::min(low, value);
    high = std::max(high, value);
  });
}
void Range::merge(const Range& next) {
  weight += next.weight;
  low = std::min(low, next.low);
  high = std::max(high, next.high);
}
void Range::subtract(const Range&) {
  throw InputError(Code::kNotAble, {}, "a uniform distribution cannot unlearn rows",
                   "It keeps the least and the greatest value only: fit again without the rows.");
}

void Counts::add(std::span<const double> x, std::span<const double> w) {
  for_values(x, w, [&](double value, double by) {
    const auto code = static_cast<std::size_t>(value);
    CRATON_ASSERT(value >= 0 && code < counts.size());
    weight += by;
    counts[code] += by;
  });
}
void Counts::merge(const Counts& next) {
  weight += next.weight;
  counts.resize(std::max(counts.size(), next.counts.size()));
  for (std::size_t i = 0; i < next.counts.size(); ++i) counts[i] += next.counts[i];
}
void Counts::subtract(const Counts& other) {
  CRATON_ASSERT(counts.size() >= other.counts.size());
  weight -= other.weight;
  for (std::size_t i = 0; i < other.counts.size(); ++i) counts[i] -= other.counts[i];
}

void Values::add(std::span<const double> x, std::span<const double> w) {
  Values block;
  for_values(x, w, [&](double value, double by) {
    block.values.push_back({value + 0.0, by});  // -0 = 0
    block.weight += by;
  });
  // Equal values add their weights in the order of the rows.
  std::stable_sort(block.values.begin(), block.values.end(),
                   [](const Value& a, const Value& b) { return a.x < b.x; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < block.values.size(); ++i) {
    if (block.values[i].x == block.values[last].x) {
      block.values[last].weight += block.values[i].weight;
    } else {
      block.values[++last] = block.values[i];
    }
  }
  if (!block.values.empty()) block.values.resize(last + 1);
  merge(block);
}
void Values::merge(const Values& next) {
  if (values.empty()) {
    *this = next;
    return;
  }
  std::vector<Value> both;
  both.reserve(values.size() + next.values.size());
  auto a = values.begin();
  for (const Value& b : next.values) {
    while (a != values.end() && a->x < b.x) both.push_back(*a++);
    const bool equal = a != values.end() && a->x == b.x;
    both.push_back({b.x, equal ? a++->weight + b.weight : b.weight});
  }
  both.insert(both.end(), a, values.end());
  values = std::move(both);
  weight += next.weight;
}
void Values::subtract(const Values& other) {
  auto at = values.begin();
  for (const Value& v : other.values) {
    at = std::lower_bound(at, values.end(), v,
                          [](const Value& a, const Value& b) { return a.x < b.x; });
    CRATON_ASSERT(at != values.end() && at->x == v.x);
    at->weight -= v.weight;
  }
  std::erase_if(values, [](const Value& v) { return v.weight <= 0; });
  weight = values.empty() ? 0 : weight - other.weight;
}

double weight(const Statistics& statistics) {
  return std::visit([](const auto& s) { return s.weight; }, statistics);
}

void merge(Statistics& to, const Statistics& next) {
  CRATON_ASSERT(to.index() == next.index());
  std::visit([&](auto& s) { s.merge(std::get<std::decay_t<decltype(s)>>(next)); }, to);
}

void subtract(Statistics& from, const Statistics& other) {
  CRATON_ASSERT(from.index() == other.index());
  std::visit([&](auto& s) { s.subtract(std::get<std::decay_t<decltype(s)>>(other)); }, from);
}

namespace {

template <class S>
void put(Writer& writer, const S& statistics) {
  writer.put(statistics);
}
void put(Writer& writer, const Counts& statistics) {
  writer.put(statistics.weight);
  writer.put(statistics.counts);
}
void put(Writer& writer, const Values& statistics) {
  writer.put(statistics.weight);
  writer.put(statistics.values);
}
template <class S>
void get(Reader& reader, S& statistics) {
  reader.get(statistics);
}
void get(Reader& reader, Counts& statistics) {
  reader.get(statistics.weight);
  reader.get(statistics.counts);
}
void get(Reader& reader, Values& statistics) {
  reader.get(statistics.weight);
  reader.get(statistics.values);
}

}  // namespace

void write(Writer& writer, const Statistics& statistics) {
  std::visit([&](const auto& s) { put(writer, s); }, statistics);
}

void read(Reader& reader, Statistics& statistics) {
  std::visit([&](auto& s) { get(reader, s); }, statistics);
}

Index words(const Statistics& statistics) {
  if (const auto* counts = std::get_if<Counts>(&statistics)) return 1 + ssize(counts->counts);
  if (const auto* values = std::get_if<Values>(&statistics)) return 1 + 2 * ssize(values->values);
  return std::visit([](const auto& s) { return static_cast<Index>(sizeof s / sizeof(double)); },
                    statistics);
}

}  // namespace craton
