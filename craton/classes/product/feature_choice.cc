#include "craton/classes/product/feature_choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "craton/base/error.h"
#include "craton/classes/class_prior.h"
#include "craton/classes/product/best_features.h"
#include "craton/classes/product/buckets.h"
#include "craton/classes/product/feature_words.h"
#include "craton/density/density_passes.h"

namespace craton {
namespace {

// Families are chosen, and buckets cut, by at most so many rows, and values.
constexpr Index kSampleRows = 1 << 16, kSampleValues = 1 << 23, kLeastSample = 1 << 10;

const Family& categorical() { return get_family("categorical"); }

Index sample_rows(const Source& x) {
  return std::clamp(kSampleValues / x.shape().cols, kLeastSample, kSampleRows);
}

bool is_category(const Schema& schema, Index column) {
  return schema.column(column).kind == ColumnKind::kCategory;
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

[[noreturn]] void fail_no_labels() {
  throw InputError(Code::kBadOption, {},
                   "family: 'mdl' cuts where labels change, and there are none",
                   "Give 'equal-width', 'equal-frequency' or a family.");
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
    return std::max<Index>(1, ssize(schema.column(column).levels));
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
constexpr double kWideCounts = 32;

std::vector<const Family*> likely_families(const Extent& extent) {
  const bool wide = extent.integers && extent.high - extent.low >= kWideCounts;
  auto result = wide ? families_that_hold(extent) : comparable_families(extent);
  std::erase_if(result, [](const Family* family) {
    constexpr std::array<std::string_view, 3> kTouchy{"laplace", "student-t", "uniform"};
    return family->info().told > 0 || family->info().keeps_values ||
           std::ranges::find(kTouchy, family->name()) != kTouchy.end();
  });
  return result;
}

// All values of a column, in memory.
std::vector<double> column_of(const LabelledSample& sample, Index column) {
  std::vector<double> values;
  copy_column(sample.x.view(), column, values);
  return values;
}

}  // namespace

void check_shared(const std::string& text, const Schema& schema) {
  const std::vector<std::string> words = words_of(text, schema);
  for (Index j = 0; j < ssize(words); ++j) {
    const Family* family = find_family(words[usize(j)]);
    if (family == nullptr || !family->info().keeps_values || is_category(schema, j)) continue;
    throw InputError(
        Code::kBadOption, {},
        fmt::format("family: '{}' is not allowed in a mixture: rows belong to all its components, "
                    "and each would keep its own kernel where it is",
                    family->name()),
        {"Give auto or another family; rows with labels may have kernels in {}, and a density "
         "without components in {} or {}.",
         Ref::either("'craton fit nb'", "NaiveBayes"),
         Ref::either("'craton fit density'", "Density"),
         Ref::either("'craton fit kde'", "KernelDensity")});
  }
}

std::vector<Feature> choose_features(Source& x, std::span<const Extent> extents,
                                     const FeatureChoice& choice, const Exec& exec) {
  words_of(choice.family, x.schema());  // wrong words first: they are quick to find
  if (x.shape().cols == 0) return {};
  const Index k = count_classes(x);
  return choose_features(x, extents, choice, draw_labelled(x, sample_rows(x), exec), k, exec);
}

std::vector<Feature> choose_features(Source& x, std::span<const Extent> extents,
                                     const FeatureChoice& choice, const LabelledSample& sample,
                                     Index classes, const Exec& exec) {
  const Schema& schema = x.schema();
  const std::vector<std::string> words = words_of(choice.family, schema);
  const auto [rows, columns] = x.shape();
  if (columns == 0) return {};  // of a text alone
  const Index size = sample_rows(x);
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
    if (one_value(extent) || (word == kAutoWord && one_value(sampled))) {
      candidates.push_back(buckets(j, extent, {}));
    } else if (word == kEqualWidth) {
      candidates.push_back(
          buckets(j, extent, equal_width_cuts(extent.low, extent.high, choice.n_buckets)));
    } else if (word == kEqualFrequency) {
      candidates.push_back(
          buckets(j, extent, equal_frequency_cuts(values, sample.weights, choice.n_buckets)));
    } else {
      if (word == kAutoWord && holds(Support::kBinary, extent)) {
        candidates.push_back({.column = j, .family = &get_family("bernoulli")});
        continue;
      }
      if (word == kAutoWord) {
        for (const Family* family : likely_families(extent)) {
          // What keeps every value is for small tables.
          const bool keeps = std::holds_alternative<Values>(family->empty());
          if (keeps && (rows > size || !choice.by_labels)) continue;
          candidates.push_back({.column = j, .family = family});
        }
      }
      if (!choice.by_labels) {
        if (word == kByLabels) fail_no_labels();
        continue;
      }
      std::vector<double> cuts = label_cuts(values, sample.weights, sample.labels, classes);
      if (word == kByLabels || !cuts.empty()) candidates.push_back(buckets(j, extent, cuts));
    }
  }
  Schema of_sample = schema;
  of_sample.inner.clear();
  if (!of_sample.target) of_sample.target = Column{"group", ColumnKind::kCategory, {}};
  of_sample.target->levels.resize(usize(classes));
  return best_features(candidates, sample, of_sample, choice.smoothing, exec);
}

std::vector<Feature> categorical_features(Source& x, std::span<const Extent> extents,
                                          std::span<const Index> least, const Exec& exec) {
  std::vector<Feature> features;
  for (Index j = 0; j < x.shape().cols; ++j) {
    features.push_back(codes(x, j, extents[usize(j)], exec));
    if (!is_category(x.schema(), j))
      features.back().levels = std::max(features.back().levels, least[usize(j)]);
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
