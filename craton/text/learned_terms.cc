#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "craton/base/error.h"
#include "craton/text/term_counts.h"

// From counts to a vocabulary: cuts, then the order of code points. No byte of a word is below a
// blank, so n-grams are ordered as the tree of their beginnings is walked: a term, then those that
// go on from it, by their next words. Words are sorted; n-grams only by numbers, level by level:
// O(terms) but for the words.

namespace craton {
namespace {

bool is_pair(TermId term) { return (term & kPairBit) != 0; }

struct Sortable {
  std::uint64_t key;
  TermId id;
};

// By the lowest `bits` bits of the keys; equals stay as they were.
void radix_sort(std::vector<Sortable>& items, int bits) {
  constexpr int kDigit = 11;
  std::vector<Sortable> other(items.size());
  for (int shift = 0; shift < bits; shift += kDigit) {
    const auto digit = [&](const Sortable& item) {
      return item.key >> shift & ((std::uint64_t{1} << kDigit) - 1);
    };
    std::vector<std::size_t> starts((std::size_t{1} << kDigit) + 1);
    for (const Sortable& item : items) ++starts[digit(item) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (const Sortable& item : items) other[starts[digit(item)]++] = item;
    items.swap(other);
  }
}

int width(std::size_t count) { return static_cast<int>(std::bit_width(count)); }

}  // namespace

class TermSelection {
 public:
  TermSelection(const TermCounts& counts, const CutOptions& cuts)
      : counts_(counts), cuts_(cuts), words_(counts.words_.size()), pairs_(counts.pairs_.size()) {}

  LearnedTerms make(TermColumns* columns_wanted) {
    keep_terms();
    order_terms();
    cut_features();
    LearnedTerms result = write_terms();
    if (columns_wanted != nullptr) *columns_wanted = std::move(columns_);
    return result;
  }

 private:
  using Tally = TermCounts::Tally;
  const Tally& tally(TermId term) const {
    return is_pair(term) ? counts_.of_pair_[term & ~kPairBit] : counts_.of_word_[term];
  }
  std::int32_t& column(TermId term) {
    return is_pair(term) ? columns_.of_pair[term & ~kPairBit] : columns_.of_word[term];
  }

  // Marks what the cuts by documents and counts leave. InputError: nothing.
  void keep_terms() {
    const auto documents = static_cast<double>(counts_.documents_);
    const double low = cuts_.min_df < 1 ? cuts_.min_df * documents : cuts_.min_df;
    const double high = cuts_.max_df <= 1 ? cuts_.max_df * documents : cuts_.max_df;
    if (high < low) refuse_bounds(low, high);
    Index terms = 0, rare = 0, common = 0, few = 0, kept = 0;
    const auto keep = [&](const Tally& t, std::uint8_t& flag) {
      if (t.cf == 0) return;  // a part of n-grams only
      ++terms;
      const auto df = static_cast<double>(t.df);
      if (df < low) return void(++rare);
      if (df > high) return void(++common);
      if (t.cf < static_cast<std::uint64_t>(cuts_.min_count)) return void(++few);
      flag = 1;
      ++kept;
    };
    for (TermId id = 0; id < words_.kept.size(); ++id) keep(counts_.of_word_[id], words_.kept[id]);
    for (TermId id = 0; id < pairs_.kept.size(); ++id) keep(counts_.of_pair_[id], pairs_.kept[id]);
    if (kept == 0) refuse_empty(terms, rare, common, few);
    if (kept > std::numeric_limits<std::int32_t>::max()) {
      throw InputError(Code::kOutOfMemory, {}, {"{} terms are more than columns can be", kept},
                       {"Give {}, or hash the terms.", Ref::option("max_features")});
    }
  }
  [[noreturn]] void refuse_bounds(double low, double high) const {
    throw InputError(
        Code::kBadOption, {},
        {"{} is {} documents of {}, below {}, which is {}", Ref::option("max_df", cuts_.max_df),
         high, counts_.documents_, Ref::option("min_df", cuts_.min_df), low},
        "Up to 1 they are shares of the documents, above it numbers of documents.");
  }
  [[noreturn]] void refuse_empty(Index terms, Index rare, Index common, Index few) const {
    if (terms == 0) {
      throw InputError(Code::kNoTerms, {}, {"{} documents hold not one term", counts_.documents_},
                       {"Are the words shorter than {}, or all of them stop words?",
                        Ref::option("least_length")});
    }
    throw InputError(
        Code::kNoTerms, {},
        {"of {} terms none is left: {} took {} of them, {} took {}, {} took {}", terms,
         Ref::option("min_df", cuts_.min_df), rare, Ref::option("max_df", cuts_.max_df), common,
         Ref::option("min_count", cuts_.min_count), few},
        {"Lower {} or {}, or raise {}.", Ref::option("min_df"), Ref::option("min_count"),
         Ref::option("max_df")});
  }

