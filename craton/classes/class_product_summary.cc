#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/classes/class_product.h"
#include "craton/core/digits.h"

// What was learned, for people.

namespace craton {
namespace {

// Of a table for people.
constexpr Index kMostClasses = 6;
constexpr std::size_t kMostShown = 4;

std::string short_number(double value) { return shown_beside(value, 0, 4); }

std::string level_name(const Feature& feature, const Schema& schema, Index level) {
  if (feature.buckets) {
    const auto [from, to] = feature.ends(level);
    if (level == 0) return fmt::format("< {}", short_number(to));
    if (level + 1 == feature.levels) return fmt::format(">= {}", short_number(from));
    return fmt::format("{} to {}", short_number(from), short_number(to));
  }
  const Column column = schema.column(feature.column);
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

std::vector<SummaryTable> ClassProduct::summary(const Schema& schema, std::string_view word) const {
  const std::string name(word);
  SummaryTable prior{name == "class" ? "classes" : name + "s", {name, "probability"}, {}};
  SummaryTable table{"columns", {"column", "family", name, "parameters"}, {}};
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

}  // namespace craton
