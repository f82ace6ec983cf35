#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/function_ref.h"
#include "craton/base/report.h"
#include "craton/text/term_index.h"
#include "craton/text/text_options.h"

// From a document to its terms, in this order:
//
//   normal form  ->  small letters, or case folding  ->  accents  ->  words  ->  stop words
//                ->  stems  ->  n-grams: n words in a row, with a blank between them
//
// as scikit-learn's CountVectorizer does, which knows no normal forms, folding and stems. Stop
// words are looked up before stems are taken, so that lists hold words and not stems. With analyzer
// char the terms are n characters in a row, where white space of two or more characters counts as
// one blank; with char_wb the same within words, each with a blank before and behind it.

namespace craton {

// Room to work in, of one thread: used again, it allocates nothing for documents that are no larger
// than earlier ones. A copy of it is empty, as nothing in it is a result.
class TokenWork {
 public:
  TokenWork();
  ~TokenWork();
  TokenWork(const TokenWork&) : TokenWork() {}
  TokenWork(TokenWork&&) noexcept;
  TokenWork& operator=(const TokenWork&) { return *this; }
  TokenWork& operator=(TokenWork&&) noexcept;

 private:
  friend class Tokeniser;
  struct Room;
  std::unique_ptr<Room> room_;
};

class Tokeniser {
 public:
  // InputError for options out of bounds, and names of stop lists and stemmers that there are not.
  explicit Tokeniser(const TokenOptions& options);

  const TokenOptions& options() const { return options_; }
  bool counts_words() const { return options_.analyzer == TokenOptions::Analyzer::kWord; }
  // The n of n-grams that are made of what words() gives: of characters it gives the n-grams
  // themselves.
  Index first_n() const { return counts_words() ? options_.ngram_min : 1; }
  Index last_n() const { return counts_words() ? options_.ngram_max : 1; }

  // The words that are left of a document, in order, some hundreds at a time; they are gone after
  // the call. Any bytes are taken; those that are not UTF-8 are part of no word.
  using Take = FunctionRef<void(std::span<const Word>)>;
  void words(std::string_view document, TokenWork& work, Take take) const;

  // All terms of a document as scikit-learn's analyzers list them: words, then 2-grams, ...
  std::vector<std::string> terms(std::string_view document) const;

  // What should be known of the options: stop words that the texts cannot hold, as they would be
  // cut, or lose their accents, and be words that are not stop words.
  std::vector<Note> notes() const;

 private:
  TokenOptions options_;
  WordIndex stop_;
};

}  // namespace craton
