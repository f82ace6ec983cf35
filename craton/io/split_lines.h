#pragma once
#include <string>

#include "craton/base/function_ref.h"
#include "craton/io/input.h"
#include "craton/tables/row_set.h"

namespace craton {

// Copies a text file, a table whose rows know their lines (Source::line_of), into two files: what
// comes before the first row, such as a header, into both, and each row, with its line ends and
// blank lines behind it, byte for byte into one: `second` says which rows go there. The files are
// written whole, and then named, or not at all. InputError (kUnsupported) for a table whose rows
// know no lines; (kBadFile) when the file has fewer lines by now; as FileWriter.
void split_lines(Input& text, const Source& table, const RowSet& second,
                 const std::string& first_path, const std::string& second_path);

}  // namespace craton
