#include "craton/io/csv.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "craton/base/error.h"
#include "craton/io/csv_scan.h"
#include "craton/io/csv_write.h"

namespace craton {
namespace {

using Names = std::vector<std::string>;
using Values = std::vector<double>;

Table parse(std::string_view text) { return parse_csv(text, "t.csv"); }

void check_table(const Table& table, const Names& names, const Values& values) {
  CHECK(table.schema.names() == names);
  CHECK(table.x.values == values);
  CHECK(table.x.shape == std::vector<Index>{ssize(values) / ssize(names), ssize(names)});
}

std::optional<InputError> error_of(std::string_view text) {
  try {
    parse(text);
  } catch (const InputError& error) {
    return error;
  }
  return {};
}

bool mentions(const std::optional<InputError>& error, std::string_view part) {
  return error && std::string_view(error->what()).find(part) != std::string_view::npos;
}

TEST_CASE("a header names the columns") {
  check_table(parse("a,b\n1,2\n3,4\n"), {"a", "b"}, {1, 2, 3, 4});
}

TEST_CASE("without a header columns are numbered from 1") {
  check_table(parse("1,2\n3,4\n"), {"1", "2"}, {1, 2, 3, 4});
}

TEST_CASE("the final newline is optional and blank lines around the table are ignored") {
  check_table(parse("a,b\n1,2"), {"a", "b"}, {1, 2});
  check_table(parse("a,b\n1,2\n\n \n\r\n"), {"a", "b"}, {1, 2});
  check_table(parse("\n\na,b\n1,2"), {"a", "b"}, {1, 2});
}

TEST_CASE("any line ending will do") {
  check_table(parse("a,b\r\n1,2\r\n3,4\r\n"), {"a", "b"}, {1, 2, 3, 4});
  check_table(parse("a,b\r1,2\r3,4"), {"a", "b"}, {1, 2, 3, 4});
}

TEST_CASE("a byte order mark is not part of the first name") {
  check_table(parse("\xef\xbb\xbf"
                    "a,b\n1,2\n"),
              {"a", "b"}, {1, 2});
}

TEST_CASE("the delimiter is found") {
  for (const char* delimiter : {",", ";", "\t", "|", " ", "   ", " , "}) {
    CAPTURE(delimiter);
    const std::string d = delimiter;
    check_table(parse("a" + d + "b" + d + "c\n1" + d + "2" + d + "3\n4" + d + "5" + d + "6\n"),
                {"a", "b", "c"}, {1, 2, 3, 4, 5, 6});
  }
}

TEST_CASE("aligned columns of blanks are read") {
  check_table(parse("   x      y\n   1   2.5 \n  10  -3.5\n"), {"x", "y"}, {1, 2.5, 10, -3.5});
}

TEST_CASE("one column needs no delimiter, and its name may have blanks") {
  check_table(parse("waiting time\n79\n54\n"), {"waiting time"}, {79, 54});
}

TEST_CASE("a semicolon wins over decimal commas") {
  CHECK(sniff_delimiter("1,5;2,5\n3,5;4,5\n") == ';');
}

TEST_CASE("quoted fields hold delimiters, quotes and line ends") {
  const Table table = parse("\"a, \"\"b\"\"\",\"c\nd\", \"e\" \n1,\"2\",3\n");
  check_table(table, {"a, \"b\"", "c\nd", "e"}, {1, 2, 3});
}

TEST_CASE("a quote inside an unquoted field is a plain character") {
  check_table(parse("size,height 5'10\"\n1,2\n"), {"size", "height 5'10\""}, {1, 2});
}

TEST_CASE("numbers are read to the last bit") {
  const Table table = parse("x\n0.1\n+2.5\n-1e-300\n1E5\n.5\n5.\n 7 \n4.9406564584124654e-324\n");
  check_table(table, {"x"}, {0.1, 2.5, -1e-300, 1e5, 0.5, 5, 7, 4.9406564584124654e-324});
}

TEST_CASE("infinity is a number, and so is what overflows to it") {
  const double inf = std::numeric_limits<double>::infinity();
  check_table(parse("x\ninf\n-Inf\nInfinity\n1e999\n"), {"x"}, {inf, -inf, inf, inf});
}

TEST_CASE("missing values become NaN") {
  const Table table = parse("a,b\n1,\n2,NA\n3,NaN\n4,?\n5,\"\"\n6,0\n");
  REQUIRE(table.x.shape == std::vector<Index>{6, 2});
  for (Index i = 0; i < 5; ++i) CHECK(std::isnan(table.x.values[usize(2 * i + 1)]));
  CHECK(table.x.values[11] == 0);
  CHECK(table.notes.empty());
}

TEST_CASE("a missing value in the first row does not make it a header") {
  const Table table = parse("1,NA\n2,5\n");
  CHECK(table.x.shape == std::vector<Index>{2, 2});
  CHECK(table.schema.names() == Names{"1", "2"});
}

TEST_CASE("text columns are left out and said") {
  const Table table = parse("x,species,y\n1,setosa,2\n3,virginica,4\n");
  check_table(table, {"x", "y"}, {1, 2, 3, 4});
  REQUIRE(table.notes.size() == 1);
  CHECK(table.notes[0].code == "ignored-column");
  CHECK(table.notes[0].text ==
        "ignored the text column 'species': 'setosa' on line 2 is not a number");
}

TEST_CASE("one stray text makes a text column, and the note says where it is") {
  const Table table = parse("x,y\n1,2\n3,4x\n5,6\n");
  check_table(table, {"x"}, {1, 3, 5});
  REQUIRE(table.notes.size() == 1);
  CHECK(table.notes[0].text == "ignored the text column 'y': '4x' on line 3 is not a number");
}

TEST_CASE("text columns without a header keep their numbers as names") {
  const Table table = parse("M,0.5,15\nF,0.25,7\n");
  check_table(table, {"2", "3"}, {0.5, 15, 0.25, 7});
  REQUIRE(table.notes.size() == 1);
  CHECK(table.notes[0].text == "ignored the text column '1': 'M' on line 1 is not a number");
}

TEST_CASE("a table of text alone has rows and no columns") {
  const Table table = parse("name,town\nann,ulm\nbob,bonn\n");
  CHECK(table.x.shape == std::vector<Index>{2, 0});
  CHECK(table.notes.size() == 2);
}

TEST_CASE("leading row names are left out and said") {
  for (const char* name : {"rownames", "", "\"\"", "id", "ID", "Id"}) {
    CAPTURE(name);
    const Table table = parse(std::string(name) + ",x\n1,5\n2,6\n3,7\n");
    check_table(table, {"x"}, {5, 6, 7});
    CHECK(table.notes.size() == 1);
  }
  check_table(parse(",x\n0,5\n1,6\n"), {"x"}, {5, 6});
  check_table(parse("rownames,x\n85,5\n97,6\n"), {"x"}, {5, 6});
}

TEST_CASE("columns that only look like row names are kept") {
  check_table(parse("x,id\n5,1\n6,2\n"), {"x", "id"}, {5, 1, 6, 2});
  check_table(parse("id,x\n1,5\n3,6\n"), {"id", "x"}, {1, 5, 3, 6});
  check_table(parse("year,x\n1,5\n2,6\n"), {"year", "x"}, {1, 5, 2, 6});
  check_table(parse("1,5\n2,6\n"), {"1", "2"}, {1, 5, 2, 6});
  check_table(parse("id\n1\n2\n"), {"id"}, {1, 2});
}

TEST_CASE("a nameless column gets its number as its name") {
  check_table(parse("a,,c\n1,2,3\n4,5,6\n"), {"a", "2", "c"}, {1, 2, 3, 4, 5, 6});
}

TEST_CASE("a delimiter at the end of every line makes no column") {
  const Table table = parse("a,b,\n1,2,\n3,4,\n");
  check_table(table, {"a", "b"}, {1, 2, 3, 4});
  CHECK(table.notes.size() == 1);
}

TEST_CASE("a header alone is a table of no rows") {
  const Table table = parse("a,b\n");
  CHECK(table.schema.names() == Names{"a", "b"});
  CHECK(table.x.shape == std::vector<Index>{0, 2});
}

TEST_CASE("one number is a table") { check_table(parse("42"), {"1"}, {42}); }

TEST_CASE("a blank line inside one column is a missing value") {
  const Table table = parse("x\n1\n\n3\n");
  REQUIRE(table.x.shape == std::vector<Index>{3, 1});
  CHECK(std::isnan(table.x.values[1]));
}

TEST_CASE("a ragged row is refused with its line and counts") {
  const auto error = error_of("a,b,c\n1,2,3\n4,\"5\n\",6\n7,8\n");
  REQUIRE(error);
  CHECK(error->code() == Code::kRaggedRow);
  CHECK(error->place().file == "t.csv");
  CHECK(error->place().line == 5);
  CHECK(mentions(error, "this line has 2 fields, but line 1 has 3"));
}

TEST_CASE("a ragged row says what is likely wrong") {
  CHECK(mentions(error_of("569,30,malignant\n1,2,3,4,5,6\n"), "If line 1 is a title, delete it"));
  CHECK(mentions(error_of("x y\n1 2 3\n2 4 5\n"), "name it in the header: rownames"));
  CHECK(mentions(error_of("x,y\n1,2\n\n3,4\n"), "this line is blank"));
  CHECK(mentions(error_of("1 2 3\n4 5\n"), "has 2 fields"));
}

TEST_CASE("what is not text is refused") {
  for (const std::string_view text :
       {std::string_view("a,b\n1,\0\n", 8), std::string_view("\x7f"
                                                             "ELF\x02\x01\x01")}) {
    const auto error = error_of(text);
    REQUIRE(error);
    CHECK(error->code() == Code::kBadFile);
    CHECK(mentions(error, "not text"));
  }
  CHECK(mentions(error_of(std::string_view("\xff\xfe"
                                           "1\0\n\0",
                                           6)),
                 "UTF-16"));
}

TEST_CASE("an escape sequence does not make a text binary") {
  const Table table = parse("a,words\n1,\x1b[1m" + std::string(100, 'x') + "\n");
  CHECK(table.x.values == std::vector<double>{1});
}

TEST_CASE("an empty file is refused") {
  for (const char* text : {"", "\n", "  \r\n\n", "\xef\xbb\xbf"}) {
    const auto error = error_of(text);
    REQUIRE(error);
    CHECK(error->code() == Code::kBadFile);
    CHECK(mentions(error, "empty"));
  }
}

TEST_CASE("quotes that do not match are refused with their line") {
  const auto open = error_of("a,b\n1,\"2\n3,4\n");
  REQUIRE(open);
  CHECK(open->code() == Code::kBadFile);
  CHECK(open->place().line == 2);
  const auto after = error_of("a,b\n1,2\n\"3\"x,4\n");
  REQUIRE(after);
  CHECK(after->code() == Code::kBadFile);
  CHECK(after->place().line == 3);
}

TEST_CASE("every prefix of a table parses or is refused as input") {
  const std::string text = "\xef\xbb\xbfid;\"a \"\"b\"\"\";c\r\n1;\"2\n\";?\r\n2;-3e5;x\r\n";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    try {
      const Table table = parse(std::string_view(text).substr(0, size));
      CHECK(table.x.rows() * table.x.cols() == ssize(table.x.values));
    } catch (const InputError&) {
    }
  }
}

TEST_CASE("what is written reads back to the same bits") {
  const double inf = std::numeric_limits<double>::infinity();
  const Array x{{3, 4}, {0.1, 1.0 / 3, 1e300, -5e-324, 100000, -7, 1e15, 2e21, inf, -inf, -0.0, 3}};
  const Names names{"plain", "a,b", "say \"hi\"", " blank "};
  const std::string text = write_csv(names, x.view());
  const Table table = parse(text);
  CHECK(table.x == x);
  CHECK(std::signbit(table.x.values[10]));
  CHECK(table.schema.names() == Names{"plain", "a,b", "say \"hi\"", " blank "});
}

TEST_CASE("numbers are written short and whole numbers plainly") {
  CHECK(csv_field(0.1) == "0.1");
  CHECK(csv_field(100000.0) == "100000");
  CHECK(csv_field(-3.0) == "-3");
  CHECK(csv_field(std::nan("")) == "NaN");
  CHECK(csv_field("") == "\"\"");
}

}  // namespace
}  // namespace craton
