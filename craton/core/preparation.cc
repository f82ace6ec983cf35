#include "craton/core/preparation.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "craton/core/registry.h"

namespace craton {
namespace {

using UnitRows = PreparationOptions::UnitRows;

constexpr std::string_view kPrefix = "prepare.";

std::vector<std::string_view> names() {
  return {"prepare.fill", "prepare.centre", "prepare.scale", "prepare.unit_rows"};
}

}  // namespace

void describe(OptionVisitor& v, PreparationOptions& o) {
  constexpr double kLargest = 1e9;
  // What they do is among the parameters, which digests cover.
  v.choice_or_number("fill", o.fill, o.fill_value, -kLargest, kLargest,
                     {"none", "mean", "median", "most_frequent"},
                     "what stands in for missing values of a column: its mean, median or most "
                     "frequent value, or a number (categories: always the most frequent)");
  v.not_in_digest();
  v.choice("scale", o.scale, {"none", "standard", "robust", "min_max", "max_abs"},
           "scale the columns first: standard to mean 0 and deviation 1, robust to median 0 and "
           "interquartile range 1, min_max to [0, 1], max_abs to at most 1 either way");
  v.not_in_digest();
  v.choice("unit_rows", o.unit_rows, {"none", "l1", "l2", "max"},
           "then divide each row by its length: the sum of its absolute values, the root of the "
           "sum of its squares, or the largest of them");
  v.not_in_digest();
}

PreparationOptions preparation_of(std::span<const NamedOption> options) {
  PreparationOptions result;
  const auto describe_it = [&](OptionVisitor& v) { describe(v, result); };
  for (const Option& option : list_options(describe_it)) {
    for (const NamedOption& given : options) {
      if (given.first == option.name) set_options(describe_it, {&given, 1});
    }
  }
  return result;
}

bool is_preparation(std::string_view option) {
  return option == "fill" || option == "scale" || option == "unit_rows";
}

bool fills(std::span<const NamedOption> options) {
  return preparation_of(options).fill != PreparationOptions::Fill::kNone;
}

double Preparation::log_volume() const {
  double sum = 0;
  for (const double s : scale_) sum -= std::log(s);
  return sum;
}

void Preparation::divide_by_length(double* row, Index count) const {
  double most = 0, sum = 0;
  for (Index j = 0; j < count; ++j) {
    if (!std::isnan(row[j])) most = std::max(most, std::abs(row[j]));
  }
  if (most == 0 || std::isinf(most)) return;  // no direction; or an error, which the model tells
  for (Index j = 0; j < count; ++j) {
    const double v = std::abs(row[j] / most);  // squares of it neither overflow nor all vanish
    if (std::isnan(v)) continue;
    if (unit_rows_ == UnitRows::kL1) sum += v;
    if (unit_rows_ == UnitRows::kL2) sum += v * v;
  }
  const double length = unit_rows_ == UnitRows::kL1   ? sum
                        : unit_rows_ == UnitRows::kL2 ? std::sqrt(sum)
                                                      : 1;
  for (Index j = 0; j < count; ++j) row[j] = row[j] / most / length;
}

void Preparation::restore(double* row, Index columns) const {
  for (Index j = 0; j < columns; ++j) row[j] = row[j] * scale(j) + centre(j);
}

bool Preparation::is_parameter(std::string_view name) { return name.starts_with(kPrefix); }

std::vector<Parameter> Preparation::parameters() const {
  std::vector<Parameter> result;
  const auto add = [&](std::string_view name, const char* help, const std::vector<double>& values) {
    if (!values.empty()) result.push_back({std::string(name), help, {{ssize(values)}, values}});
  };
  add(names()[0], "what stands in for missing values", fill_);
  add(names()[1], "what is subtracted from each column", centre_);
  add(names()[2], "what each column is divided by", scale_);
  if (unit_rows()) {
    add(names()[3], "what length of rows is 1 (1: l1, 2: l2, 3: max)",
        {static_cast<double>(unit_rows_)});
  }
  return result;
}

std::optional<Preparation> Preparation::from_parameters(std::span<const Parameter> parameters,
                                                        Index columns) {
  Preparation result;
  bool any = false;
  const std::array<std::vector<double>*, 3> of_columns{&result.fill_, &result.centre_,
                                                       &result.scale_};
  for (const auto& [name, help, array] : parameters) {
    if (!is_parameter(name)) continue;
    any = true;
    const std::vector<std::string_view> known = names();
    const auto which = usize(std::find(known.begin(), known.end(), name) - known.begin());
    if (which == known.size()) fail_parameters(fmt::format("'{}' is not known", name));
    const Index size = which < of_columns.size() ? columns : 1;
    if (array.shape != std::vector<Index>{size}) {
      fail_parameters(fmt::format("'{}' has the wrong shape", name));
    }
    for (const double v : array.values) {
      if (!std::isfinite(v)) fail_parameters(fmt::format("'{}' is not finite", name));
    }
    if (which < of_columns.size()) {
      *of_columns[which] = array.values;
      continue;
    }
    const double kind = array.values[0];
    if (kind != 1 && kind != 2 && kind != 3) {
      fail_parameters(fmt::format("'{}' is none of 1, 2 and 3", name));
    }
    result.unit_rows_ = static_cast<UnitRows>(kind);
  }
  for (const double s : result.scale_) {
    if (!(s > 0)) fail_parameters("'prepare.scale' is not positive");
  }
  if (!any) return std::nullopt;
  return result;
}

std::vector<SummaryTable> Preparation::summary(const Schema& schema) const {
  SummaryTable table{"prepared", {"column"}, {}};
  if (!fill_.empty()) table.header.emplace_back("if missing");
  if (!centre_.empty()) table.header.emplace_back("minus");
  if (!scale_.empty()) table.header.emplace_back("divided by");
  if (table.header.size() == 1) return {};
  for (Index j = 0; j < schema.size(); ++j) {
    std::vector<std::string>& row = table.rows.emplace_back();
    const Column column = schema.column(j);
    row.push_back(column.name);
    const bool category = column.kind == ColumnKind::kCategory;
    if (!fill_.empty()) {
      const double value = fill_[usize(j)];
      const bool level =
          category && value >= 0 && value < static_cast<double>(column.levels.size());
      row.push_back(level ? column.levels[static_cast<std::size_t>(value)]
                          : fmt::format("{:.6g}", value));
    }
    if (!centre_.empty()) row.push_back(category ? "" : fmt::format("{:.6g}", centre(j)));
    if (!scale_.empty()) row.push_back(category ? "" : fmt::format("{:.6g}", scale(j)));
  }
  return {table};
}

}  // namespace craton
