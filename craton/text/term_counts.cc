#include "craton/text/term_counts.h"

#include <algorithm>

#include "craton/base/error.h"

namespace craton {
namespace {

constexpr std::size_t kAhead = 8;   // words whose slots are fetched beforehand
constexpr std::size_t kBlock = 64;  // pairs that are looked up together

}  // namespace

void TermCounts::begin_document() {
  ++documents_;
  if (++document_ == 0) {  // after 2^32 documents the numbers begin again
    for (Tally& tally : of_word_) tally.document = 0;
    for (Tally& tally : of_pair_) tally.document = 0;
    document_ = 1;
  }
  carried_.assign(usize(tokeniser_->last_n()), kNoTerm);
}

void TermCounts::add(const Texts& texts) {
  for (Index i = 0; i < texts.rows; ++i) {
    row_.clear();
    add(texts[i], row_);
  }
}

void TermCounts::add(std::string_view document, std::vector<TermEntry>& row) {
  begin_document();
  const std::size_t first = row.size();
  tokeniser_->words(document, work_, [&](std::span<const Word> words) { take(words, row, first); });
}

TermId TermCounts::add_word(const Word& word) {
  const TermId id = words_.find_or_add(word);
  if (id == of_word_.size()) of_word_.emplace_back();
  return id;
}

TermId TermCounts::add_pair(std::uint64_t key) {
  const TermId id = pairs_.find_or_add(key);
  if (id == of_pair_.size()) of_pair_.emplace_back();
  return id;
}

inline void TermCounts::count(Tally& tally, TermId term, std::vector<TermEntry>& row,
                              std::size_t first) {
  ++tally.cf;
  if (tally.document == document_) {
    ++row[first + tally.at].count;
    return;
  }
  tally.document = document_;
  tally.at = static_cast<std::uint32_t>(row.size() - first);
  ++tally.df;
  row.push_back({term, 1});
}

void TermCounts::take(std::span<const Word> words, std::vector<TermEntry>& row, std::size_t first) {
  ids_.resize(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i + kAhead < words.size()) words_.prefetch(words[i + kAhead]);
    ids_[i] = add_word(words[i]);
  }
  if (tokeniser_->first_n() == 1) {
    for (const TermId id : ids_) count(of_word_[id], id, row, first);
  }
  if (tokeniser_->last_n() == 1) return;
  grams_ = ids_;
  for (Index n = 2; n <= tokeniser_->last_n(); ++n) {
    take_pairs(ids_, n >= tokeniser_->first_n(), row, first, carried_[usize(n) - 2]);
  }
}

// grams_[i], the (n-1)-gram that ends in words[i], becomes the n-gram; `carried` is the (n-1)-gram
// that ends before words[0], and then before the next words. Memory is fetched beforehand, as most
// n-grams are rare.
void TermCounts::take_pairs(std::span<const TermId> words, bool counts, std::vector<TermEntry>& row,
                            std::size_t first, TermId& carried) {
  std::uint64_t keys[kBlock];
  for (std::size_t begin = 0; begin < words.size(); begin += kBlock) {
    const std::size_t size = std::min(kBlock, words.size() - begin);
    TermId* grams = grams_.data() + begin;
    for (std::size_t i = 0; i < size; ++i) {
      keys[i] = PairIndex::key(carried, words[begin + i]);
      carried = std::exchange(grams[i], carried);
      pairs_.prefetch(keys[i]);
    }
    for (std::size_t i = 0; i < size; ++i) {
      if (grams[i] == kNoTerm) continue;  // the document has no n words yet
      const TermId id = add_pair(keys[i]);
      __builtin_prefetch(&of_pair_[id], 1);
      grams[i] = id | kPairBit;
    }
    if (!counts) continue;
    for (std::size_t i = 0; i < size; ++i) {
      if (grams[i] != kNoTerm) count(of_pair_[grams[i] & ~kPairBit], grams[i], row, first);
    }
  }
}

