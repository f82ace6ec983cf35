#include "craton/classes/class_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "craton/core/columns.h"
#include "craton/core/error.h"
#include "craton/core/random.h"
#include "craton/core/registry.h"
#include "craton/density/density_passes.h"

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
    const std::uint64_t row = std::visit([&](const auto& x) { return row_hash(x, i); }, chunk.x);
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

void ClassStatistics::add(const ClassStatistics& other) {
  for (std::size_t i = 0; i < statistics_.size(); ++i) {
    craton::merge(statistics_[i], other.statistics_[i]);
  }
  for (std::size_t c = 0; c < weight_.size(); ++c) weight_[c] += other.weight_[c];
  hash_ += other.hash_;
  unlabelled_hash_ += other.unlabelled_hash_;
}

void ClassStatistics::subtract(const ClassStatistics& other, const Source& x) {
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
  return fold(x, ClassStatistics(x, features, classes), exec);
}

}  // namespace craton
