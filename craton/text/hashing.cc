#include <bit>
#include <cstring>

#include "craton/text/count.h"
#include "craton/text/sort_columns.h"

namespace craton {

void describe(OptionVisitor& v, HashOptions& o) {
  constexpr Index kMost = 0x7FFFFFFF;
  v.integer("n_features", o.n_features, 1, kMost, "columns that terms are hashed to");
  v.flag("alternate_sign", o.alternate_sign,
         "count every second term with a minus, so that terms of one column cancel out");
}

// Austin Appleby's MurmurHash3_x86_32, which is in the public domain.
namespace {

std::uint32_t scrambled(std::uint32_t four) {
  return std::rotl(four * 0xCC9E2D51, 15) * 0x1B873593;
}
std::uint32_t with_four(std::uint32_t hash, std::uint32_t four) {
  return std::rotl(hash ^ scrambled(four), 13) * 5 + 0xE6546B64;
}
std::uint32_t finished(std::uint32_t hash, std::size_t size) {
  hash ^= static_cast<std::uint32_t>(size);
  hash = (hash ^ hash >> 16) * 0x85EBCA6B;
  hash = (hash ^ hash >> 13) * 0xC2B2AE35;
  return hash ^ hash >> 16;
}

// Of the first 16 bytes, with zeros behind a shorter word, whose last fours scramble to 0: lengths
// are as good as chance, so there is no branch for them.
std::uint32_t murmur3_of_head(const Word& word) {
  std::uint32_t hash = 0, rest = 0;
  const std::size_t whole = word.size / 4;
  for (std::size_t i = 0; i < kHead / 4; ++i) {
    const auto four = static_cast<std::uint32_t>(word.head[i / 2] >> 32 * (i % 2));
    const std::uint32_t next = with_four(hash, four);
    rest = i == whole ? four : rest;
    hash = i < whole ? next : hash;
  }
  return finished(hash ^ scrambled(rest), word.size);
}

}  // namespace

std::uint32_t murmur3(std::string_view bytes, std::uint32_t seed) {
  std::uint32_t hash = seed;
  std::size_t at = 0;
  for (; at + 4 <= bytes.size(); at += 4) {
    const auto byte = [&](std::size_t i) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i]));
    };
    hash = with_four(hash, byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24);
  }
  std::uint32_t rest = 0;
  for (std::size_t i = bytes.size(); i-- > at;) {
    rest = rest << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return finished(hash ^ scrambled(rest), bytes.size());
}

namespace {

constexpr bool kLittle = std::endian::native == std::endian::little;

// Hashes to columns, with the sign in the lowest bit. |h| is taken without a sign, as |-2^31| has
// none.
class Places {
 public:
  explicit Places(std::uint32_t features)
      : features_(features), mask_(std::has_single_bit(features) ? features - 1 : 0) {}
  std::uint32_t of(const Word& word) const {
    return of_hash(kLittle && word.size <= kHead ? murmur3_of_head(word) : murmur3(word.text()));
  }
  std::uint32_t of(std::string_view term) const { return of_hash(murmur3(term)); }

 private:
  std::uint32_t of_hash(std::uint32_t hash) const {
    const std::uint32_t sign = hash >> 31, size = (hash ^ (0 - sign)) + sign;
    return (mask_ != 0 ? size & mask_ : size % features_) << 1 | sign;
  }
  std::uint32_t features_, mask_;
};

}  // namespace

void count_hashed(const Texts& texts, const Tokeniser& tokeniser, const HashOptions& options,
                  CountWork& work, SparseArray& out) {
  if (out.offsets.empty()) out.offsets.push_back(0);
  const auto features = static_cast<std::uint32_t>(options.n_features);
  const Places places_of(features);
  const bool joins = tokeniser.last_n() > 1;
  std::vector<std::uint32_t>& places = work.columns;
  for (Index i = 0; i < texts.rows; ++i) {
    places.clear();
    work.joined.clear();
    work.starts.clear();
    tokeniser.words(texts[i], work.tokens, [&](std::span<const Word> words) {
      if (joins) {
        for (const Word& word : words) {
          work.starts.push_back(work.joined.size());
          (work.joined += word.text()) += ' ';
        }
        return;
      }
      places.resize(places.size() + words.size());
      std::uint32_t* to = places.data() + places.size() - words.size();
      for (const Word& word : words) *to++ = places_of.of(word);
    });
    if (joins) {
      const std::size_t words = work.starts.size();
      work.starts.push_back(work.joined.size());
      const std::string_view joined = work.joined;
      for (std::size_t n = usize(tokeniser.first_n()); n <= usize(tokeniser.last_n()); ++n) {
        for (std::size_t w = 0; w + n <= words; ++w) {
          const std::size_t first = work.starts[w], size = work.starts[w + n] - 1 - first;
          places.push_back(places_of.of(joined.substr(first, size)));
        }
      }
    }
    sort_columns(places.data(), places.size(), features, work.spare,
                 [](std::uint32_t place) { return place >> 1; });
    // Which column is the next one is as good as chance: no branch.
    const std::size_t before = out.columns.size();
    out.columns.resize(before + places.size());
    out.values.resize(before + places.size());
    std::int32_t* const columns = out.columns.data() + before;
    double* const values = out.values.data() + before;
    std::size_t size = 0;
    std::uint32_t last = ~std::uint32_t{0};
    Index sum = 0;
    for (const std::uint32_t place : places) {
      const Index one = options.alternate_sign && (place & 1) != 0 ? -1 : 1;
      const bool again = place >> 1 == last;
      last = place >> 1;
      sum = again ? sum + one : one;
      size += again ? 0 : 1;
      columns[size - 1] = static_cast<std::int32_t>(last);
      values[size - 1] = static_cast<double>(sum);
    }
    out.columns.resize(before + size);
    out.values.resize(before + size);
    out.offsets.push_back(std::ssize(out.columns));
  }
}

}  // namespace craton
