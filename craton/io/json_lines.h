#pragma once
#include "craton/base/source.h"
#include "craton/io/input.h"
#include "craton/io/open.h"
#include "craton/io/sink.h"

// JSON lines (jsonlines.org): a flat object a line, {"height": 1.7, "sex": "f", "age": null}.

namespace craton {

// The keys, in the order they first appear, are the columns. Numbers are numbers, true and false
// are 1 and 0, texts are categories (levels sorted); null, and a key that an object lacks, are
// missing: NaN, or "" of a column that is read as text (ReadOptions::texts, find_texts). Blank
// lines are passed over. InputError with line and column: kBadFile (not JSON, not an object, a list
// or object inside one), kNotANumber (text among numbers, numbers among text, an integer beyond
// 2^53), kBadShape (so many different keys that the table would be nearly empty), kNoRows.
Table parse_json_lines(Input& input, const ReadOptions& options = {});

// Row by row, every key in every object; categories by the names of their levels, missing values as
// null. InputError (kNotFinite) for an infinity, which JSON cannot hold.
void write_json_lines(Source& source, Sink sink);

}  // namespace craton
