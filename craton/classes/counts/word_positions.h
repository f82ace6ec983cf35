#pragma once
#include <string>
#include <vector>

#include "craton/classes/counts/feature_sums.h"

// Rows of word codes, one a position, as sparse rows of counts: of (position, word), or of words.

namespace craton {

struct WordPositions {
  Index positions = 0, words = 0;
  bool tied = false;

  Index columns() const { return tied ? words : positions * words; }
};

// Which word a code stands for: itself; or, in columns of categories, which have levels of their
// own, a word that all of them share.
class WordsByPosition {
 public:
  WordsByPosition() = default;
  // positions x levels; -1: no such level. requires words of 0 or more.
  explicit WordsByPosition(Array words) : words_(std::move(words)) {}
  // InputError (kUnsupported) for columns of both kinds.
  static WordsByPosition of(const Source& x);

  const Array& words() const { return words_; }  // empty: codes are words
  // -1 for a missing value, and for one that is no code: both are left out.
  Index word(Index position, double code) const;

 private:
  Array words_;
};

// The names of the words of columns of categories, each once; or of a text.
std::vector<std::string> word_names(const Schema& schema);

// The words of a chunk in their places. Owns what its chunk shows; words beyond those of the layout
// are left out.
class CountedWords {
 public:
  CountedWords(const Chunk& chunk, const WordsByPosition& vocabulary, const WordPositions& layout);
  CountedWords(const CountedWords&) = delete;
  CountedWords& operator=(const CountedWords&) = delete;
  const Chunk& chunk() const { return counted_; }

 private:
  std::vector<Index> offsets_;
  std::vector<std::int32_t> columns_;
  std::vector<double> values_;
  Chunk counted_;
};

// One more than the largest word. InputError (kOutsideSupport) for a value that is no code.
Index count_words(Source& x, const WordsByPosition& vocabulary, const Exec& exec);

FeatureSums sum_words(Source& x, Index classes, const WordsByPosition& vocabulary,
                      const WordPositions& layout, const Exec& exec);

}  // namespace craton
