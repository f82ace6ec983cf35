#include "craton/text/spooled_rows.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "craton/base/row_of.h"

namespace craton::spooled_rows_test {
namespace {

constexpr Index kTexts = 1300;  // more than a chunk, and no whole number of parts

struct Corpus {
  TextArray texts;
  std::vector<double> numbers, weights;
  std::vector<std::int32_t> labels;

  Corpus() {
    for (Index i = 0; i < kTexts; ++i) {
      std::string text;
      for (Index k = 0; k < i * 7 % 11; ++k) text += " word" + std::to_string(i * k * k % 97);
      texts.add(text);
      numbers.push_back(static_cast<double>(i));
      weights.push_back(static_cast<double>(i % 3 + 1));
      labels.push_back(static_cast<std::int32_t>(i % 2));
    }
  }
  MemorySource source(bool with_numbers) const {
    Schema schema;
    schema.texts.push_back({"body", ColumnKind::kText});
    if (with_numbers) schema.columns.push_back({"number"});
    const Index columns = with_numbers ? 1 : 0;
    return MemorySource({.x = Dense<double>{numbers.data(), kTexts, columns, columns},
                         .labels = labels,
                         .weights = weights,
                         .texts = {texts.view()}},
                        schema);
  }
};

struct Entries {
  std::vector<Index> counts;
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  bool operator==(const Entries&) const = default;
};

Entries entries_of(const Sparse<double>& x) {
  Entries all;
  for (Index i = 0; i < x.rows; ++i) {
    const auto row = row_of(x, i);
    all.counts.push_back(row.count);
    all.columns.insert(all.columns.end(), row.columns, row.columns + row.count);
    all.values.insert(all.values.end(), row.values, row.values + row.count);
  }
  return all;
}

void check_same_rows(Source& a, Source& b, RowRange range, bool beside) {
  Block of_a, of_b;
  Chunk left, right;
  a.fetch(range, of_a);
  a.decode(of_a, left);
  b.fetch(range, of_b);
  b.decode(of_b, right);
  CHECK(left.first_row == right.first_row);
  CHECK(right.texts.empty());
  CHECK(std::ranges::equal(left.labels, right.labels));
  CHECK(std::ranges::equal(left.weights, right.weights));
  if (beside) {
    REQUIRE(right.inner.size() == 1);
    CHECK(entries_of(left.inner[0]) == entries_of(right.inner[0]));
    CHECK(std::get<Dense<double>>(right.x).row(0)[0] == static_cast<double>(range.first));
  } else {
    CHECK(entries_of(std::get<Sparse<double>>(left.x)) ==
          entries_of(std::get<Sparse<double>>(right.x)));
  }
}

TEST_CASE("rows of terms on disk are those that were counted") {
  const Corpus corpus;
  TextOptions weighed;
  weighed.weights.idf = WeightOptions::Idf::kSmooth;
  weighed.weights.norm = WeightOptions::Norm::kL2;
  for (const TextOptions& options : {TextOptions(), weighed}) {
    for (const bool beside : {false, true}) {
      CAPTURE(beside);
      MemorySource source = corpus.source(beside);
      const TextStep step = TextStep::learn(source, options, {}, nullptr,
                                            beside ? TextPlace::kBeside : TextPlace::kColumns);
      const std::unique_ptr<Source> counted = step.over(source);
      for (const int threads : {1, 3}) {
        const std::unique_ptr<Source> rows = spooled_rows(step, source, {.threads = threads});
        const std::unique_ptr<Source> again = rows->reopen();
        CHECK_FALSE(rows->in_memory());
        CHECK(rows->shape().rows == kTexts);
        CHECK(rows->shape().cols == counted->shape().cols);
        for (const RowRange range : {RowRange{0, kTexts},
                                     {0, 1},
                                     {255, 257},
                                     {256, 512},
                                     {1023, 1025},
                                     {300, 1290},
                                     {kTexts - 1, kTexts}}) {
          check_same_rows(*counted, *rows, range, beside);
          check_same_rows(*counted, *again, range, beside);
        }
        const Index chosen[] = {1299, 0, 700};
        std::vector<double> a(usize(3 * rows->shape().cols)), b(a.size());
        counted->gather(chosen, a);
        rows->gather(chosen, b);
        CHECK(a == b);
      }
    }
  }
}

}  // namespace
}  // namespace craton::spooled_rows_test
