#include "craton/tables/design.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "craton/base/error.h"
#include "craton/base/parameters.h"

// A design as the numbers of a model file, and back: docs/model-file.md.

namespace craton {
namespace {

constexpr Index kMostLevelsGiven = Index{1} << 30;  // of a column
constexpr std::array<std::string_view, 6> kNames{"terms.levels", "terms.seen",    "terms.reference",
                                                 "terms.unseen", "terms.factors", "terms.sparse"};
constexpr Index kAllLevels = 0, kButReference = -1;  // in the place of a power

}  // namespace

std::vector<Parameter> Design::parameters() const {
  std::vector<double> levels, seen, reference, unseen, factors;
  for (const Given& column : columns_) {
    levels.push_back(column.category ? static_cast<double>(column.levels) : -1);
    for (Index code = 0; code < column.levels; ++code) {
      seen.push_back(!column.seen.empty() && column.places[usize(code)] >= 0 ? 1 : 0);
    }
    const bool used = !column.seen.empty();
    reference.push_back(used ? static_cast<double>(column.seen[usize(column.reference)]) : -1);
    unseen.push_back(static_cast<double>(column.unseen));
  }
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    for (const Part::Of& f : parts_[p].factors) {
      const Index power = f.power > 0 ? f.power : f.all ? kAllLevels : kButReference;
      factors.insert(factors.end(), {static_cast<double>(p), static_cast<double>(f.column),
                                     static_cast<double>(power)});
    }
  }
  const Index d = ssize(columns_), rows = ssize(factors) / 3;
  std::vector<Parameter> result;
  const auto add = [&](std::size_t name, const char* help, std::vector<Index> shape,
                       std::vector<double> values) {
    if (values.empty()) return;
    result.push_back({std::string(kNames[name]), help, {std::move(shape), std::move(values)}});
  };
  const Index codes = ssize(seen);
  add(0, "how many levels each column has; -1: numbers", {d}, std::move(levels));
  add(1, "whether a row of the fit had it: of each level of each column", {codes}, std::move(seen));
  add(2, "the level of each column that others are compared with; -1: none", {d},
      std::move(reference));
  add(3,
      "the level of each column that one not seen is taken for; -1: it is refused, -2: it is "
      "none of the levels, -3: it is missing",
      {d}, std::move(unseen));
  add(4,
      "of each factor of each product the product, the column, and its power; 0: its levels, "
      "-1: all but one",
      {rows, 3}, std::move(factors));
  if (sparse_) add(5, "rows of terms are sparse", {1}, {1});
  return result;
}

namespace {

[[noreturn]] void fail_term(std::string_view name, const char* why) {
  fail_parameters(fmt::format("'{}' {}", name, why));
}

Index whole(std::string_view name, double v, Index low, Index high) {
  const bool fine =
      v >= static_cast<double>(low) && v <= static_cast<double>(high) && v == std::floor(v);
  if (!fine) fail_term(name, "has a number that makes no sense");
  return static_cast<Index>(v);
}

}  // namespace

std::optional<Design> Design::from_parameters(std::span<const Parameter> parameters,
                                              Index outputs) {
  std::array<const Array*, kNames.size()> found{};
  bool any = false;
  for (const Parameter& p : parameters) {
    if (!is_parameter(p.name)) continue;
    any = true;
    const auto at = usize(std::find(kNames.begin(), kNames.end(), p.name) - kNames.begin());
    if (at == kNames.size()) fail_term(p.name, "is not known");
    if (p.text) fail_term(p.name, "has the wrong type");
    if (found[at] != nullptr) fail_term(p.name, "is there twice");
    found[at] = &p.value;
  }
  if (!any) return std::nullopt;
  const auto array = [&](std::size_t name, std::vector<Index> shape) -> const std::vector<double>& {
    static const std::vector<double> kEmpty;
    if (found[name] == nullptr && shape[0] == 0) return kEmpty;
    if (found[name] == nullptr) fail_term(kNames[name], "is missing");
    if (shape[0] < 0) shape[0] = found[name]->rows();
    if (found[name]->shape != shape) fail_term(kNames[name], "has the wrong shape");
    return found[name]->values;
  };

  Design result;
  const std::vector<double>& levels = array(0, {-1});
  const Index d = ssize(levels);
  Index codes = 0;
  for (const double v : levels) {
    const Index count = whole(kNames[0], v, -1, kMostLevelsGiven);
    result.columns_.push_back({.category = count >= 0, .levels = std::max<Index>(0, count)});
    codes += result.columns_.back().levels;
  }
  const std::vector<double>& seen = array(1, {codes});
  const std::vector<double>& reference = array(2, {d});
  const std::vector<double>& unseen = array(3, {d});
  std::size_t next = 0;
  for (Index j = 0; j < d; ++j) {
    Given& column = result.columns_[usize(j)];
    for (Index code = 0; code < column.levels; ++code) {
      const bool is_seen = whole(kNames[1], seen[next++], 0, 1) == 1;
      column.places.push_back(is_seen ? ssize(column.seen) : -1);
      if (is_seen) column.seen.push_back(code);
    }
    const auto known = [&](Index code) { return column.places[usize(code)] >= 0; };
    const bool used = !column.seen.empty();
    const Index last = used ? column.levels - 1 : -1;
    const Index code = whole(kNames[2], reference[usize(j)], used ? 0 : -1, last);
    if (used && !known(code)) fail_term(kNames[2], "names a level that is not seen");
    column.reference = used ? column.places[usize(code)] : 0;
    column.unseen = whole(kNames[3], unseen[usize(j)], used ? kMissing : kRefused, last);
    if (column.unseen >= 0 && !known(column.unseen)) {
      fail_term(kNames[3], "names a level that is not seen");
    }
  }

  const std::vector<double>& factors = array(4, {-1, 3});
  for (std::size_t f = 0; f < factors.size(); f += 3) {
    const Index parts = ssize(result.parts_);
    const Index part = whole(kNames[4], factors[f], std::max<Index>(0, parts - 1), parts);
    const Index column = whole(kNames[4], factors[f + 1], 0, d - 1);
    const double power = factors[f + 2];
    if (part == parts) result.parts_.emplace_back();
    std::vector<Part::Of>& own = result.parts_.back().factors;
    for (const Part::Of& other : own) {
      if (other.column == column) fail_term(kNames[4], "multiplies a column by itself");
    }
    if (own.size() == kMostFactors) fail_term(kNames[4], "has a product of too many columns");
    const Given& given = result.columns_[usize(column)];
    if (given.category) {
      if (given.seen.empty()) fail_term(kNames[4], "has a category without levels");
      own.push_back({.column = column,
                     .all = whole(kNames[4], power, kButReference, kAllLevels) == kAllLevels});
    } else {
      own.push_back({.column = column, .power = whole(kNames[4], power, 1, kMostPower)});
    }
  }
  result.sparse_ = found[5] != nullptr && whole(kNames[5], array(5, {1})[0], 0, 1) == 1;
  result.outputs_ = result.lay_out();
  const auto empty = [](const Part& part) { return part.width == 0; };
  if (std::any_of(result.parts_.begin(), result.parts_.end(), empty)) {
    fail_term(kNames[4], "has a product without columns");
  }
  if (result.outputs_ != outputs || outputs > kMostSparse) {
    fail_term(kNames[4], "makes another number of columns than the model has");
  }
  return result;
}

}  // namespace craton
