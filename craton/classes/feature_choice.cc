#include "craton/classes/feature_choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "craton/classes/bayes_rule.h"
#include "craton/classes/buckets.h"
#include "craton/classes/class_prior.h"
#include "craton/classes/labelled_sample.h"
#include "craton/core/error.h"
#include "craton/density/density_passes.h"

namespace craton {
namespace {

// Families are chosen, and buckets cut, by at most so many rows, and values.
constexpr Index kSampleRows = 1 << 16, kSampleValues = 1 << 23, kLeastSample = 1 << 10;

constexpr std::string_view kAuto = "auto", kWidth = "equal-width", kFrequency = "equal-frequency",
                           kLabels = "mdl";

const Family& categorical() { return get_family("categorical"); }

[[noreturn]] void refuse(const std::string& what, const std::string& fix) {
  throw InputError(Code::kBadOption, {}, "family: " + what, fix);
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

void check_word(const std::string& word) {
  std::vector<std::string> words{std::string(kAuto), std::string(kWidth), std::string(kFrequency),
                                 std::string(kLabels)};
  for (const Family* family : families()) {
    if (family->info().told == 0) words.emplace_back(family->name());
  }
  if (std::ranges::find(words, word) != words.end()) return;
  const std::string near = did_you_mean(word, words);
  refuse(fmt::format("'{}' is not allowed", word),
         near.empty() ? fmt::format("Give one of {}, or COLUMN=ONE,...", listed(words, 99)) : near);
}

bool is_category(const Schema& schema, Index column) {
  return schema.columns[usize(column)].kind == ColumnKind::kCategory;
}

// What was said of each column.
std::vector<std::string> words_of(const std::string& text, const Schema& schema) {
  std::vector<std::string> words(usize(schema.size()), std::string(kAuto));
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string item = trimmed(std::string_view(text).substr(from, comma - from));
    from = comma + 1;
    const std::size_t equals = item.rfind('=');
    const std::string word = trimmed(equals == item.npos ? item : item.substr(equals + 1));
    check_word(word);
    if (equals == item.npos) {
      std::ranges::fill(words, word);
      continue;
    }
    const std::string name = trimmed(item.substr(0, equals));
    const Index column = schema.find(name);
    if (column < 0) {
      const std::string near = did_you_mean(name, schema.names());
      throw InputError(Code::kUnknownName, {}, fmt::format("family: there is no column '{}'", name),
                       near.empty() ? "The columns are " + listed(schema.names()) + "." : near);
    }
    if (is_category(schema, column) && word != categorical().name() && word != kAuto) {
      refuse(fmt::format("the column '{}' has categories, which cannot be {}", name, word),
             "Leave it out: it is categorical.");
    }
    words[usize(column)] = word;
  }
  return words;
}

bool one_value(const Extent& extent) { return !(extent.low < extent.high); }

Feature buckets(Index column, const Extent& extent, std::vector<double> cuts) {
  Feature feature{.column = column, .family = &categorical(), .buckets = true};
  feature.levels = std::ssize(cuts) + 1;
  feature.cuts = std::move(cuts);
  if (extent.low <= extent.high)
    std::tie(feature.low, feature.high) = std::pair(extent.low, extent.high);
  return feature;
}

void check_held(Source& x, Index column, const Family& family, const Extent& extent,
                const Exec& exec) {
  const bool codes = family.info().support == Support::kCategory;
  const double most = codes ? static_cast<double>(kMostLevels - 1) : INFINITY;
  const bool some = extent.low <= extent.high;
  if (some && (!holds(family.info().support, extent) || extent.high > most)) {
    fail_outside(x, exec, column, family, most, extent);
  }
}

Index levels_of_codes(const Schema& schema, Index column, const Extent& extent) {
  if (is_category(schema, column)) {
    return std::max<Index>(1, ssize(schema.columns[usize(column)].levels));
  }
  return extent.low <= extent.high ? static_cast<Index>(extent.high) + 1 : 1;
}

Feature codes(Source& x, Index column, const Extent& extent, const Exec& exec) {
  check_held(x, column, categorical(), extent, exec);
  return {.column = column,
          .family = &categorical(),
          .levels = levels_of_codes(x.schema(), column, extent)};
}

// Whole numbers over so wide a range may be rounded measurements: there the density at a whole
// number is about its probability, so that families of both kinds can be compared.
constexpr double kWide = 32;

std::vector<const Family*> likely_families(const Extent& extent) {
  const bool wide = extent.integers && extent.high - extent.low >= kWide;
  auto result = wide ? families_that_hold(extent) : comparable_families(extent);
  std::erase_if(result, [](const Family* family) {
    constexpr std::array<std::string_view, 3> kTouchy{"laplace", "student-t", "uniform"};
    return family->info().told > 0 || std::ranges::find(kTouchy, family->name()) != kTouchy.end();
  });
  return result;
}

// How well each feature by itself fits the rows, given their labels, and how well it tells these.
class Likelihoods {
 public:
  Likelihoods(const FeatureScores& scores, std::span<const double> log_prior)
      : scores_(&scores),
        log_prior_(log_prior),
        values(scores.features().size()),
        labels(values.size()) {}

