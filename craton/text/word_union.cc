#include "craton/text/word_union.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "craton/engine/for_each.h"
#include "craton/text/term_choice.h"

// Words are dealt to groups by their first two bytes, and runs of groups are tasks:
//
//   tasks    a task's words are sorted and counted, and cut
//   one      which columns each task has, and where their letters begin
//   tasks    columns and letters are written

namespace craton {
namespace {

constexpr std::size_t kGroups = std::size_t{1} << 16;
constexpr std::size_t kWordsOfTask = 4096;
constexpr std::size_t kItemsAhead = 16;  // items whose memory is fetched beforehand
constexpr std::int32_t kCut = -1;

struct Item {
  std::uint64_t first;  // eight bytes, as they compare: they decide most comparisons
  TermId id;
  std::uint32_t worker;
};

class Union {
 public:
  Union(std::span<const SeenWords> seen, Index documents, const CutOptions& cuts, const Exec& exec)
      : seen_(seen), documents_(documents), cuts_(cuts), exec_(exec) {}

  WordUnion make() {
    deal();
    for_each_task([&](Task& task) { count(task); });
    choose();
    result_.columns.resize(seen_.size());
    for (std::size_t w = 0; w < seen_.size(); ++w) result_.columns[w].resize(seen_[w].words.size());
    for_each_task([&](const Task& task) { write(task); });
    return std::move(result_);
  }

 private:
  struct Term {
    std::size_t item;   // the first of its items
    std::size_t bytes;  // 0: it was cut
    std::uint64_t df, cf;
  };
  struct Task {
    std::size_t first, last;  // groups
    std::span<Term> terms = {};
    TermChoice choice;
    std::size_t column = 0, byte = 0;  // of its first term
  };

  template <class F>
  void for_each_task(const F& f) {
    for_each(std::ssize(tasks_), exec_, [&](Index t) { f(tasks_[usize(t)]); });
  }
  const Item& item_at(std::size_t i) const { return items_.data()[i]; }
  const WordIndex& words(const Item& item) const { return seen_[item.worker].words; }
  std::string_view text(const Item& item) const { return words(item).text(item.id); }

  void deal() {
    const auto group = [](std::uint64_t first) { return static_cast<std::size_t>(first >> 48); };
    starts_.assign(kGroups + 1, 0);
    for (const SeenWords& seen : seen_) {
      for (TermId id = 0; id < seen.words.size(); ++id) ++starts_[group(seen.words.first(id)) + 1];
    }
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    items_ = LargePageTable<Item>(starts_.back());
    terms_ = LargePageTable<Term>(starts_.back());
    std::vector<std::size_t> next = starts_;
    for (std::uint32_t w = 0; w < seen_.size(); ++w) {
      for (TermId id = 0; id < seen_[w].words.size(); ++id) {
        const std::uint64_t first = seen_[w].words.first(id);
        items_.data()[next[group(first)]++] = {first, id, w};
      }
    }
    for (std::size_t first = 0, g = 1; g <= kGroups; ++g) {
      if (starts_[g] - starts_[first] < kWordsOfTask && g < kGroups) continue;
      tasks_.push_back({first, g, {}, TermChoice(cuts_, documents_)});
      first = g;
    }
  }

  bool before(const Item& a, const Item& b) const {
    if (a.first != b.first) return a.first < b.first;
    const int order = WordIndex::compare(words(a), a.id, words(b), b.id);
    return order != 0 ? order < 0 : a.worker < b.worker;
  }

