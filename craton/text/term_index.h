#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/grown.h"
#include "craton/base/large_pages.h"
#include "craton/base/matrix.h"
#include "craton/engine/exec.h"

// Tables from words, and from pairs of numbers, to the numbers 0, 1, 2, ... in the order in which
// they came. Open addressing with linear probes; what depends on the order of coming, or on the
// hash, must not reach a result.
//
// Most words are short: their first 16 bytes, padded with zeros, are two integers, which are
// compared, hashed and sorted in the place of strings. Longer words lie in an arena.

namespace craton {

using TermId = std::uint32_t;
inline constexpr TermId kNoTerm = 0xFFFFFFFF;
inline constexpr std::size_t kLookups = 64;  // that are made together: memory is fetched meanwhile

// A word that is looked up: its bytes, in somebody else's memory.
struct Word {
  std::uint64_t head[2] = {};  // the first 16 bytes
  std::uint64_t hash = 0;
  const char* data = nullptr;
  std::size_t size = 0;

  std::string_view text() const { return {data, size}; }
};

inline constexpr std::size_t kHead = 16;
// So many bytes behind a word may be read by padded_word.
inline constexpr std::size_t kWordPadding = 16;

namespace term_index {

__extension__ using Wide = unsigned __int128;
// Bytes of UTF-8 are never all ones: no word makes a factor of mixed() zero.
inline constexpr std::uint64_t kSeed = 0xFF51AFD7ED558CCD, kOtherSeed = 0xFFCEB9FE1A85EC53;

inline constexpr TermId kMostTerms = 0x7FFFFFFF;
inline constexpr std::size_t kFewestSlots = 1024;
[[noreturn]] void refuse_more();

// __builtin_prefetch, to stay: GCC takes a function that does nothing else for one without effect,
// and drops the calls.
inline void fetch_ahead(const void* at) {
  __builtin_prefetch(at);
  asm volatile("" : : "r"(at));
}

inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}
// Compares as bytes do.
inline std::uint64_t in_order(std::uint64_t head) {
  return std::endian::native == std::endian::little ? __builtin_bswap64(head) : head;
}
inline std::uint64_t load(const char* from) {
  std::uint64_t eight = 0;
  std::memcpy(&eight, from, 8);
  return eight;
}
// The first 0 to 8 bytes of eight.
inline constexpr std::array<std::uint64_t, 9> kFirstBytes = [] {
  std::array<std::uint64_t, 9> masks{};
  for (std::size_t n = 0; n <= 8; ++n) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t shift = std::endian::native == std::endian::little ? 8 * i : 56 - 8 * i;
      masks[n] |= std::uint64_t{0xFF} << shift;
    }
  }
  return masks;
}();

}  // namespace term_index

// requires kWordPadding readable bytes behind the word
inline Word padded_word(const char* data, std::size_t size) {
  using namespace term_index;
  Word word{{load(data) & kFirstBytes[std::min<std::size_t>(size, 8)],
             load(data + 8) & kFirstBytes[std::clamp<std::size_t>(size, 8, 16) - 8]},
            0,
            data,
            size};
  std::uint64_t hash = mixed(word.head[0] ^ kSeed, word.head[1] ^ kOtherSeed ^ size);
  for (std::size_t at = kHead; at < size; at += 8) {
    hash = mixed(hash ^ kOtherSeed,
                 load(data + at) & kFirstBytes[std::min<std::size_t>(size - at, 8)]) ^
           (hash << 1);
  }
  word.hash = mixed(hash ^ kSeed, kOtherSeed);
  return word;
}

// A word in memory of any kind; `room` holds a padded copy of it.
Word word_of(std::string_view text, std::string& room);

class WordIndex {
 public:
  TermId size() const { return static_cast<TermId>(keys_.size()); }
  std::string_view text(TermId id) const {  // until the next is added
    const Key& key = keys_[id];
    return {key.size <= kHead ? reinterpret_cast<const char*>(key.head) : in_arena(key), key.size};
  }
  void prefetch_text(TermId id) const { term_index::fetch_ahead(&keys_[id]); }
  Word word(TermId id) const {
    const Key& key = keys_[id];
    return {{key.head[0], key.head[1]}, hashes_[id], text(id).data(), key.size};
  }

  void prefetch(const Word& word) const {
    if (!slots_.empty()) term_index::fetch_ahead(slots_.data() + (word.hash & mask_));
  }
  // Where it probably is: once slots are at hand, keys may be fetched.
  TermId guess(const Word& word) const {
    const std::uint64_t slot = slots_.empty() ? 0 : slots_.data()[word.hash & mask_];
    const TermId id = static_cast<TermId>(slot) - 1;  // kNoTerm: free
    if (id != kNoTerm) term_index::fetch_ahead(&keys_[id]);
    return id;
  }
  TermId find(const Word& word) const {
    if (slots_.empty()) return kNoTerm;
    for (std::uint64_t at = word.hash & mask_;; at = (at + 1) & mask_) {
      const std::uint64_t slot = slots_.data()[at];
      if (slot == 0) return kNoTerm;
      const TermId id = static_cast<TermId>(slot) - 1;
      if ((slot ^ word.hash) >> 32 == 0 && same(keys_[id], word)) return id;
    }
  }
  // Its number, which is size() as it was if the word is new.
  TermId find_or_add(const Word& word) {
    const TermId found = find(word);
    return found != kNoTerm ? found : add(word);
  }

