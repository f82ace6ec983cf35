#pragma once
#include "craton/base/source.h"
#include "craton/io/input.h"
#include "craton/io/sink.h"

// LIBSVM's and svmlight's text files (csie.ntu.edu.tw/~cjlin/libsvm, svmlight.joachims.org):
//
//   label index:value index:value ...   # a comment
//
// A line is a row; what it leaves out is zero. Indices count from 1 and ascend.

namespace craton {

// Sparse rows, and the labels as targets. There are as many columns as the largest index says, but
// at least `columns`. Blank lines and lines of comments alone are passed over.
// InputError with the line: kBadFile (an index that is 0, negative, not ascending, beyond
// kMaxColumns), kNotANumber, kNotFinite (a label), kUnsupported (qid, several labels), kNoRows.
Table parse_libsvm(Input& input, Index columns = 0);

// Row by row, without zeros. The label is the target, 0 when there is none; categories as codes.
// InputError (kNotFinite) for a target that is missing.
void write_libsvm(Source& source, Sink sink);

}  // namespace craton
