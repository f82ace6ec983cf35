#include "craton/classes/product/feature.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/density/density_passes.h"

namespace craton {

std::string Feature::name() const {
  if (!buckets) return std::string(family->name());
  return fmt::format("{} bucket{}", levels, levels == 1 ? "" : "s");
}

std::pair<double, double> Feature::ends(Index bucket) const {
  return {bucket == 0 ? low : cuts[usize(bucket - 1)],
          bucket == levels - 1 ? high : cuts[usize(bucket)]};
}

double Feature::log_width(Index bucket) const {
  const auto [from, to] = ends(bucket);
  return to > from ? std::log(to - from) : 0;  // of a column that is one value
}

void encode(const Feature& feature, std::span<double> values) {
  if (!feature.categories()) return;
  const auto levels = static_cast<double>(feature.levels);
  for (double& v : values) {
    if (std::isnan(v)) continue;
    if (feature.buckets) {
      const auto after = std::upper_bound(feature.cuts.begin(), feature.cuts.end(), v);
      v = static_cast<double>(after - feature.cuts.begin());
    } else if (!(v >= 0 && v < levels && v == std::floor(v))) {
      v = NAN;
    }
  }
}

FeatureScores::FeatureScores(std::vector<Feature> features, std::vector<Parameters> parameters,
                             Index classes)
    : classes_(usize(classes)),
      features_(std::move(features)),
      parameters_(std::move(parameters)),
      tables_(features_.size()) {
  for (std::size_t f = 0; f < features_.size(); ++f) {
    const Feature& feature = features_[f];
    for (std::size_t c = 0; c < classes_; ++c) {
      lines_.push_back(kernel_line(*feature.family, of(f, c)));
    }
    for (Index level = 0; level < feature.levels; ++level) {
      const double log_width = feature.buckets ? feature.log_width(level) : 0;
      for (std::size_t c = 0; c < classes_; ++c) {
        tables_[f].push_back(std::log(of(f, c)[usize(level)]) - log_width);
      }
    }
  }
}

void FeatureScores::add(std::size_t f, const Matrix& x, std::span<double> out) const {
  const Feature& feature = features_[f];
  std::vector<double> values;
  copy_column(x, feature.column, values);
  encode(feature, values);
  if (feature.categories()) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) continue;
      const double* row = &tables_[f][static_cast<std::size_t>(values[i]) * classes_];
      for (std::size_t c = 0; c < classes_; ++c) out[i * classes_ + c] += row[c];
    }
    return;
  }
  std::vector<double> part(values.size());
  for (std::size_t c = 0; c < classes_; ++c) {
    log_density(*feature.family, line(f, c).get(), of(f, c), values, part);
    for (std::size_t i = 0; i < part.size(); ++i) out[i * classes_ + c] += part[i];
  }
}

}  // namespace craton
