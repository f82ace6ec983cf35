#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "craton/core/error.h"
#include "craton/core/random.h"
#include "craton/core/row_groups.h"
#include "craton/io/csv.h"
#include "tests/folder.h"

// The same table, however the text is cut, whoever parses it and wherever the rows lie.

namespace craton {
namespace {

std::unique_ptr<Input> input_of(std::string_view text) {
  return memory_input(std::as_bytes(std::span(text.data(), text.size())), "t.csv");
}

struct How {
  Index block = kCsvBlock;
  int threads = 1;
  ReadOptions options = {};
};

OpenedTable open(std::string_view text, const How& how = {}) {
  return read_csv([&](int) { return input_of(text); }, how.options, {.threads = how.threads},
                  how.block);
}

std::vector<double> values_of(Source& source) {
  const Shape shape = source.shape();
  std::vector<double> values;
  for (Index first = 0; first < shape.rows; first += 100) {  // spans groups
    Block block;
    Chunk chunk;
    source.fetch({first, std::min(first + 100, shape.rows)}, block);
    source.decode(block, chunk);
    const auto& x = std::get<Dense<double>>(chunk.x);
    values.insert(values.end(), x.data, x.data + x.rows * x.cols);
  }
  return values;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

void check_same(OpenedTable& a, OpenedTable& b) {
  CHECK(a.source->schema() == b.source->schema());
  CHECK(same_bits(values_of(*a.source), values_of(*b.source)));
  CHECK(a.guess == b.guess);
  REQUIRE(a.notes.size() == b.notes.size());
  for (std::size_t i = 0; i < a.notes.size(); ++i) CHECK(a.notes[i].text == b.notes[i].text);
}

// Everything at once: quotes, line ends in them, categories, text, missing values, row names.
std::string mixed_text(Index rows) {
  std::string text = "id,x,\"a \"\"quoted\"\" name\",kind,remark\r\n";
  Random random(3, Purpose::kTest);
  for (Index i = 0; i < rows; ++i) {
    const Index kind = random.below(5);
    text += fmt::format("{},{},{},{},\"remark {}{}\"\r\n", i + 1, random.normal(),
                        kind == 0 ? "NA" : fmt::format("{}e-3", random.below(1000)),
                        std::array{"ant", "\"bee, \"\"the\"\"\"", "cat", "", "dog"}[usize(kind)], i,
                        kind == 3 ? "\nmore \"\"lines\"\"\n" : "");
  }
  return text;
}

TEST_CASE("blocks of any size and any number of threads give one table") {
  const std::string text = mixed_text(1500);
  OpenedTable expected = open(text);
  CHECK(expected.source->shape().rows == 1500);
  CHECK(expected.source->schema().names() ==
        std::vector<std::string>{"x", "a \"quoted\" name", "kind"});
  for (const Index block : {Index{1}, Index{7}, Index{64} << 10, Index{1000}}) {
    for (const int threads : {1, 2, 7}) {
      CAPTURE(block);
      CAPTURE(threads);
      OpenedTable other = open(text, {.block = block, .threads = threads});
      check_same(other, expected);
    }
  }
}

TEST_CASE("tables without quotes are cut anywhere, whatever ends their lines") {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    std::string text = "a;b" + end;
    for (int i = 0; i < 500; ++i) text += fmt::format("{};{}{}", i, i * 0.5, end);
    OpenedTable expected = open(text);
    CHECK(expected.source->shape().rows == 500);
    for (const Index block : {1, 2, 3, 5, 7, 100}) {
      OpenedTable other = open(text, {.block = block, .threads = 2});
      check_same(other, expected);
    }
  }
}

TEST_CASE("every cut of a small table gives the same table") {
  const std::string text =
      "\xef\xbb\xbf\n\nx,\"y\n\"\"z\"\"\"\n1,2\n\"3\",\"\"\n?,5\"\n7,\" 8 \"\n\n \n";
  OpenedTable expected = open(text);
  CHECK(expected.source->shape().rows == 4);
  for (Index block = 1; block < ssize(text); ++block) {
    OpenedTable other = open(text, {.block = block, .threads = 2});
    check_same(other, expected);
  }
}

TEST_CASE("spooled and in memory are one table") {
  const Folder folder;
  const std::string text = mixed_text(3000);
  OpenedTable in_memory = open(text, {.block = 5000, .threads = 3});
  for (const Index memory : {Index{0}, Index{10000}}) {
    ReadOptions options;
    options.memory = memory;
    options.temporary_folder = folder / "";
    OpenedTable spooled = open(text, {.block = 5000, .threads = 3, .options = options});
    CHECK_FALSE(dynamic_cast<GroupedSource&>(*spooled.source).in_memory());
    check_same(spooled, in_memory);
    CHECK(std::filesystem::is_empty(folder / ""));  // the spool has no name
  }
}

// Groups of small integers, of floats and of doubles, one after another, in rows of codes too.
TEST_CASE("a spool gives back the same bits, however narrow its groups are") {
  const std::array numbers{"7", "-32767", "", "1048576.5", "-0", "inf", "0.1", "1e300"};
  std::string text = "k,x,y\n";
  for (Index i = 0; i < 6000; ++i) {
    const std::size_t most = std::array<std::size_t, 4>{3, 6, 8, 2}[usize(i / 1500)];
    text += fmt::format("{},{},{}\n", i % 3 == 0 ? "b" : "a", i % 100, numbers[usize(i) % most]);
  }
  ReadOptions kinds, spool;
  kinds.kinds = {{"y", ColumnKind::kNumber}};
  spool.kinds = kinds.kinds;
  spool.memory = 0;
  for (const Index block : {Index{500}, Index{20'000}}) {
    OpenedTable in_memory = open(text, {.block = block, .threads = 2, .options = kinds});
    OpenedTable spooled = open(text, {.block = block, .threads = 2, .options = spool});
    CHECK(in_memory.source->shape().cols == 3);
    check_same(spooled, in_memory);
    const std::vector<Index> rows{5999, 4501, 3000, 2999, 1501, 0, 2};
    std::vector<double> a(rows.size() * 3), b(rows.size() * 3);
    in_memory.source->gather(rows, a);
    spooled.source->gather(rows, b);
    CHECK(same_bits(a, b));
  }
}

TEST_CASE("rows are gathered from a spool and reopened sources read it too") {
  ReadOptions options;
  options.memory = 0;
  std::string text = "x,k\n";
  for (int i = 0; i < 2000; ++i) text += fmt::format("{},{}\n", i, i % 3 == 0 ? "b" : "a");
  OpenedTable table = open(text, {.block = 1000, .threads = 2, .options = options});
  const auto again = table.source->reopen();
  std::vector<double> rows(6);
  again->gather(std::vector<Index>{1999, 0, 777}, rows);
  CHECK(rows == std::vector<double>{1999, 0, 0, 1, 777, 1});
  CHECK(again->name() == "t.csv");
}

TEST_CASE("the line of a row is found, over blocks and lines inside quotes") {
  const std::string text = mixed_text(400);
  for (const Index block : {Index{100}, kCsvBlock}) {
    OpenedTable table = open(text, {.block = block, .threads = 2});
    std::size_t at = text.find("\r\n") + 2;
    Index line = 2;
    for (Index row = 0; row < 400; ++row) {
      REQUIRE(table.source->line_of(row) == line);
      const std::size_t end = text.find("\r\n", at);
      line += 1 + std::count(text.begin() + static_cast<Index>(at),
                             text.begin() + static_cast<Index>(end), '\n');
      at = end + 2;
    }
    CHECK(table.source->line_of(400) == -1);
  }
}

TEST_CASE("levels are sorted and missing ones are NaN") {
  OpenedTable table = open("k,x\nc,1\nb,2\n\"\",3\nb,4\nc,5\na,6\na,7\nNA,8\n");
  const Column& column = table.source->schema().columns[0];
  CHECK(column.kind == ColumnKind::kCategory);
  CHECK(column.levels == std::vector<std::string>{"a", "b", "c"});
  const std::vector<double> values = values_of(*table.source);
  CHECK(values[0] == 2);
  CHECK(values[2] == 1);
  CHECK(std::isnan(values[4]));
  CHECK(values[10] == 0);
  CHECK(std::isnan(values[14]));
  CHECK(table.guess == "CSV, ',', header, 8 rows: 1 number, 1 category");
}

TEST_CASE("the user's kinds win over the guess") {
  const std::string text = "zip,name,x,y\n02139,ann,1,2\n94040,bob,3,z\n02139,cid,5,6\n";
  ReadOptions options;
  options.kinds = {{"zip", ColumnKind::kCategory},
                   {"name", ColumnKind::kCategory},
                   {"x", ColumnKind::kIgnore},
                   {"y", ColumnKind::kText}};
  OpenedTable table = open(text, {.options = options});
  CHECK(table.notes.empty());
  REQUIRE(table.source->schema().names() == std::vector<std::string>{"zip", "name"});
  CHECK(table.source->schema().columns[0].levels == std::vector<std::string>{"02139", "94040"});
  CHECK(table.source->schema().columns[1].levels == std::vector<std::string>{"ann", "bob", "cid"});
  CHECK(values_of(*table.source) == std::vector<double>{0, 0, 1, 1, 0, 2});
}

TEST_CASE("the user's delimiter and header win over the guess") {
  ReadOptions options;
  options.header = Header::kNo;
  OpenedTable table = open("a,b\nc,d\na,d\na,d\n", {.options = options});
  CHECK(table.source->shape().rows == 4);
  CHECK(table.source->schema().names() == std::vector<std::string>{"1", "2"});
  options = {};
  options.header = Header::kYes;
  options.delimiter = ';';
  OpenedTable other = open("1;2\n3;4\n", {.options = options});
  CHECK(other.source->schema().names() == std::vector<std::string>{"1", "2"});
  CHECK(other.source->shape().rows == 1);
}

TEST_CASE("a title of rows, features and class names is skipped, and nothing that only looks so") {
  const std::string rows = "0.5,1.5,2.5,0\n3.5,4.5,5.5,1\n";
  OpenedTable table = open("2,3,yes\n" + rows);
  REQUIRE(table.notes.size() == 1);
  CHECK(table.notes[0].text == "skipped line 1, a title that says 2 rows of 3 features");
  CHECK(values_of(*table.source) == std::vector<double>{0.5, 1.5, 2.5, 0, 3.5, 4.5, 5.5, 1});
  CHECK(table.source->line_of(0) == 2);
  OpenedTable with_header = open("2,3\na,b,c,d\n" + rows);
  CHECK(with_header.source->schema().names() == std::vector<std::string>{"a", "b", "c", "d"});
  CHECK(with_header.source->line_of(0) == 3);
  OpenedTable wide = open("2,3,yes,no\n" + rows);  // as wide as a header: the rows must be right
  CHECK(wide.source->schema().names() == std::vector<std::string>{"1", "2", "3", "4"});
  OpenedTable header = open("1,3,yes,no\n" + rows);
  CHECK(header.source->schema().names() == std::vector<std::string>{"1", "3", "yes", "no"});
  OpenedTable row = open("2,3,7,1\n" + rows);
  CHECK(row.source->shape().rows == 3);
  for (const std::string title : {"2,4,yes", "a,3,yes", "0,3,yes", "2.0,3", "2", "a,b,c"}) {
    CAPTURE(title);
    CHECK_THROWS_AS(open(title + "\n" + rows), InputError);
  }
  CHECK_THROWS_AS(open("2,3,yes\n" + rows + "1,2\n"), InputError);
  ReadOptions options;
  options.header = Header::kYes;
  CHECK_THROWS_AS(open("2,3,yes\n" + rows, {.options = options}), InputError);
}

// Numbers for the first megabyte, and then text.
std::string late_text(Index texts) {
  std::string text = "x,y\n";
  for (int i = 0; i < 100'000; ++i) text += fmt::format("{},0.12345678\n", i);
  for (int i = 0; i < texts; ++i) text += i % 2 == 0 ? "5,high\n" : "6,low\n";
  return text;
}

TEST_CASE("a column that turns out to be text later in the file is one from its start") {
  const std::string text = late_text(2000);
  OpenedTable table = open(text, {.threads = 2});
  CHECK(table.source->shape().rows == 102'000);
  CHECK(table.source->schema().columns[1].levels ==
        std::vector<std::string>{"0.12345678", "high", "low"});
}

TEST_CASE("a few texts late in a column of numbers are refused by line, column and value") {
  const std::string text = late_text(3);
  try {
    open(text, {.threads = 2});
    FAIL("was taken");
  } catch (const InputError& error) {
    CHECK(error.code() == Code::kNotANumber);
    CHECK(error.place().line == 100'002);
    CHECK(error.place().column == "y");
    const std::string_view what = error.what();
    CHECK(what.find("'high'") != what.npos);
    CHECK(what.find("--schema 'y=category'") != what.npos);
  }
}

TEST_CASE("text that cannot be read twice is refused when it must be") {
  const std::string text = late_text(2000);
  const auto once = [&](int time) { return time == 0 ? input_of(text) : nullptr; };
  try {
    read_csv(once, {}, {});
    FAIL("was taken");
  } catch (const InputError& error) {
    CHECK(error.code() == Code::kNotANumber);
    CHECK(error.place().line == 100'002);
  }
}

TEST_CASE("a column with more levels than a category has is text, wherever that shows") {
  std::string text = "x,k\n";
  for (int i = 0; i < 200'000; ++i) text += fmt::format("{},k{}\n", i, i < 150'000 ? i % 9 : i);
  OpenedTable table = open(text, {.threads = 3});
  CHECK(table.source->schema().names() == std::vector<std::string>{"x"});
  REQUIRE(table.notes.size() == 1);
  CHECK(table.notes[0].text == "ignored the text column 'k': 'k0' on line 2 is not a number");
}

TEST_CASE("integers beyond 2^53 are categories or left out, unless they are exact") {
  OpenedTable ids = open("id2,x\n9007199254740993,1\n9007199254740995,2\n");
  CHECK(ids.source->schema().names() == std::vector<std::string>{"x"});
  REQUIRE(ids.notes.size() == 1);
  CHECK(ids.notes[0].text.find("beyond 2^53") != std::string::npos);
  OpenedTable repeated = open("u,x\n9007199254740993,1\n9007199254740993,2\n");
  CHECK(repeated.source->schema().columns[0].levels ==
        std::vector<std::string>{"9007199254740993"});
  OpenedTable exact = open("u\n9007199254740992\n1152921504606846976\n");
  CHECK(values_of(*exact.source) == std::vector<double>{0x1p53, 0x1p60});
  OpenedTable rounded = open("u\n9007199254740993\n0.5\n");  // not a column of integers
  CHECK(values_of(*rounded.source) == std::vector<double>{0x1p53, 0.5});
}

TEST_CASE("of two columns with one name the second gets another, and that is said") {
  OpenedTable table = open("x,x,x.1,x\n1,2,3,4\n");
  CHECK(table.source->schema().names() == std::vector<std::string>{"x", "x.2", "x.1", "x.3"});
  CHECK(table.notes.size() == 2);
}

TEST_CASE("a hundred thousand columns are read") {
  constexpr int kColumns = 100'000;
  std::string text;
  for (int row = 0; row < 4; ++row) {
    for (int j = 0; j < kColumns; ++j) {
      if (j > 0) text += ',';
      if (row == 0) text += 'c';
      text += std::to_string(j);
    }
    text += '\n';
  }
  OpenedTable table = open(text, {.threads = 2});
  CHECK(table.source->shape().rows == 3);
  CHECK(table.source->shape().cols == kColumns);
  CHECK(table.source->schema().name(kColumns - 1) == "c99999");
  CHECK(values_of(*table.source)[kColumns + 5] == 5);
}

// Bytes without end, made when they are asked for.
class Endless final : public Input {
 public:
  explicit Endless(std::string front) : Input("t.csv"), front_(std::move(front)) {}
  std::size_t read(std::span<std::byte> out) override {
    std::fill(out.begin(), out.end(), std::byte{'7'});
    for (std::size_t i = 0; at_ < front_.size() && i < out.size(); ++i) {
      out[i] = static_cast<std::byte>(front_[at_++]);
    }
    given_ += ssize(out);
    CHECK(given_ < 3 * kLongest);  // it gives up soon after the limit
    return out.size();
  }
  Index size() const override { return -1; }
  Index position() const override { return given_; }

 private:
  static constexpr Index kLongest = Index{64} << 20;
  std::string front_;
  std::size_t at_ = 0;
  Index given_ = 0;
};

TEST_CASE("a line or a quote without end is refused at the longest record") {
  for (const char* front : {"", "a,b\n1,2\n3,", "a,b\n1,\""}) {
    CAPTURE(front);
    const auto open_endless = [&](int) { return std::make_unique<Endless>(front); };
    try {
      read_csv(open_endless, {}, {.threads = 2});
      FAIL("was taken");
    } catch (const InputError& error) {
      CHECK(error.code() == Code::kBadFile);
      CHECK(std::string_view(error.what()).find("longer than 64 MB") != std::string_view::npos);
    }
  }
}

}  // namespace
}  // namespace craton