  // The first eight bytes of a word as a number, which compares as they do.
  std::uint64_t first(TermId id) const { return term_index::in_order(keys_[id].head[0]); }
  // Below 0: word i of a comes before word j of b, by their bytes; 0: they are the same.
  static int compare(const WordIndex& a, TermId i, const WordIndex& b, TermId j);
  // Brings numbers of words into the order of the words' bytes.
  void sort(std::vector<TermId>& ids, const Exec& exec) const;

 private:
  struct Key {
    std::uint64_t head[2];
    std::uint32_t size, at;  // of a long word: where it begins, in eights of the arena
  };
  bool same(const Key& key, const Word& word) const {
    return key.head[0] == word.head[0] && key.head[1] == word.head[1] && key.size == word.size &&
           (key.size <= kHead || same_rest(key, word));
  }
  bool same_rest(const Key& key, const Word& word) const;
  const char* in_arena(const Key& key) const { return arena_.data() + std::size_t{key.at} * 8; }
  TermId add(const Word& word);
  void put(std::uint64_t hash, TermId id);
  void grow();

  Grown<Key> keys_;
  Grown<std::uint64_t> hashes_;          // by number: what a larger table needs
  LargePageTable<std::uint64_t> slots_;  // half a hash, and a number + 1; 0: free
  std::uint64_t mask_ = 0;
  std::vector<char> arena_;
};

// Pairs (parent, last), and a value for each: an n-gram is that of its first n - 1 words, and its
// last word.
template <class Value>
class PairIndex {
 public:
  static std::uint64_t key(TermId parent, TermId last) {
    return std::uint64_t{parent} << 32 | last;
  }
  TermId size() const { return static_cast<TermId>(entries_.size()); }
  std::uint64_t key(TermId id) const { return entries_[id].key; }
  TermId parent(TermId id) const { return static_cast<TermId>(entries_[id].key >> 32); }
  TermId last(TermId id) const { return static_cast<TermId>(entries_[id].key); }
  Value& operator[](TermId id) { return entries_[id].value; }
  const Value& operator[](TermId id) const { return entries_[id].value; }

  void prefetch(std::uint64_t key) const {
    if (!slots_.empty()) term_index::fetch_ahead(slots_.data() + (hash(key) & mask_));
  }
  void prefetch_entry(TermId id) const { term_index::fetch_ahead(&entries_[id]); }
  // Fetches what is probably its entry, once slots are at hand.
  void prefetch_guess(std::uint64_t key) const {
    const std::uint64_t slot = slots_.empty() ? 0 : slots_.data()[hash(key) & mask_];
    if (slot != 0) prefetch_entry(static_cast<TermId>(slot) - 1);
  }
  TermId find(std::uint64_t key) const {
    if (slots_.empty()) return kNoTerm;
    const std::uint64_t hash = PairIndex::hash(key);
    for (std::uint64_t at = hash & mask_;; at = (at + 1) & mask_) {
      const std::uint64_t slot = slots_.data()[at];
      if (slot == 0) return kNoTerm;
      const TermId id = static_cast<TermId>(slot) - 1;
      if ((slot ^ hash) >> 32 == 0 && entries_[id].key == key) return id;
    }
  }
  TermId find_or_add(std::uint64_t key) {
    const TermId found = find(key);
    return found != kNoTerm ? found : add(key);
  }

 private:
  struct Entry {
    std::uint64_t key;
    Value value;
  };
  static std::uint64_t hash(std::uint64_t key) {
    return term_index::mixed(key ^ term_index::kSeed, term_index::kOtherSeed);
  }
  TermId add(std::uint64_t key) {
    const TermId id = size();
    if (id >= term_index::kMostTerms) term_index::refuse_more();
    if (4 * (entries_.size() + 1) > 3 * slots_.size()) grow();
    entries_.push_back({key, {}});
    put(key, id);
    return id;
  }
  void put(std::uint64_t key, TermId id) {
    const std::uint64_t hash = PairIndex::hash(key);
    std::uint64_t at = hash & mask_;
    while (slots_.data()[at] != 0) at = (at + 1) & mask_;
    slots_.data()[at] = (hash >> 32) << 32 | (std::uint64_t{id} + 1);
  }
  void grow() {
    const std::uint64_t count = std::max(term_index::kFewestSlots, 2 * slots_.size());
    slots_ = {};
    slots_ = LargePageTable<std::uint64_t>(count);
    mask_ = count - 1;
    for (TermId id = 0; id < size(); ++id) put(entries_[id].key, id);
  }

  Grown<Entry> entries_;
  LargePageTable<std::uint64_t> slots_;  // as those of words
  std::uint64_t mask_ = 0;
};

}  // namespace craton
