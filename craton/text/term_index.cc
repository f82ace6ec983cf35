#include "craton/text/term_index.h"

#include <numeric>

#include "craton/base/error.h"
#include "craton/engine/for_each.h"

namespace craton {
void term_index::refuse_more() {
  throw InputError(Code::kOutOfMemory, {}, "the texts hold more than 2 147 483 647 different terms",
                   {"Give {} of 1, or hash the terms.", Ref::option("ngram_max")});
}

Word word_of(std::string_view text, std::string& room) {
  room.assign(text);
  room.append(kWordPadding, '\0');
  return padded_word(room.data(), text.size());
}

bool WordIndex::same_rest(const Key& key, const Word& word) const {
  return std::memcmp(in_arena(key) + kHead, word.data + kHead, key.size - kHead) == 0;
}

TermId WordIndex::add(const Word& word) {
  if (keys_.size() >= term_index::kMostTerms || word.size > 0xFFFFFFFF) term_index::refuse_more();
  const TermId id = size();
  Key key{{word.head[0], word.head[1]}, static_cast<std::uint32_t>(word.size), 0};
  if (word.size > kHead) {
    const std::size_t at = arena_.size() / 8;
    if (at > 0xFFFFFFFF) term_index::refuse_more();
    key.at = static_cast<std::uint32_t>(at);
    arena_.insert(arena_.end(), word.data, word.data + word.size);
    arena_.resize((at + (word.size + 7) / 8) * 8);
  }
  if (2 * (keys_.size() + 1) > slots_.size()) grow();
  keys_.push_back(key);
  hashes_.push_back(word.hash);
  put(word.hash, id);
  return id;
}

void WordIndex::put(std::uint64_t hash, TermId id) {
  std::uint64_t at = hash & mask_;
  while (slots_.data()[at] != 0) at = (at + 1) & mask_;
  slots_.data()[at] = (hash >> 32) << 32 | (std::uint64_t{id} + 1);
}

void WordIndex::grow() {
  constexpr std::size_t kSlotsOfPage = (std::size_t{1} << 21) / sizeof(std::uint64_t);
  const std::uint64_t count = std::max(term_index::kFewestSlots, 2 * slots_.size());
  slots_ = {};
  slots_ = LargePageTable<std::uint64_t>(count);
  // Written before they are read: a large page that is read first is handed out twice.
  for (std::size_t i = 0; i < count; i += kSlotsOfPage) slots_.data()[i] = 0;
  mask_ = count - 1;
  for (TermId id = 0; id < size(); ++id) put(hashes_[id], id);
}

int WordIndex::compare(const WordIndex& a, TermId i, const WordIndex& b, TermId j) {
  const Key &one = a.keys_[i], &other = b.keys_[j];
  for (int h = 0; h < 2; ++h) {
    if (one.head[h] == other.head[h]) continue;
    return term_index::in_order(one.head[h]) < term_index::in_order(other.head[h]) ? -1 : 1;
  }
  if (one.size > kHead && other.size > kHead) {
    const std::size_t common = std::min(one.size, other.size) - kHead;
    const int order = std::memcmp(a.in_arena(one) + kHead, b.in_arena(other) + kHead, common);
    if (order != 0) return order;
  }
  return one.size == other.size ? 0 : one.size < other.size ? -1 : 1;
}

void WordIndex::sort(std::vector<TermId>& ids, const Exec& exec) const {
  // Eight bytes decide most comparisons, and lie beside the number.
  struct Item {
    std::uint64_t first;
    TermId id;
  };
  // By their first two bytes, then each such group by itself.
  constexpr std::size_t kGroups = std::size_t{1} << 16;
  const auto group = [](std::uint64_t first) { return static_cast<std::size_t>(first >> 48); };
  std::vector<std::uint32_t> starts(kGroups + 1);
  for (const TermId id : ids) ++starts[group(first(id)) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::uint32_t> next = starts;
  std::vector<Item> items(ids.size());
  for (const TermId id : ids) {
    items[next[group(first(id))]++] = {first(id), id};
  }
  constexpr std::uint32_t kWordsOfTask = 4096;
  std::vector<std::size_t> tasks = {0};  // where they begin among the groups
  for (std::size_t g = 0; g < kGroups; ++g) {
    if (starts[g + 1] - starts[tasks.back()] >= kWordsOfTask) tasks.push_back(g + 1);
  }
  if (tasks.back() < kGroups) tasks.push_back(kGroups);
  for_each(std::ssize(tasks) - 1, exec, [&](Index task) {
    for (std::size_t g = tasks[usize(task)]; g < tasks[usize(task) + 1]; ++g) {
      std::sort(items.begin() + starts[g], items.begin() + starts[g + 1],
                [&](const Item& a, const Item& b) {
                  return a.first != b.first ? a.first < b.first
                                            : compare(*this, a.id, *this, b.id) < 0;
                });
    }
    for (std::uint32_t i = starts[tasks[usize(task)]]; i < starts[tasks[usize(task) + 1]]; ++i) {
      ids[i] = items[i].id;
    }
  });
}

}  // namespace craton
