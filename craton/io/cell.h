#pragma once
#include <string_view>

// What one field of a text table is.

namespace craton {

enum class Cell {
  kNumber,
  kMissing,
  kText,
  kBigInteger,  // digits alone, of a value that no double holds exactly: beyond 2^53
};

// The value is NaN unless the cell is a number or a big integer (rounded). requires a text without
// blanks around it.
Cell parse_cell(std::string_view text, double& value);

// Empty, ?, and what pandas takes for missing: #N/A, #N/A N/A, #NA, -1.#IND, -1.#QNAN, -NaN, -nan,
// 1.#IND, 1.#QNAN, <NA>, N/A, NA, NULL, NaN, None, n/a, nan, null.
bool is_missing(std::string_view text);

// An optional sign, then digits alone.
bool is_integer(std::string_view text);

}  // namespace craton
