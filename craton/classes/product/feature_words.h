#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/schema.h"

// What a user says of the columns: "auto", "gaussian", "age=gamma, hours=mdl".

namespace craton {

// Beside the names of families.
inline constexpr std::string_view kAutoWord = "auto", kEqualWidth = "equal-width",
                                  kEqualFrequency = "equal-frequency", kByLabels = "mdl";

// One for each column. InputError (kBadOption, kUnknownName) for words and columns that are none.
std::vector<std::string> words_of(const std::string& text, const Schema& schema);

}  // namespace craton