  void accumulate(const Chunk& chunk) {
    const std::size_t k = log_prior_.size();
    std::vector<double> joint(usize(chunk.rows()) * k);
    for (std::size_t f = 0; f < values.size(); ++f) {
      for (std::size_t i = 0; i < joint.size(); ++i) joint[i] = log_prior_[i % k];
      scores_->add(f, chunk.x, joint);
      for (Index i = 0; i < chunk.rows(); ++i) {
        const std::span<const double> row(&joint[usize(i) * k], k);
        const std::size_t label = usize(chunk.labels[usize(i)]);
        const double marginal = log_sum(row);
        values[f] += chunk.weight(i) * (row[label] - log_prior_[label]);
        labels[f] += chunk.weight(i) * (marginal == -INFINITY ? marginal : row[label] - marginal);
      }
    }
  }
  void merge(const Likelihoods& next) {
    for (std::size_t f = 0; f < values.size(); ++f) {
      values[f] += next.values[f];
      labels[f] += next.labels[f];
    }
  }
  void write(Writer& writer) const {
    writer.put(values);
    writer.put(labels);
  }
  void read(Reader& reader) {
    reader.get(values);
    reader.get(labels);
  }
  Index words() const { return 2 * std::ssize(values); }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  const FeatureScores* scores_;
  std::span<const double> log_prior_;

