#include "craton/io/libsvm.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string_view>

#include "craton/io/lines.h"
#include "tests/refused.h"

namespace craton::libsvm_test {
namespace {

Table parse(std::string_view text, Index columns = 0) {
  return parse_libsvm(*memory_input(std::as_bytes(std::span(text)), "x.svm"), columns);
}

TEST_CASE("labels become targets and entries become sparse rows") {
  const Table table = parse("+1 1:0.5 3:2\n-1 2:1e3\n0\n");
  CHECK(table.targets == std::vector<double>{1, -1, 0});
  CHECK(table.sparse.offsets == std::vector<Index>{0, 2, 3, 3});
  CHECK(table.sparse.columns == std::vector<std::int32_t>{0, 2, 1});
  CHECK(table.sparse.values == std::vector<double>{0.5, 2, 1000});
  CHECK(table.schema == numbered_schema(3));
  CHECK(table.source().shape().rows == 3);
}

TEST_CASE("comments, blank lines, tabs, CRLF and a missing last line end are fine") {
  const Table table = parse("\xef\xbb\xbf# a file\r\n\r\n1\t1:2 # the first\r\n  2 2:3");
  CHECK(table.targets == std::vector<double>{1, 2});
  CHECK(table.sparse.values == std::vector<double>{2, 3});
}

TEST_CASE("more columns can be asked for than the file has") {
  CHECK(parse("1 2:1\n", 5).schema.size() == 5);
  CHECK(parse("1 2:1\n", 1).schema.size() == 2);
}

TEST_CASE("missing values are NaN") { CHECK(std::isnan(parse("1 1:nan\n").sparse.values[0])); }

TEST_CASE("wrong files are refused with line and reason") {
  struct Case {
    std::string_view text;
    Code code;
    Index line;
    std::string_view part;
  };
  for (const Case& wrong : {
           Case{"", Code::kNoRows, -1, "no rows"},
           Case{"# nothing\n\n", Code::kNoRows, -1, "no rows"},
           Case{"1\n2\n", Code::kBadShape, 2, "no row of the file has a value"},
           Case{"1 0:1\n", Code::kBadFile, 1, "the index 0 is below 1"},
           Case{"1 1:1\n1 -3:1\n", Code::kBadFile, 2, "the index -3 is below 1"},
           Case{"1 3:1 2:1\n", Code::kBadFile, 1, "the index 2 follows 3"},
           Case{"1 2:1 2:1\n", Code::kBadFile, 1, "the index 2 is given twice"},
           Case{"1 4194305:1\n", Code::kBadFile, 1, "beyond 4194304"},
           Case{"1 2147483648:1\n", Code::kBadFile, 1, "beyond"},
           Case{"1 9223372036854775808:1\n", Code::kBadFile, 1, "beyond"},
           Case{"1 99999999999999999999999:1\n", Code::kBadFile, 1, "beyond"},
           Case{"1 -99999999999999999999999:1\n", Code::kBadFile, 1, "below 1"},
           Case{"1 1.5:1\n", Code::kBadFile, 1, "the index '1.5' is not a whole number"},
           Case{"1 a:1\n", Code::kBadFile, 1, "the index 'a'"},
           Case{"1 :1\n", Code::kBadFile, 1, "the index ''"},
           Case{"1 0x3:1\n", Code::kBadFile, 1, "the index '0x3'"},
           Case{"1 1:1\n1 2\n", Code::kBadFile, 2, "'2' is not index:value"},
           Case{"1:2 2:3\n", Code::kBadFile, 1, "starts with '1:2', not with its label"},
           Case{"1 1:\n", Code::kNotANumber, 1, "column '1': the value '' is not a number"},
           Case{"1 1:x\n", Code::kNotANumber, 1, "the value 'x' is not a number"},
           Case{"1 1:1e\n", Code::kNotANumber, 1, "the value '1e'"},
           Case{"1 1:1,5\n", Code::kNotANumber, 1, "the value '1,5'"},
           Case{"1 1:2:3\n", Code::kNotANumber, 1, "the value '2:3'"},
           Case{"1 7:0x10\n", Code::kNotANumber, 1, "column '7'"},
           Case{"yes 1:1\n", Code::kNotANumber, 1, "the label 'yes' is not a number"},
           Case{"nan 1:1\n", Code::kNotFinite, 1, "the label is 'nan'"},
           Case{"inf 1:1\n", Code::kNotFinite, 1, "the label is 'inf'"},
           Case{"1,2 1:1\n", Code::kUnsupported, 1, "several labels: '1,2'"},
           Case{"1 qid:3 1:1\n", Code::kUnsupported, 1, "'qid:3' marks a query"},
           Case{"1 1:1\n\n\n1 1:1 1:1\n", Code::kBadFile, 4, "twice"},
           Case{std::string_view("1 1:1\n\0 2:1\n", 12), Code::kBadFile, 2, "zero byte"},
           Case{std::string_view("\xff\xfe"
                                 "1\0",
                                 4),
                Code::kBadFile, -1, "UTF-16"},
       }) {
    CAPTURE(wrong.text);
    check_refused([&] { parse(wrong.text); }, wrong.code, wrong.line, wrong.part);
  }
}

// Hands out the same character for ever.
class Endless final : public Input {
 public:
  Endless() : Input("endless") {}
  std::size_t read(std::span<std::byte> out) override {
    std::fill(out.begin(), out.end(), std::byte{'1'});
    return out.size();
  }
  Index size() const override { return -1; }
  Index position() const override { return 0; }
};

TEST_CASE("a line without end is refused before it fills the memory") {
  Endless endless;
  check_refused([&] { parse_libsvm(endless); }, Code::kBadFile, 1, "more than 256 MiB");
}

}  // namespace
}  // namespace craton::libsvm_test
