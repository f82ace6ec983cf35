#include "craton/tables/view.h"

#include <doctest/doctest.h>

#include "craton/base/row_of.h"

#include <cmath>
#include <stdexcept>

#include "craton/base/random.h"
#include "craton/base/source_over.h"
#include "craton/tables/columns.h"
#include "tests/holes.h"

namespace craton {
namespace {

const std::vector<double> kValues{1, 2, 3, 4, 5, 6, 7, 8, 9};
const std::vector<float> kFloats(kValues.begin(), kValues.end());
const std::vector<Index> kOffsets{0, 3, 6, 9};
const std::vector<std::int32_t> kColumns{0, 1, 2, 0, 1, 2, 0, 1, 2};

std::vector<Matrix> all_forms() {
  return {Dense<double>{kValues.data(), 3, 3, 3}, Dense<float>{kFloats.data(), 3, 3, 3},
          Sparse<double>{kOffsets.data(), kColumns.data(), kValues.data(), 3, 3},
          Sparse<float>{kOffsets.data(), kColumns.data(), kFloats.data(), 3, 3}};
}

TEST_CASE("columns are taken by index in any order, and one as weights") {
  for (const Matrix& x : all_forms()) {
    MemorySource all({.x = x});
    View source(all);
    source.select({.columns = {{2}, {0}, {2}}, .weights = 1});
    CHECK(source.shape().cols == 3);
    CHECK(source.schema().names() == std::vector<std::string>{"3", "1", "3"});
    Block block;
    Chunk chunk;
    source.fetch({1, 3}, block);
    source.decode(block, chunk);
    const auto& view = std::get<Dense<double>>(chunk.x);
    CHECK(std::vector(view.data, view.data + 6) == std::vector<double>{6, 4, 6, 9, 7, 9});
    CHECK(std::vector(chunk.weights.begin(), chunk.weights.end()) == std::vector<double>{5, 8});
    CHECK(chunk.first_row == 1);
    std::vector<double> rows(3);
    source.reopen()->gather(std::vector<Index>{2}, rows);
    CHECK(rows == std::vector<double>{9, 7, 9});
  }
}

TEST_CASE("a column of numbers is the target of the rows, also of some of them and of kept ones") {
  for (const Matrix& x : all_forms()) {
    for (const bool keep : {false, true}) {
      MemorySource all({.x = x});
      View source(all);
      source.target(1).select({.columns = {{2}}}).rows(RowSet::where(3, [](Index row) {
        return row != 1;
      }));
      if (keep) source.keep({});
      REQUIRE(source.schema().number_target());
      CHECK_FALSE(source.schema().labelled());
      CHECK(source.schema().target->name == "2");
      Block block;
      Chunk chunk;
      source.fetch({0, 2}, block);
      source.decode(block, chunk);
      CHECK(std::vector(chunk.targets.begin(), chunk.targets.end()) == std::vector<double>{2, 8});
      CHECK(std::get<Dense<double>>(chunk.x).row(1)[0] == 9);
      CHECK(chunk.labels.empty());
      View without(source);
      if (!keep) CHECK_FALSE(without.unlabel().schema().target);
    }
  }
  const std::vector<double> numbers{4, 5, 6};
  MemorySource given({.x = all_forms()[0], .targets = numbers});
  View source(given);
  source.target(kTargets);
  CHECK(source.schema().target->name == "target");
  CHECK(source.may_miss(Source::kTargetNumbers));
}

TEST_CASE("a selection of a selection is one of the table below both") {
  MemorySource all({.x = all_forms()[0]});
  View inner(all);
  View source(inner.select({.columns = {{2}, {1}}, .targets = 0}));
  source.select({.columns = {{1}}});
  Block block;
  Chunk chunk;
  for (int pass = 0; pass < 2; ++pass) {  // the block is reused
    source.fetch({0, 3}, block);
    source.decode(block, chunk);
    const auto& view = std::get<Dense<double>>(chunk.x);
    CHECK(view.data == kValues.data() + 1);
    CHECK(view.stride == 3);
    CHECK(read_all(source).values == std::vector<double>{2, 5, 8});
    CHECK(chunk.weights.empty());
    CHECK(std::vector(chunk.targets.begin(), chunk.targets.end()) == std::vector<double>{1, 4, 7});
  }
}

TEST_CASE("all columns in their order are not copied") {
  MemorySource all({.x = all_forms()[0]});
  View source(all);
  source.select({.columns = {{0}, {1}, {2}}});
  Block block;
  Chunk chunk;
  source.fetch({0, 3}, block);
  source.decode(block, chunk);
  CHECK(std::get<Dense<double>>(chunk.x).data == kValues.data());
}

TEST_CASE("codes of a category become others") {
  const std::vector<double> codes{0, 1, NAN, 1};
  MemorySource all({.x = Dense<double>{codes.data(), 4, 1, 1}},
                   {{{"colour", ColumnKind::kCategory, {"blue", "red"}}}});
  View source(all);
  source.select({.columns = {{0, {NAN, 3}, {"a", "b", "c", "red"}}}});
  CHECK(source.schema().columns[0].levels.back() == "red");
  const Array out = read_all(source);
  CHECK(std::isnan(out.values[0]));
  CHECK(out.values[1] == 3);
  CHECK(std::isnan(out.values[2]));
  std::vector<double> row(1);
  source.gather(std::vector<Index>{3}, row);
  CHECK(row[0] == 3);
}

TEST_CASE("columns that the source lacks are refused") {
  MemorySource all({.x = all_forms()[0]});
  CHECK_THROWS_AS(View(all).select({.columns = {{3}}}), std::logic_error);
  CHECK_THROWS_AS(View(all).select({.columns = {{0}}, .weights = 3}), std::logic_error);
}

TEST_CASE("rows of a set come in order, with their weights and their places in the file") {
  const Holes holes(9000, 0.4);
  MemorySource all = holes.source();
  const RowSet set = RowSet::complete(all, {});
  View some(all);
  some.rows(set);
  REQUIRE(some.shape().rows == ssize(holes.kept));
  Block block;
  Chunk chunk;
  for (Index first = 0; first < some.shape().rows; first += 256) {
    const Index last = std::min(first + 256, some.shape().rows);
    some.fetch({first, last}, block);
    some.decode(block, chunk);
    REQUIRE(chunk.first_row == first);
    REQUIRE(chunk.rows() == last - first);
    const auto& x = std::get<Dense<double>>(chunk.x);
    for (Index i = 0; i < x.rows; ++i) {
      const Index row = holes.kept[usize(first + i)];
      REQUIRE(x.row(i)[0] == static_cast<double>(row));
      REQUIRE(chunk.weight(i) == static_cast<double>(row + 1));
      REQUIRE(some.row_in_file(first + i) == row);
    }
  }
  std::vector<double> row(2);
  some.reopen()->gather(std::vector<Index>{5}, row);
  CHECK(row[0] == static_cast<double>(holes.kept[5]));
}

TEST_CASE("a fold over the rows kept is that of a table of those rows") {
  const Holes holes(9000, 0.4);
  std::vector<double> values, weights;
  for (const Index i : holes.kept) {
    values.push_back(holes.values[usize(2 * i)]);
    values.push_back(holes.values[usize(2 * i + 1)]);
    weights.push_back(holes.weights[usize(i)]);
  }
  MemorySource all = holes.source();
  MemorySource copy({.x = Dense<double>{values.data(), ssize(weights), 2, 2}, .weights = weights});
  const RowSet set = RowSet::complete(all, {});
  View some(all);
  some.rows(set);
  const ColumnStatistics a = check_table(some, {.threads = 2}), b = check_table(copy, {});
  CHECK(a.mean() == b.mean());
  CHECK(a.variance() == b.variance());
  CHECK(a.data_hash() == b.data_hash());
}

TEST_CASE("a slice counts its rows from 0 and knows where they lie") {
  const Holes holes(1000, 0);
  MemorySource all = holes.source();
  View slice(all);
  slice.slice({300, 700});
  CHECK(slice.shape().rows == 400);
  Block block;
  Chunk chunk;
  slice.fetch({10, 20}, block);
  slice.decode(block, chunk);
  CHECK(chunk.first_row == 10);
  CHECK(std::get<Dense<double>>(chunk.x).row(0)[0] == 310);
  CHECK(slice.row_in_file(10) == 310);
  std::vector<double> row(2);
  slice.reopen()->gather(std::vector<Index>{1}, row);
  CHECK(row[0] == 301);
}

TEST_CASE("sparse rows stay sparse, with what belongs to them") {
  const std::vector<Index> offsets{0, 1, 3, 3, 6, 7};
  const std::vector<std::int32_t> columns{2, 0, 1, 0, 1, 2, 1}, labels{0, 1, 2, 3, 4};
  const std::vector<float> values{1, 2, 3, 4, 5, 6, 7};
  const std::vector<double> weights{1, 2, 3, 4, 5};
  MemorySource all({.x = Sparse<float>{offsets.data(), columns.data(), values.data(), 5, 3},
                    .labels = labels,
                    .weights = weights});
  const RowSet odd = RowSet::where(5, [](Index row) { return row != 1 && row != 2; });
  View some(all);
  some.rows(odd);
  Block block;
  Chunk chunk;
  some.fetch({0, 3}, block);
  some.decode(block, chunk);
  const auto& x = std::get<Sparse<double>>(chunk.x);
  CHECK(std::vector(x.offsets, x.offsets + 4) == std::vector<Index>{0, 1, 4, 5});
  CHECK(std::vector(x.columns, x.columns + 5) == std::vector<std::int32_t>{2, 0, 1, 2, 1});
  CHECK(std::vector(x.values, x.values + 5) == std::vector<double>{1, 4, 5, 6, 7});
  CHECK(std::vector(chunk.labels.begin(), chunk.labels.end()) ==
        std::vector<std::int32_t>{0, 3, 4});
  CHECK(std::vector(chunk.weights.begin(), chunk.weights.end()) == std::vector<double>{1, 4, 5});
}

TEST_CASE("rows of a set of rows of a set are those of both") {
  const Holes holes(5000, 0.3);
  MemorySource all = holes.source();
  const RowSet complete = RowSet::complete(all, {});
  View some(all);
  some.rows(complete);
  const RowSet thirds = RowSet::where(complete.size(), [](Index row) { return row % 3 == 1; });
  View fewer(some);
  fewer.rows(thirds);
  const Array values = read_all(fewer);
  REQUIRE(values.rows() == thirds.size());
  for (Index i = 0; i < thirds.size(); ++i) {
    REQUIRE(values.view().row(i)[0] == static_cast<double>(complete[thirds[i]]));
  }
}

TEST_CASE("rows that are kept are the rows of the table, with their labels, targets and weights") {
  constexpr Index kRows = 9'001, kCols = 2;
  std::vector<float> x;
  std::vector<std::int32_t> labels;
  std::vector<double> targets, weights;
  for (Index i = 0; i < kRows; ++i) {
    x.insert(x.end(), {static_cast<float>(i), static_cast<float>(-i)});
    labels.push_back(static_cast<std::int32_t>(i % 5));
    targets.push_back(static_cast<double>(2 * i));
    weights.push_back(static_cast<double>(i % 3));
  }
  MemorySource table({.x = Dense<float>{x.data(), kRows, kCols, kCols},
                      .labels = labels,
                      .targets = targets,
                      .weights = weights});
  const RowSet odd = RowSet::where(kRows, [](Index row) { return row % 2 == 1; });
  View some(table);
  some.rows(odd);
  for (const int threads : {1, 2, 7}) {
    View kept(some);
    kept.keep({.threads = threads});
    CHECK(kept.in_memory());
    CHECK(kept.row_in_file(3) == 7);
    CHECK(read_all(kept).values == read_all(some).values);
    Block block;
    Chunk chunk;
    kept.fetch({4'400, 4'500}, block);
    kept.decode(block, chunk);
    CHECK(chunk.first_row == 4'400);
    CHECK(chunk.labels[1] == 8'803 % 5);
    CHECK(chunk.targets[1] == 2 * 8'803);
    CHECK(chunk.weights[1] == 8'803 % 3);
    std::vector<double> one(2);
    kept.gather(std::vector<Index>{4'401}, one);
    CHECK(one == std::vector<double>{8'803, -8'803});
  }
}

TEST_CASE("sparse rows and no rows are not kept") {
  const std::vector<Index> offsets{0, 1, 2};
  const std::vector<std::int32_t> columns{1, 0};
  const std::vector<double> values{3, 4};
  MemorySource sparse({.x = Sparse<double>{offsets.data(), columns.data(), values.data(), 2, 2}});
  View rows(sparse);
  rows.keep({});
  CHECK(has_sparse_rows(rows));
  CHECK(read_all(rows).values == std::vector<double>{0, 3, 4, 0});
  MemorySource none({.x = Dense<double>{values.data(), 0, 2, 2}});
  View nothing(none);
  nothing.keep({});
  CHECK(nothing.shape().rows == 0);
  CHECK(read_all(nothing).values.empty());
}

// Every way to choose, over every kind of table: held against a choice made value by value.
struct Everything {
  static constexpr Index kRows = 5'000, kCols = 4;
  Everything() {
    for (Index i = 0; i < kRows; ++i) {
      for (Index j = 0; j < kCols; ++j) values.push_back(static_cast<double>((i * 7 + j * 3) % 11));
      weights.push_back(static_cast<double>(i));
      targets.push_back(static_cast<double>(i % 4));
      labels.push_back(static_cast<std::int32_t>(i % 3));
    }
    floats.assign(values.begin(), values.end());
    offsets.push_back(0);
    for (Index i = 0; i < kRows; ++i) {
      for (Index j = 0; j < kCols; ++j) {
        if (values[usize(i * kCols + j)] == 0) continue;
        entries.push_back(values[usize(i * kCols + j)]);
        columns.push_back(static_cast<std::int32_t>(j));
      }
      offsets.push_back(ssize(entries));
    }
  }
  std::vector<MemorySource> sources() const {
    std::vector<MemorySource> all;
    for (const Matrix& x :
         {Matrix(Dense<double>{values.data(), kRows, kCols, kCols}),
          Matrix(Dense<float>{floats.data(), kRows, kCols, kCols}),
          Matrix(Sparse<double>{offsets.data(), columns.data(), entries.data(), kRows, kCols})}) {
      Schema schema = numbered_schema(kCols);
      schema.target = Column{"y", ColumnKind::kCategory, {"a", "b", "c"}};
      all.emplace_back(Memory{.x = x, .labels = labels, .targets = targets, .weights = weights},
                       schema, "all");
    }
    return all;
  }
  std::vector<double> values, weights, targets, entries;
  std::vector<float> floats;
  std::vector<Index> offsets;
  std::vector<std::int32_t> columns, labels;
};

// A step between two views, which does nothing but hide one from the other.
class Hidden final : public SourceOver {
 public:
  explicit Hidden(Source& source) : SourceOver(source) {}
  void decode(Block& block, Chunk& chunk) const override { source().decode(block, chunk); }
  std::unique_ptr<Source> reopen() const override { return reopen_as<Hidden>(); }
};

TEST_CASE("columns, rows and labels are those chosen, in any order and over each other") {
  const Everything table;
  const RowSet some = RowSet::where(Everything::kRows, [](Index row) { return row % 5 != 2; });
  const RowSet fewer = RowSet::where(some.size(), [](Index row) { return row % 2 == 0; });
  const RowRange part{100, 1'900};
  std::vector<Index> numbers;
  for (Index i = part.first; i < part.last; ++i) numbers.push_back(some[fewer[i]]);
  for (MemorySource& source : table.sources()) {
    // Column 3 of the table becomes 0 of the first selection, 1 of the second; column 1 labels.
    const std::vector<double> twice{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20};
    const Selection first{.columns = {{.from = 3}, {.from = 1}, {.from = 0}}, .weights = 2};
    const Selection second{.columns = {{.from = 2}, {.from = 0, .codes = twice, .levels = {}}}};
    View one(source), below(source);
    one.label(find_classes(source, 1, {})).select(first).rows(some).rows(fewer);
    one.slice(part).select(second);
    below.rows(some).label(find_classes(source, 1, {}));
    Hidden between(below);
    View two(between);
    two.select(first).select(second).rows(fewer).slice(part);
    View kept(two);
    kept.keep({.threads = 2});
    const std::unique_ptr<Source> again = two.reopen();
    for (Source* view : {static_cast<Source*>(&one), static_cast<Source*>(&two),
                         static_cast<Source*>(&kept), again.get()}) {
      REQUIRE(view->shape().rows == part.size());
      CHECK(view->schema().names() == std::vector<std::string>{"1", "4"});
      Block block;
      Chunk chunk;
      for (const RowRange range : {RowRange{0, 1'024}, RowRange{1'024, 1'800}, RowRange{3, 3}}) {
        view->fetch(range, block);
        view->decode(block, chunk);
        REQUIRE(chunk.rows() == range.size());
        if (range.size() > 0) REQUIRE(chunk.first_row == range.first);
        const Dense<double> x = std::get<Dense<double>>(chunk.x);
        for (Index i = 0; i < x.rows; ++i) {
          const Index row = numbers[usize(range.first + i)];
          const double* const values = &table.values[usize(row * Everything::kCols)];
          REQUIRE(x.row(i)[0] == values[0]);
          REQUIRE(x.row(i)[1] == 2 * values[3]);
          REQUIRE(chunk.weight(i) == values[2]);
          REQUIRE(chunk.targets[usize(i)] == table.targets[usize(row)]);
          REQUIRE(chunk.labels[usize(i)] == static_cast<std::int32_t>(values[1]));
          REQUIRE(view->place_of(range.first + i).row == row);
        }
      }
      std::vector<double> gathered(2);
      view->gather(std::vector<Index>{7}, gathered);
      CHECK(gathered[1] == 2 * table.values[usize(numbers[7] * Everything::kCols + 3)]);
    }
  }
}

TEST_CASE("rows that stay sparse do so through views of views, and lose their labels when told") {
  const Everything table;
  MemorySource source = table.sources()[2];
  View some(source);
  some.rows(RowSet::where(Everything::kRows, [](Index row) { return row % 2 == 1; })).unlabel();
  Hidden between(some);
  View fewer(between);
  fewer.slice({10, 20});
  CHECK(has_sparse_rows(fewer));
  CHECK_FALSE(fewer.schema().target);
  Block block;
  Chunk chunk;
  fewer.fetch({0, 10}, block);
  fewer.decode(block, chunk);
  CHECK(chunk.labels.empty());
  CHECK(chunk.weights[3] == 27);
  CHECK(fewer.row_in_file(3) == 27);
}

TEST_CASE("a view is in memory when its table is, or its rows are kept") {
  const std::vector<double> x{1, 2, 3};
  MemorySource memory({.x = Dense<double>{x.data(), 3, 1, 1}});
  View view(memory);
  CHECK(view.select({.columns = {{0}}}).slice({0, 2}).in_memory());
  Hidden elsewhere(memory);
  View other(elsewhere);
  CHECK_FALSE(other.in_memory());
  CHECK(other.keep({}).in_memory());
  CHECK(read_all(View(other).slice({1, 3})).values == std::vector<double>{2, 3});
}

TEST_CASE("views carry texts") {
  Table table;
  table.schema = numbered_schema(1);
  table.schema.texts = {{"title", ColumnKind::kText}, {"body", ColumnKind::kText}};
  table.x = {{5, 1}, {0, 1, 2, 3, 4}};
  table.texts.resize(2);
  for (const char* text : {"a", "b", "", "d", "e"}) {
    table.texts[0].add(text);
    table.texts[1].add(std::string(text) + text);
  }
  MemorySource source = table.source();
  const auto all = [](Source& x) {
    std::string text;
    for (const TextArray& column : read_texts(x)) {
      for (Index i = 0; i < column.rows(); ++i) text += std::string(column.view()[i]) + ".";
      text += "|";
    }
    return text;
  };
  CHECK(all(source) == "a.b..d.e.|aa.bb..dd.ee.|");
  View view(source);
  CHECK(all(view) == all(source));
  view.rows(RowSet::where(5, [](Index row) { return row != 1; }));
  CHECK(all(view) == "a..d.e.|aa..dd.ee.|");
  View part(view);
  part.slice({1, 3});
  CHECK(all(part) == ".d.|.dd.|");
  part.select({.columns = {}, .texts = {1}});
  CHECK(all(part) == ".dd.|");
  CHECK(part.schema().texts[0].name == "body");
  View last(part);
  last.select({.texts = {0}});
  CHECK(all(last) == all(part));
  CHECK(all(*last.reopen()) == all(part));
}

TEST_CASE("views carry what is inside of rows") {
  SparseArray inner;
  for (std::int32_t i = 0; i < 5; ++i) {
    const std::int32_t codes[] = {i, 7};
    const double times[] = {1, static_cast<double>(i)};
    inner.add(codes, times, i == 2 ? 0 : 2);
  }
  const std::vector<double> x{0, 1, 2, 3, 4};
  Schema schema = numbered_schema(1);
  schema.inner.push_back({.name = "words", .codes = 9});
  MemorySource source({.x = Dense<double>{x.data(), 5, 1, 1}, .inner = {inner.view(9)}}, schema);
  const auto all = [](Source& view) {
    Block block;
    Chunk chunk;
    view.fetch({0, view.shape().rows}, block);
    view.decode(block, chunk);
    std::string text;
    for (Index i = 0; i < chunk.inner[0].rows; ++i) {
      const RowEntries<double> row = row_of(chunk.inner[0], i);
      for (Index e = 0; e < row.count; ++e) {
        text += std::to_string(row.columns[e]) + "x" +
                std::to_string(static_cast<int>(row.values[e])) + " ";
      }
      text += "|";
    }
    return text;
  };
  View view(source);
  CHECK(all(view) == "0x1 7x0 |1x1 7x1 ||3x1 7x3 |4x1 7x4 |");
  view.rows(RowSet::where(5, [](Index row) { return row % 2 == 0; }));
  CHECK(all(view) == "0x1 7x0 ||4x1 7x4 |");
  View part(view);
  part.slice({1, 3}).select({.columns = {}});
  CHECK(all(part) == "|4x1 7x4 |");
  CHECK(part.schema().inner[0].codes == 9);
  CHECK(all(View(view).keep({})) == all(view));
}

}  // namespace
}  // namespace craton
