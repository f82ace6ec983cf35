#pragma once
#include <string>
#include <string_view>

#include "craton/core/source.h"

// Tables as separated text: CSV, TSV and their relatives, in memory.
//
// The delimiter is the one of tab ; , | or runs of blanks that cuts the records evenly. The first
// record is a header when it has text above numbers; otherwise columns are called 1..d. An empty
// field, NA, NaN and ? are missing values: NaN. A column with any other text is left out of the
// matrix, and so is a leading column of row names (called 'rownames'; or '' or 'id', if it counts
// up from 0 or 1) and a nameless column without any value; Table::notes says which, and why.

namespace craton {

// InputError: kRaggedRow, with line and counts; kBadFile for text that is empty, binary, or has
// quotes that do not match. A header alone gives a table of no rows. `name` is for messages.
Table parse_csv(std::string_view text, const std::string& name);

}  // namespace craton
