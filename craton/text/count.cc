#include "craton/text/count.h"

#include <algorithm>

#include "craton/engine/for_each.h"
#include "craton/engine/tasks.h"
#include "craton/text/counted_words.h"
#include "craton/text/sort_columns.h"
#include "craton/text/sorted_terms.h"

namespace craton {
namespace {

constexpr Index kPartBytes = 1 << 18;  // of texts that are one task

void begin_rows(SparseArray& out) {
  if (out.offsets.empty()) out.offsets.push_back(0);
}

}  // namespace

std::vector<RowRange> parts_of(const EachText& texts) {
  std::vector<RowRange> parts;
  for (Index first = 0; first < texts.rows;) {
    const Index* begin = texts.offsets + first;
    const Index* end = std::upper_bound(begin, texts.offsets + texts.rows, *begin + kPartBytes);
    const Index last = std::max(first + 1, static_cast<Index>(end - texts.offsets));
    parts.push_back({first, std::min(last, texts.rows)});
    first = parts.back().last;
  }
  return parts;
}

void count_terms(const Texts& texts, const Tokeniser& tokeniser, const TermFinder& finder,
                 CountWork& work, SparseArray& out) {
  begin_rows(out);
  for (Index i = 0; i < texts.rows; ++i) {
    work.columns.clear();
    TermFinder::begin(work.finder);
    tokeniser.words(texts[i], work.tokens, [&](std::span<const Word> words) {
      finder.find(words, work.finder, work.columns);
    });
    const std::vector<std::uint32_t>& columns = work.columns;
    sort_columns(work.columns.data(), columns.size(), finder.columns(), work.spare,
                 [](std::uint32_t c) { return c; });
    // Whether the next column is another one is as good as chance: no branch.
    const std::size_t before = out.columns.size();
    out.columns.resize(before + columns.size());
    out.values.resize(before + columns.size());
    std::int32_t* const to = out.columns.data() + before;
    double* const values = out.values.data() + before;
    std::size_t size = 0;
    Index count = 0;
    std::uint32_t last = ~std::uint32_t{0};
    for (const std::uint32_t column : columns) {
      const bool again = column == last;
      last = column;
      count = again ? count + 1 : 1;
      size += again ? 0 : 1;
      to[size - 1] = static_cast<std::int32_t>(column);
      values[size - 1] = static_cast<double>(count);
    }
    out.columns.resize(before + size);
    out.values.resize(before + size);
    out.offsets.push_back(std::ssize(out.columns));
  }
}

TermRows count_all(const EachText& texts, const Exec& exec, CountRows count) {
  const std::vector<RowRange> parts = parts_of(texts);
  std::vector<SparseArray> counted(parts.size());
  struct Worker {
    CountWork work;
    std::string room;
  };
  std::vector<Worker> workers(usize(worker_count(exec)));
  rethrow(run_tasks(
      0, std::ssize(parts), exec, [](Task) {},
      [&](Task t) {
        Worker& worker = workers[usize(t.worker)];
        const RowRange range = parts[usize(t.number)];
        for (Index i = range.first; i < range.last; ++i) {
          const std::string_view text = texts.text(i, worker.room);
          const Index ends[] = {0, std::ssize(text)};
          count({text.data(), ends, 1}, worker.work, counted[usize(t.number)]);
        }
      }));
  std::vector<Index> ends = {0};
  ends.reserve(usize(texts.rows + 1));
  for (const SparseArray& part : counted) {
    for (std::size_t i = 1; i < part.offsets.size(); ++i) {
      ends.push_back(ends.back() + part.offsets[i] - part.offsets[i - 1]);
    }
  }
  TermRows all(std::move(ends));
  for_each(std::ssize(parts), exec, [&](Index p) {
    SparseArray& part = counted[usize(p)];
    const Index first = all.offsets[usize(parts[usize(p)].first)];
    std::ranges::copy(part.columns, all.columns.data() + first);
    std::ranges::copy(part.values, all.values.data() + first);
    part = {};
  });
  return all;
}

namespace {

// Calls f(those of `texts` one by one).
template <class F>
auto one_by_one(const Texts& texts, const F& f) {
  const auto text = [&](Index row, std::string&) { return texts[row]; };
  return f(EachText{texts.rows, texts.offsets, text});
}

}  // namespace

TermRows count_all(const Texts& texts, const Exec& exec, CountRows count) {
  return one_by_one(texts, [&](const EachText& each) { return count_all(each, exec, count); });
}

CountedTexts learn_and_count(const Texts& texts, const Tokeniser& tokeniser, const CutOptions& cuts,
                             const Exec& exec) {
  return one_by_one(
      texts, [&](const EachText& each) { return learn_and_count(each, tokeniser, cuts, exec); });
}

CountedTexts learn_and_count(const EachText& texts, const Tokeniser& tokeniser,
                             const CutOptions& cuts, const Exec& exec) {
  if (tokeniser.last_n() == 1) return count_words(texts, tokeniser, cuts, exec);
  if (may_be_sorted(texts)) return count_sorted(texts, tokeniser, cuts, exec);
  TermCounts counts(tokeniser);
  std::string room;
  for (Index i = 0; i < texts.rows; ++i) counts.add(texts.text(i, room));
  CountedTexts result;
  result.terms = counts.learned(cuts, exec);
  const TermFinder finder(result.terms.vocabulary, tokeniser);
  result.rows = count_all(texts, exec, [&](const Texts& some, CountWork& work, SparseArray& out) {
    count_terms(some, tokeniser, finder, work, out);
  });
  return result;
}

}  // namespace craton
