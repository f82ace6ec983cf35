#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/classes/product_bayes.h"
#include "craton/core/digits.h"
#include "craton/core/error.h"
#include "craton/density/density_passes.h"

// What was learned, as arrays for model files and as tables for people.

namespace craton {
namespace {

// Of a table for people.
constexpr Index kMostClasses = 6;
constexpr std::size_t kMostShown = 4;

// A whole number in [low, high], or the file is damaged.
Index whole(double value, double low, double high, const char* what) {
  if (value == std::floor(value) && value >= low && value <= high) return static_cast<Index>(value);
  fail_parameters(fmt::format("{} is not a whole number from {} to {}", what, low, high));
}

double place_of(const Family* family) {
  const auto all = families();
  return static_cast<double>(std::ranges::find(all, family) - all.begin());
}

std::string short_number(double value) { return shown_beside(value, 0, 4); }

std::string level_name(const Feature& feature, const Schema& schema, Index level) {
  if (feature.buckets) {
    const auto [from, to] = feature.ends(level);
    if (level == 0) return fmt::format("< {}", short_number(to));
    if (level + 1 == feature.levels) return fmt::format(">= {}", short_number(from));
    return fmt::format("{} to {}", short_number(from), short_number(to));
  }
  const Column& column = schema.columns[usize(feature.column)];
  return usize(level) < column.levels.size() ? column.levels[usize(level)] : std::to_string(level);
}

// "mean 3.1, variance 0.2"; of categories, the most probable.
std::string shown(const Feature& feature, const Schema& schema, const Parameters& theta) {
  std::string text;
  const auto add = [&](const std::string& name, double value) {
    text += (text.empty() ? "" : ", ") + name + " " + short_number(value);
  };
  if (!feature.categories()) {
    const std::vector<std::string> names = feature.family->parameter_names();
    for (std::size_t i = 0; i < names.size(); ++i) add(names[i], theta[i]);
    return text;
  }
  std::vector<std::size_t> order(theta.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return theta[a] > theta[b]; });
  for (std::size_t i = 0; i < std::min(order.size(), kMostShown); ++i) {
    add(level_name(feature, schema, static_cast<Index>(order[i])), theta[order[i]]);
  }
  return text + (order.size() > kMostShown ? ", ..." : "");
}

}  // namespace

// A line for each column: the place of its family, levels, is it buckets, how many cuts, the ends;
// then, column after column, its cuts and its parameters, class after class.
template <ProductModel kModel>
std::vector<Parameter> ProductBayes<kModel>::parameters() const {
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

template <ProductModel kModel>
ProductBayes<kModel> ProductBayes<kModel>::from_parameters(std::span<const Parameter> parameters) {
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
  return ProductBayes(prior, FeatureScores(std::move(features), std::move(thetas), prior.rows()));
}

template <ProductModel kModel>
std::vector<SummaryTable> ProductBayes<kModel>::summary(const Schema& schema) const {
  SummaryTable prior{"classes", {"class", "probability"}, {}};
  SummaryTable table{"columns", {"column", "family", "class", "parameters"}, {}};
  for (Index c = 0; c < classes(); ++c) {
    const double p = std::exp(class_log_prior_.values[usize(c)]);
    prior.rows.push_back({label_name(schema, c), short_number(p)});
  }
  for (Index j = 0; j < columns(); ++j) {
    const Feature& f = features()[usize(j)];
    for (Index c = 0; c < std::min(classes(), kMostClasses); ++c) {
      table.rows.push_back({c == 0 ? schema.name(j) : "", c == 0 ? f.name() : "",
                            label_name(schema, c), shown(f, schema, of(j, c))});
    }
    if (classes() > kMostClasses) table.rows.push_back({"", "", "...", ""});
  }
  return {prior, table};
}

#define CRATON_INSTANTIATE(M)                                \
  template std::vector<Parameter> M::parameters() const;     \
  template M M::from_parameters(std::span<const Parameter>); \
  template std::vector<SummaryTable> M::summary(const Schema&) const;
CRATON_INSTANTIATE(NaiveBayes)
CRATON_INSTANTIATE(CategoricalNB)

}  // namespace craton
