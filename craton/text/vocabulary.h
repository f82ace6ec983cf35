#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/matrix.h"
#include "craton/text/term_index.h"
#include "craton/text/text_options.h"
#include "craton/text/tokens.h"

// The terms that columns count: words, n-grams of words with a blank between them, or n-grams of
// characters.

namespace craton {

// Learned vocabularies are in the order of code points, which is that of the bytes of UTF-8.
struct Vocabulary {
  std::string bytes;
  std::vector<Index> offsets = {0};  // of column j: [offsets[j], offsets[j + 1])

  Index size() const { return std::ssize(offsets) - 1; }
  std::string_view operator[](Index column) const {
    const Index first = offsets[usize(column)];
    return {bytes.data() + first, usize(offsets[usize(column + 1)] - first)};
  }
  void add(std::string_view term);
  bool operator==(const Vocabulary&) const = default;

  // Terms in the order given. InputError for one that is given twice, and for none at all.
  static Vocabulary of(std::span<const std::string> terms);
};

// Finds the columns of terms. Owns what it needs of the vocabulary.
class TermFinder {
 public:
  TermFinder() = default;
  TermFinder(const Vocabulary& vocabulary, const Tokeniser& tokeniser);

  std::size_t columns() const { return columns_; }

  // Room to work in, and the last n-grams of the document, n < last_n.
  struct Work {
    std::vector<TermId> words, grams, carried;
  };
  static void begin(Work& work) { work.carried.clear(); }  // a document
  // Appends the columns of all terms that end in these words, which follow those of the last call.
  void find(std::span<const Word> words, Work& work, std::vector<std::uint32_t>& columns) const;

 private:
  std::size_t columns_ = 0;
  Index first_n_ = 1, last_n_ = 1;
  WordIndex words_;
  struct Column {
    std::int32_t number = -1;  // -1: part of a term, but none itself
  };
  using Pairs = PairIndex<Column>;
  Pairs pairs_;
  std::vector<Column> of_word_;
};

}  // namespace craton
