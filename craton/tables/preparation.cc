#include "craton/tables/preparation.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "craton/base/digits.h"
#include "craton/base/parameters.h"
#include "craton/tables/columns.h"
#include "craton/tables/order_statistics.h"
#include "craton/tables/view.h"

namespace craton {
namespace {

using UnitRows = PreparationOptions::UnitRows;

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

std::unique_ptr<Source> Preparation::over(Source& x) const {
  auto rows = std::make_unique<View>(x);
  rows->prepare(*this);
  return rows;
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

bool Preparation::is_parameter(std::string_view name) { return name.starts_with(kPrefix); }

std::vector<Parameter> Preparation::parameters() const {
  std::vector<Parameter> result;
  const auto add = [&](std::string_view name, const char* help, const std::vector<double>& values) {
    if (!values.empty()) result.push_back({std::string(name), help, {{ssize(values)}, values}});
  };
  add(names()[0], "what stands in for missing values", fill_);
  add(names()[1], "what is subtracted from each column", map_.centre);
  add(names()[2], "what each column is divided by", map_.scale);
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
  const std::array<std::vector<double>*, 3> of_columns{&result.fill_, &result.map_.centre,
                                                       &result.map_.scale};
  for (const auto& [name, help, array, text] : parameters) {
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
  for (const double s : result.map_.scale) {
    if (!(s > 0)) fail_parameters("'prepare.scale' is not positive");
  }
  if (!any) return std::nullopt;
  return result;
}

namespace {

// A level where it is one of a category.
std::string fill_text(const Column& column, double value) {
  const bool level = column.kind == ColumnKind::kCategory && value >= 0 &&
                     value < static_cast<double>(column.levels.size());
  return level ? column.levels[static_cast<std::size_t>(value)] : shown_beside(value, 0, 6);
}

}  // namespace

std::vector<ResultTable> Preparation::tables(const Schema& schema) const {
  if (fill_.empty() && map_.centre.empty() && map_.scale.empty()) return {};
  const auto is_category = [&](Index j) { return schema.column(j).kind == ColumnKind::kCategory; };
  bool categories = false;
  for (Index j = 0; j < schema.size(); ++j) categories = categories || is_category(j);

  ResultTable table{"prepared", "prepared"};
  table.add_words("column", schema.names());
  if (!fill_.empty() && !categories) table.add_numbers("if missing", fill_);
  if (!fill_.empty() && categories) {
    ResultColumn::Words words;
    for (Index j = 0; j < schema.size(); ++j)
      words.push_back(fill_text(schema.column(j), fill_[usize(j)]));
    table.add_words("if missing", std::move(words));
  }
  const auto add = [&](const char* name, ResultColumn::Numbers numbers) {
    if (numbers.empty()) return;
    for (Index j = 0; j < schema.size(); ++j) {
      if (is_category(j)) numbers[usize(j)] = NAN;  // they stay as they are
    }
    table.add_numbers(name, std::move(numbers));
  };
  add("minus", map_.centre);
  add("divided by", map_.scale);
  return {table};
}

namespace {

using Fill = PreparationOptions::Fill;
using Scale = PreparationOptions::Scale;

// Moments of the values that are there, by column.
class Observed {
 public:
  explicit Observed(const Source& x)
      : source_(&x),
        weight(usize(x.shape().cols)),
        mean(weight.size()),
        scatter(weight.size()),
        low(weight.size(), INFINITY),
        high(weight.size(), -INFINITY) {}

  void accumulate(const Chunk& chunk) {
    check_not_infinite(chunk, *source_);
    check_weights(chunk, *source_);
    std::visit([&](const auto& x) { add_rows(x, chunk); }, chunk.x);
  }
  void merge(const Observed& next) {
    for (std::size_t j = 0; j < weight.size(); ++j) {
      merge(j, next.weight[j], next.mean[j], next.scatter[j], next.low[j], next.high[j]);
    }
  }
  void write(Writer& writer) const {
    for (const auto* part : {&weight, &mean, &scatter, &low, &high}) writer.put(*part);
  }
  void read(Reader& reader) {
    for (auto* part : {&weight, &mean, &scatter, &low, &high}) reader.get(*part);
  }
  Index words() const { return 5 * ssize(weight); }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  // In two passes over the chunk, which lies near: sums, and squares about the means.
  template <class T>
  void add_rows(const Dense<T>& x, const Chunk& chunk) {
    Observed part(*source_);
    const std::size_t columns = weight.size();
    for (Index i = 0; i < x.rows; ++i) {
      const double w = chunk.weight(i);
      const T* const row = x.row(i);
      for (std::size_t j = 0; w > 0 && j < columns; ++j) {
        const double value = static_cast<double>(row[j]);
        if (std::isnan(value)) continue;
        part.weight[j] += w;
        part.mean[j] += w * value;
        part.low[j] = std::min(part.low[j], value);
        part.high[j] = std::max(part.high[j], value);
      }
    }
    for (std::size_t j = 0; j < columns; ++j) {
      if (part.weight[j] > 0) part.mean[j] /= part.weight[j];
    }
    for (Index i = 0; i < x.rows; ++i) {
      const double w = chunk.weight(i);
      const T* const row = x.row(i);
      for (std::size_t j = 0; w > 0 && j < columns; ++j) {
        const double value = static_cast<double>(row[j]), delta = value - part.mean[j];
        if (!std::isnan(value)) part.scatter[j] += w * delta * delta;
      }
    }
    merge(part);
  }
  // The entries, and then the zeros of each column at once.
  template <class T>
  void add_rows(const Sparse<T>& x, const Chunk& chunk) {
    Observed entries(*source_);
    std::vector<double> stored(weight.size());
    std::vector<Index> count(weight.size());
    double total = 0;
    Index rows = 0;
    for (Index i = 0; i < x.rows; ++i) {
      const double w = chunk.weight(i);
      if (w == 0) continue;
      total += w;
      ++rows;
      for (Index e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
        const std::size_t j = usize(x.columns[e]);
        entries.add(j, static_cast<double>(x.values[e]), w);
        stored[j] += w;
        ++count[j];
      }
    }
    for (std::size_t j = 0; j < weight.size(); ++j) {
      if (count[j] < rows) entries.merge(j, total - stored[j], 0, 0, 0, 0);
    }
    merge(entries);
  }

  void add(std::size_t j, double value, double w) {
    if (std::isnan(value)) return;
    weight[j] += w;
    const double delta = value - mean[j];
    mean[j] += w / weight[j] * delta;
    scatter[j] += w * delta * (value - mean[j]);
    low[j] = std::min(low[j], value);
    high[j] = std::max(high[j], value);
  }
  void merge(std::size_t j, double w, double next_mean, double next_scatter, double next_low,
             double next_high) {
    if (w == 0) return;
    const double total = weight[j] + w, share = w / total, delta = next_mean - mean[j];
    mean[j] += share * delta;
    scatter[j] += next_scatter + weight[j] * share * delta * delta;
    low[j] = std::min(low[j], next_low);
    high[j] = std::max(high[j], next_high);
    weight[j] = total;
  }

  const Source* source_;  // for messages

 public:
  std::vector<double> weight, mean, scatter, low, high;
};

bool is_number(const Source& x, Index column) {
  const Schema& schema = x.schema();
  return schema.columns.empty() || schema.columns[usize(column)].kind != ColumnKind::kCategory;
}

[[noreturn]] void refuse_spread(const Source& x, Index column, double range, const char* and_so) {
  throw InputError(
      Code::kNotFinite, {.file = x.name(), .column = x.schema().name(column)},
      fmt::format("the values spread over {:g}, so their {}", range, and_so),
      fmt::format("{} the column by a power of ten.", range < 1 ? "Multiply" : "Divide"));
}

}  // namespace

void refuse_moving(const Source& x) {
  throw InputError(
      Code::kUnsupported, {.file = x.name()},
      "the rows are sparse, and moving their columns would make every zero a number",
      {"Give {}, or make the rows dense: .toarray() in Python.", Ref::option("scale", "max_abs")});
}

Preparation Preparation::learn(Source& x, const PreparationOptions& options, const Exec& exec) {
  PreparationOptions checked = options;
  check_options([&](OptionVisitor& v) { describe(v, checked); });
  Preparation result;
  const bool sparse = has_sparse_rows(x);
  const bool value = options.fill == Fill::kNone || options.fill == Fill::kValue;
  if (sparse && !value) {
    throw InputError(
        Code::kUnsupported, {.file = x.name()},
        "the rows are sparse, and what they leave out is 0, not missing",
        {"Give a number to fill in, as in {}, or make the rows dense.", Ref::option("fill", 0)});
  }
  if (sparse && options.scale != Scale::kNone && options.scale != Scale::kMaxAbs) refuse_moving(x);
  const bool empty = x.shape().rows == 0 || x.shape().cols == 0;  // which the model will refuse
  if (options.fill != Fill::kNone && !empty) result.learn_fill(x, options, exec);
  if (options.scale != Scale::kNone && !empty) {
    const Preparation fill = result;
    result.learn_scale(View(x).prepare(fill), options.scale, exec);
  }
  result.unit_rows_ = options.unit_rows;
  for (Index j = 0; result.unit_rows() && j < ssize(x.schema().columns); ++j) {
    if (is_number(x, j)) continue;
    throw InputError(Code::kUnsupported, {.file = x.name(), .column = x.schema().name(j)},
                     "this is a column of categories, and rows of numbers only have a length",
                     {"Leave it out, or fit without {}.", Ref::option("unit_rows")});
  }
  return result;
}

void Preparation::learn_fill(Source& x, const PreparationOptions& options, const Exec& exec) {
  const Index columns = x.shape().cols;
  std::vector<Index> counted;  // whose values are
  for (Index j = 0; j < columns; ++j) {
    if (options.fill == Fill::kMostFrequent || !is_number(x, j)) counted.push_back(j);
  }
  const std::vector<double> modes = most_frequent(x, counted, exec);
  fill_.assign(usize(columns), options.fill_value);
  if (options.fill == Fill::kMean) {
    const Observed all = fold(x, Observed(x), exec);
    for (std::size_t j = 0; j < fill_.size(); ++j) {
      fill_[j] = all.weight[j] > 0 ? all.mean[j] : NAN;
      if (all.weight[j] == 0 || std::isfinite(fill_[j])) continue;
      refuse_spread(x, static_cast<Index>(j), all.high[j] - all.low[j], "sums overflow");
    }
  }
  if (options.fill == Fill::kMedian) fill_ = quantiles(x, std::array{0.5}, exec)[0];
  for (std::size_t c = 0; c < counted.size(); ++c) fill_[usize(counted[c])] = modes[c];
  for (Index j = 0; j < columns; ++j) {
    if (std::isfinite(fill_[usize(j)])) continue;
    throw InputError(
        Code::kNotFinite, {.file = x.name(), .column = x.schema().name(j)},
        "no row has a value here that missing ones could be filled in with",
        {"Leave the column out, or give a number to fill in, as in {}.", Ref::option("fill", 0)});
  }
}

void Preparation::learn_scale(Source& x, Scale how, const Exec& exec) {
  const std::size_t columns = usize(x.shape().cols);
  const Observed all = fold(x, Observed(x), exec);
  map_.centre.assign(columns, 0);
  map_.scale.assign(columns, 1);
  std::vector<std::vector<double>> quartiles;
  if (how == Scale::kRobust) quartiles = quantiles(x, std::array{0.25, 0.5, 0.75}, exec);
  for (std::size_t j = 0; j < columns; ++j) {
    const Index column = static_cast<Index>(j);
    if (!is_number(x, column) || all.weight[j] == 0) continue;
    const double range = all.high[j] - all.low[j];
    switch (how) {
      case Scale::kStandard:
        map_.centre[j] = range == 0 ? all.low[j] : all.mean[j];
        map_.scale[j] = range == 0 ? 1 : std::sqrt(all.scatter[j] / all.weight[j]);
        break;
      case Scale::kRobust:
        map_.centre[j] = quartiles[1][j];
        map_.scale[j] = quartiles[2][j] - quartiles[0][j];
        break;
      case Scale::kMinMax:
        map_.centre[j] = all.low[j];
        map_.scale[j] = range;
        break;
      case Scale::kMaxAbs:
        map_.scale[j] = std::max(std::abs(all.low[j]), std::abs(all.high[j]));
        break;
      case Scale::kNone:
        break;
    }
    if (how == Scale::kStandard && map_.scale[j] == 0)
      refuse_spread(x, column, range, "squares vanish");
    if (map_.scale[j] == 0) map_.scale[j] = 1;  // nothing to scale by
    if (!std::isfinite(map_.scale[j])) refuse_spread(x, column, range, "squares overflow");
  }
  if (how == Scale::kMaxAbs) map_.centre.clear();
}

}  // namespace craton
