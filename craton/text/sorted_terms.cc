#include "craton/text/sorted_terms.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>

#include "craton/base/grown.h"
#include "craton/base/large_pages.h"
#include "craton/engine/for_each.h"
#include "craton/engine/tasks.h"
#include "craton/text/sort_columns.h"
#include "craton/text/term_choice.h"
#include "craton/text/word_union.h"

// Words are numbered 1, 2, ... in the order of code points; 0 is the end of a document. A bucket is
// a range of first words with some thousands of places. In turn
//
//   parts of the texts     words become numbers
//   parts                  places are brought to their buckets
//   buckets                places are sorted, terms counted and written
//   ranges of documents    counts are brought to their rows
//
// each a loop of tasks, whose results do not depend on who ran them.

namespace craton {
namespace {

constexpr std::size_t kBucketPlaces = std::size_t{1} << 14, kMostBuckets = std::size_t{1} << 10;
struct Place {
  std::uint32_t word, next;  // there, and behind it
  std::uint32_t at;          // the document; of more than two words: where in all texts
};

// A place among others that begin with the same words.
struct Going {
  std::uint32_t next, at;
};

struct Located {
  std::uint32_t word, document;
};

// How often documents have a term, for each term the documents that do: a number each, and the
// count behind it if it is not 1.
constexpr int kFlags = 2;
constexpr std::uint32_t kCounted = 1, kLast = 2;  // a count follows; the last document of the term

struct ReadPart {
  RowRange range;
  int worker = 0;
  std::size_t first = 0, last = 0;       // among the words of its worker
  std::size_t word = 0, place = 0;       // the first, among all words and places
  std::vector<std::size_t> starts = {};  // of buckets, among all places

  std::size_t words() const { return last - first; }
};

// What a worker has read: its words are numbered 1, 2, ... as they came, 0 is behind each document.
struct WordReader {
  SeenWords seen;
  Grown<std::uint32_t> words;
  TokenWork tokens;
  std::string room;
};

struct Term {
  std::uint32_t bytes, df, cf;
};

// Bytes that are copied sixteen at a time, as most words are no longer: so many behind their end
// may be read and written.
constexpr std::size_t kAtOnce = 16;
char* copy_bytes(const char* from, std::size_t size, char* to) {
  std::memcpy(to, from, kAtOnce);
  if (size > kAtOnce) std::memcpy(to + kAtOnce, from + kAtOnce, size - kAtOnce);
  return to + size;
}

// What a worker has found, bucket after bucket.
struct Found {
  Grown<Term> terms;
  Grown<char> bytes;             // their texts
  Grown<std::uint32_t> entries;  // who has them
};

struct Bucket {
  std::uint32_t first = 0, last = 0;  // words
  int worker = 0;
  struct Range {
    std::size_t first = 0, last = 0;
  };
  Range terms = {}, bytes = {}, entries = {};  // of the worker's
};

class SortedTerms {
 public:
  SortedTerms(const EachText& texts, const Tokeniser& tokeniser, const CutOptions& cuts,
              const Exec& exec)
      : texts_(texts), tokeniser_(tokeniser), cuts_(cuts), exec_(exec) {}

  CountedTexts make() {
    read_words();
    number_words();
    make_buckets();
    place_words();
    count_terms();
    CountedTexts result;
    result.terms = join_terms();
    result.rows = make_rows();
    return result;
  }

 private:
  // Task t of `count`, with what belongs to its worker.
  template <class Work, class F>
  std::vector<Work> run(std::size_t count, const F& f) const {
    std::vector<Work> work(usize(worker_count(exec_)));
    rethrow(run_tasks(
        0, static_cast<Index>(count), exec_, [](Task) {},
        [&](Task t) { f(usize(t.number), t.worker, work[usize(t.worker)]); }));
    return work;
  }

  void read_words() {
    for (const RowRange& range : parts_of(texts_)) parts_.push_back({range});
    readers_ = run<WordReader>(parts_.size(), [&](std::size_t p, int worker, WordReader& reader) {
      ReadPart& part = parts_[p];
      part.worker = worker;
      part.first = reader.words.size();
      for (Index i = part.range.first; i < part.range.last; ++i) {
        tokeniser_.words(texts_.text(i, reader.room), reader.tokens,
                         [&](std::span<const Word> words) { read(words, reader); });
        reader.words.push_back(0);
      }
      part.last = reader.words.size();
    });
    std::size_t words = 0, places = 0;
    for (ReadPart& part : parts_) {
      part.word = words;
      part.place = places;
      words += part.words();
      places = words - usize(part.range.last);
    }
  }
  // Memory is fetched a step ahead, as in TermCounts::take.
  static void read(std::span<const Word> words, WordReader& reader) {
    SeenWords& seen = reader.seen;
    std::uint32_t* to = reader.words.room(words.size());
    reader.words.add(words.size());
    for (std::size_t begin = 0; begin < words.size(); begin += kLookups) {
      const auto some = words.subspan(begin, std::min(kLookups, words.size() - begin));
      for (const Word& word : some) seen.words.prefetch(word);
      for (const Word& word : some) {
        const TermId id = seen.words.guess(word);
        if (id != kNoTerm) __builtin_prefetch(&seen.tallies[id], 1);
      }
      for (const Word& word : some) {
        const TermId id = seen.add(word);
        ++seen.tallies[id].cf;
        *to++ = id + 1;
      }
    }
  }

