#pragma once
#include <memory>
#include <vector>

#include "craton/io/csv_cut.h"
#include "craton/io/csv_plan.h"

// All blocks of a text table, parsed beside each other.

namespace craton {

struct ParsedColumn {
  Index missing = 0;
  MergedLevels levels = {};
  bool full = false;  // a category with too many levels; then none are kept
};

struct ParsedCsv {
  std::unique_ptr<RowGroups> groups;
  std::vector<ParsedColumn> columns;  // of the plan
  std::vector<BadCells> bad = {};     // by line of the file: columns of numbers that hold others
  bool counts_up = true;              // the leading column, by one from 0 or 1
};

// From the cutter's place in the input on, which is where the data start, with at most `workers`
// workers.
// InputError: the first thing that is wrong in the order of the file.
ParsedCsv parse_blocks(const Input& input, RecordCutter& cutter, const CsvPlan& plan,
                       const ReadOptions& options, int workers, const Exec& exec);

}  // namespace craton
