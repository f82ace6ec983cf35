#pragma once
#include "craton/text/count.h"

namespace craton {

// learn_and_count of single words: each worker numbers the words that it meets and counts them,
// document by document; then the words of all become columns (word_union.h), and each document's
// are sorted by them. O(words), but for the sorts.
//
// requires tokeniser.last_n() == 1
CountedTexts count_words(const EachText& texts, const Tokeniser& tokeniser, const CutOptions& cuts,
                         const Exec& exec);

}  // namespace craton
