#pragma once
#include <string_view>
#include <vector>

#include "craton/base/schema.h"

// What the option `terms` says: which products of columns a model is linear in, in the notation of
// Wilkinson and Rogers ("Symbolic description of factorial models for analysis of variance",
// Applied Statistics 22, 1973), as R and patsy have it.
//
//   a, b      or a + b: these terms          a:b      the product of both
//   a * b     a, b and a:b                   age^2    a power of a column of numbers
//   .         every column, by itself        - a      without this term, as in ". - id"
//   (...)     several terms in the place     (...)^2  and .^2: terms of these, and products of two
//             of one                                  different ones
//
// A name may have any letters but , + * : ^ ( ) unless it stands in quotes (' " or `); a hyphen in
// it is part of it, unless it stands alone.

namespace craton {

struct ColumnPower {
  Index column = 0;
  Index power = 1;  // of a category always 1: it is multiplied by what stands for a level
  auto operator<=>(const ColumnPower&) const = default;
};
using ColumnProduct = std::vector<ColumnPower>;  // in the order written, a column once

inline constexpr Index kMostPower = 16;         // of a column
inline constexpr std::size_t kMostFactors = 8;  // columns in a product

// The terms, each once, in the order written. InputError (kBadOption, kUnknownName) says at which
// character of the text.
std::vector<ColumnProduct> parse_terms(std::string_view text, const Schema& schema);

// "sex=female, 'marital status'=single": a level of each column that is named. InputError as above.
struct NamedLevel {
  Index column = 0;
  Index code = 0;
};
std::vector<NamedLevel> parse_levels(std::string_view text, const Schema& schema);

}  // namespace craton
