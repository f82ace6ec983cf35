#include "craton/io/matrix_market.h"

#include <doctest/doctest.h>

#include <string_view>

#include "tests/refused.h"

namespace craton::matrix_market_test {
namespace {

Table parse(std::string_view text) {
  return parse_matrix_market(*memory_input(std::as_bytes(std::span(text)), "x.mtx"));
}

// The sparse rows written out.
Array dense(const Table& table) {
  const Shape shape = table.source().shape();
  Array x{{shape.rows, shape.cols}, std::vector<double>(usize(shape.rows * shape.cols))};
  std::vector<Index> rows(usize(shape.rows));
  for (Index i = 0; i < shape.rows; ++i) rows[usize(i)] = i;
  table.source().gather(rows, x.values);
  return x;
}

TEST_CASE("coordinates in any order become sorted sparse rows") {
  const Table table = parse(
      "%%MatrixMarket matrix coordinate real general\n% a comment\n\n 2 3 3\n2 3 -1.5\n"
      "1 2 4\n\n2 1 1e2\n");
  CHECK(table.sparse.offsets == std::vector<Index>{0, 1, 3});
  CHECK(table.sparse.columns == std::vector<std::int32_t>{1, 0, 2});
  CHECK(table.sparse.values == std::vector<double>{4, 100, -1.5});
  CHECK(table.schema == numbered_schema(3));
}

TEST_CASE("an array is read column after column") {
  const Table table = parse("%%MatrixMarket matrix array real general\n2 3\n1\n4\n2\n5\n3\n6\n");
  CHECK(table.x == Array{{2, 3}, {1, 2, 3, 4, 5, 6}});
}

TEST_CASE("words of the first line may be capitals and fields differ") {
  CHECK(dense(parse("%%MatrixMarket MATRIX Coordinate Pattern General\n1 2 1\n1 2\n")) ==
        Array{{1, 2}, {0, 1}});
  CHECK(dense(parse("%%MatrixMarket matrix coordinate integer general\n1 2 1\n1 1 -7\n")) ==
        Array{{1, 2}, {-7, 0}});
  CHECK(dense(parse("%%MatrixMarket matrix coordinate double general\n1 1 1\n1 1 +.5\n")) ==
        Array{{1, 1}, {.5}});
}

TEST_CASE("symmetric matrices have both triangles") {
  CHECK(dense(parse("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n2 1 4\n")) ==
        Array{{2, 2}, {3, 4, 4, 0}});
  CHECK(dense(parse("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 4\n")) ==
        Array{{2, 2}, {0, -4, 4, 0}});
  CHECK(parse("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n").x ==
        Array{{2, 2}, {1, 2, 2, 3}});
  CHECK(parse("%%MatrixMarket matrix array real skew-symmetric\n2 2\n2\n").x ==
        Array{{2, 2}, {0, -2, 2, 0}});
}

TEST_CASE("no entries are rows of zeros") {
  CHECK(dense(parse("%%MatrixMarket matrix coordinate real general\n2 1 0\n")) ==
        Array{{2, 1}, {0, 0}});
}

TEST_CASE("wrong files are refused with line and reason") {
  struct Case {
    std::string first, rest;
    Code code;
    Index line;
    std::string_view part;
  };
  const std::string real = "matrix coordinate real general\n",
                    array = "matrix array real general\n";
  for (const Case& wrong : {
           Case{"", "", Code::kUnsupported, 1, "'' is not taken"},
           Case{"vector coordinate real general\n", "", Code::kUnsupported, 1, "'vector'"},
           Case{"matrix sparse real general\n", "", Code::kUnsupported, 1, "'sparse'"},
           Case{"matrix coordinate complex general\n", "", Code::kUnsupported, 1, "'complex'"},
           Case{"matrix coordinate real hermitian\n", "", Code::kUnsupported, 1, "'hermitian'"},
           Case{"matrix array pattern general\n", "", Code::kUnsupported, 1, "'pattern'"},
           Case{"matrix coordinate pattern skew-symmetric\n", "", Code::kUnsupported, 1, "skew"},
           Case{"matrix coordinate real general more\n", "", Code::kBadFile, 1, "'more'"},
           Case{real, "", Code::kBadFile, 1, "its size line is missing"},
           Case{real, "% c\n", Code::kBadFile, 2, "its size line is missing"},
           Case{real, "2 2\n", Code::kBadFile, 2, "the number of entries is ''"},
           Case{real, "2 x 1\n", Code::kBadFile, 2, "the number of columns is 'x'"},
           Case{real, "-2 2 1\n", Code::kBadFile, 2, "the number of rows is '-2'"},
           Case{real, "2 2 1 1\n", Code::kBadFile, 2, "'1' is more than"},
           Case{real, "2 0 0\n", Code::kBadShape, 2, "0 columns"},
           Case{real, "2 4194305 0\n", Code::kBadShape, 2, "4194305 columns"},
           Case{real, "9223372036854775807 2 0\n", Code::kBadShape, 2, "is not taken"},
           Case{real, "99999999999999999999 1 0\n", Code::kBadShape, 2, "only 0 entries"},
           Case{real, "1000000000000 1 1\n1 1 1\n", Code::kBadShape, 3, "only 1 entries"},
           Case{real, "2 2 2\n1 1 1\n", Code::kBadFile, 3, "entry 2 of 2 is missing"},
           Case{real, "2 2 1\n1 1 1\n2 2 2\n", Code::kBadFile, 4, "more than its sizes say"},
           Case{real, "2 2 1\n0 1 1\n", Code::kBadFile, 3, "the row 0 is not in 1..2"},
           Case{real, "2 2 1\n3 1 1\n", Code::kBadFile, 3, "the row 3 is not in 1..2"},
           Case{real, "2 2 1\n1 -1 1\n", Code::kBadFile, 3, "the column -1 is not in 1..2"},
           Case{real, "2 2 1\n1 1.0 1\n", Code::kBadFile, 3, "the column '1.0'"},
           Case{real, "2 2 1\n1 1\n", Code::kNotANumber, 3, "the value '' is not a number"},
           Case{real, "2 2 1\n1 1 x\n", Code::kNotANumber, 3, "the value 'x'"},
           Case{real, "2 2 1\n1 1 1 1\n", Code::kBadFile, 3, "'1' is more than"},
           Case{real, "2 2 2\n1 1 1\n1 1 2\n", Code::kBadFile, 4, "was given on line 3 already"},
           Case{"matrix coordinate pattern general\n", "1 1 1\n1 1 1\n", Code::kBadFile, 3, "more"},
           Case{"matrix coordinate integer general\n", "1 1 1\n1 1 1.5\n", Code::kNotANumber, 3,
                "not an integer"},
           Case{"matrix coordinate integer general\n", "1 1 1\n1 1 9007199254740994\n",
                Code::kNotANumber, 3, "beyond 2^53"},
           Case{"matrix coordinate real symmetric\n", "2 3 0\n", Code::kBadShape, 2, "symmetric"},
           Case{"matrix coordinate real symmetric\n", "2 2 1\n1 2 1\n", Code::kBadFile, 3, "above"},
           Case{"matrix coordinate real skew-symmetric\n", "2 2 1\n1 1 1\n", Code::kBadFile, 3,
                "above"},
           Case{array, "2 2\n1\n2\n3\n", Code::kBadFile, 5, "row 2, column 2 is missing"},
           Case{array, "1 1\n1\n2\n", Code::kBadFile, 4, "more than its sizes say"},
           Case{array, "1 1\n1 2\n", Code::kBadFile, 3, "'2' is more than"},
           Case{array, "3000000000 4000000\n1\n", Code::kBadFile, 3, "is missing"},
       }) {
    CAPTURE(wrong.first);
    CAPTURE(wrong.rest);
    check_refused([&] { parse("%%MatrixMarket " + wrong.first + wrong.rest); }, wrong.code,
                  wrong.line, wrong.part);
  }
  check_refused([&] { parse("1 2 3\n"); }, Code::kBadFile, 1, "not a Matrix Market file");
  check_refused([&] { parse(""); }, Code::kBadFile, 1, "not a Matrix Market file");
}

}  // namespace
}  // namespace craton::matrix_market_test