  // Columns in the order of code points.
  void order_terms() {
    mark_needed();
    order_words();
    order_levels();
    add_up_sizes();
    give_columns();
  }
  // The parts of all that is kept, and how many words each n-gram has.
  void mark_needed() {
    words_.needed = words_.kept;
    pairs_.needed = pairs_.kept;
    for (TermId id = static_cast<TermId>(pairs_.kept.size()); id-- > 0;) {
      if (pairs_.needed[id] == 0) continue;
      const TermId parent = counts_.pairs_.parent(id);
      (is_pair(parent) ? pairs_.needed[parent & ~kPairBit] : words_.needed[parent]) = 1;
      words_.needed[counts_.pairs_.last(id)] = 1;
    }
    std::vector<std::uint8_t> level(pairs_.kept.size());  // n - 2; parents have lower numbers
    for (TermId id = 0; id < level.size(); ++id) {
      const TermId parent = counts_.pairs_.parent(id);
      if (is_pair(parent)) level[id] = static_cast<std::uint8_t>(level[parent & ~kPairBit] + 1);
      if (pairs_.needed[id] == 0) continue;
      if (levels_.size() <= level[id]) levels_.resize(level[id] + std::size_t{1});
      levels_[level[id]].push_back(id);
    }
  }
  void order_words() {
    for (TermId id = 0; id < words_.needed.size(); ++id) {
      if (words_.needed[id] != 0) word_order_.push_back(id);
    }
    counts_.words_.sort(word_order_);
    words_.set_ranks(word_order_);
  }
  void order_levels() {
    const int word_bits = width(word_order_.size());
    std::size_t parents = word_order_.size();
    std::vector<Sortable> items;
    for (std::vector<TermId>& level : levels_) {
      items.clear();
      for (const TermId id : level) {
        const TermId parent = counts_.pairs_.parent(id);
        const std::uint64_t before =
            is_pair(parent) ? pairs_.rank[parent & ~kPairBit] : words_.rank[parent];
        items.push_back({before << word_bits | words_.rank[counts_.pairs_.last(id)], id});
      }
      radix_sort(items, width(parents) + word_bits);
      for (std::size_t i = 0; i < items.size(); ++i) level[i] = items[i].id;
      pairs_.set_ranks(level);
      parents = level.size();
    }
  }
  // next: the number of kept terms that begin with each term, itself among them.
  void add_up_sizes() {
    words_.next.assign(words_.kept.begin(), words_.kept.end());
    pairs_.next.assign(pairs_.kept.begin(), pairs_.kept.end());
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      for (const TermId id : *level) next(counts_.pairs_.parent(id)) += pairs_.next[id];
    }
  }
  std::uint32_t& next(TermId term) {
    return is_pair(term) ? pairs_.next[term & ~kPairBit] : words_.next[term];
  }
  // Then next: the first column that is free for a term and those that begin with it.
  void give_columns() {
    columns_.of_word.assign(words_.kept.size(), -1);
    columns_.of_pair.assign(pairs_.kept.size(), -1);
    std::uint32_t free = 0;
    const auto give = [&](Side& side, std::vector<std::int32_t>& columns, TermId id,
                          std::uint32_t& from) {
      const std::uint32_t size = std::exchange(side.next[id], from);
      if (side.kept[id] != 0) columns[id] = static_cast<std::int32_t>(side.next[id]++);
      from += size;
    };
    for (const TermId id : word_order_) give(words_, columns_.of_word, id, free);
    for (const std::vector<TermId>& level : levels_) {
      for (const TermId id : level) {
        give(pairs_, columns_.of_pair, id, next(counts_.pairs_.parent(id)));
      }
    }
    terms_.resize(free);
    for (const TermId id : word_order_) list(columns_.of_word[id], id);
    for (const std::vector<TermId>& level : levels_) {
      for (const TermId id : level) list(columns_.of_pair[id], id | kPairBit);
    }
  }
  void list(std::int32_t column, TermId term) {
    if (column >= 0) terms_[static_cast<std::size_t>(column)] = term;
  }

