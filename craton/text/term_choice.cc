#include "craton/text/term_choice.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "craton/base/error.h"

namespace craton {

TermChoice::TermChoice(const CutOptions& cuts, Index documents)
    : cuts_(cuts),
      documents_(documents),
      low_(cuts.min_df < 1 ? cuts.min_df * static_cast<double>(documents) : cuts.min_df),
      high_(cuts.max_df <= 1 ? cuts.max_df * static_cast<double>(documents) : cuts.max_df),
      least_count_(static_cast<std::uint64_t>(cuts.min_count)) {}

void TermChoice::merge(const TermChoice& other) {
  terms_ += other.terms_;
  rare_ += other.rare_;
  common_ += other.common_;
  few_ += other.few_;
}

void TermChoice::check() const {
  if (terms_ == 0) {
    throw InputError(Code::kNoTerms, {}, {"{} documents hold not one term", documents_},
                     {"Are the words shorter than {}, fewer than {}, or all of them stop words?",
                      Ref::option("least_length"), Ref::option("ngram_min")});
  }
  const Index kept = terms_ - rare_ - common_ - few_;
  if (kept > std::numeric_limits<std::int32_t>::max()) {
    throw InputError(Code::kOutOfMemory, {}, {"{} terms are more than columns can be", kept},
                     {"Give {}, or hash the terms.", Ref::option("max_features")});
  }
  if (kept > 0) return;
  if (low_ > static_cast<double>(documents_)) {
    throw InputError(Code::kBadOption, {},
                     {"{} asks for more documents than there are: {}",
                      Ref::option("min_df", cuts_.min_df), documents_},
                     {"Lower {}; below 1 it is a share of the documents.", Ref::option("min_df")});
  }
  if (high_ < low_) {
    throw InputError(
        Code::kBadOption, {},
        {"{} is {} documents of {}, below {}, which is {}", Ref::option("max_df", cuts_.max_df),
         high_, documents_, Ref::option("min_df", cuts_.min_df), low_},
        "Up to 1 they are shares of the documents, above it numbers of documents.");
  }
  throw InputError(Code::kNoTerms, {},
                   {"of {} terms none is left: {} took {} of them, {} took {}, {} took {}", terms_,
                    Ref::option("min_df", cuts_.min_df), rare_, Ref::option("max_df", cuts_.max_df),
                    common_, Ref::option("min_count", cuts_.min_count), few_},
                   {"Lower {} or {}, or raise {}.", Ref::option("min_df"), Ref::option("min_count"),
                    Ref::option("max_df")});
}

std::vector<std::int32_t> most_frequent(std::span<const std::uint64_t> frequency,
                                        std::size_t most) {
  std::vector<std::uint32_t> best(frequency.size());
  std::iota(best.begin(), best.end(), 0u);
  std::nth_element(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(most), best.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     return frequency[a] != frequency[b] ? frequency[a] > frequency[b] : a < b;
                   });
  best.resize(most);
  std::sort(best.begin(), best.end());
  std::vector<std::int32_t> columns(frequency.size(), -1);
  for (std::size_t j = 0; j < most; ++j) columns[best[j]] = static_cast<std::int32_t>(j);
  return columns;
}

}  // namespace craton
