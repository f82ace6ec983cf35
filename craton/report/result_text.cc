#include "craton/report/result_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/base/digits.h"
#include "craton/base/error.h"
#include "craton/base/utf8.h"
#include "craton/io/csv_write.h"

namespace craton {
namespace {

constexpr std::size_t kMostWidth = 100;
constexpr Index kMostRows = 50;

// Numbers and words to cells.

std::string number_text(double value, double spread, Digits digits) {
  const bool whole = value == std::round(value);
  switch (digits.form) {
    case Digits::Form::kSignificant:
      if (whole && std::abs(value) < 1e15) return fmt::format("{:.0f}", value + 0.0);  // counts
      [[fallthrough]];
    case Digits::Form::kApart:
      return shown_beside(value, spread, digits.count);
    case Digits::Form::kDecimals:
      return fmt::format("{:.{}f}", value, digits.count);
    case Digits::Form::kDecimalsIfAny:
      return fmt::format("{:.{}f}", value, whole ? 0 : digits.count);
  }
  CRATON_ASSERT(false);
  return {};
}

double range_of(const ResultColumn::Numbers& numbers) {
  double low = INFINITY, high = -INFINITY;
  for (const double v : numbers) {
    if (std::isnan(v)) continue;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  return high - low;
}

// The first cells of a column, with those of the deviations that follow it, if they do.
std::vector<std::string> cells_of(const ResultColumn& column, const ResultColumn* deviation,
                                  std::size_t rows) {
  if (const auto* words = column.words())
    return {words->begin(), words->begin() + static_cast<Index>(rows)};
  const ResultColumn::Numbers& numbers = *column.numbers();
  const bool apart = column.digits.form == Digits::Form::kApart;
  const double spread = apart ? range_of(numbers) : 0;
  std::vector<std::string> cells(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    if (std::isnan(numbers[i])) continue;
    const double beside = deviation == nullptr ? spread : deviation->numbers()->at(i);
    cells[i] = number_text(numbers[i], beside, column.digits);
    if (!column.unit.empty()) cells[i] += " " + column.unit;
    if (deviation == nullptr || std::isnan(beside)) continue;
    cells[i] += fmt::format(" ({})", number_text(beside, 0, deviation->digits));
  }
  return cells;
}

// Cells to lines.

std::size_t characters(std::string_view text) {  // of UTF-8
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

bool looks_like_number(std::string_view text) {
  text.remove_prefix(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
  return text.empty() || (text[0] >= '0' && text[0] <= '9');
}

struct Layout {
  std::vector<std::size_t> widths;  // of the columns that fit
  std::vector<bool> right;
  std::size_t rows = 0;
};

Layout lay_out(const SummaryTable& table) {
  Layout layout;
  layout.rows = usize(std::min<Index>(ssize(table.rows), kMostRows));
  std::size_t total = 0;
  for (std::size_t j = 0; j < table.header.size(); ++j) {
    std::size_t most = characters(table.header[j]);
    bool right = !table.rows.empty();
    for (std::size_t i = 0; i < layout.rows; ++i) {
      most = std::max(most, characters(table.rows[i][j]));
      right = right && looks_like_number(table.rows[i][j]);
    }
    const bool last = j + 1 == table.header.size();
    if (total += most + 2; total > kMostWidth && j > 1 && !(last && !right)) break;
    layout.widths.push_back(most);
    layout.right.push_back(right);
  }
  return layout;
}

std::string line_of(const std::vector<std::string>& cells, const Layout& layout) {
  std::string text;
  for (std::size_t j = 0; j < layout.widths.size(); ++j) {
    const std::string gap(layout.widths[j] - std::min(characters(cells[j]), layout.widths[j]), ' ');
    text += "  " + (layout.right[j] ? gap + cells[j] : cells[j] + gap);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string and_more(std::size_t count, std::string_view noun) {
  if (count == 0) return "";
  return fmt::format("  ... and {} more {}{}\n", count, noun, count == 1 ? "" : "s");
}

// `all`: rows, of which the table has the first.
std::string lines_of(SummaryTable table, std::size_t all, std::string_view elsewhere) {
  const auto clean = [](std::vector<std::string>& cells) {
    for (std::string& cell : cells) cell = printable(cell);
  };
  clean(table.header);
  for (std::vector<std::string>& row : table.rows) clean(row);
  const Layout layout = lay_out(table);
  std::string text = table.title.empty() ? "" : printable(table.title) + "\n";
  text += line_of(table.header, layout);
  for (std::size_t i = 0; i < layout.rows; ++i) text += line_of(table.rows[i], layout);
  const std::string more = and_more(all - layout.rows, "row") +
                           and_more(table.header.size() - layout.widths.size(), "column");
  if (more.empty() || elsewhere.empty()) return text + more;
  return fmt::format("{}{}  ({})\n", text, more, elsewhere);
}

std::string csv_cell(const ResultColumn& column, Index row) {
  if (const auto* words = column.words()) return csv_field((*words)[usize(row)]);
  const double value = (*column.numbers())[usize(row)];
  return std::isnan(value) ? "" : csv_field(value);
}

Json values_of(const ResultColumn& column) {
  if (const auto* words = column.words()) return *words;
  if (!column.counts()) return *column.numbers();
  Json::List values;
  for (const double v : *column.numbers()) {
    values.push_back(std::isfinite(v) ? Json(static_cast<Index>(v)) : Json());
  }
  return Json(Json::Value(std::move(values)));
}

}  // namespace

SummaryTable cells_of(const ResultTable& table, Index most) {
  const std::size_t rows = usize(most < 0 ? table.rows() : std::min(most, table.rows()));
  Index features = 0;
  for (const ResultColumn& column : table.columns) {
    features = std::max(features, column.feature + 1);
  }
  const Index shown = table.features_shown == 0 ? features : table.features_shown;
  SummaryTable result{table.title, {}, std::vector<std::vector<std::string>>(rows)};
  if (shown < features) {
    result.title += fmt::format(" of the first {} of {} features", shown, features);
  }
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    const ResultColumn& column = table.columns[j];
    if (column.deviation || column.feature >= shown) continue;
    const bool followed = j + 1 < table.columns.size() && table.columns[j + 1].deviation;
    result.header.push_back(column.name);
    std::vector<std::string> cells =
        cells_of(column, followed ? &table.columns[j + 1] : nullptr, rows);
    for (std::size_t i = 0; i < rows; ++i) result.rows[i].push_back(std::move(cells[i]));
  }
  return result;
}

std::string format(const SummaryTable& table, std::string_view elsewhere) {
  return lines_of(table, table.rows.size(), elsewhere);
}

std::string format(const ResultTable& table, std::string_view elsewhere) {
  return lines_of(cells_of(table, kMostRows), usize(table.rows()), elsewhere);
}

std::string csv_header(const ResultTable& table) {
  const std::vector<std::string> names = column_names(table);
  std::string text;
  for (std::size_t j = 0; j < names.size(); ++j) {
    const std::string& unit = table.columns[j].unit;
    text += j == 0 ? "" : ",";
    text += csv_field(unit.empty() ? names[j] : fmt::format("{} ({})", names[j], unit));
  }
  return text;
}

std::string csv_row(const ResultTable& table, Index row) {
  std::string text;
  for (const ResultColumn& column : table.columns) {
    text += &column == table.columns.data() ? "" : ",";
    text += csv_cell(column, row);
  }
  return text;
}

std::string to_csv(const ResultTable& table) {
  std::string text = csv_header(table) + "\n";
  for (Index i = 0; i < table.rows(); ++i) text += csv_row(table, i) + "\n";
  return text;
}

Json to_json(const ResultTable& table) {
  const std::vector<std::string> names = column_names(table);
  Json::List columns;
  for (std::size_t j = 0; j < names.size(); ++j) {
    const ResultColumn& column = table.columns[j];
    Json json = Json::object({{"name", names[j]}});
    if (!column.unit.empty()) json.set("unit", column.unit);
    json.set("values", values_of(column));
    columns.push_back(std::move(json));
  }
  return Json::object({{"name", table.name},
                       {"title", table.title},
                       {"columns", Json(Json::Value(std::move(columns)))}});
}

Json to_json(std::span<const ResultTable> tables) {
  Json::List list;
  for (const ResultTable& table : tables) list.push_back(to_json(table));
  return Json(Json::Value(std::move(list)));
}

const ResultTable& find_table(std::span<const ResultTable> tables, std::string_view name) {
  constexpr std::size_t kMostNames = 30;
  std::vector<std::string> names;
  for (const ResultTable& table : tables) {
    if (table.name == name) return table;
    names.push_back(table.name);
  }
  const std::string near = did_you_mean(name, names);
  throw InputError(Code::kUnknownName, {}, fmt::format("the model has no table '{}'", name),
                   fmt::format("{}{}The tables are: {}.", near, near.empty() ? "" : " ",
                               listed(names, kMostNames)));
}

}  // namespace craton
