#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "craton/engine/for_each.h"
#include "craton/text/term_choice.h"
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
  TermSelection(const TermCounts& counts, const CutOptions& cuts, const Exec& exec)
      : counts_(counts),
        cuts_(cuts),
        exec_(exec),
        kept_words_(counts.words_.size()),
        kept_pairs_(counts.pairs_.size()) {}

  LearnedTerms make() {
    keep_terms();
    order_terms();
    cut_features();
    return write_terms();
  }

 private:
  using Tally = TermCounts::Tally;
  const Tally& tally(TermId term) const {
    return is_pair(term) ? counts_.pairs_[term & ~kPairBit] : counts_.of_word_[term];
  }

  // Marks what the cuts by documents and counts leave. InputError: nothing.
  void keep_terms() {
    TermChoice cuts(cuts_, counts_.documents_);
    const auto keep = [&](const Tally& t, std::uint8_t& flag) {
      flag = t.cf > 0 && cuts.keeps(t.df, t.cf) ? 1 : 0;  // cf = 0: a part of n-grams only
    };
    for (TermId id = 0; id < kept_words_.size(); ++id) keep(counts_.of_word_[id], kept_words_[id]);
    for (TermId id = 0; id < kept_pairs_.size(); ++id) keep(counts_.pairs_[id], kept_pairs_[id]);
    cuts.check();
  }

  // Columns in the order of code points.
  void order_terms() {
    mark_needed();
    order_words();
    for (std::size_t n = 1; n < levels_.size(); ++n) order_level(n);
    for (std::size_t n = levels_.size() - 1; n > 0; --n) {
      const Level& level = levels_[n];
      for (std::size_t i = 0; i < level.ids.size(); ++i) {
        levels_[n - 1].next[level.parents[i]] += level.next[i];
      }
    }
    give_columns();
  }
  // The parts of all that is kept.
  void mark_needed() {
    std::vector<std::uint8_t> words = kept_words_, pairs = kept_pairs_;
    for (TermId id = static_cast<TermId>(pairs.size()); id-- > 0;) {
      if (pairs[id] == 0) continue;
      const TermId parent = counts_.pairs_.parent(id);  // has a lower number
      (is_pair(parent) ? pairs[parent & ~kPairBit] : words[parent]) = 1;
      words[counts_.pairs_.last(id)] = 1;
    }
    levels_.resize(1);
    for (TermId id = 0; id < words.size(); ++id) {
      if (words[id] != 0) levels_[0].ids.push_back(id);
    }
    std::vector<std::uint8_t> level(pairs.size());
    for (TermId id = 0; id < pairs.size(); ++id) {
      const TermId parent = counts_.pairs_.parent(id);
      const int before = is_pair(parent) ? level[parent & ~kPairBit] : 0;
      level[id] = static_cast<std::uint8_t>(before + 1);
      if (pairs[id] == 0) continue;
      if (levels_.size() <= level[id]) levels_.resize(level[id] + std::size_t{1});
      levels_[level[id]].ids.push_back(id);
    }
  }
  void order_words() {
    Level& words = levels_[0];
    counts_.words_.sort(words.ids, exec_);
    words.next.reserve(words.ids.size());
    for (const TermId id : words.ids) words.next.push_back(kept_words_[id]);
    set_ranks(words.ids, word_ranks_, kept_words_.size());
  }
  static void set_ranks(const std::vector<TermId>& order, std::vector<std::uint32_t>& ranks,
                        std::size_t size) {
    ranks.resize(size);
    for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<std::uint32_t>(i);
  }
  void order_level(std::size_t n) {
    Level& level = levels_[n];
    const int word_bits = width(levels_[0].ids.size());
    std::vector<Sortable> items;
    items.reserve(level.ids.size());
    for (const TermId id : level.ids) {
      const TermId parent = counts_.pairs_.parent(id);
      const std::uint64_t before =
          is_pair(parent) ? pair_ranks_[parent & ~kPairBit] : word_ranks_[parent];
      items.push_back({before << word_bits | word_ranks_[counts_.pairs_.last(id)], id});
    }
    radix_sort(items, width(levels_[n - 1].ids.size()) + word_bits);
    level.next.reserve(items.size());
    level.parents.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      level.ids[i] = items[i].id;
      level.next.push_back(kept_pairs_[items[i].id]);
      level.parents.push_back(static_cast<std::uint32_t>(items[i].key >> word_bits));
    }
    if (n + 1 < levels_.size()) set_ranks(level.ids, pair_ranks_, kept_pairs_.size());
  }
  // From sizes to columns: `next` becomes the first column that is free for what begins with a
  // term.
  void give_columns() {
    columns_.of_word.assign(kept_words_.size(), -1);
    columns_.of_pair.assign(kept_pairs_.size(), -1);
    std::uint32_t free = 0;
    for (std::size_t n = 0; n < levels_.size(); ++n) {
      Level& level = levels_[n];
      for (std::size_t i = 0; i < level.ids.size(); ++i) {
        const TermId id = level.ids[i];
        std::uint32_t& from = n == 0 ? free : levels_[n - 1].next[level.parents[i]];
        from += std::exchange(level.next[i], from);
        if ((n == 0 ? kept_words_[id] : kept_pairs_[id]) == 0) continue;
        (n == 0 ? columns_.of_word : columns_.of_pair)[id] =
            static_cast<std::int32_t>(level.next[i]++);
      }
    }
    size_ = free;
    levels_.clear();
  }

  // f(term, column) for all that have one, in the order of their numbers: that of memory.
  template <class F>
  void for_each_term(const F& f) {
    for (TermId id = 0; id < columns_.of_word.size(); ++id) {
      if (columns_.of_word[id] >= 0) f(id, columns_.of_word[id]);
    }
    for (TermId id = 0; id < columns_.of_pair.size(); ++id) {
      if (columns_.of_pair[id] >= 0) f(id | kPairBit, columns_.of_pair[id]);
    }
  }

  // The most frequent columns; of equals the first.
  void cut_features() {
    const auto most = usize(cuts_.max_features);
    if (most == 0 || size_ <= most) return;
    std::vector<std::uint64_t> frequency(size_);
    for_each_term([&](TermId term, std::int32_t column) {
      const Tally& t = tally(term);
      frequency[static_cast<std::size_t>(column)] =
          cuts_.rank == CutOptions::Rank::kCount ? t.cf : t.df;
    });
    const std::vector<std::int32_t> now = most_frequent(frequency, most);
    for (std::vector<std::int32_t>* side : {&columns_.of_word, &columns_.of_pair}) {
      for (std::int32_t& c : *side) c = c < 0 ? -1 : now[static_cast<std::size_t>(c)];
    }
    size_ = most;
  }

  // Bytes up to `limit` belong to terms that are written later.
  char* write_term(TermId term, char* out, const char* limit) const {
    if (is_pair(term)) {
      out = write_term(counts_.pairs_.parent(term & ~kPairBit), out, limit);
      *out++ = ' ';
      term = counts_.pairs_.last(term & ~kPairBit);
    }
    const std::string_view word = counts_.words_.text(term);
    // Sixteen bytes are there, and quicker to copy than a few.
    const bool whole = word.size() <= kHead && limit - out >= static_cast<std::ptrdiff_t>(kHead);
    if (whole) {
      std::memcpy(out, word.data(), kHead);
    } else {
      std::memcpy(out, word.data(), word.size());
    }
    return out + word.size();
  }
  void prefetch(TermId term) const {
    if (is_pair(term)) return counts_.pairs_.prefetch_entry(term & ~kPairBit);
    counts_.words_.prefetch_text(term);
    __builtin_prefetch(&counts_.of_word_[term]);
  }
  // Terms by column, as many at a time as are one task; what they need is fetched beforehand.
  LearnedTerms write_terms() {
    std::vector<TermId> terms(size_);
    for_each_term(
        [&](TermId term, std::int32_t column) { terms[static_cast<std::size_t>(column)] = term; });
    LearnedTerms result;
    result.documents = counts_.documents_;
    result.df.resize(size_);
    result.cf.resize(size_);
    std::vector<Index>& offsets = result.vocabulary.offsets;
    offsets.assign(size_ + 1, 0);
    const auto for_blocks = [&](auto&& f) {
      constexpr std::size_t kTask = 1 << 14, kAhead = 16;
      for_each(static_cast<Index>((size_ + kTask - 1) / kTask), exec_, [&](Index task) {
        const std::size_t first = usize(task) * kTask, last = std::min(first + kTask, size_);
        for (std::size_t j = first; j < last; ++j) {
          if (j + 2 * kAhead < last) prefetch(terms[j + 2 * kAhead]);
          if (j + kAhead < last && is_pair(terms[j + kAhead])) {
            prefetch(counts_.pairs_.last(terms[j + kAhead] & ~kPairBit));
          }
          f(j, last);
        }
      });
    };
    for_blocks([&](std::size_t j, std::size_t) {
      result.df[j] = static_cast<Index>(tally(terms[j]).df);
      result.cf[j] = static_cast<Index>(tally(terms[j]).cf);
      Index size = -1;
      for_each_word(terms[j], [&](std::string_view word) { size += std::ssize(word) + 1; });
      offsets[j + 1] = size;
    });
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    result.vocabulary.bytes.resize(usize(offsets.back()), ' ');
    char* bytes = result.vocabulary.bytes.data();
    for_blocks([&](std::size_t j, std::size_t last) {
      write_term(terms[j], bytes + offsets[j], bytes + offsets[last]);
    });
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

  // The terms of n words that are needed, in order. Of each: `parents`, the place of its first n -
  // 1 words in the level before, and `next`, the number of kept terms that begin with it.
  struct Level {
    std::vector<TermId> ids = {};
    std::vector<std::uint32_t> parents = {}, next = {};
  };
  const TermCounts& counts_;
  const CutOptions& cuts_;
  const Exec& exec_;
  std::vector<std::uint8_t> kept_words_, kept_pairs_;  // by number
  std::vector<Level> levels_;                          // n = 1, 2, ...
  std::vector<std::uint32_t> word_ranks_, pair_ranks_;
  struct Columns {  // by their numbers; -1: cut
    std::vector<std::int32_t> of_word, of_pair;
  };
  Columns columns_;
  std::size_t size_ = 0;  // of the vocabulary
};

LearnedTerms TermCounts::learned(const CutOptions& cuts, const Exec& exec) const {
  return TermSelection(*this, cuts, exec).make();
}

}  // namespace craton