  // The words of all workers in the order of code points, with their places.
  void number_words() {
    std::vector<SeenWords> seen;
    for (WordReader& reader : readers_) seen.push_back(std::move(reader.seen));
    WordUnion all = unite(seen, texts_.rows, {.min_df = 0}, exec_);  // cuts are of terms
    columns_ = std::move(all.columns);
    bytes_ = std::move(all.terms.vocabulary.bytes);
    bytes_.append(kAtOnce, ' ');
    offsets_ = {0};
    for (const Index offset : all.terms.vocabulary.offsets) {
      offsets_.push_back(static_cast<std::uint32_t>(offset));
    }
    places_before_.assign({0, 0});
    for (const Index cf : all.terms.cf) {
      places_before_.push_back(places_before_.back() + static_cast<std::uint64_t>(cf));
    }
  }
  // f(a word by its number, the one behind it, its document, its place among all words); without
  // the ends of documents.
  template <class F>
  void for_each_word(const ReadPart& part, const F& f) const {
    const std::vector<std::int32_t>& columns = columns_[usize(part.worker)];
    const auto number = [&](std::uint32_t word) {
      return word == 0 ? 0 : static_cast<std::uint32_t>(columns[word - 1]) + 1;
    };
    const std::uint32_t* const words = readers_[usize(part.worker)].words.begin();
    auto document = static_cast<std::uint32_t>(part.range.first);
    std::uint32_t word = number(words[part.first]);
    for (std::size_t i = part.first; i < part.last; ++i) {
      const std::uint32_t next = i + 1 < part.last ? number(words[i + 1]) : 0;
      if (word == 0) {
        ++document;
      } else {
        f(word, next, document, part.word + i - part.first);
      }
      word = next;
    }
  }

  void make_buckets() {
    const std::uint64_t places = places_before_.back();
    const std::uint64_t most = std::max(kBucketPlaces, places / kMostBuckets + 1);
    bucket_of_.assign(words(), 0);
    for (std::uint32_t word = 1; word < words(); ++word) {
      const bool full =
          buckets_.empty() ||
          places_before_[word + std::size_t{1}] - places_before_[buckets_.back().first] > most;
      if (full) buckets_.push_back({word, word});
      buckets_.back().last = word + 1;
      bucket_of_[word] = static_cast<std::uint16_t>(buckets_.size() - 1);
    }
  }

  // With more than two words, places tell where they are in all texts, to find the third.
  void place_words() {
    const bool longer = tokeniser_.last_n() > 2;
    places_ = LargePageTable<Place>(places_before_.back());
    if (longer) located_ = LargePageTable<Located>(parts_.back().word + parts_.back().words());
    for_each(std::ssize(parts_), exec_, [&](Index p) {
      ReadPart& part = parts_[usize(p)];
      std::vector<std::size_t>& starts = part.starts;
      starts.assign(buckets_.size() + 2, 0);
      for_each_word(part, [&](std::uint32_t word, std::uint32_t, std::uint32_t, std::size_t) {
        ++starts[bucket_of_[word] + std::size_t{2}];
      });
      starts[0] = starts[1] = part.place;
      std::partial_sum(starts.begin() + 1, starts.end(), starts.begin() + 1);
      for_each_word(part, [&](std::uint32_t word, std::uint32_t next, std::uint32_t document,
                              std::size_t at) {
        places_.data()[starts[bucket_of_[word] + std::size_t{1}]++] = {
            word, next, longer ? static_cast<std::uint32_t>(at) : document};
        if (longer) located_.data()[at] = {word, document};
      });
    });
    readers_.clear();
    columns_.clear();
  }

