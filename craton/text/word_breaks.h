#pragma once
#include <cstdint>
#include <string_view>

#include "craton/base/function_ref.h"
#include "craton/text/unicode_tables.h"

// Words of a text by Unicode Standard Annex 29 (rules WB1 to WB999): every place between two
// characters is a boundary, unless a rule forbids it. Between two boundaries lies a word, a blank,
// a sign, ...

namespace craton {

struct WordSegment {
  std::string_view text;
  std::int64_t characters = 0;
  bool alnum = false;  // it holds a letter or a digit
  // It begins with a letter that ends a word by itself: of scripts that are written without blanks,
  // such as Chinese.
  bool ideograph = false;
};

// Each segment of a text, in order: O(bytes).
void for_each_segment(std::string_view text, FunctionRef<void(const WordSegment&)> take);

}  // namespace craton
