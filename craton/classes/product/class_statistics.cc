#include "craton/classes/product/class_statistics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/classes/product/bag.h"
#include "craton/density/density_passes.h"
#include "craton/model/registry.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

[[noreturn]] void fail_never_seen(const Source& x) {
  throw InputError(Code::kBadTarget, {.file = x.name()}, "the model has not seen all of these rows",
                   "Only rows that it was fitted on can be unlearned.");
}

// Whether so much can be taken away from what was seen.
bool can_subtract(const Statistics& from, const Statistics& other) {
  const double slack = 1e-9 * weight(from);
  if (weight(other) > weight(from) + slack) return false;
  if (const auto* counts = std::get_if<Counts>(&from)) {
    const auto& gone = std::get<Counts>(other).counts;
    for (std::size_t i = 0; i < gone.size(); ++i) {
      if (gone[i] > counts->counts[i] + slack) return false;
    }
  }
  if (const auto* values = std::get_if<Values>(&from)) {
    for (const auto& [x, w] : std::get<Values>(other).values) {
      const auto at = std::ranges::lower_bound(values->values, x, {}, &Values::Value::x);
      if (at == values->values.end() || at->x != x || w > at->weight + slack) return false;
    }
  }
  return true;
}

}  // namespace

ClassStatistics::ClassStatistics(std::span<const Feature> features, Index classes)
    : weight_(usize(classes)) {
  for (const Feature& feature : features) {
    for (Index c = 0; c < classes; ++c) {
      statistics_.push_back(feature.family->empty(feature.levels));
      words_ += craton::words(statistics_.back());
    }
  }
}

ClassStatistics::ClassStatistics(const Source& x, const std::vector<Feature>& features,
                                 Index classes)
    : ClassStatistics(std::span<const Feature>(features), classes) {
  x_ = &x;
  features_ = &features;
}

Statistics ClassStatistics::of_all_classes(std::size_t feature) const {
  Statistics all = of(feature, 0);
  for (std::size_t c = 1; c < weight_.size(); ++c) craton::merge(all, of(feature, c));
  return all;
}

void ClassStatistics::accumulate(const Chunk& chunk) {
  check_weights(chunk, *x_);
  const std::size_t k = weight_.size();
  // The rows of each class, one class after the other.
  std::vector<std::vector<std::size_t>> rows(k);
  for (Index i = 0; i < chunk.rows(); ++i) {
    const std::int32_t label = chunk.labels.empty() ? -1 : chunk.labels[usize(i)];
    const double w = chunk.weight(i);
    const std::uint64_t row = row_hash(chunk, i);
    const auto weight_bits = std::bit_cast<std::uint64_t>(w);
    if (label < 0) {
      ++unlabelled_;
      unlabelled_hash_ += mix(row, weight_bits);
      continue;
    }
    weight_[usize(label)] += w;
    hash_ += mix(row, mix(weight_bits, usize(label)));
    if (w > 0) rows[usize(label)].push_back(usize(i));
  }
  for (std::size_t f = 0; f < features_->size(); ++f) {
    const std::vector<double> column = codes(f, chunk);
    std::vector<double> values, weights;
    for (std::size_t c = 0; c < k; ++c) {
      values.clear();
      weights.clear();
      for (const std::size_t i : rows[c]) {
        values.push_back(column[i]);
        if (!chunk.weights.empty()) weights.push_back(chunk.weights[i]);
      }
      (*features_)[f].family->accumulate(values, weights, statistics_[f * k + c]);
    }
  }
}

std::vector<double> ClassStatistics::codes(std::size_t feature, const Chunk& chunk) const {
  std::vector<double> column;
  copy_column(chunk.x, (*features_)[feature].column, column);
  encode((*features_)[feature], column);
  return column;
}

void ClassStatistics::share(const Chunk& chunk, std::span<const double> weights) {
  const std::size_t k = weight_.size();
  for (std::size_t at = 0; at < weights.size(); ++at) weight_[at % k] += weights[at];
  std::vector<double> of_class(weights.size() / k);
  for (std::size_t f = 0; f < features_->size(); ++f) {
    const std::vector<double> column = codes(f, chunk);
    for (std::size_t c = 0; c < k; ++c) {
      for (std::size_t i = 0; i < of_class.size(); ++i) of_class[i] = weights[i * k + c];
      (*features_)[f].family->accumulate(column, of_class, statistics_[f * k + c]);
    }
  }
}