  // Of one worker, for a bucket at a time.
  struct Walk {
    std::vector<Going> places, spare;
    std::vector<std::size_t> ends;  // of words
    std::vector<char> before;       // the words before the last one, with blanks
    std::size_t before_size = 0;
    std::optional<TermChoice> cuts;
    Found found;
  };
  void count_terms() {
    std::vector<Walk> walks =
        run<Walk>(buckets_.size(), [&](std::size_t b, int worker, Walk& walk) {
          buckets_[b].worker = worker;
          count(b, walk);
        });
    parts_.clear();
    places_ = {};
    located_ = {};
    TermChoice all(cuts_, texts_.rows);
    for (Walk& walk : walks) {
      if (walk.cuts) all.merge(*walk.cuts);
      found_.push_back(std::move(walk.found));
    }
    all.check();
  }
  void count(std::size_t b, Walk& walk) {
    Bucket& bucket = buckets_[b];
    Found& found = walk.found;
    begin(bucket, walk);
    bucket.terms.first = found.terms.size();
    bucket.bytes.first = found.bytes.size();
    bucket.entries.first = found.entries.size();
    for (const ReadPart& part : parts_) {
      for (std::size_t i = part.starts[b]; i < part.starts[b + 1]; ++i) {
        const Place& place = places_.data()[i];
        walk.places[walk.ends[place.word - bucket.first]++] = {place.next, place.at};
      }
    }
    std::size_t first = 0;
    for (std::uint32_t word = bucket.first; word < bucket.last; ++word) {
      const std::size_t last = walk.ends[word - bucket.first];
      visit({walk.places.data() + first, last - first}, word, 1, walk);
      first = last;
    }
    bucket.terms.last = found.terms.size();
    bucket.bytes.last = found.bytes.size();
    bucket.entries.last = found.entries.size();
  }
  void begin(const Bucket& bucket, Walk& walk) const {
    const std::uint64_t before = places_before_[bucket.first];
    walk.places.resize(places_before_[bucket.last] - before);
    walk.ends.clear();
    for (std::uint32_t word = bucket.first; word < bucket.last; ++word) {
      walk.ends.push_back(places_before_[word] - before);
    }
    walk.before_size = 0;
    walk.before.resize(std::max(walk.before.size(), kAtOnce));
    if (!walk.cuts) walk.cuts.emplace(cuts_, texts_.rows);
  }

  // Places, by document, that begin with the same n words, of which this is the last.
  void visit(std::span<Going> places, std::uint32_t word, Index n, Walk& walk) const {
    if (n >= tokeniser_.first_n()) add_term(places, word, walk);
    if (n == tokeniser_.last_n()) return;
    if (n > 1) {
      for (Going& place : places) place.next = located_.data()[place.at + usize(n)].word;
    }
    sort_columns(places.data(), places.size(), words(), walk.spare,
                 [](const Going& place) { return place.next; });
    const std::size_t before = walk.before_size;
    add_before(word, walk);
    for (std::size_t i = 0; i < places.size();) {
      const std::size_t first = i;
      const std::uint32_t next = places[first].next;
      while (++i < places.size() && places[i].next == next) {
      }
      if (next != 0) visit(places.subspan(first, i - first), next, n + 1, walk);
    }
    walk.before_size = before;
  }
  std::size_t words() const { return offsets_.size() - 1; }
  std::size_t length(std::uint32_t word) const {
    return offsets_[word + std::size_t{1}] - offsets_[word];
  }
  void add_before(std::uint32_t word, Walk& walk) const {
    const std::size_t size = length(word);
    walk.before.resize(walk.before_size + size + 1 + kAtOnce);
    char* const to = walk.before.data() + walk.before_size;
    *copy_bytes(bytes_.data() + offsets_[word], size, to) = ' ';
    walk.before_size += size + 1;
  }

  std::uint32_t document_of(const Going& place) const {
    return located_.empty() ? place.at : located_.data()[place.at].document;
  }
  void add_term(std::span<const Going> places, std::uint32_t word, Walk& walk) const {
    std::uint32_t* const first = walk.found.entries.room(places.size());
    std::uint32_t *to = first, *last = first, df = 0;
    for (std::size_t i = 0; i < places.size(); ++df) {
      const std::uint32_t document = document_of(places[i]);
      std::uint32_t count = 1;
      while (++i < places.size() && document_of(places[i]) == document) ++count;
      last = to;
      *to++ = document << kFlags | (count > 1 ? kCounted : 0);
      if (count > 1) *to++ = count;
    }
    *last |= kLast;
    if (!walk.cuts->keeps(df, places.size())) return;
    walk.found.entries.add(static_cast<std::size_t>(to - first));
    const std::size_t size = walk.before_size + length(word);
    walk.found.terms.push_back(
        {static_cast<std::uint32_t>(size), df, static_cast<std::uint32_t>(places.size())});
    char* const text = walk.found.bytes.room(size + kAtOnce);
    copy_bytes(bytes_.data() + offsets_[word], length(word),
               copy_bytes(walk.before.data(), walk.before_size, text));
    walk.found.bytes.add(size);
  }

