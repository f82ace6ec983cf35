#include "craton/text/vocabulary.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "craton/base/error.h"
#include "craton/base/utf8.h"
#include "craton/text/term_counts.h"

namespace craton {
void Vocabulary::add(std::string_view term) {
  bytes += term;
  offsets.push_back(std::ssize(bytes));
}

Vocabulary Vocabulary::of(std::span<const std::string> terms) {
  if (terms.empty()) {
    throw InputError(Code::kNoTerms, {}, "the vocabulary that was given has no term",
                     "Give at least one.");
  }
  Vocabulary result;
  WordIndex seen;
  std::string room;
  for (const std::string& term : terms) {
    if (usize(seen.find_or_add(word_of(term, room))) < usize(result.size())) {
      throw InputError(Code::kDuplicateName, {},
                       {"the vocabulary that was given has '{}' twice", printable(term, 40)},
                       "Give each term once.");
    }
    result.add(term);
  }
  return result;
}

void describe(OptionVisitor& v, CutOptions& o) {
  constexpr double kMost = 1e15;
  constexpr Index kMostTerms = std::numeric_limits<std::int32_t>::max();
  v.number("min_df", o.min_df, 0, kMost,
           "leave out terms of fewer documents: below 1 a share of them, else their number");
  v.number("max_df", o.max_df, 0, kMost,
           "leave out terms of more documents: up to 1 a share of them, else their number");
  v.integer("min_count", o.min_count, 1, kMostTerms,
            "leave out terms that occur fewer times in all documents");
  v.integer("max_features", o.max_features, 0, kMostTerms,
            "keep so many terms, those that occur most often; 0: all");
}

TermFinder::TermFinder(const Vocabulary& vocabulary, const Tokeniser& tokeniser)
    : columns_(usize(vocabulary.size())), first_n_(tokeniser.first_n()) {
  std::string room;
  for (Index j = 0; j < vocabulary.size(); ++j) {
    std::string_view rest = vocabulary[j];
    TermId term = kNoTerm;
    Index n = 0;
    for (;;) {
      const std::size_t size =
          tokeniser.counts_words() ? std::min(rest.find(' '), rest.size()) : rest.size();
      const TermId word = words_.find_or_add(word_of(rest.substr(0, size), room));
      term = ++n == 1 ? word : pairs_.find_or_add(Pairs::key(term, word)) | kPairBit;
      if (size == rest.size()) break;
      rest.remove_prefix(size + 1);
    }
    of_word_.resize(words_.size());
    (n == 1 ? of_word_[term] : pairs_[term & ~kPairBit]).number = static_cast<std::int32_t>(j);
    last_n_ = std::max(last_n_, n);
  }
  last_n_ = std::min(last_n_, tokeniser.last_n());
}

// Memory is fetched a step ahead, as in TermCounts::take.
void TermFinder::find(std::span<const Word> words, Work& work,
                      std::vector<std::uint32_t>& columns) const {
  const auto found = [&](Column column) {
    if (column.number >= 0) columns.push_back(static_cast<std::uint32_t>(column.number));
  };
  work.words.resize(words.size());
  const std::size_t before_words = columns.size();
  columns.resize(before_words + words.size());
  std::uint32_t* to = columns.data() + before_words;
  for (std::size_t begin = 0; begin < words.size(); begin += kLookups) {
    const std::size_t end = std::min(begin + kLookups, words.size());
    for (std::size_t i = begin; i < end; ++i) words_.prefetch(words[i]);
    for (std::size_t i = begin; i < end; ++i) {
      const TermId id = words_.guess(words[i]);
      if (id != kNoTerm) __builtin_prefetch(&of_word_[id]);
    }
    for (std::size_t i = begin; i < end; ++i) {
      const TermId id = words_.find(words[i]);
      work.words[i] = id;
      if (first_n_ > 1 || id == kNoTerm) continue;
      *to = static_cast<std::uint32_t>(of_word_[id].number);
      to += of_word_[id].number >= 0 ? 1 : 0;
    }
  }
  columns.resize(static_cast<std::size_t>(to - columns.data()));
  if (last_n_ == 1) return;
  work.grams = work.words;
  work.carried.resize(usize(last_n_), kNoTerm);
  for (Index n = 2; n <= last_n_; ++n) {
    // grams[i], the (n-1)-gram that ends in word i, becomes the n-gram.
    TermId before = work.carried[usize(n) - 2];
    std::uint64_t keys[kLookups];
    for (std::size_t begin = 0; begin < words.size(); begin += kLookups) {
      const std::size_t size = std::min(kLookups, words.size() - begin);
      TermId* grams = work.grams.data() + begin;
      for (std::size_t i = 0; i < size; ++i) {
        keys[i] = Pairs::key(before, work.words[begin + i]);
        before = std::exchange(grams[i], before);
        pairs_.prefetch(keys[i]);
      }
      for (std::size_t i = 0; i < size; ++i) pairs_.prefetch_guess(keys[i]);
      for (std::size_t i = 0; i < size; ++i) {
        const bool known = grams[i] != kNoTerm && work.words[begin + i] != kNoTerm;
        const TermId pair = known ? pairs_.find(keys[i]) : kNoTerm;
        grams[i] = pair == kNoTerm ? kNoTerm : pair | kPairBit;
        if (pair != kNoTerm && n >= first_n_) found(pairs_[pair]);
      }
    }
    work.carried[usize(n) - 2] = before;
  }
}

}  // namespace craton
