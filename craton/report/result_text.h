#pragma once
#include <span>
#include <string>
#include <string_view>

#include "craton/base/json.h"
#include "craton/base/report.h"
#include "craton/base/result_table.h"

// Tables as text for people, and as CSV and JSON for programs: the same for the command line and
// for Python.

namespace craton {

// Columns aligned: numbers to the right, words to the left. Names of files are printed so that a
// terminal shows them and does not obey them. What does not fit is counted, and `elsewhere`, if
// anything, says where it is.
std::string format(const SummaryTable& table, std::string_view elsewhere = "");
std::string format(const ResultTable& table, std::string_view elsewhere = "");

// The first rows as people read them: numbers with their digits, deviations in brackets, nothing
// where there is no number. most < 0: all rows.
SummaryTable cells_of(const ResultTable& table, Index most = -1);

// All digits of numbers, nothing where there is none. The first line has the names of the columns,
// with their units.
std::string csv_header(const ResultTable& table);
std::string csv_row(const ResultTable& table, Index row);  // without the line end
std::string to_csv(const ResultTable& table);

// {"name", "title", "columns": [{"name", "values"}, ...]}, with a "unit" where there is one.
Json to_json(const ResultTable& table);
Json to_json(std::span<const ResultTable> tables);

// A table by name; InputError (kUnknownName), which lists them, where there is none.
const ResultTable& find_table(std::span<const ResultTable> tables, std::string_view name);

}  // namespace craton
