#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "craton/base/function_ref.h"
#include "craton/base/source.h"
#include "craton/io/input.h"
#include "craton/io/open.h"

// Tables as separated text: CSV, TSV and their relatives, of any size.
//
// The first megabyte tells the delimiter (tab ; , | or runs of blanks: the one that cuts the
// records evenly), whether there is a header (text above numbers; otherwise columns are called
// 1..d), and the kind of each column; ReadOptions overrides all three.
//
// Missing values (cell.h lists their spellings) are NaN. A column with text in it is a category if
// it has at most 1000 levels (none longer than 256 bytes), and twice as many values; otherwise it
// is text, and left out. So is a column of integers beyond 2^53 that a double would round. A column
// of numbers in which fewer than 1 of 100 values are something else is refused: that is a mistake
// in the file, or a spelling of "missing" that we do not know.
//
// A leading column of row names (called 'rownames'; or '' or 'id', if it counts up from 0 or 1) and
// a nameless column without any value are left out. Of two columns with one name the second is
// called 'name.1'. A first line of rows, features and class names, as scikit-learn's files have it,
// is skipped. The notes say what was done.

namespace craton {

// Opens the text; a second time when it must be read twice, since a column of numbers turned out to
// be something else. Null: it cannot be read twice.
using OpenText = FunctionRef<std::unique_ptr<Input>(int time)>;

inline constexpr Index kCsvBlock = Index{1} << 20;  // bytes that a worker parses at once

// InputError: kRaggedRow, with line and counts; kNotANumber, with line, column and value; kBadFile
// for text that is empty, binary, not UTF-8 or has quotes that do not match or records longer than
// 64 MB; kUnknownName for options that name no column. A header alone gives a table of no rows.
OpenedTable read_csv(OpenText open, const ReadOptions& options, const Exec& exec,
                     Index block_bytes = kCsvBlock);

// The same of a text at hand, in memory. `name` is for messages.
Table parse_csv(std::string_view text, const std::string& name, const ReadOptions& options = {});

}  // namespace craton
