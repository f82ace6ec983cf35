#pragma once
#include "craton/text/count.h"

// learn_and_count by sorting. All places of words, sorted by the n words that begin there:
//
//   - the places of one n-gram lie together, in the order of documents: df and cf are seen at once,
//   - what begins with a term follows it, by its next words: the order of code points.
//
// That is a suffix array to the depth n (Manber and Myers, "Suffix arrays: a new method for on-line
// string searches", 1993), and is found from the first word on, bucket by bucket. There is no table
// of n-grams: memory is read in order, and most of it lies in a cache. O(words x n).

namespace craton {

// requires may_be_sorted(texts)
CountedTexts count_sorted(const EachText& texts, const Tokeniser& tokeniser, const CutOptions& cuts,
                          const Exec& exec);
// Places and documents are numbers of 32 and 30 bits.
inline bool may_be_sorted(const EachText& texts) {
  return texts.rows < Index{1} << 30 &&
         texts.rows + texts.offsets[texts.rows] - texts.offsets[0] < Index{1} << 32;
}

}  // namespace craton
