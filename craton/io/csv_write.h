#pragma once
#include <span>
#include <string>
#include <string_view>

#include "craton/base/source.h"
#include "craton/io/form_notes.h"
#include "craton/io/sink.h"

// Tables as CSV text that parse_csv, and everybody else, reads back to the same bits.

namespace craton {

// Quoted where a delimiter, a quote, a line end or a blank at an end asks for it.
std::string csv_field(std::string_view text);

// The shortest text that reads back to the same double; whole numbers without an exponent.
std::string csv_field(double value);

// requires names to be as many as the columns of x.
std::string write_csv(std::span<const std::string> names, const Dense<double>& x);

// Row by row; categories by the names of their levels, a missing one as NA. Columns called 1..d get
// no header: it would read back as a row, and they are called so without one.
// Columns of days are written as dates, if `forms` says that they are some.
void write_csv(Source& source, char delimiter, Sink sink, std::span<const ColumnForm> forms = {});

}  // namespace craton
