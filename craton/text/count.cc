#include "craton/text/count.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <numeric>

#include "craton/base/large_pages.h"
#include "craton/engine/for_each.h"
#include "craton/engine/tasks.h"
#include "craton/text/sort_columns.h"
#include "craton/text/sorted_terms.h"

namespace craton {
namespace {

constexpr Index kPartBytes = 1 << 18;  // of texts that are one task
constexpr Index kBytesOfEntry = 10;    // of prose

void begin_rows(SparseArray& out) {
  if (out.offsets.empty()) out.offsets.push_back(0);
}

}  // namespace

std::vector<RowRange> parts_of(const Texts& texts) {
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

SparseArray count_all(const Texts& texts, const Exec& exec,
                      FunctionRef<void(const Texts&, CountWork&, SparseArray&)> count) {
  const std::vector<RowRange> parts = parts_of(texts);
  std::vector<SparseArray> counted(parts.size());
  std::vector<CountWork> work(usize(worker_count(exec)));
  rethrow(run_tasks(
      0, std::ssize(parts), exec, [](Task) {},
      [&](Task t) {
        count(texts.slice(parts[usize(t.number)]), work[usize(t.worker)], counted[usize(t.number)]);
      }));
  SparseArray all;
  begin_rows(all);
  all.offsets.reserve(usize(texts.rows + 1));
  for (const SparseArray& part : counted) {
    for (std::size_t i = 1; i < part.offsets.size(); ++i) {
      all.offsets.push_back(all.offsets.back() + part.offsets[i] - part.offsets[i - 1]);
    }
  }
  all.columns = room_in_large_pages<std::int32_t>(usize(all.offsets.back()));
  all.values = room_in_large_pages<double>(usize(all.offsets.back()));
  for (SparseArray& part : counted) {
    all.columns.insert(all.columns.end(), part.columns.begin(), part.columns.end());
    all.values.insert(all.values.end(), part.values.begin(), part.values.end());
    part = {};
  }
  return all;
}

namespace {

// The documents of one task, with the terms as their worker's TermCounts numbers them; then with
// their columns.
struct CountedPart {
  RowRange range;
  int worker = 0;
  std::vector<TermEntry> entries;
  std::vector<std::uint32_t> sizes;  // of rows
};

// Terms to columns, without those that were cut, in ascending order.
void give_columns(CountedPart& part, const TermColumns& columns, std::size_t limit) {
  std::vector<TermEntry> spare;
  TermEntry* to = part.entries.data();
  const TermEntry* from = to;
  for (std::uint32_t& size : part.sizes) {
    TermEntry* first = to;
    for (const TermEntry* end = from + size; from < end; ++from) {
      const std::int32_t column = columns[from->term];
      if (column >= 0) *to++ = {static_cast<TermId>(column), from->count};
    }
    size = static_cast<std::uint32_t>(to - first);
    sort_columns(first, size, limit, spare, [](const TermEntry& e) { return e.term; });
  }
}

TermColumns through(const TermColumns& numbers, const TermColumns& columns) {
  TermColumns result = numbers;
  for (std::int32_t& n : result.of_word) n = columns.of_word[static_cast<std::size_t>(n)];
  for (std::int32_t& n : result.of_pair) n = columns.of_pair[static_cast<std::size_t>(n)];
  return result;
}

}  // namespace

// Each worker has counts of its own: which documents they hold depends on timing, but their union,
// and so the sorted vocabulary and the rows, does not.
CountedTexts learn_and_count(const Texts& texts, const Tokeniser& tokeniser, const CutOptions& cuts,
                             const Exec& exec) {
  if (tokeniser.last_n() > 1 && may_be_sorted(texts)) {
    return count_sorted(texts, tokeniser, cuts, exec);
  }
  std::vector<CountedPart> parts;
  for (const RowRange& range : parts_of(texts)) parts.push_back({range, 0, {}, {}});
  std::vector<std::unique_ptr<TermCounts>> counts(usize(worker_count(exec)));
  rethrow(run_tasks(
      0, std::ssize(parts), exec, [](Task) {},
      [&](Task t) {
        CountedPart& part = parts[usize(t.number)];
        std::unique_ptr<TermCounts>& mine = counts[usize(t.worker)];
        if (!mine) mine = std::make_unique<TermCounts>(tokeniser);
        part.worker = t.worker;
        // About as many as texts have, so that they are seldom moved.
        const Index bytes = texts.offsets[part.range.last] - texts.offsets[part.range.first];
        part.entries.reserve(usize(bytes / kBytesOfEntry) + 1024);
        part.sizes.reserve(usize(part.range.last - part.range.first));
        for (Index i = part.range.first; i < part.range.last; ++i) {
          const std::size_t before = part.entries.size();
          mine->add(texts[i], part.entries);
          part.sizes.push_back(static_cast<std::uint32_t>(part.entries.size() - before));
        }
      }));

  TermCounts all(tokeniser);
  std::vector<TermColumns> columns(counts.size());
  std::size_t base = counts.size();
  for (std::size_t w = 0; w < counts.size(); ++w) {
    if (!counts[w]) continue;
    if (base == counts.size()) {
      all = std::move(*counts[w]);
      base = w;
    } else {
      columns[w] = all.take_in(*counts[w]);
    }
    counts[w].reset();
  }
  CountedTexts result;
  TermColumns of_all;
  result.terms = all.learned(cuts, exec, &of_all);
  all = TermCounts(tokeniser);
  for (std::size_t w = 0; w < columns.size(); ++w) {
    if (w != base) columns[w] = through(columns[w], of_all);
  }
  if (base < columns.size()) columns[base] = std::move(of_all);

  const auto limit = usize(result.terms.vocabulary.size());
  for_each(std::ssize(parts), exec, [&](Index p) {
    CountedPart& part = parts[usize(p)];
    give_columns(part, columns[usize(part.worker)], limit);
  });
  SparseArray& rows = result.rows;
  rows.offsets.reserve(usize(texts.rows + 1));
  begin_rows(rows);
  for (const CountedPart& part : parts) {
    for (const std::uint32_t size : part.sizes) rows.offsets.push_back(rows.offsets.back() + size);
  }
  rows.columns = zeros_in_large_pages<std::int32_t>(usize(rows.offsets.back()));
  rows.values = zeros_in_large_pages<double>(usize(rows.offsets.back()));
  for_each(std::ssize(parts), exec, [&](Index p) {
    CountedPart& part = parts[usize(p)];
    const Index first = rows.offsets[usize(part.range.first)];
    const Index last = rows.offsets[usize(part.range.last)];
    for (Index e = first; e < last; ++e) {
      const TermEntry& entry = part.entries[usize(e - first)];
      rows.columns[usize(e)] = static_cast<std::int32_t>(entry.term);
      rows.values[usize(e)] = static_cast<double>(entry.count);
    }
    part = {};
  });
  return result;
}

}  // namespace craton
