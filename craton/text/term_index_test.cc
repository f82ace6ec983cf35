#include "craton/text/term_index.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

using namespace craton;

TEST_CASE("term_index: words of any bytes and lengths are found again, and sorted as strings are") {
  std::mt19937 random(6);
  std::map<std::string, TermId> expected;
  WordIndex index;
  std::string room;
  for (int i = 0; i < 20000; ++i) {
    std::string text(random() % 40, ' ');  // in 16 bytes and not
    for (char& c : text) c = "\0ab\xC3\xFF"[random() % 5];
    const TermId next = index.size();
    const auto [at, fresh] = expected.emplace(text, next);
    const Word word = word_of(text, room);
    if (index.find(word) != (fresh ? kNoTerm : at->second)) FAIL(i);
    if (index.find_or_add(word) != at->second) FAIL(i);
    if (index.text(at->second) != text) FAIL(i);
    if (index.word(at->second).hash != word.hash) FAIL(i);
  }
  REQUIRE(index.size() == expected.size());
  std::vector<TermId> ids(expected.size());
  for (TermId id = 0; id < ids.size(); ++id) ids[id] = id;
  index.sort(ids, {.threads = 2});
  std::size_t i = 0;
  for (const auto& [text, id] : expected) CHECK(ids[i++] == id);
}

TEST_CASE("term_index: pairs have numbers in the order of coming, and values") {
  PairIndex<int> index;
  std::map<std::uint64_t, TermId> expected;
  std::mt19937 random(7);
  for (int i = 0; i < 50000; ++i) {
    const auto word = [&] { return static_cast<TermId>(random() % 200); };
    const TermId parent = word();
    const std::uint64_t key = PairIndex<int>::key(parent, word());
    const auto [at, fresh] = expected.emplace(key, index.size());
    if (fresh && index.find(key) != kNoTerm) FAIL(i);
    const TermId id = index.find_or_add(key);
    if (id != at->second || index.find(key) != id || index.key(id) != key) FAIL(i);
    ++index[id];
  }
  int sum = 0;
  for (TermId id = 0; id < index.size(); ++id) sum += index[id];
  CHECK(sum == 50000);
  CHECK(index.parent(3) == static_cast<TermId>(index.key(3) >> 32));
}