  LearnedTerms join_terms() {
    std::size_t count = 0, bytes = 0;
    for (const Found& found : found_) count += found.terms.size(), bytes += found.bytes.size();
    choose_columns(count);
    LearnedTerms terms;
    terms.documents = texts_.rows;
    terms.df.reserve(count);
    terms.cf.reserve(count);
    terms.vocabulary.offsets.reserve(count + 1);
    terms.vocabulary.bytes.reserve(bytes);
    const char* text = nullptr;
    for_terms([&](const Bucket& bucket) { text = &of(bucket).bytes[bucket.bytes.first]; },
              [&](const Term& term, std::size_t number) {
                if (chosen_.empty() || chosen_[number] >= 0) {
                  terms.df.push_back(term.df);
                  terms.cf.push_back(term.cf);
                  terms.vocabulary.add({text, term.bytes});
                }
                text += term.bytes;
              });
    for (Found& found : found_) found.terms = {}, found.bytes = {};
    return terms;
  }
  const Found& of(const Bucket& bucket) const { return found_[usize(bucket.worker)]; }
  // In their order; f(term, its number).
  template <class Begin, class F>
  void for_terms(const Begin& begin, const F& f) const {
    std::size_t number = 0;
    for (const Bucket& bucket : buckets_) {
      if (bucket.terms.first == bucket.terms.last) continue;
      begin(bucket);
      for (std::size_t j = bucket.terms.first; j < bucket.terms.last; ++j) {
        f(of(bucket).terms[j], number++);
      }
    }
  }
  void choose_columns(std::size_t count) {
    const auto most = usize(cuts_.max_features);
    if (most == 0 || most >= count) return;
    std::vector<std::uint64_t> frequency;
    frequency.reserve(count);
    for_terms([](const Bucket&) {},
              [&](const Term& term, std::size_t) {
                const bool counts = cuts_.rank == CutOptions::Rank::kCount;
                frequency.push_back(counts ? term.cf : term.df);
              });
    chosen_ = most_frequent(frequency, most);
  }

  TermRows make_rows() const {
    std::vector<Index> ends(usize(texts_.rows) + 1, 0);
    for_entries([&](std::uint32_t document, std::int32_t, std::uint32_t) {
      ++ends[document + std::size_t{1}];
    });
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::vector<Index> next(ends.begin(), ends.end() - 1);
    TermRows rows(std::move(ends));
    for_entries([&](std::uint32_t document, std::int32_t column, std::uint32_t count) {
      const Index at = next[document]++;
      rows.columns.data()[at] = column;
      rows.values.data()[at] = static_cast<double>(count);
    });
    return rows;
  }
  // f(document, column, count), columns ascending. A task has a range of documents: to pass over
  // those of others is quick.
  template <class F>
  void for_entries(const F& f) const {
    const Index tasks = worker_count(exec_);
    for_each(tasks, exec_, [&](Index task) {
      const auto first = static_cast<std::uint32_t>(texts_.rows * task / tasks);
      const auto size = static_cast<std::uint32_t>(texts_.rows * (task + 1) / tasks) - first;
      std::size_t term = 0;
      for (const Bucket& bucket : buckets_) {
        const std::uint32_t* entry = of(bucket).entries.begin() + bucket.entries.first;
        const std::uint32_t* const end = of(bucket).entries.begin() + bucket.entries.last;
        while (entry < end) {
          const std::uint32_t head = *entry++, document = head >> kFlags;
          const std::uint32_t count = (head & kCounted) != 0 ? *entry++ : 1;
          const std::int32_t column =
              chosen_.empty() ? static_cast<std::int32_t>(term) : chosen_[term];
          if (document - first < size && column >= 0) f(document, column, count);
          term += (head & kLast) != 0 ? 1 : 0;
        }
      }
    });
  }

  const EachText& texts_;
  const Tokeniser& tokeniser_;
  const CutOptions& cuts_;
  const Exec& exec_;
  std::vector<ReadPart> parts_;
  std::vector<WordReader> readers_;                 // by worker
  std::vector<std::vector<std::int32_t>> columns_;  // of a worker's words: their numbers - 1
  std::string bytes_;                               // of words, one after another
  std::vector<std::uint32_t> offsets_;              // of words in it, by number
  std::vector<std::uint64_t> places_before_;        // a word, by number
  std::vector<std::uint16_t> bucket_of_;            // a word
  LargePageTable<Place> places_;                    // part by part, bucket by bucket
  LargePageTable<Located> located_;                 // all words of all texts, and ends of documents
  std::vector<Bucket> buckets_;
  std::vector<Found> found_;          // by worker
  std::vector<std::int32_t> chosen_;  // columns by the number of the term; none: all
};

}  // namespace

CountedTexts count_sorted(const EachText& texts, const Tokeniser& tokeniser, const CutOptions& cuts,
                          const Exec& exec) {
  return SortedTerms(texts, tokeniser, cuts, exec).make();
}

}  // namespace craton