 public:
  std::vector<double> values, labels;  // sums of log p(x_j | label) and of log p(label | x_j)
};

// The best of the candidates of each column, which lie together, buckets last.
std::vector<Feature> best_features(const std::vector<Feature>& candidates,
                                   const LabelledSample& sample, const Schema& schema,
                                   const Smoothing& smoothing, const Exec& exec) {
  MemorySource x = sample.source(schema);
  const Index k = count_classes(x);
  const ClassStatistics seen = fold(x, ClassStatistics(x, candidates, k), exec);
  const std::vector<double> log_prior = log_class_prior({}, seen.weight());
  const FeatureScores scores(candidates, estimate_features(candidates, seen, smoothing), k);
  const Likelihoods fits = fold(x, Likelihoods(scores, log_prior), exec);
  double rows = 0;
  for (const double w : seen.weight()) rows += w;
  const auto free = [&](std::size_t f) {
    const Feature& feature = candidates[f];
    const Index each = feature.family->free_parameters(feature.levels);
    return static_cast<double>(k * each + ssize(feature.cuts));
  };
  const auto fit = [&](std::size_t f) { return free(f) * std::log(rows) - 2 * fits.values[f]; };
  const auto prediction = [&](std::size_t f) { return 2 * free(f) - 2 * fits.labels[f]; };
  std::vector<Feature> result;
  std::size_t best = 0;
  for (std::size_t f = 0; f < candidates.size(); ++f) {
    const bool first = result.empty() || result.back().column != candidates[f].column;
    const bool better =
        !first && (candidates[f].buckets ? prediction(f) < prediction(best) : fit(f) < fit(best));
    if (!first && !better) continue;
    if (better) result.pop_back();
    result.push_back(candidates[f]);
    best = f;
  }
  return result;
}

// All values of a column, in memory.
std::vector<double> column_of(const LabelledSample& sample, Index column) {
  std::vector<double> values;
  copy_column(sample.x.view(), column, values);
  return values;
}

}  // namespace

std::vector<Feature> choose_features(Source& x, std::span<const Extent> extents,
                                     const FeatureChoice& choice, const Exec& exec) {
  const Schema& schema = x.schema();
  const std::vector<std::string> words = words_of(choice.family, schema);
  const auto [rows, columns] = x.shape();
  const Index k = count_classes(x);
  const Index size = std::clamp(kSampleValues / columns, kLeastSample, kSampleRows);
  const LabelledSample sample = draw_labelled(x, size, exec);
  std::vector<Feature> candidates;
  for (Index j = 0; j < columns; ++j) {
    const Extent& extent = extents[usize(j)];
    const std::string& word = words[usize(j)];
    if (is_category(schema, j) || word == categorical().name()) {
      candidates.push_back(codes(x, j, extent, exec));
      continue;
    }
    if (const Family* family = find_family(word)) {
      check_held(x, j, *family, extent, exec);
      candidates.push_back({.column = j, .family = family});
      continue;
    }
    check_held(x, j, get_family("gaussian"), extent, exec);
    const std::vector<double> values = column_of(sample, j);
    Extent sampled;
    sampled.add(values);
    if (one_value(extent) || (word == kAuto && one_value(sampled))) {
      candidates.push_back(buckets(j, extent, {}));
    } else if (word == kWidth) {
      candidates.push_back(
          buckets(j, extent, equal_width_cuts(extent.low, extent.high, choice.n_buckets)));
    } else if (word == kFrequency) {
      candidates.push_back(
          buckets(j, extent, equal_frequency_cuts(values, sample.weights, choice.n_buckets)));
    } else {
      if (word == kAuto && holds(Support::kBinary, extent)) {
        candidates.push_back({.column = j, .family = &get_family("bernoulli")});
        continue;
      }
      if (word == kAuto) {
        for (const Family* family : likely_families(extent)) {
          // What keeps every value is for small tables.
          const bool keeps = std::holds_alternative<Values>(family->empty());
          if (keeps && rows > size) continue;
          candidates.push_back({.column = j, .family = family});
        }
      }
      std::vector<double> cuts = label_cuts(values, sample.weights, sample.labels, k);
      if (word == kLabels || !cuts.empty()) candidates.push_back(buckets(j, extent, cuts));
    }
  }
  return best_features(candidates, sample, schema, choice.smoothing, exec);
}

std::vector<Feature> categorical_features(Source& x, std::span<const Extent> extents, Index least,
                                          const Exec& exec) {
  std::vector<Feature> features;
  for (Index j = 0; j < x.shape().cols; ++j) {
    features.push_back(codes(x, j, extents[usize(j)], exec));
    if (!is_category(x.schema(), j))
      features.back().levels = std::max(features.back().levels, least);
  }
  return features;
}

void check_features(Source& x, std::vector<Feature>& features, const Exec& exec) {
  const std::vector<Extent> extents = find_extents(x, exec);
  for (Feature& feature : features) {
    const Extent& extent = extents[usize(feature.column)];
    const Family& holder = feature.buckets ? get_family("gaussian") : *feature.family;
    const bool named = is_category(x.schema(), feature.column);
    if (!named) check_held(x, feature.column, holder, extent, exec);
    if (feature.categories() && !feature.buckets && !named) {
      feature.levels =
          std::max(feature.levels, levels_of_codes(x.schema(), feature.column, extent));
    }
  }
}

std::string listed(std::span<const Feature> features, const Schema& schema) {
  std::vector<std::string> names;
  for (const Feature& f : features) {
    names.push_back(fmt::format("{}: {}", schema.name(f.column), f.name()));
  }
  return listed(names, 20);
}

}  // namespace craton
