#include "craton/tables/labels.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "craton/base/row_of.h"
#include "craton/engine/fold.h"

namespace craton {
namespace {

// A set of numbers: those that are not missing.
class DistinctValues {
 public:
  DistinctValues(const Source& x, Index from) : x_(&x), from_(from) {}
  const std::vector<double>& values() const { return values_; }

  void accumulate(const Chunk& chunk) {
    for (Index i = 0; i < chunk.rows(); ++i) {
      const double value =
          from_ == kTargets
              ? chunk.targets[usize(i)]
              : std::visit([&](const auto& x) { return value_at(x, i, from_); }, chunk.x);
      if (!std::isnan(value)) add(value, chunk.first_row + i);
    }
  }
  void merge(const DistinctValues& next) {
    for (const double value : next.values_) add(value, -1);
  }
  void write(Writer& w) const { w.put(values_); }
  void read(Reader& r) { r.get(values_); }
  Index words() const { return 1; }
  Merge merge_kind() const { return Merge::kExact; }

 private:
  void add(double value, Index row) {
    const auto at = std::lower_bound(values_.begin(), values_.end(), value);
    if (at != values_.end() && *at == value) return;
    if (ssize(values_) == kMostClasses) {
      Place place = row < 0 ? Place{.file = x_->name()} : x_->place_of(row);
      if (from_ != kTargets) place.column = x_->schema().name(from_);
      throw InputError(
          Code::kBadTarget, place,
          fmt::format("the target has more than {} different values", kMostClasses),
          {"Classes are few: {}. Measurements are for models of numbers; {} lists them.",
           Ref::either("name another column with --target", "give another y"),
           Ref::verb("models")});
    }
    values_.insert(at, value + 0.0);  // -0 is 0
  }
  const Source* x_;
  Index from_;
  std::vector<double> values_;
};

std::vector<double> distinct_values(Source& x, Index from, const Exec& exec) {
  return fold(x, DistinctValues(x, from), exec).values();
}

Column column_of(const Source& x, Index from) {
  return from == kTargets ? Column{"target"} : x.schema().column(from);
}

std::string name_of(const Column& column, double value) {
  if (column.kind == ColumnKind::kCategory) return column.levels[static_cast<std::size_t>(value)];
  return fmt::format("{}", value);
}

}  // namespace

std::int32_t Classes::label(double value) const {
  const auto at = std::lower_bound(values.begin(), values.end(), value);
  return at == values.end() || *at != value ? -1 : labels[usize(at - values.begin())];
}

Classes find_classes(Source& x, Index from, const Exec& exec) {
  Classes classes{column_of(x, from), from, distinct_values(x, from, exec)};
  if (classes.values.empty()) {
    throw InputError(Code::kBadTarget, {.file = x.name(), .column = classes.column.name},
                     "no row has a label",
                     {"{}.", Ref::either("Name another column with --target", "Give another y")});
  }
  std::vector<std::string> names;
  for (const double value : classes.values) {
    classes.labels.push_back(static_cast<std::int32_t>(names.size()));
    names.push_back(name_of(classes.column, value));
  }
  classes.column.levels = std::move(names);
  return classes;
}

Classes bind_classes(const Column& target, Source& x, Index from, const Exec& exec) {
  const Column column = column_of(x, from);
  Classes classes{target, from, distinct_values(x, from, exec)};
  for (const double value : classes.values) {
    const std::string name = name_of(column, value);
    const auto at = std::find(target.levels.begin(), target.levels.end(), name);
    if (at == target.levels.end()) {
      const std::string near = did_you_mean(name, target.levels);
      throw InputError(Code::kBadTarget, {.file = x.name(), .column = column.name},
                       fmt::format("the label '{}' is none that the model knows", name),
                       fmt::format("{}It knows: {}.", near.empty() ? "" : near + " ",
                                   listed(target.levels, 20)));
    }
    classes.labels.push_back(static_cast<std::int32_t>(at - target.levels.begin()));
  }
  return classes;
}

}  // namespace craton