TermColumns TermCounts::take_in(const TermCounts& other) {
  documents_ += other.documents_;
  const auto add_up = [](Tally& mine, const Tally& theirs) {
    mine.df += theirs.df;
    mine.cf += theirs.cf;
  };
  TermColumns numbers{std::vector<std::int32_t>(other.words_.size()),
                      std::vector<std::int32_t>(other.pairs_.size())};
  for (TermId id = 0; id < other.words_.size(); ++id) {
    if (id + kAhead < other.words_.size()) words_.prefetch(other.words_.word(id + kAhead));
    const TermId mine = add_word(other.words_.word(id));
    add_up(of_word_[mine], other.of_word_[id]);
    numbers.of_word[id] = static_cast<std::int32_t>(mine);
  }
  std::uint64_t keys[kBlock];
  for (TermId begin = 0; begin < other.pairs_.size();) {
    TermId size = 0;  // of those whose parents are known: they came before
    for (; size < kBlock && begin + size < other.pairs_.size(); ++size) {
      const TermId parent = other.pairs_.parent(begin + size),
                   last = other.pairs_.last(begin + size);
      if ((parent & kPairBit) != 0 && (parent & ~kPairBit) >= begin) break;
      const auto mine = static_cast<TermId>(numbers[parent]) | (parent & kPairBit);
      keys[size] = PairIndex::key(mine, static_cast<TermId>(numbers.of_word[last]));
      pairs_.prefetch(keys[size]);
    }
    for (TermId i = 0; i < size; ++i) {
      const TermId mine = add_pair(keys[i]);
      add_up(of_pair_[mine], other.of_pair_[begin + i]);
      numbers.of_pair[begin + i] = static_cast<std::int32_t>(mine);
    }
    begin += size;
  }
  return numbers;
}

void TermCounts::add(const LearnedTerms& terms) {
  documents_ += terms.documents;
  std::string room;
  for (Index j = 0; j < terms.vocabulary.size(); ++j) {
    std::string_view rest = terms.vocabulary[j];
    Tally* tally = nullptr;
    TermId term = kNoTerm;
    for (;;) {
      const std::size_t size =
          tokeniser_->counts_words() ? std::min(rest.find(' '), rest.size()) : rest.size();
      const TermId word = add_word(word_of(rest.substr(0, size), room));
      const TermId pair = term == kNoTerm ? 0 : add_pair(PairIndex::key(term, word));
      tally = term == kNoTerm ? &of_word_[word] : &of_pair_[pair];
      term = term == kNoTerm ? word : pair | kPairBit;
      if (size == rest.size()) break;
      rest.remove_prefix(size + 1);
    }
    tally->df += static_cast<std::uint64_t>(terms.df[usize(j)]);
    tally->cf += static_cast<std::uint64_t>(terms.cf[usize(j)]);
  }
}

void TermCounts::write(Writer& writer) const {
  writer.put(documents_);
  Vocabulary words;
  for (TermId id = 0; id < words_.size(); ++id) words.add(words_.text(id));
  writer.put(words.bytes);
  writer.put(words.offsets);
  std::vector<std::uint64_t> keys;
  for (TermId id = 0; id < pairs_.size(); ++id) {
    keys.push_back(PairIndex::key(pairs_.parent(id), pairs_.last(id)));
  }
  writer.put(keys);
  writer.put(of_word_);
  writer.put(of_pair_);
}

void TermCounts::read(Reader& reader) {
  *this = TermCounts(*tokeniser_);
  reader.get(documents_);
  Vocabulary words;
  reader.get(words.bytes);
  reader.get(words.offsets);
  std::string room;
  for (Index j = 0; j < words.size(); ++j) words_.find_or_add(word_of(words[j], room));
  std::vector<std::uint64_t> keys;
  reader.get(keys);
  for (const std::uint64_t key : keys) pairs_.find_or_add(key);
  reader.get(of_word_);
  reader.get(of_pair_);
  for (Tally& tally : of_word_) tally.document = 0;
  for (Tally& tally : of_pair_) tally.document = 0;
}

}  // namespace craton