void ClassStatistics::set_terms(NonzeroSums terms) {
  terms_ = std::make_shared<const NonzeroSums>(std::move(terms));
}

FeatureSums ClassStatistics::term_sums() const {
  return FeatureSums::from(terms_->values(), weight_, 0);
}

void ClassStatistics::move_terms(std::span<const Index> places, Index count) {
  NonzeroSums moved = *terms_;
  moved.columns = count;
  for (NonzeroSums::OfClass& nonzero : moved.of_class) {  // places ascend, as terms did
    for (std::int32_t& term : nonzero.features) {
      term = static_cast<std::int32_t>(places[usize(term)]);
    }
  }
  set_terms(std::move(moved));
}

void ClassStatistics::add(const ClassStatistics& other) {
  if (terms_ != nullptr && other.terms_ != nullptr) {
    FeatureSums sums = term_sums();
    sums.add(other.term_sums(), 1);
    set_terms(sums.nonzero({.threads = 1}));
  }
  for (std::size_t i = 0; i < statistics_.size(); ++i) {
    craton::merge(statistics_[i], other.statistics_[i]);
  }
  for (std::size_t c = 0; c < weight_.size(); ++c) weight_[c] += other.weight_[c];
  hash_ += other.hash_;
  unlabelled_hash_ += other.unlabelled_hash_;
}

void ClassStatistics::subtract(const ClassStatistics& other, const Source& x) {
  if (terms_ != nullptr) {
    FeatureSums sums = term_sums();
    sums.add(other.term_sums(), -1);
    sums.check_subtracted(x);
    set_terms(sums.nonzero({.threads = 1}));
  }
  for (std::size_t c = 0; c < weight_.size(); ++c) {
    if (other.weight_[c] > weight_[c] * (1 + 1e-9)) fail_never_seen(x);
    weight_[c] = std::max(0.0, weight_[c] - other.weight_[c]);
  }
  for (std::size_t i = 0; i < statistics_.size(); ++i) {
    if (!can_subtract(statistics_[i], other.statistics_[i])) fail_never_seen(x);
    craton::subtract(statistics_[i], other.statistics_[i]);
  }
  hash_ -= other.hash_;
}

void ClassStatistics::widen(std::span<const Feature> features) {
  for (std::size_t i = 0; i < statistics_.size(); ++i) {
    const Feature& feature = features[i / weight_.size()];
    if (feature.categories()) std::get<Counts>(statistics_[i]).counts.resize(usize(feature.levels));
  }
}

ClassStatistics ClassStatistics::chosen(std::span<const std::size_t> features) const {
  ClassStatistics result = *this;
  result.statistics_.clear();
  result.words_ = 0;
  for (const std::size_t f : features) {
    for (std::size_t c = 0; c < weight_.size(); ++c) result.statistics_.push_back(of(f, c));
  }
  return result;
}

void ClassStatistics::merge(const ClassStatistics& next) {
  add(next);
  unlabelled_ += next.unlabelled_;
}

void ClassStatistics::write(Writer& writer) const {
  writer.put(unlabelled_);
  writer.put(hash_);
  writer.put(unlabelled_hash_);
  writer.put(weight_);
  for (const Statistics& s : statistics_) craton::write(writer, s);
}

void ClassStatistics::read(Reader& reader) {
  reader.get(unlabelled_);
  reader.get(hash_);
  reader.get(unlabelled_hash_);
  reader.get(weight_);
  for (Statistics& s : statistics_) craton::read(reader, s);
}

ClassStatistics find_class_statistics(Source& x, const std::vector<Feature>& features,
                                      Index classes, const Exec& exec) {
  ClassStatistics seen = fold(x, ClassStatistics(x, features, classes), exec);
  if (!x.schema().inner.empty()) seen.set_terms(find_terms(x, classes, exec));
  return seen;
}

// Statistics as numbers in a model file, and back: what no rows could have left is refused.

namespace {

template <class S>
constexpr std::size_t kDoubles = sizeof(S) / sizeof(double);

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