  void count(Task& task) {
    for (std::size_t g = task.first; g < task.last; ++g) {
      std::sort(items_.data() + starts_[g], items_.data() + starts_[g + 1],
                [&](const Item& a, const Item& b) { return before(a, b); });
    }
    const std::size_t last = starts_[task.last];
    Term* const first = terms_.data() + starts_[task.first];
    Term* to = first;
    for (std::size_t i = starts_[task.first]; i < last;) {
      prefetch(std::min(i + kItemsAhead, last - 1));
      Term term{i, text(item_at(i)).size(), 0, 0};
      do {
        const SeenWords::Tally& tally = seen_[item_at(i).worker].tallies[item_at(i).id];
        term.df += tally.df;
        term.cf += tally.cf;
      } while (++i < last && same(item_at(term.item), item_at(i)));
      if (!task.choice.keeps(term.df, term.cf)) term.bytes = 0;
      *to++ = term;
    }
    task.terms = {first, to};
  }
  void prefetch(std::size_t i) const {
    words(item_at(i)).prefetch_text(item_at(i).id);
    term_index::fetch_ahead(&seen_[item_at(i).worker].tallies[item_at(i).id]);
  }
  bool same(const Item& a, const Item& b) const {
    return a.first == b.first && WordIndex::compare(words(a), a.id, words(b), b.id) == 0;
  }

  void choose() {
    TermChoice all(cuts_, documents_);
    for (const Task& task : tasks_) all.merge(task.choice);
    all.check();
    const auto most = usize(cuts_.max_features);
    std::vector<std::uint64_t> frequency;
    for (const Task& task : tasks_) {
      for (const Term& term : task.terms) {
        const bool counts = cuts_.rank == CutOptions::Rank::kCount;
        if (most > 0 && term.bytes > 0) frequency.push_back(counts ? term.cf : term.df);
      }
    }
    std::vector<std::int32_t> chosen;
    if (most > 0 && most < frequency.size()) chosen = most_frequent(frequency, most);
    std::size_t number = 0, column = 0, cut = 0, byte = 0;
    for (Task& task : tasks_) {
      task.column = column;
      task.byte = byte;
      for (Term& term : task.terms) {
        if (term.bytes > 0 && !chosen.empty() && chosen[number++] < 0) term.bytes = 0;
        (term.bytes > 0 ? column : cut) += 1;
        byte += term.bytes;
      }
    }
    result_.cut = static_cast<Index>(cut);
    LearnedTerms& terms = result_.terms;
    terms.documents = documents_;
    terms.df.resize(column);
    terms.cf.resize(column);
    terms.vocabulary.bytes.resize(byte);
    terms.vocabulary.offsets.resize(column + 1);
    terms.vocabulary.offsets.back() = static_cast<Index>(byte);
  }

  void write(const Task& task) {
    LearnedTerms& terms = result_.terms;
    std::size_t column = task.column, byte = task.byte;
    for (std::size_t t = 0; t < task.terms.size(); ++t) {
      const Term& term = task.terms[t];
      const Item& ahead = item_at(std::min(term.item + kItemsAhead, starts_[task.last] - 1));
      words(ahead).prefetch_text(ahead.id);
      __builtin_prefetch(&result_.columns[ahead.worker][ahead.id], 1);
      const bool more = t + 1 < task.terms.size();
      const std::size_t last = more ? task.terms[t + 1].item : starts_[task.last];
      const bool kept = term.bytes > 0;
      for (std::size_t i = term.item; i < last; ++i) {
        result_.columns[item_at(i).worker][item_at(i).id] =
            kept ? static_cast<std::int32_t>(column) : kCut;
      }
      if (!kept) continue;
      terms.df[column] = static_cast<Index>(term.df);
      terms.cf[column] = static_cast<Index>(term.cf);
      terms.vocabulary.offsets[column] = static_cast<Index>(byte);
      std::memcpy(terms.vocabulary.bytes.data() + byte, text(item_at(term.item)).data(),
                  term.bytes);
      byte += term.bytes;
      ++column;
    }
  }

  std::span<const SeenWords> seen_;
  Index documents_;
  const CutOptions& cuts_;
  const Exec& exec_;
  std::vector<std::size_t> starts_;  // of groups among the items
  LargePageTable<Item> items_;
  LargePageTable<Term> terms_;  // of a task, where its items are
  std::vector<Task> tasks_;
  WordUnion result_;
};

}  // namespace

WordUnion unite(std::span<const SeenWords> seen, Index documents, const CutOptions& cuts,
                const Exec& exec) {
  return Union(seen, documents, cuts, exec).make();
}

}  // namespace craton
