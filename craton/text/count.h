#pragma once
#include <cstdint>
#include <vector>

#include "craton/base/source.h"
#include "craton/base/texts.h"
#include "craton/engine/exec.h"
#include "craton/text/term_counts.h"
#include "craton/text/tokens.h"
#include "craton/text/vocabulary.h"

// From texts to sparse rows: x_ij = how often document i holds term j. Columns ascend in each row.

namespace craton {

// Room to work in, of one thread: used again, it allocates nothing for documents that are no larger
// than earlier ones.
struct CountWork {
  TokenWork tokens;
  TermFinder::Work finder;
  std::vector<std::uint32_t> columns, spare;  // of hashed terms, with their signs
  std::string joined;                         // the words of a document
  std::vector<std::size_t> starts;            // of words in it
};

// The same for one text, with its row.
struct TextWork {
  CountWork count;
  SparseArray row;
};

// Rows of known terms, appended to `out`; other terms are not counted.
void count_terms(const Texts& texts, const Tokeniser& tokeniser, const TermFinder& finder,
                 CountWork& work, SparseArray& out);

// The signed hashing trick (Weinberger et al., "Feature hashing for large scale multitask
// learning", 2009), with scikit-learn's columns and signs: of h = MurmurHash3 (32 bits, seed 0) of
// the term as a signed number, the column is |h| mod n_features, and the term counts -1 where h is
// negative. A column whose terms cancel out stays an entry, of 0.
struct HashOptions {
  Index n_features = Index{1} << 20;
  bool alternate_sign = true;
  bool operator==(const HashOptions&) const = default;
};
void describe(OptionVisitor& v, HashOptions& o);

std::uint32_t murmur3(std::string_view bytes, std::uint32_t seed = 0);

// Rows of hashed terms, appended to `out`: no vocabulary is needed.
void count_hashed(const Texts& texts, const Tokeniser& tokeniser, const HashOptions& options,
                  CountWork& work, SparseArray& out);

// Both at once for texts in memory: the terms that the cuts leave, and the rows, in one pass over
// the texts. The same as TermCounts::learned and then count_terms, for any number of threads.
struct CountedTexts {
  LearnedTerms terms;
  SparseArray rows;
};
CountedTexts learn_and_count(const Texts& texts, const Tokeniser& tokeniser, const CutOptions& cuts,
                             const Exec& exec);

// Texts in memory, cut into parts by their bytes: each part's task appends its rows to an array of
// its own, and these are joined.
SparseArray count_all(const Texts& texts, const Exec& exec,
                      FunctionRef<void(const Texts&, CountWork&, SparseArray&)> count);

}  // namespace craton
