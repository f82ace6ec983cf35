#include "craton/select/fold_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/select/cross_validation.h"
#include "craton/tables/bind_columns.h"

namespace craton {
namespace {

enum class Split { kPlain, kStratified, kGroups, kStratifiedGroups, kTime };

[[noreturn]] void refuse_plan(const Message& what, const Message& fix) {
  throw InputError(Code::kBadOption, {}, what, fix);
}

// The values of a column that is no feature, of the rows that are used.
std::vector<double> column_of(const ModelTable& data, const std::string& name, const char* flag) {
  const Index from =
      find_column(*data.file, name, Code::kUnknownName, {"{} names", Ref::flag(flag)});
  View column(*data.file);
  column.select({.columns = {{.from = from}}});
  if (data.kept) column.rows(*data.kept);
  std::vector<double> values = read_all(column).values;
  const auto missing =
      std::find_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  if (missing == values.end()) return values;
  Place place = data.source().place_of(missing - values.begin());
  place.column = name;
  throw InputError(Code::kNotFinite, place, "the value is missing (NaN)",
                   {"{} needs a value in every row: fill it in.", Ref::flag(flag)});
}

Split split_of(const ModelTable& data, const Roles& roles, const FoldPlan& plan) {
  const bool groups = !roles.groups.empty(), time = !roles.time.empty();
  const auto twice = [&](const char* flag) {
    refuse_plan(
        {"{} and {} part rows in two ways", Ref::flag(flag), Ref::flag("split", plan.split)},
        "Leave one of them out.");
  };
  if (groups && time) {
    refuse_plan({"{} and {} part rows in two ways", Ref::flag("groups"), Ref::flag("time")},
                "Give one of them.");
  }
  if (plan.split == "groups" && !groups) {
    refuse_plan({"{} needs groups", Ref::flag("split", "groups")},
                {"Give {}.", Ref::flag("groups", "COLUMN")});
  }
  if (groups && (plan.split == "plain" || plan.split == "time")) twice("groups");
  if (time && !plan.split.empty() && plan.split != "time") twice("time");
  if (plan.split == "stratified" && data.schema().number_target()) {
    refuse_plan({"{} needs labels, and the target is a number of each row",
                 Ref::flag("split", "stratified")},
                {"Give {}.", Ref::flag("split", "plain")});
  }
  if (plan.split == "stratified" && !data.schema().target) {
    refuse_plan({"{} needs labels", Ref::flag("split", "stratified")},
                {"Give {}, or {}.", Ref::flag("target", "COLUMN"), Ref::flag("split", "plain")});
  }
  if (groups) return plan.split == "stratified" ? Split::kStratifiedGroups : Split::kGroups;
  if (time || plan.split == "time") return Split::kTime;
  const bool labelled = data.schema().labelled() && plan.split != "plain";
  return labelled ? Split::kStratified : Split::kPlain;
}

}  // namespace

std::vector<Folds> split_rows(const ModelTable& data, const Roles& roles, const FoldPlan& plan,
                              const Exec& exec) {
  const Split kind = split_of(data, roles, plan);
  if (kind == Split::kTime && plan.repeats > 1) {
    refuse_plan({"{} would give the same folds again, as rows are in the order of time",
                 Ref::flag("repeats")},
                "Leave it out.");
  }
  const std::vector<std::int32_t> labels = labels_of(data.source(), exec);
  std::vector<double> column;
  if (!roles.groups.empty()) column = column_of(data, roles.groups, "groups");
  if (!roles.time.empty()) column = column_of(data, roles.time, "time");
  std::vector<Folds> splits;
  for (Index r = 0; r < plan.repeats; ++r) {
    const SplitOptions options{plan.folds, plan.seed, static_cast<std::uint32_t>(r)};
    switch (kind) {
      case Split::kPlain:
        splits.push_back(split_plain(data.size(), options));
        break;
      case Split::kStratified:
        splits.push_back(split_stratified(labels, data.schema().target->levels, options));
        break;
      case Split::kGroups:
        splits.push_back(split_grouped(column, options));
        break;
      case Split::kStratifiedGroups:
        splits.push_back(split_stratified_groups(labels, column, options));
        break;
      case Split::kTime:
        splits = split_ordered(data.size(), column, {.folds = plan.folds});
        break;
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] < 0) splits.back().part[i] = -1;
    }
  }
  return splits;
}

std::string_view name_of_split(const ModelTable& data, const Roles& roles, const FoldPlan& plan) {
  constexpr std::string_view kNames[] = {"plain", "stratified", "groups", "stratified-groups",
                                         "time"};
  return kNames[static_cast<int>(split_of(data, roles, plan))];
}

std::string describe(const ModelTable& data, const Roles& roles, const FoldPlan& plan) {
  std::string how;
  switch (split_of(data, roles, plan)) {
    case Split::kPlain:
      how = "plain";
      break;
    case Split::kStratified:
      how = "stratified by " + data.schema().target->name;
      break;
    case Split::kGroups:
      how = "groups of " + roles.groups;
      break;
    case Split::kStratifiedGroups:
      how = fmt::format("groups of {}, stratified by {}", roles.groups, data.schema().target->name);
      break;
    case Split::kTime:
      return fmt::format("{}, each after what it learns from{}", plan.folds,
                         roles.time.empty() ? "" : ", by " + roles.time);
  }
  return fmt::format("{}, {}, seed {}{}", plan.folds, how, plan.seed,
                     plan.repeats > 1 ? fmt::format(", {} times", plan.repeats) : "");
}

}  // namespace craton
