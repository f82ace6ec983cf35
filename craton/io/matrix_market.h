#pragma once
#include "craton/base/source.h"
#include "craton/io/input.h"
#include "craton/io/sink.h"

// Matrix Market's exchange format (math.nist.gov/MatrixMarket/formats.html):
//
//   %%MatrixMarket matrix coordinate real general
//   % comments
//   rows columns entries
//   row column value                      indices from 1, in any order
//
// or "array": every value on a line of its own, column after column.

namespace craton {

// coordinate gives sparse rows, array dense ones. Fields: real (also double), integer, pattern
// (every entry is 1). Symmetries: general, and symmetric or skew-symmetric, of which the file has
// the lower triangle and the table both. An entry given twice is refused: to add and to overwrite
// are both in use, so that either would be wrong for somebody.
// InputError with the line: kBadFile, kNotANumber, kUnsupported (complex, hermitian, vector),
// kBadShape (sizes that cannot be, or that only claim rows).
Table parse_matrix_market(Input& input);

// "coordinate real general", row by row without zeros, in two passes: the entries are counted
// first. Categories as codes; a target is the last column.
void write_matrix_market(Source& source, Sink sink);

}  // namespace craton
