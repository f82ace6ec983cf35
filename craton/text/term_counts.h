#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/bytes.h"
#include "craton/base/texts.h"
#include "craton/engine/fold.h"
#include "craton/text/term_index.h"
#include "craton/text/tokens.h"
#include "craton/text/vocabulary.h"

// Terms as they are learned: all that occur, each with
//
//   df = the number of documents that hold it,   cf = how often it occurs in all of them
//
// An n-gram is the number of its first n - 1 words and that of its last: no strings are joined
// until a vocabulary is made.

namespace craton {

struct LearnedTerms {
  Vocabulary vocabulary;
  std::vector<Index> df, cf;  // by column
  Index documents = 0;
};

// n-grams are numbered by themselves: their numbers as terms have this bit.
inline constexpr TermId kPairBit = 0x80000000;

// The state of a fold over documents, with exact merges: an Accumulator but for accumulate(Chunk).
class TermCounts {
 public:
  explicit TermCounts(const Tokeniser& tokeniser) : tokeniser_(&tokeniser) {}  // borrowed

  Index documents() const { return documents_; }
  bool empty() const { return documents_ == 0; }
  bool empty_of_terms() const;  // that would be learned: of n words, if n-grams begin with those

  void add(std::string_view document);
  void add(const Texts& texts);
  // Terms that were learned before, nothing of them cut.
  void add(const LearnedTerms& terms);

  void merge(const TermCounts& other);  // documents and counts add up
  void write(Writer& writer) const;
  void read(Reader& reader);
  Index words() const { return 1; }  // the size of rows alone sets the grid
  Merge merge_kind() const { return Merge::kExact; }

  // The terms that are kept. InputError says which cut took how many, if none is left.
  LearnedTerms learned(const CutOptions& cuts, const Exec& exec = {.threads = 1}) const;

 private:
  friend class TermSelection;
  struct Tally {
    std::uint32_t document = 0;  // the last one that held it
    std::uint64_t df = 0, cf = 0;
  };
  using Pairs = PairIndex<Tally>;
  void begin_document();
  void take(std::span<const Word> words);
  void take_pairs(bool counts, TermId& carried);
  void count(Tally& tally);
  TermId add_word(const Word& word);

  const Tokeniser* tokeniser_;
  WordIndex words_;
  Pairs pairs_;
  Grown<Tally> of_word_;
  Index documents_ = 0;
  std::uint32_t document_ = 0;  // the number of the current one in Tally

  TokenWork work_;
  std::vector<TermId> grams_, ids_, carried_;
};

}  // namespace craton