  // The most frequent columns; of equals the first.
  void cut_features() {
    const auto most = usize(cuts_.max_features);
    if (most == 0 || terms_.size() <= most) return;
    const auto frequency = [&](std::uint32_t column) {
      const Tally& t = tally(terms_[column]);
      return cuts_.rank == CutOptions::Rank::kCount ? t.cf : t.df;
    };
    std::vector<std::uint32_t> best(terms_.size());
    std::iota(best.begin(), best.end(), 0u);
    std::nth_element(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(most), best.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                       const std::uint64_t of_a = frequency(a), of_b = frequency(b);
                       return of_a != of_b ? of_a > of_b : a < b;
                     });
    best.resize(most);
    std::sort(best.begin(), best.end());
    for (const TermId term : terms_) column(term) = -1;
    for (std::size_t j = 0; j < most; ++j) {
      terms_[j] = terms_[best[j]];
      column(terms_[j]) = static_cast<std::int32_t>(j);
    }
    terms_.resize(most);
  }

  LearnedTerms write_terms() const {
    LearnedTerms result;
    result.documents = counts_.documents_;
    result.df.reserve(terms_.size());
    result.cf.reserve(terms_.size());
    std::vector<Index>& offsets = result.vocabulary.offsets;
    offsets.reserve(terms_.size() + 1);
    for (const TermId term : terms_) {
      result.df.push_back(static_cast<Index>(tally(term).df));
      result.cf.push_back(static_cast<Index>(tally(term).cf));
      Index size = 0;
      for_each_word(term, [&](std::string_view word) { size += std::ssize(word) + 1; });
      offsets.push_back(offsets.back() + size - 1);
    }
    result.vocabulary.bytes.resize(usize(offsets.back()), ' ');
    char* bytes = result.vocabulary.bytes.data();
    for (std::size_t j = 0; j < terms_.size(); ++j) {
      char* end = bytes + offsets[j + 1];
      for_each_word(terms_[j], [&](std::string_view word) {
        std::copy(word.begin(), word.end(), end - std::ssize(word));
        end -= std::ssize(word) + 1;  // and the blank before it
      });
    }
    return result;
  }
  // From the last word to the first.
  template <class F>
  void for_each_word(TermId term, const F& f) const {
    for (; is_pair(term); term = counts_.pairs_.parent(term & ~kPairBit)) {
      f(counts_.words_.text(counts_.pairs_.last(term & ~kPairBit)));
    }
    f(counts_.words_.text(term));
  }

  struct Side {  // words, or n-grams: by number
    explicit Side(TermId size) : kept(size) {}
    void set_ranks(const std::vector<TermId>& order) {
      rank.resize(kept.size());
      for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<std::uint32_t>(i);
    }
    std::vector<std::uint8_t> kept, needed = {};
    std::vector<std::uint32_t> rank = {}, next = {};
  };
  const TermCounts& counts_;
  const CutOptions& cuts_;
  Side words_, pairs_;
  std::vector<TermId> word_order_;
  std::vector<std::vector<TermId>> levels_;  // the n-grams of n = 2, 3, ..., in order
  TermColumns columns_;
  std::vector<TermId> terms_;  // by column
};

LearnedTerms TermCounts::learned(const CutOptions& cuts, TermColumns* columns) const {
  return TermSelection(*this, cuts).make(columns);
}

}  // namespace craton
