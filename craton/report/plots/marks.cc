#include "craton/report/plots/marks.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "craton/base/error.h"
#include "craton/draw/axes.h"
#include "craton/draw/text.h"

namespace craton {
namespace {

double weight_of(const DrawnRows& rows, std::size_t i) {
  return rows.table.weights.empty() ? 1 : rows.table.weights[i];
}

std::vector<double> sorted_values(const DrawnRows& rows, Index column) {
  std::vector<double> values = rows.column(column);
  std::erase_if(values, [](double v) { return !can_draw(v); });
  std::ranges::sort(values);
  return values;
}

double most_frequent(const DrawnRows& rows, Index column) {
  std::map<double, double> weights;
  const std::vector<double> values = rows.column(column);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (can_draw(values[i])) weights[values[i]] += weight_of(rows, i);
  }
  double best = 0, most = -1;
  for (const auto& [value, weight] : weights) {
    if (weight > most) best = value, most = weight;
  }
  return best;
}

// Rows that a model has no word for, as they lie outside of what it can be, are NaN; the others
// are asked about without them. ask(rows, out) fills `width` numbers for each row.
template <class Ask>
void ask_in_parts(const Dense<double>& rows, const Table& like, Index width, double* out,
                  const Ask& ask) {
  if (rows.rows == 0) return;
  MemorySource source({.x = rows}, like.schema);
  try {
    ask(source, std::span(out, usize(rows.rows * width)));
  } catch (const InputError& error) {
    if (error.code() != Code::kOutsideSupport) throw;
    if (rows.rows == 1) {
      std::fill_n(out, width, NAN);
      return;
    }
    const Index half = rows.rows / 2;
    ask_in_parts(rows.slice({0, half}), like, width, out, ask);
    ask_in_parts(rows.slice({half, rows.rows}), like, width, out + half * width, ask);
  }
}

template <class Ask>
std::vector<double> ask_rows(const Table& rows, Index width, const Ask& ask) {
  std::vector<double> found(usize(rows.x.rows() * width));
  ask_in_parts(rows.x.view(), rows, width, found.data(), ask);
  return found;
}

std::vector<double> log_densities(const Fitted& fitted, const Table& rows, const Exec& exec) {
  return ask_rows(rows, 1, [&](Source& x, std::span<double> out) {
    fitted.model->score_samples(x, out, exec);
  });
}

// From 2^53 on there are whole numbers that are no doubles: fewer lie between then.
std::vector<double> whole_numbers(double low, double high, Index most) {
  const double step = std::ceil((high - low + 1) / static_cast<double>(most));
  std::vector<double> at;
  for (Index i = 0; i < most; ++i) {
    const double v = low + static_cast<double>(i) * step;
    if (v <= high && (at.empty() || v > at.back())) at.push_back(v);
  }
  return at;
}

}  // namespace

std::string PictureAxis::told(std::size_t place) const {
  if (look != Look::kCategories) return rounded(at[place]);
  const auto code = static_cast<std::size_t>(at[place]);
  return code < levels.size() ? levels[code] : rounded(at[place]);
}

std::vector<double> middle_of(const DrawnRows& rows) {
  std::vector<double> middle;
  const Schema& schema = rows.table.schema;
  for (Index j = 0; j < schema.size(); ++j) {
    if (schema.column(j).kind == ColumnKind::kCategory) {
      middle.push_back(most_frequent(rows, j));
      continue;
    }
    const std::vector<double> values = sorted_values(rows, j);
    middle.push_back(values.empty() ? 0 : values[(values.size() - 1) / 2]);
  }
  return middle;
}

bool lies_on_counts(const Fitted& fitted, const DrawnRows& rows, Index column,
                    std::span<const double> middle, const Exec& exec) {
  const Abilities& able = fitted.info().abilities;
  if (!able.score_samples && !able.predict_log_proba) return false;
  if (rows.table.schema.column(column).kind == ColumnKind::kCategory) return false;
  const std::vector<double> values = sorted_values(rows, column);
  constexpr double kMostCount = 0x1p53;  // beyond, doubles have no room for what lies between
  if (values.empty() || !all_whole(values)) return false;
  if (std::max(-values.front(), values.back()) >= kMostCount) return false;
  // Of each number, the answers there, a little above it, and where it is missing.
  PictureAxis at{.column = column}, above{.column = column}, missing{.column = column};
  constexpr Index kAsked = 9;
  constexpr double kAbove = 0.375;
  for (const Index i : pick_evenly(ssize(values), kAsked)) {
    at.at.push_back(values[usize(i)]);
    above.at.push_back(values[usize(i)] + kAbove);
    missing.at.push_back(NAN);
  }
  const auto ask_at = [&](const PictureAxis& axis) {
    const Table asked = rows_along(fitted, middle, axis);
    return able.score_samples ? log_densities(fitted, asked, exec)
                              : log_probabilities(fitted, asked, exec);
  };
  const std::vector<double> found = ask_at(above);
  if (std::ranges::all_of(found, [](double v) { return std::isnan(v) || v == -INFINITY; })) {
    return true;
  }
  if (!able.score_samples && found == ask_at(at)) return true;
  if (!able.missing) return false;
  try {
    return found == ask_at(missing);
  } catch (const InputError& error) {
    if (error.code() != Code::kNotFinite) throw;
    return false;  // rows with such a value are labelled, but have no density
  }
}

