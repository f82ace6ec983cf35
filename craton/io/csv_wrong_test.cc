#include <doctest/doctest.h>
#include <fmt/core.h>

#include "craton/io/csv.h"
#include "tests/refused.h"

// Text files that are wrong, each with what is said of it and where.

namespace craton {
namespace {

using namespace std::string_literals;

struct Wrong {
  std::string text;
  Code code;
  Index line;
  std::string part;  // of the message
};

std::string times(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

// A column of 200 numbers with one more cell, behind a column that has nothing wrong.
Wrong one_bad_cell(const std::string& cell) {
  return {"x,y\n" + times(200, "1,2\n") + "3," + cell + "\n" + times(10, "4,5\n"),
          Code::kNotANumber, 202, "column 'y'"};
}

const std::vector<Wrong>& wrong_files() {
  static const std::vector<Wrong> files{
      // nothing in it
      {"", Code::kBadFile, -1, "the file is empty"},
      {"\n", Code::kBadFile, -1, "the file is empty"},
      {"\r\n\r\n", Code::kBadFile, -1, "the file is empty"},
      {"   \n \n", Code::kBadFile, -1, "the file is empty"},
      {"\xef\xbb\xbf", Code::kBadFile, -1, "the file is empty"},
      {"\xef\xbb\xbf\r\n\n", Code::kBadFile, -1, "the file is empty"},
      // not text, or not UTF-8
      {"\xff\xfe"s + "a\0,\0b\0\n\0"s, Code::kBadFile, -1, "UTF-16"},
      {"\xfe\xff"s + "\0a\0,\0b\0\n"s, Code::kBadFile, -1, "UTF-16"},
      {"\xff\xfe\0\0"s + "a\0\0\0\n\0\0\0"s, Code::kBadFile, -1, "UTF-32"},
      {"\0\0\xfe\xff"s + "\0\0\0a\0\0\0\n"s, Code::kBadFile, -1, "UTF-32"},
      {"a\0,\0b\0\n\0"s, Code::kBadFile, 1, "byte 0x00"},
      {"a,b\n1,\0\n"s, Code::kBadFile, 2, "byte 0x00"},
      {"a,b\n1,2\n\0\0\0\0"s, Code::kBadFile, 3, "byte 0x00"},
      {"a,b\n1,2\x01\n", Code::kBadFile, 2, "byte 0x01"},
      {"\x7f"s + "ELF\x02\x01\x01", Code::kBadFile, 1, "byte 0x02"},
      {"\x89PNG\r\n\x1a\n", Code::kBadFile, 2, "byte 0x1a"},
      {"a,b\n1,2\n\x1b[31m3,4\n", Code::kBadFile, 3, "byte 0x1b"},
      {"na\xefve,b\n1,2\n", Code::kBadFile, 1, "name of column 1 is not UTF-8"},
      {"a,caf\xe9\n1,2\n", Code::kBadFile, 1, "name of column 2 is not UTF-8"},
      {"k,x\ncaf\xe9,1\ncaf\xe9,2\n", Code::kBadFile, 2, "not UTF-8"},
      {"k,x\na,1\na,1\n\xc3(,2\n\xc3(,2\n", Code::kBadFile, 4, "not UTF-8"},
      {"k,x\na,1\na,1\n\xed\xa0\x80,2\nb,2\n", Code::kBadFile, 4, "not UTF-8"},
      // quotes
      {"a,b\n1,\"2\n3,4\n", Code::kBadFile, 2, "never closed"},
      {"a,b\n1,2\n3,\"4", Code::kBadFile, 3, "never closed"},
      {"a,b\n\"1\n\",2\n3,\"\"\"\n", Code::kBadFile, 4, "never closed"},
      {"a,b\n\"1\",\"\n\n\n", Code::kBadFile, 2, "never closed"},
      {"a,b\n1,2\n\"3\"x,4\n", Code::kBadFile, 3, "text follows the closing quote"},
      {"a,b\n1,\"2\" 3\n", Code::kBadFile, 2, "text follows the closing quote"},
      {"a;b\n1;\"2\"3\"\n", Code::kBadFile, 2, "text follows the closing quote"},
      {"a b\n1 \"2\"x\n", Code::kBadFile, 2, "text follows the closing quote"},
      {"a\tb\n1\t\"2\n", Code::kBadFile, 2, "never closed"},
      // ragged
      {"a,b\n1,2,3\n", Code::kRaggedRow, 2, "has 3 fields, but line 1 has 2"},
      {"a,b\n1\n", Code::kRaggedRow, 2, "has 1 fields"},
      {"a,b,c\n1,2,3\n4,5\n", Code::kRaggedRow, 3, "has 2 fields, but line 1 has 3"},
      {"a,b,c\n1,2,3\n4,5,6,7\n", Code::kRaggedRow, 3, "has 4 fields"},
      {"a,b\n1,2\n3,4,\n", Code::kRaggedRow, 3, "has 3 fields"},
      {"a,b\r\n1,2\r\n3\r\n", Code::kRaggedRow, 3, "has 1 fields"},
      {"a,b\r1,2\r3\r", Code::kRaggedRow, 3, "has 1 fields"},
      {"\n\na,b\n1,2\n3\n", Code::kRaggedRow, 5, "but line 3 has 2"},
      {"a,b\n\"1\n1\",2\n3\n", Code::kRaggedRow, 4, "has 1 fields"},
      {"1,2\n3,4\n5,6,7\n", Code::kRaggedRow, 3, "has 3 fields"},
      {"1 2 3\n4 5\n", Code::kRaggedRow, 2, "has 2 fields"},
      {"1 2 3\n4 5 6 7\n", Code::kRaggedRow, 2, "has 4 fields"},
      {"a\tb\n1\t2\t3\n", Code::kRaggedRow, 2, "has 3 fields"},
      {"a|b\n1|2\n3|4|5\n", Code::kRaggedRow, 3, "has 3 fields"},
      {"569,30,malignant\n1,2,3,4,5,6\n", Code::kRaggedRow, 2, "If line 1 is a title, delete it"},
      {"# made by a program\na,b\n1,2\n", Code::kRaggedRow, 2, "line 1"},
      {"x y\n1 2 3\n2 4 5\n", Code::kRaggedRow, 2, "name it in the header: rownames"},
      {"a,b\n1,2\n--\n3,4\n", Code::kRaggedRow, 3, "has 1 fields"},
      {"a,b\n1,5;2\n3,4\n1,2,3\n", Code::kRaggedRow, 4, "has 3 fields"},
      {"a,b\n1,000,5\n2,6\n", Code::kRaggedRow, 2, "has 3 fields"},
      {"a,b,c\n" + times(5000, "1,2,3\n") + "4,5\n", Code::kRaggedRow, 5002, "has 2 fields"},
      // blank lines inside
      {"x,y\n1,2\n\n3,4\n", Code::kRaggedRow, 3, "this line is blank"},
      {"x,y\n\n1,2\n", Code::kRaggedRow, 2, "this line is blank"},
      {"x,y\r\n1,2\r\n\r\n\r\n3,4\r\n", Code::kRaggedRow, 3, "this line is blank"},
      {"x,y\n1,2\n   \n3,4\n", Code::kRaggedRow, 3, "this line is blank"},
      {"x,y\n1,2\n\n\n3,4,5\n", Code::kRaggedRow, 3, "this line is blank"},
      // cells that are no numbers, among many that are
      one_bad_cell("abc"),
      one_bad_cell("1e"),
      one_bad_cell("\"1,5\""),
      one_bad_cell("1.000.000"),
      one_bad_cell("1'000"),
      one_bad_cell("1 000"),
      one_bad_cell("0x1F"),
      one_bad_cell("$5"),
      one_bad_cell("5%"),
      one_bad_cell("12:30"),
      one_bad_cell("2024-01-02"),
      one_bad_cell("--5"),
      one_bad_cell("+-5"),
      one_bad_cell("1-"),
      one_bad_cell("missing"),
      one_bad_cell("true"),
      one_bad_cell("#DIV/0!"),
      one_bad_cell("\xd9\xa3"),
      one_bad_cell("\xe2\x88\x92"
                   "5"),
      one_bad_cell("\"a \"\"b\"\"\""),
      one_bad_cell("9007199254740993"),
      one_bad_cell("1_000"),
      one_bad_cell("1.5f"),
      one_bad_cell("infinite"),
      one_bad_cell("."),
      one_bad_cell("-"),
  };
  return files;
}

TEST_CASE("wrong text files are refused with the code, the line and the words") {
  CHECK(ssize(wrong_files()) >= 60);
  for (const Wrong& wrong : wrong_files()) {
    const std::string text = wrong.text.substr(0, 200);
    CAPTURE(text);
    check_refused([&] { parse_csv(wrong.text, "t.csv"); }, wrong.code, wrong.line, wrong.part);
  }
}

TEST_CASE("wrong text files are refused alike whatever the blocks and threads") {
  for (const Wrong& wrong : wrong_files()) {
    const std::string text = wrong.text.substr(0, 200);
    CAPTURE(text);
    const auto bytes = std::as_bytes(std::span(wrong.text));
    const auto open = [&](int) { return memory_input(bytes, "t.csv"); };
    for (const Index block : {1, 5, 64}) {
      check_refused([&] { read_csv(open, {}, {.threads = 3}, block); }, wrong.code, wrong.line,
                    wrong.part);
    }
  }
}

TEST_CASE("options that do not fit the file are refused") {
  const auto refuse = [](const std::string& text, const std::string& name, ColumnKind kind,
                         Code code, Index line, std::string_view part) {
    ReadOptions options;
    options.kinds = {{name, kind}};
    check_refused([&] { parse_csv(text, "t.csv", options); }, code, line, part);
  };
  refuse("apple,b\n1,2\n", "aple", ColumnKind::kNumber, Code::kUnknownName, -1,
         "did you mean 'apple'?");
  refuse("a,b\n1,2\n3,x\n", "b", ColumnKind::kNumber, Code::kNotANumber, 3, "'x' is not a number");
  refuse("a,b\n1,\n3,2024-01-01\n", "b", ColumnKind::kNumber, Code::kNotANumber, 3, "column 'b'");
}

TEST_CASE("what looks odd and is fine is taken") {
  const auto rows = [](const std::string& text) { return parse_csv(text, "t.csv").x.rows(); };
  CHECK(rows("x\n1\n\n2\n\n\n") == 3);  // one column: a blank line is a missing value
  CHECK(rows("a,b\n1,2\n3,4") == 2);
  CHECK(rows("a,b\n1,2\n3,4\r\n \r\n") == 2);
  CHECK(rows("a,b\n" + times(99, "1,2\n") + "3,oops\n") == 100);  // 1 of 100 is a text column
  CHECK(rows("a,a\n1,2\n") == 1);
  CHECK(rows("a,b\n-0,1e999\n") == 1);
  CHECK(rows("a,b\n007,1\n") == 1);
  CHECK(rows("a,b\n1,2\n3,<NA>\n5,n/a\n7,NULL\n9,#N/A\n") == 5);
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
