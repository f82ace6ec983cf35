#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "craton/base/function_ref.h"
#include "craton/base/large_pages.h"
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

// Texts in memory that need not lie side by side: a worker asks for one at a time, which is there
// until it asks for the next. `room` is the worker's, for those that are made then.
struct EachText {
  Index rows = 0;
  const Index* offsets = nullptr;  // their sizes are the differences
  FunctionRef<std::string_view(Index row, std::string& room)> text;
};
// Rows whose texts have about 256 kB together: those of one task.
std::vector<RowRange> parts_of(const EachText& texts);

// Counted rows in pages of their own, which whoever writes a row first takes from the system.
struct TermRows {
  std::vector<Index> offsets = {0};
  LargePageTable<std::int32_t> columns;
  LargePageTable<double> values;

  TermRows() = default;
  explicit TermRows(std::vector<Index> ends)
      : offsets(std::move(ends)), columns(usize(entries())), values(usize(entries())) {}
  Index rows() const { return static_cast<Index>(offsets.size()) - 1; }
  Index entries() const { return offsets.back(); }
  Sparse<double> view(Index cols) const {
    return {offsets.data(), columns.data(), values.data(), rows(), cols};
  }
};

// Both at once for texts in memory: the terms that the cuts leave, and the rows, in one pass over
// the texts. The same as TermCounts::learned and then count_terms, for any number of threads.
struct CountedTexts {
  LearnedTerms terms;
  TermRows rows;
};
CountedTexts learn_and_count(const EachText& texts, const Tokeniser& tokeniser,
                             const CutOptions& cuts, const Exec& exec);
CountedTexts learn_and_count(const Texts& texts, const Tokeniser& tokeniser, const CutOptions& cuts,
                             const Exec& exec);

// Texts in memory, cut into parts by their bytes: each part's task appends its rows to an array of
// its own, and these are joined.
using CountRows = FunctionRef<void(const Texts&, CountWork&, SparseArray&)>;
TermRows count_all(const EachText& texts, const Exec& exec, CountRows count);
TermRows count_all(const Texts& texts, const Exec& exec, CountRows count);

}  // namespace craton
