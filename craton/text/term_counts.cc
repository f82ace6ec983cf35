#include "craton/text/term_counts.h"

#include <algorithm>

#include "craton/base/error.h"

namespace craton {
namespace {

constexpr std::size_t kAhead = 16;  // words whose slots are fetched beforehand

}  // namespace

bool TermCounts::empty_of_terms() const {
  const auto counted = [](const Tally& tally) { return tally.df > 0; };
  if (std::any_of(of_word_.begin(), of_word_.end(), counted)) return false;
  for (TermId id = 0; id < pairs_.size(); ++id) {
    if (counted(pairs_[id])) return false;
  }
  return true;
}

void TermCounts::begin_document() {
  ++documents_;
  if (++document_ == 0) {  // after 2^32 documents the numbers begin again
    for (Tally& tally : of_word_) tally.document = 0;
    for (TermId id = 0; id < pairs_.size(); ++id) pairs_[id].document = 0;
    document_ = 1;
  }
  carried_.assign(usize(tokeniser_->last_n()), kNoTerm);
}

void TermCounts::add(const Texts& texts) {
  for (Index i = 0; i < texts.rows; ++i) add(texts[i]);
}

void TermCounts::add(std::string_view document) {
  begin_document();
  tokeniser_->words(document, work_, [&](std::span<const Word> words) { take(words); });
}

TermId TermCounts::add_word(const Word& word) {
  const TermId id = words_.find_or_add(word);
  if (id == of_word_.size()) of_word_.push_back({});
  return id;
}

inline void TermCounts::count(Tally& tally) {
  tally.df += tally.document == document_ ? 0 : 1;
  tally.cf += 1;
  tally.document = document_;
}

// Words and pairs are looked up in blocks, and memory is fetched a step ahead: most are rare, and
// lie in no cache.
void TermCounts::take(std::span<const Word> words) {
  const bool counts = tokeniser_->first_n() == 1;
  ids_.resize(words.size());
  for (std::size_t begin = 0; begin < words.size(); begin += kLookups) {
    const std::size_t end = std::min(begin + kLookups, words.size());
    for (std::size_t i = begin; i < end; ++i) words_.prefetch(words[i]);
    for (std::size_t i = begin; i < end; ++i) {
      const TermId id = words_.guess(words[i]);
      if (id != kNoTerm) __builtin_prefetch(&of_word_[id], 1);
    }
    for (std::size_t i = begin; i < end; ++i) ids_[i] = add_word(words[i]);
    for (std::size_t i = begin; counts && i < end; ++i) count(of_word_[ids_[i]]);
  }
  if (tokeniser_->last_n() > 1) grams_ = ids_;
  for (Index n = 2; n <= tokeniser_->last_n(); ++n) {
    take_pairs(n >= tokeniser_->first_n(), carried_[usize(n) - 2]);
  }
}

// grams_[i], the (n-1)-gram that ends in word i, becomes the n-gram; `carried` is the (n-1)-gram
// that ends before the first word, and then before the next words.
void TermCounts::take_pairs(bool counts, TermId& carried) {
  std::uint64_t keys[kLookups];
  for (std::size_t begin = 0; begin < ids_.size(); begin += kLookups) {
    const std::size_t size = std::min(kLookups, ids_.size() - begin);
    TermId* grams = grams_.data() + begin;
    for (std::size_t i = 0; i < size; ++i) {
      keys[i] = Pairs::key(carried, ids_[begin + i]);
      carried = std::exchange(grams[i], carried);
      pairs_.prefetch(keys[i]);
    }
    for (std::size_t i = 0; i < size; ++i) pairs_.prefetch_guess(keys[i]);
    for (std::size_t i = 0; i < size; ++i) {
      if (grams[i] == kNoTerm) continue;  // the document has no n words yet
      const TermId id = pairs_.find_or_add(keys[i]);
      grams[i] = id | kPairBit;
      if (counts) count(pairs_[id]);
    }
  }
}

void TermCounts::merge(const TermCounts& other) {
  documents_ += other.documents_;
  const auto add_up = [](Tally& mine, const Tally& theirs) {
    mine.df += theirs.df;
    mine.cf += theirs.cf;
  };
  std::vector<TermId> of_word(other.words_.size()), of_pair(other.pairs_.size());  // here
  for (TermId id = 0; id < other.words_.size(); ++id) {
    if (id + kAhead < other.words_.size()) words_.prefetch(other.words_.word(id + kAhead));
    const TermId mine = add_word(other.words_.word(id));
    add_up(of_word_[mine], other.of_word_[id]);
    of_word[id] = mine;
  }
  std::uint64_t keys[kLookups];
  for (TermId begin = 0; begin < other.pairs_.size();) {
    TermId size = 0;  // of those whose parents are known: they came before
    for (; size < kLookups && begin + size < other.pairs_.size(); ++size) {
      const TermId parent = other.pairs_.parent(begin + size),
                   last = other.pairs_.last(begin + size);
      const bool is_pair = (parent & kPairBit) != 0;
      if (is_pair && (parent & ~kPairBit) >= begin) break;
      const TermId mine = is_pair ? of_pair[parent & ~kPairBit] | kPairBit : of_word[parent];
      keys[size] = Pairs::key(mine, of_word[last]);
      pairs_.prefetch(keys[size]);
    }
    for (TermId i = 0; i < size; ++i) pairs_.prefetch_guess(keys[i]);
    for (TermId i = 0; i < size; ++i) {
      const TermId mine = pairs_.find_or_add(keys[i]);
      add_up(pairs_[mine], other.pairs_[begin + i]);
      of_pair[begin + i] = mine;
    }
    begin += size;
  }
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
      const TermId pair = term == kNoTerm ? 0 : pairs_.find_or_add(Pairs::key(term, word));
      tally = term == kNoTerm ? &of_word_[word] : &pairs_[pair];
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
  writer.put(std::vector<Tally>(of_word_.begin(), of_word_.end()));
  std::vector<std::uint64_t> keys;
  std::vector<Tally> tallies;
  for (TermId id = 0; id < pairs_.size(); ++id) {
    keys.push_back(pairs_.key(id));
    tallies.push_back(pairs_[id]);
  }
  writer.put(keys);
  writer.put(tallies);
}

void TermCounts::read(Reader& reader) {
  *this = TermCounts(*tokeniser_);
  reader.get(documents_);
  Vocabulary words;
  reader.get(words.bytes);
  reader.get(words.offsets);
  std::string room;
  for (Index j = 0; j < words.size(); ++j) words_.find_or_add(word_of(words[j], room));
  std::vector<Tally> tallies;
  const auto fresh = [](const Tally& tally) { return Tally{0, tally.df, tally.cf}; };
  reader.get(tallies);
  for (const Tally& tally : tallies) of_word_.push_back(fresh(tally));
  std::vector<std::uint64_t> keys;
  reader.get(keys);
  reader.get(tallies);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    pairs_[pairs_.find_or_add(keys[i])] = fresh(tallies[i]);
  }
}

}  // namespace craton
