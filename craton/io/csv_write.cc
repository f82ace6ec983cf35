#include "craton/io/csv_write.h"

#include <algorithm>

#include "craton/base/error.h"
#include "craton/io/number.h"

namespace craton {

std::string csv_field(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_of(",;|\"\t\r\n") == std::string_view::npos &&
                     text.front() != ' ' && text.back() != ' ';
  if (plain) return std::string(text);
  std::string field = "\"";
  for (const char c : text) field.append(c == '"' ? 2 : 1, c);
  return field + "\"";
}

std::string csv_field(double value) {
  std::string field;
  append_number(field, value);
  return field;
}

std::string write_csv(std::span<const std::string> names, const Dense<double>& x) {
  CRATON_ASSERT(ssize(names) == x.cols);
  std::string out;
  for (Index j = 0; j < x.cols; ++j) {
    if (j > 0) out += ',';
    out += csv_field(names[usize(j)]);
  }
  out += '\n';
  for (Index i = 0; i < x.rows; ++i) {
    for (Index j = 0; j < x.cols; ++j) {
      if (j > 0) out += ',';
      append_number(out, x.row(i)[j]);
    }
    out += '\n';
  }
  return out;
}

void write_csv(Source& source, char delimiter, Sink sink, std::span<const ColumnForm> forms) {
  SinkBuffer out(sink);
  const std::vector<Column> columns = written_columns(source);
  const bool named = columns != numbered_schema(ssize(columns)).columns;
  for (std::size_t j = 0; j < columns.size() && named; ++j) {
    if (j > 0) out.text += delimiter;
    out.text += csv_field(columns[j].name);
  }
  if (named) out.text += '\n';
  std::vector<char> dates;
  for (const Column& column : columns) {
    dates.push_back(std::any_of(forms.begin(), forms.end(), [&](const ColumnForm& of) {
      return of.name == column.name && of.is_date();
    }));
  }
  read_dense_rows(source, [&](Index, std::span<const double> row) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (j > 0) out.text += delimiter;
      if (columns[j].kind == ColumnKind::kCategory) {
        const std::string* level = level_of(columns[j], row[j]);
        out.text += level == nullptr ? "NA" : csv_field(*level);
      } else if (const std::string date = dates[j] != 0 ? date_text(row[j]) : ""; !date.empty()) {
        out.text += date;
      } else {
        append_number(out.text, row[j]);
      }
    }
    out.text += '\n';
    out.flush_if_long();
  });
  out.flush();
}

}  // namespace craton
