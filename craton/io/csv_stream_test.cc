#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "tests/csv_text.h"
#include "tests/folder.h"

// The same table, however the text is cut, whoever parses it and wherever the rows lie.

namespace craton {
namespace {

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
    CHECK_FALSE(spooled.source->in_memory());
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

}  // namespace
}  // namespace craton
