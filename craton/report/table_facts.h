#pragma once
#include <span>
#include <string>
#include <vector>

#include "craton/base/json.h"
#include "craton/base/report.h"
#include "craton/base/result_table.h"
#include "craton/io/open.h"
#include "craton/report/suspicious_cells.h"
#include "craton/tables/correlations.h"

// What a table holds, for a person who meets it first: its columns, what goes together, cells to
// look at, and what to do next. The command, Python and the report page show the same.
//
// All of it is exact, but correlations, which look at 20000 rows at most. Beyond kMostColumns the
// first columns are described, and the notes say so.

namespace craton {

struct Share {
  std::string level;
  Index rows = 0;
  double share = 0;
};

struct DescribedColumn {
  Column column;
  ColumnFacts facts = {};
  std::string form = {};  // cell_form.h; "": plain
  bool date = false;      // days, to be shown as dates
  bool used() const {     // else the reader left it out, and there are no facts
    return column.kind == ColumnKind::kNumber || column.kind == ColumnKind::kCategory;
  }
};

struct TableFacts {
  static constexpr Index kMostColumns = 1000;
  static constexpr Index kMostCorrelated = 100;  // columns
  static constexpr double kCorrelated = 0.5;

  std::string name;
  std::string target;
  Shape shape;
  std::vector<DescribedColumn> columns;  // as they are in the file
  std::vector<Share> classes;            // of the target, if it was named: the most frequent first
  // Those that are at least kCorrelated, and more than chance has once in a hundred tables of so
  // many columns that have nothing to do with each other; the strongest first.
  std::vector<Correlation> correlations;
  Index correlated_rows = 0, correlated_columns = 0;  // that were looked at
  struct Cell {
    SuspiciousCell cell;
    std::string column;
    Index row = 0, line = -1;  // in the file: of the first row that has it; -1: not known
  };
  std::vector<Cell> suspicious;
  std::vector<Note> notes;  // those that were given, then what to do about some columns
};

struct TableQuestion {
  std::string target = {};               // "": none
  std::span<const Column> in_file = {};  // with those that the reader left out; none: the source's
  std::span<const Note> notes = {};
  std::span<const ColumnForm> forms = {};
};

TableFacts find_table_facts(Source& x, const TableQuestion& question, const Exec& exec);

// "numbers", "dates", "categories", "left_out", "classes", "correlations", "suspicious": those that
// have rows.
std::vector<ResultTable> tables_of(const TableFacts& facts);

Json to_json(const TableFacts& facts);

// How many fall into each bar, in one line: "▁▃█▅▁", and "·" for none.
std::string bars_of(std::span<const Index> bars);

}  // namespace craton
