#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/classes/class_prior.h"
#include "craton/classes/class_product.h"

// What was learned, as arrays for model files.

namespace craton {
namespace {

// A whole number in [low, high], or the file is damaged.
Index whole(double value, double low, double high, const char* what) {
  if (value == std::floor(value) && value >= low && value <= high) return static_cast<Index>(value);
  fail_parameters(fmt::format("{} is not a whole number from {} to {}", what, low, high));
}

double place_of(const Family* family) {
  const auto all = families();
  return static_cast<double>(std::ranges::find(all, family) - all.begin());
}

}  // namespace

// A line for each column: the place of its family, levels, is it buckets, how many cuts, the ends;
// then, column after column, its cuts and its parameters, class after class.
std::vector<Parameter> ClassProduct::parameters() const {
  Array lines{{columns(), 6}, {}}, values;
  for (std::size_t j = 0; j < features().size(); ++j) {
    const Feature& f = features()[j];
    lines.values.insert(lines.values.end(),
                        {place_of(f.family), static_cast<double>(f.levels), f.buckets ? 1.0 : 0.0,
                         static_cast<double>(f.cuts.size()), f.low, f.high});
    values.values.insert(values.values.end(), f.cuts.begin(), f.cuts.end());
    for (Index c = 0; c < classes(); ++c) {
      const Parameters& theta = scores_.of(j, usize(c));
      values.values.insert(values.values.end(), theta.begin(), theta.end());
    }
  }
  values.shape = {std::ssize(values.values)};
  return {{"class_log_prior", "log probability of each class", class_log_prior_},
          {"features",
           "of each column: the place of its family, levels, whether they are buckets, number of "
           "cuts, least and greatest value of buckets",
           lines},
          {"values", "of each column: its cuts, and its parameters, class after class", values}};
}

ClassProduct ClassProduct::from_parameters(std::span<const Parameter> parameters) {
  const Array& prior = get_parameter(parameters, "class_log_prior", std::array<Index, 1>{-1});
  const Array& lines = get_parameter(parameters, "features", std::array<Index, 2>{-1, 6});
  const Array& values = get_parameter(parameters, "values", std::array<Index, 1>{-1});
  check_log_prior(prior.values);
  if (lines.empty()) fail_parameters("there are no columns");
  const auto all = families();
  std::size_t at = 0;
  const auto take = [&](std::size_t count) {
    if (count > values.values.size() - at) fail_parameters("there are too few values");
    const auto first = values.values.begin() + static_cast<Index>(at);
    at += count;
    return std::vector<double>(first, first + static_cast<Index>(count));
  };
  std::vector<Feature> features;
  std::vector<Parameters> thetas;
  for (Index j = 0; j < lines.rows(); ++j) {
    const double* line = lines.view().row(j);
    Feature f{.column = j};
    f.family = all[usize(whole(line[0], 0, static_cast<double>(all.size() - 1), "a family"))];
    const bool category = f.family->info().support == Support::kCategory;
    const double most = category ? static_cast<double>(kMostLevels) : 0;
    f.levels = whole(line[1], category ? 1 : 0, most, "a number of levels");
    f.buckets = whole(line[2], 0, category ? 1 : 0, "the mark of buckets") == 1;
    const double inner = f.buckets ? static_cast<double>(f.levels - 1) : 0;
    f.cuts = take(usize(whole(line[3], inner, inner, "a number of cuts")));
    f.low = line[4];
    f.high = line[5];
    std::vector<double> ends = f.cuts;
    ends.insert(ends.begin(), f.low);
    ends.push_back(f.high);
    const bool ascend = f.cuts.empty() ? f.low <= f.high : std::ranges::is_sorted(ends);
    const bool finite = std::ranges::all_of(ends, [](double v) { return std::isfinite(v); });
    if (!finite || !ascend || !(std::isfinite(f.high - f.low)))
      fail_parameters("the buckets of a column make no sense");
    const std::size_t count = category ? usize(f.levels) : f.family->info().parameters.size();
    for (Index c = 0; c < prior.rows(); ++c) {
      thetas.push_back(take(count));
      const Parameters& theta = thetas.back();
      if (!f.family->valid(theta) || (!category && !within_reach(*f.family, theta))) {
        fail_parameters(fmt::format("the parameters of a {} family are not valid", f.name()));
      }
    }
    features.push_back(std::move(f));
  }
  if (at != values.values.size()) {
    fail_parameters("there are more values than columns use");
  }
  return ClassProduct(prior, std::move(features), std::move(thetas));
}

}  // namespace craton
