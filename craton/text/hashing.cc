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
std::uint32_t murmur3(std::string_view bytes, std::uint32_t seed) {
  constexpr std::uint32_t kFirst = 0xCC9E2D51, kSecond = 0x1B873593;
  const auto scrambled = [](std::uint32_t k) { return std::rotl(k * kFirst, 15) * kSecond; };
  std::uint32_t hash = seed;
  std::size_t at = 0;
  for (; at + 4 <= bytes.size(); at += 4) {
    const auto byte = [&](std::size_t i) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i]));
    };
    const std::uint32_t four = byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
    hash = std::rotl(hash ^ scrambled(four), 13) * 5 + 0xE6546B64;
  }
  std::uint32_t rest = 0;
  for (std::size_t i = bytes.size(); i-- > at;) {
    rest = rest << 8 | static_cast<unsigned char>(bytes[i]);
  }
  if (at < bytes.size()) hash ^= scrambled(rest);
  hash ^= static_cast<std::uint32_t>(bytes.size());
  hash = (hash ^ hash >> 16) * 0x85EBCA6B;
  hash = (hash ^ hash >> 13) * 0xC2B2AE35;
  return hash ^ hash >> 16;
}

namespace {

// The column and, in the lowest bit, the sign. |h| is taken without a sign, as |-2^31| has none.
std::uint64_t place_of(std::string_view term, std::uint32_t features) {
  const std::uint32_t hash = murmur3(term);
  const bool negative = (hash & 0x80000000) != 0;
  const std::uint32_t size = negative ? 0 - hash : hash;
  return std::uint64_t{size % features} << 1 | (negative ? 1 : 0);
}

}  // namespace

void count_hashed(const Texts& texts, const Tokeniser& tokeniser, const HashOptions& options,
                  CountWork& work, SparseArray& out) {
  if (out.offsets.empty()) out.offsets.push_back(0);
  const auto features = static_cast<std::uint32_t>(options.n_features);
  const bool joins = tokeniser.last_n() > 1;
  std::vector<std::uint64_t>& places = work.places;
  for (Index i = 0; i < texts.rows; ++i) {
    places.clear();
    work.joined.clear();
    work.starts.clear();
    tokeniser.words(texts[i], work.tokens, [&](std::span<const Word> words) {
      for (const Word& word : words) {
        if (joins) {
          work.starts.push_back(work.joined.size());
          (work.joined += word.text()) += ' ';
        } else {
          places.push_back(place_of(word.text(), features));
        }
      }
    });
    if (joins) {
      const std::size_t words = work.starts.size();
      work.starts.push_back(work.joined.size());
      const std::string_view joined = work.joined;
      for (std::size_t n = usize(tokeniser.first_n()); n <= usize(tokeniser.last_n()); ++n) {
        for (std::size_t w = 0; w + n <= words; ++w) {
          const std::size_t first = work.starts[w], size = work.starts[w + n] - 1 - first;
          places.push_back(place_of(joined.substr(first, size), features));
        }
      }
    }
    sort_columns(places.data(), places.size(), features, work.spare_places,
                 [](std::uint64_t place) { return place >> 1; });
    for (std::size_t e = 0; e < places.size();) {
      const std::uint64_t column = places[e] >> 1;
      Index sum = 0;
      for (; e < places.size() && places[e] >> 1 == column; ++e) {
        sum += options.alternate_sign && (places[e] & 1) != 0 ? -1 : 1;
      }
      out.columns.push_back(static_cast<std::int32_t>(column));
      out.values.push_back(static_cast<double>(sum));
    }
    out.offsets.push_back(std::ssize(out.columns));
  }
}

}  // namespace craton
