#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "craton/base/grown.h"
#include "craton/text/term_counts.h"
#include "craton/text/term_index.h"
#include "craton/text/text_options.h"

// The words that several workers have seen, each by itself: one vocabulary in the order of code
// points. Equal words of several lie side by side once all are sorted; no table of all is made.

namespace craton {

// Words in the order in which one worker met them, and how often.
struct SeenWords {
  struct Tally {
    std::uint32_t at = 0;  // for who counts them: where it counted this word last
    std::uint32_t df = 0;  // documents that hold it
    std::uint64_t cf = 0;  // how often it occurs in all of them
  };
  WordIndex words;
  Grown<Tally> tallies;

  TermId add(const Word& word) {
    const TermId id = words.find_or_add(word);
    if (id == tallies.size()) tallies.push_back({});
    return id;
  }
};

struct WordUnion {
  LearnedTerms terms;
  std::vector<std::vector<std::int32_t>> columns;  // of each worker's words; -1: cut
  Index cut = 0;                                   // words that were
};

// InputError says which cut took how many words, if none is left.
WordUnion unite(std::span<const SeenWords> seen, Index documents, const CutOptions& cuts,
                const Exec& exec);

}  // namespace craton
