#include "craton/classes/feature_estimates.h"

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "craton/core/error.h"
#include "craton/families/prior.h"

namespace craton {
namespace {

// The same rows, each with its weight times a factor.
template <class S>
S scaled(S s, double factor) {
  s.weight *= factor;
  if constexpr (requires { s.sum; }) s.sum *= factor;
  if constexpr (requires { s.square; }) s.square *= factor;
  if constexpr (requires { s.log_sum; }) s.log_sum *= factor;
  if constexpr (requires { s.log_square; }) s.log_square *= factor;
  if constexpr (requires { s.log_complement; }) s.log_complement *= factor;
  if constexpr (requires { s.cosine; }) s.cosine *= factor;
  if constexpr (requires { s.sine; }) s.sine *= factor;
  return s;
}

// What a few rows of the whole column tell. Of a range, one row would tell all; and the values of a
// column are too many to repeat for each class.
Prior rows_of(const Statistics& column, double rows) {
  if (rows == 0 || std::holds_alternative<Range>(column) ||
      std::holds_alternative<Values>(column)) {
    return {};
  }
  const double factor = rows / weight(column);
  return {.rows =
              std::visit([&](const auto& s) -> Statistics { return scaled(s, factor); }, column)};
}

// To stand for a column without values.
std::array<double, 2> two_values(Support support) {
  if (support == Support::kCounts) return {0, 1};
  return {0.5, support == Support::kUnit ? 0.75 : 1};
}

double variance_of(const Statistics& column) {
  const auto* moments = std::get_if<Moments>(&column);
  return moments == nullptr ? 0 : moments->variance();
}

}  // namespace

std::vector<Parameters> estimate_features(std::span<const Feature> features,
                                          const ClassStatistics& statistics,
                                          const Smoothing& smoothing) {
  std::vector<Parameters> result;
  const auto classes = usize(statistics.classes());
  for (std::size_t f = 0; f < features.size(); ++f) {
    const Feature& feature = features[f];
    const Family& family = *feature.family;
    Statistics column = statistics.of_all_classes(f);
    Estimation how;
    const bool outcomes = feature.categories() || family.info().support == Support::kBinary;
    if (outcomes) {
      const Index levels = feature.categories() ? feature.levels : 2;
      if (smoothing.alpha > 0) how.prior = lidstone(family, smoothing.alpha, levels);
      if (weight(column) == 0) column = *lidstone(family, 1, levels).rows;
    } else {
      if (weight(column) == 0) family.accumulate(two_values(family.info().support), {}, column);
      how.prior = rows_of(column, smoothing.prior_rows);
      how.least_spread = std::sqrt(smoothing.var_smoothing * variance_of(column));
    }
    for (std::size_t c = 0; c < classes; ++c) {
      const Statistics& seen = statistics.of(f, c);
      const bool some = weight(seen) > 0 || how.prior.rows.has_value();
      result.push_back(family.estimate(some ? seen : column, how));
      if (!family.valid(result.back())) {
        throw InputError(Code::kNotFinite, {.column = std::to_string(feature.column + 1)},
                         fmt::format("the values are too large, or lie too far apart, for the {} "
                                     "family",
                                     family.name()),
                         "Give the column in other units, or another family.");
      }
    }
  }
  return result;
}

}  // namespace craton
