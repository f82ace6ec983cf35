#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/options.h"
#include "craton/text/normal_forms.h"

// What is counted in texts, and how it is weighed.

namespace craton {

// From documents to terms: tokens.h.
struct TokenOptions {
  enum class Analyzer { kWord, kChar, kCharWb };
  enum class Words {
    kPlain,    // longest runs of \w in Python's sense: letters, numbers and '_'
    kUnicode,  // Unicode Standard Annex 29: those segments that hold a letter or a number
  };
  Analyzer analyzer = Analyzer::kWord;
  Words words = Words::kPlain;
  Index least_length = 2;  // of a word, in characters
  bool lowercase = true, fold = false;
  NormalForm normal_form = NormalForm::kNone;
  Accents strip_accents = Accents::kKeep;
  std::string stop_words = {};  // stop_words.h: "", "english", or words between blanks
  std::string stemmer = {};     // stemmer.h: "" none
  Index ngram_min = 1, ngram_max = 1;

  bool operator==(const TokenOptions&) const = default;
};

void describe(OptionVisitor& v, TokenOptions& o);

// Which terms are kept: those in min_df to max_df of the documents that occur at least min_count
// times in all, and of these the max_features most frequent ones. Of equally frequent terms the
// first by code points is kept. (scikit-learn leaves that to the sort of numpy, which says nothing
// about equals.)
struct CutOptions {
  enum class Rank { kCount, kDocuments };

  double min_df = 1;  // below 1: a share of the documents; else their number
  double max_df = 1;  // up to 1: a share of the documents; else their number
  Index min_count = 1;
  Index max_features = 0;    // 0: all
  Rank rank = Rank::kCount;  // kDocuments: where presence is counted, and not a described option

  bool cuts() const { return min_df != 1 || max_df != 1 || min_count > 1 || max_features > 0; }
  bool operator==(const CutOptions&) const = default;
};

void describe(OptionVisitor& v, CutOptions& o);

// Weights of counted terms: weights.h.
struct WeightOptions {
  enum class Tf { kCount, kPresence, kShare, kLog, kBm25 };
  enum class Idf { kNone, kTextbook, kTextbookPlus, kPlain, kSmooth, kBm25 };
  enum class Norm { kNone, kL1, kL2 };

  Tf tf = Tf::kCount;
  Idf idf = Idf::kNone;
  double k1 = 1.2, b = 0.75;
  Norm norm = Norm::kNone;

  bool any() const { return tf != Tf::kCount || idf != Idf::kNone || norm != Norm::kNone; }
  bool operator==(const WeightOptions&) const = default;
};

void describe(OptionVisitor& v, WeightOptions& o);

// All of it: text_step.h.
struct TextOptions {
  TokenOptions tokens = {};
  CutOptions cuts = {};
  WeightOptions weights = {};
  Index hashed = 0;  // 0: a vocabulary is learned; else columns that terms are hashed to
  bool alternate_sign = true;
  Index positions = 0;  // of models of words by position: so many words; 0: kUsualPositions

  static constexpr Index kUsualPositions = 20;
  bool operator==(const TextOptions&) const = default;
};

void describe(OptionVisitor& v, TextOptions& o);

// Those among the options of a model, and all of them as a model without any has them.
TextOptions text_of(std::span<const NamedOption> options);
bool is_text_option(std::string_view name);
std::vector<Option> text_options();

}  // namespace craton
