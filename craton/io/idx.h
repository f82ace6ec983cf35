#pragma once
#include "craton/base/source.h"
#include "craton/io/input.h"
#include "craton/io/sink.h"

// IDX, the files of MNIST and its relatives (yann.lecun.com/exdb/mnist): two zero bytes, the type,
// the number of dimensions; each dimension as four bytes; the values. Everything is big-endian.

namespace craton {

// The first dimension is rows and the others, multiplied, are columns: images become rows of
// pixels, and a file of labels is one column. All types of the format (8, 16 and 32-bit integers,
// float, double) become double.
// InputError: kBadFile (not IDX, cut short, bytes behind the values), kBadShape (no columns,
// dimensions that multiply beyond what a file can hold).
Table parse_idx(Input& input);

// Two dimensions of doubles, row by row; categories as codes. InputError (kBadShape) for more rows
// than four bytes count.
void write_idx(Source& source, Sink sink);

}  // namespace craton
