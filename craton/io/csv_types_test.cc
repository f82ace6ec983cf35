#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>

#include "craton/base/error.h"
#include "tests/csv_text.h"

// What the columns are: numbers, categories or text, by the guess or by the user.

namespace craton {
namespace {

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
  CHECK(ids.notes[0].text.plain().find("beyond 2^53") != std::string::npos);
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

}  // namespace
}  // namespace craton