PictureAxis axis_of(const Fitted& fitted, const DrawnRows& rows, Index column,
                    std::span<const double> middle, Index most, double beyond, const Exec& exec) {
  const Column& told = rows.table.schema.column(column);
  PictureAxis axis{.column = column, .name = told.name};
  if (told.kind == ColumnKind::kCategory) {
    axis.look = Look::kCategories;
    axis.levels = told.levels;
    for (Index code = 0; code < ssize(told.levels); ++code) {
      axis.at.push_back(static_cast<double>(code));
    }
    return axis;
  }
  AxisRange range;
  for (const double v : sorted_values(rows, column)) range.add(v);
  if (lies_on_counts(fitted, rows, column, middle, exec)) {
    axis.look = Look::kCounts;
    axis.at = whole_numbers(range.low, range.high, most);
    return axis;
  }
  const AxisRange wide = beyond > 0 || range.width() == 0 ? padded(range, beyond) : range;
  axis.at = evenly(wide.low, wide.high, most);
  return axis;
}

Table rows_along(const Fitted& fitted, std::span<const double> middle, const PictureAxis& across) {
  const Index d = ssize(middle);
  Table table{.schema = {fitted.schema.columns, std::nullopt, fitted.schema.unnamed},
              .x = Array{{ssize(across.at), d}, {}}};
  for (const double at : across.at) {
    table.x.values.insert(table.x.values.end(), middle.begin(), middle.end());
    table.x.values[table.x.values.size() - usize(d - across.column)] = at;
  }
  return table;
}

Table rows_along(const Fitted& fitted, std::span<const double> middle, const PictureAxis& across,
                 const PictureAxis& up) {
  std::vector<double> row(middle.begin(), middle.end());
  Table table{.schema = {fitted.schema.columns, std::nullopt, fitted.schema.unnamed},
              .x = Array{{ssize(across.at) * ssize(up.at), ssize(middle)}, {}}};
  for (const double at : up.at) {
    row[usize(up.column)] = at;
    const Table one = rows_along(fitted, row, across);
    table.x.values.insert(table.x.values.end(), one.x.values.begin(), one.x.values.end());
  }
  return table;
}

std::vector<double> densities(const Fitted& fitted, const Table& rows, const Exec& exec) {
  std::vector<double> found = log_densities(fitted, rows, exec);
  for (double& v : found) v = std::isnan(v) ? 0 : std::exp(v);
  return found;
}

std::vector<double> log_probabilities(const Fitted& fitted, const Table& rows, const Exec& exec) {
  return ask_rows(rows, fitted.model->classes(), [&](Source& x, std::span<double> out) {
    fitted.model->predict_log_proba(x, out, exec);
  });
}

std::vector<double> probabilities(const Fitted& fitted, const Table& rows, const Exec& exec) {
  std::vector<double> found = log_probabilities(fitted, rows, exec);
  for (double& v : found) v = std::exp(v);
  return found;
}

std::vector<double> numbers(const Fitted& fitted, const Table& rows, const Exec& exec) {
  return ask_rows(rows, 1, [&](Source& x, std::span<double> out) {
    fitted.model->predict_numbers(x, out, exec);
  });
}

std::vector<std::int32_t> labels(const Fitted& fitted, const Table& rows, const Exec& exec) {
  const std::vector<double> found = ask_rows(rows, 1, [&](Source& x, std::span<double> out) {
    std::vector<std::int32_t> own(out.size());
    fitted.model->predict(x, own, exec);
    std::ranges::copy(own, out.begin());
  });
  std::vector<std::int32_t> as_labels;
  for (const double v : found) as_labels.push_back(std::isnan(v) ? -1 : static_cast<int>(v));
  return as_labels;
}

std::vector<std::string> label_names(const Fitted& fitted) {
  const char* const noun = fitted.info().abilities.score_samples ? "component" : "cluster";
  std::vector<std::string> names;
  for (Index c = 0; c < fitted.model->classes(); ++c) {
    names.push_back(fitted.schema.target ? label_name(fitted.schema, c)
                                         : fmt::format("{} {}", noun, c));
  }
  return names;
}

}  // namespace craton
