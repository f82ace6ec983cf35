#include "craton/families/family.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace craton {
namespace {

// The narrowest first, as families_that_hold() lists them.
constexpr std::array kNarrowestFirst{Support::kBinary,   Support::kUnit,        Support::kCounts,
                                     Support::kPositive, Support::kNonNegative, Support::kReal};

}  // namespace

bool holds(Support support, double x) {
  if (!std::isfinite(x)) return false;
  switch (support) {
    case Support::kReal:
    case Support::kAngle:
      return true;
    case Support::kPositive:
      return x > 0;
    case Support::kNonNegative:
      return x >= 0;
    case Support::kUnit:
      return x > 0 && x < 1;
    case Support::kCounts:
    case Support::kCategory:
      return x >= 0 && x <= kGreatestCount && x == std::floor(x);
    case Support::kBinary:
      return x == 0 || x == 1;
  }
  return false;
}

std::string_view to_text(Support support) {
  switch (support) {
    case Support::kReal:
      return "finite numbers";
    case Support::kAngle:
      return "angles, in radians";
    case Support::kPositive:
      return "numbers above 0";
    case Support::kNonNegative:
      return "numbers from 0 up";
    case Support::kUnit:
      return "numbers between 0 and 1, without these";
    case Support::kCounts:
      return "counts: 0, 1, 2, ... up to 2^53";
    case Support::kCategory:
      return "codes of levels: 0, 1, 2, ...";
    case Support::kBinary:
      return "0 and 1";
  }
  return "";
}

Parameters Family::moved(std::span<const double> parameters, const Coordinate& at) const {
  CRATON_ASSERT(at == Coordinate{});
  return {parameters.begin(), parameters.end()};
}

std::vector<std::string> Family::parameter_names(Index levels) const {
  std::vector<std::string> names;
  for (const ParameterInfo& parameter : info().parameters) names.emplace_back(parameter.name);
  if (info().support != Support::kCategory) return names;
  const std::string one = names.front();
  names.clear();
  for (Index i = 0; i < levels; ++i) names.push_back(fmt::format("{}[{}]", one, i));
  return names;
}

Index Family::free_parameters(Index levels) const {
  if (info().support == Support::kCategory) return levels - 1;
  if (info().keeps_values) return 0;
  return std::ssize(info().parameters) - info().told;
}

std::vector<NamedNumber> Family::summary(std::span<const double> parameters) const {
  std::vector<NamedNumber> all;
  const std::vector<std::string> names = parameter_names(std::ssize(parameters));
  for (std::size_t i = 0; i < names.size(); ++i) all.push_back({names[i], parameters[i]});
  return all;
}

const Family* find_family(std::string_view name) {
  const auto all = families();
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const Family* f) { return f->name() == name; });
  return at == all.end() ? nullptr : *at;
}

const Family& get_family(std::string_view name) {
  if (const Family* family = find_family(name)) return *family;
  std::vector<std::string> names;
  std::string list;
  for (const Family* family : families()) {
    list += (names.empty() ? "" : ", ") + std::string(family->name());
    names.emplace_back(family->name());
  }
  const std::string near = did_you_mean(name, names);
  throw InputError(Code::kUnknownName, {}, fmt::format("there is no family '{}'", name),
                   near.empty() ? fmt::format("The families are {}.", list) : near);
}

bool within_reach(const Family& family, std::span<const double> theta) {
  if (family.info().keeps_values) return true;  // all that is valid
  std::vector<double> x(3);
  family.quantile(std::array{1e-12, 0.5, 1 - 1e-12}, theta, x);
  for (const double edge : {0.0, 1.0, -1e3, 1e-310, 1e100}) x.push_back(edge);
  std::vector<double> log_density(x.size());
  family.log_density(x, theta, log_density);
  const auto finite = [](double v) { return std::isfinite(v); };
  const auto nan = [](double v) { return std::isnan(v); };
  return std::all_of(x.begin(), x.end(), finite) && finite(log_density[1]) &&
         std::none_of(log_density.begin(), log_density.end(), nan);
}

Index first_outside(const Family& family, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isnan(values[i]) && !holds(family.info().support, values[i])) {
      return static_cast<Index>(i);
    }
  }
  return -1;
}

void Extent::add(std::span<const double> values) {
  for (const double x : values) {
    if (std::isnan(x)) continue;
    low = std::min(low, x);
    high = std::max(high, x);
    integers = integers && x == std::floor(x);
  }
}

void Extent::merge(const Extent& next) {
  low = std::min(low, next.low);
  high = std::max(high, next.high);
  integers = integers && next.integers;
}

bool holds(Support support, const Extent& extent) {
  const bool whole =
      support == Support::kBinary || support == Support::kCounts || support == Support::kCategory;
  return holds(support, extent.low) && holds(support, extent.high) && (!whole || extent.integers);
}

std::vector<const Family*> families_that_hold(const Extent& extent) {
  std::vector<const Family*> found;
  for (const Support support : kNarrowestFirst) {
    if (!holds(support, extent)) continue;
    for (const Family* family : families()) {
      if (family->info().support == support) found.push_back(family);
    }
  }
  return found;
}

void fail_support(const Family& family, double value, const Place& place, const Extent& column) {
  std::string names;
  for (const Family* fits : families_that_hold(column)) {
    names += (names.empty() ? "" : ", ") + std::string(fits->name());
  }
  throw InputError(
      Code::kOutsideSupport, place,
      fmt::format("the value {} is outside the support of the {} family, which takes {}", value,
                  family.name(), to_text(family.info().support)),
      names.empty() ? "No family takes such values: leave them out."
                    : fmt::format("These families take all values of the column: {}.", names));
}

}  // namespace craton
