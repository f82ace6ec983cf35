#include "craton/text/counted_words.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "craton/engine/for_each.h"
#include "craton/engine/tasks.h"
#include "craton/text/sort_columns.h"
#include "craton/text/word_union.h"

// In turn
//
//   parts of the texts   words become numbers of the worker's, each once a document, with its count
//   all workers          their words, cut and sorted: columns
//   parts                rows are sorted and written

namespace craton {
namespace {

struct WordEntry {
  TermId word;  // as its worker numbers it; or its column
  std::uint32_t count;
};

struct CountedPart {
  RowRange range;
  int worker = 0;
  std::size_t first = 0;  // among the worker's entries
};

struct WordCounter {
  SeenWords seen;
  // Document by document. The one at `base` counts nothing, and is what is read in the place of one
  // that is not there yet: fresh pages are written first, as reading them costs another fault.
  Grown<WordEntry> entries;
  std::size_t base = 0;  // Tally::at counts from here; 0: not at all
  TokenWork tokens;
  std::string room;

  std::uint32_t next() const { return static_cast<std::uint32_t>(entries.size() - base); }

  void begin_part() {
    constexpr std::size_t kMany = std::size_t{1} << 31;  // of 32 bits: a part has far fewer
    if (entries.size() > 0 && entries.size() - base < kMany) return;
    for (SeenWords::Tally& tally : seen.tallies) tally.at = 0;
    base = entries.size();
    entries.push_back({0, 0});
  }

  // More words of a document, whose first entry is `first`. Whether a word was there before is as
  // good as chance, so there is no branch. Memory is fetched a step ahead: most words are rare, and
  // lie in no cache.
  void take(std::span<const Word> words, std::uint32_t first) {
    TermId ids[kLookups];
    entries.room(words.size());
    WordEntry* const counted = entries.begin() + base;
    const std::uint32_t begin = next();
    std::uint32_t end = begin;
    for (; !words.empty(); words = words.subspan(std::min(kLookups, words.size()))) {
      const std::size_t size = std::min(kLookups, words.size());
      for (std::size_t i = 0; i < size; ++i) seen.words.prefetch(words[i]);
      for (std::size_t i = 0; i < size; ++i) {
        const TermId id = seen.words.guess(words[i]);
        if (id != kNoTerm) __builtin_prefetch(&seen.tallies[id], 1);
      }
      for (std::size_t i = 0; i < size; ++i) ids[i] = seen.add(words[i]);
      for (std::size_t i = 0; i < size; ++i) {
        SeenWords::Tally& tally = seen.tallies[ids[i]];
        const std::uint32_t again = tally.at >= first ? ~std::uint32_t{0} : 0;  // a mask
        const std::uint32_t before = tally.at & again;
        tally.at = before | (end & ~again);
        counted[tally.at] = {ids[i], counted[before].count + 1};
        tally.df += again + 1;
        tally.cf += 1;
        end += again + 1;
      }
    }
    entries.add(end - begin);
  }
};

class CountedWords {
 public:
  CountedWords(const EachText& texts, const Tokeniser& tokeniser, const Exec& exec)
      : texts_(texts), tokeniser_(tokeniser), exec_(exec), workers_(usize(worker_count(exec))) {
    for (const RowRange& range : parts_of(texts)) parts_.push_back({range});
  }

  CountedTexts make(const CutOptions& cuts) {
    CountedTexts result;
    ends_.assign(usize(texts_.rows) + 1, 0);
    read_texts();
    unite_words(cuts, result.terms);
    if (cut_) count_entries_left();
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    result.rows = TermRows(std::move(ends_));
    write_rows(usize(result.terms.vocabulary.size()), result.rows);
    return result;
  }

 private:
  void read_texts() {
    rethrow(run_tasks(
        0, std::ssize(parts_), exec_, [](Task) {},
        [&](Task t) {
          CountedPart& part = parts_[usize(t.number)];
          WordCounter& worker = workers_[usize(t.worker)];
          worker.begin_part();
          part.worker = t.worker;
          part.first = worker.entries.size();
          for (Index i = part.range.first; i < part.range.last; ++i) {
            const std::size_t before = worker.entries.size();
            const std::uint32_t first = worker.next();
            tokeniser_.words(texts_.text(i, worker.room), worker.tokens,
                             [&](std::span<const Word> words) { worker.take(words, first); });
            sizes()[i] = static_cast<Index>(worker.entries.size() - before);
          }
        }));
  }
  Index* sizes() { return ends_.data() + 1; }  // of rows, until they are added up

  void unite_words(const CutOptions& cuts, LearnedTerms& terms) {
    std::vector<SeenWords> seen;
    for (WordCounter& worker : workers_) seen.push_back(std::move(worker.seen));
    WordUnion both = unite(seen, texts_.rows, cuts, exec_);
    terms = std::move(both.terms);
    columns_ = std::move(both.columns);
    cut_ = both.cut > 0;
  }

  // f(part, the columns of its worker's words, its entries)
  template <class F>
  void for_each_part(const F& f) {
    for_each(std::ssize(parts_), exec_, [&](Index p) {
      const CountedPart& part = parts_[usize(p)];
      f(part, columns_[usize(part.worker)].data(),
        workers_[usize(part.worker)].entries.begin() + part.first);
    });
  }

  void count_entries_left() {
    all_sizes_.assign(ends_.begin() + 1, ends_.end());
    for_each_part(
        [&](const CountedPart& part, const std::int32_t* columns, const WordEntry* entry) {
          for (Index i = part.range.first; i < part.range.last; ++i) {
            const WordEntry* const end = entry + all_sizes_[usize(i)];
            sizes()[i] =
                std::count_if(entry, end, [&](const WordEntry& e) { return columns[e.word] >= 0; });
            entry = end;
          }
        });
  }

  void write_rows(std::size_t limit, TermRows& rows) {
    for_each_part(
        [&](const CountedPart& part, const std::int32_t* columns, const WordEntry* entry) {
          std::vector<WordEntry> row, spare;
          for (Index i = part.range.first; i < part.range.last; ++i) {
            const Index first = rows.offsets[usize(i)], left = rows.offsets[usize(i) + 1] - first;
            const Index all = cut_ ? all_sizes_[usize(i)] : left;
            row.resize(std::max(row.size(), usize(all) + 1));
            WordEntry* to = row.data();
            for (const WordEntry* const end = entry + all; entry < end; ++entry) {
              const std::int32_t column = columns[entry->word];
              *to = {static_cast<TermId>(column), entry->count};
              to += column >= 0 ? 1 : 0;
            }
            sort_columns(row.data(), usize(left), limit, spare,
                         [](const WordEntry& e) { return e.word; });
            std::int32_t* const to_columns = rows.columns.data() + first;
            double* const to_values = rows.values.data() + first;
            for (std::size_t j = 0; j < usize(left); ++j) {
              to_columns[j] = static_cast<std::int32_t>(row[j].word);
              to_values[j] = static_cast<double>(row[j].count);
            }
          }
        });
  }

  const EachText& texts_;
  const Tokeniser& tokeniser_;
  const Exec& exec_;
  std::vector<CountedPart> parts_;
  std::vector<WordCounter> workers_;
  std::vector<std::vector<std::int32_t>> columns_;  // by worker
  std::vector<Index> ends_, all_sizes_;             // of rows, and before cuts
  bool cut_ = false;
};

}  // namespace

CountedTexts count_words(const EachText& texts, const Tokeniser& tokeniser, const CutOptions& cuts,
                         const Exec& exec) {
  return CountedWords(texts, tokeniser, exec).make(cuts);
}

}  // namespace craton
