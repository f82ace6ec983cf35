#include "craton/io/json_lines.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string_view>

#include "tests/refused.h"

namespace craton::json_lines_test {
namespace {

Table parse(std::string_view text) {
  return parse_json_lines(*memory_input(std::as_bytes(std::span(text)), "x.jsonl"));
}

TEST_CASE("numbers, texts and booleans become columns") {
  const Table table = parse(
      "{\"h\": 1.5, \"sex\": \"m\", \"ok\": true}\n{\"h\": -2, \"sex\": \"f\", \"ok\": false}\n");
  CHECK(table.x == Array{{2, 3}, {1.5, 1, 1, -2, 0, 0}});
  REQUIRE(table.schema.size() == 3);
  CHECK(table.schema.columns[0] == Column{"h", ColumnKind::kNumber, {}});
  CHECK(table.schema.columns[1] == Column{"sex", ColumnKind::kCategory, {"f", "m"}});
  CHECK(table.schema.columns[2] == Column{"ok", ColumnKind::kNumber, {}});
}

TEST_CASE("null and keys that are not there are missing") {
  const Table table = parse("{\"a\": null, \"b\": 1}\n\n{\"c\": \"x\", \"b\": 2}\r\n{}\n");
  REQUIRE(table.x.shape == std::vector<Index>{3, 3});
  const std::vector<bool> missing{true, false, true, true, false, false, true, true, true};
  for (std::size_t i = 0; i < 9; ++i) CHECK(std::isnan(table.x.values[i]) == missing[i]);
  CHECK(table.x.values[5] == 0);
  CHECK(table.schema.columns[0].kind == ColumnKind::kNumber);
}

TEST_CASE("escapes in keys and texts are read") {
  const Table table = parse("{\"a\\u00e4\\n\": \"\\\"q\\\"\"}\n");
  CHECK(table.schema.name(0) == "a\xc3\xa4\n");
  CHECK(table.schema.columns[0].levels == std::vector<std::string>{"\"q\""});
}

TEST_CASE("wrong files are refused with line and key") {
  struct Case {
    std::string_view text;
    Code code;
    Index line;
    std::string_view part;
  };
  for (const Case& wrong : {
           Case{"", Code::kNoRows, -1, "no rows"},
           Case{"\n \n", Code::kNoRows, -1, "no rows"},
           Case{"{}\n", Code::kBadShape, -1, "0 different keys"},
           Case{"[1]\n", Code::kBadFile, 1, "not an object"},
           Case{"3\n", Code::kBadFile, 1, "not an object"},
           Case{"null\n", Code::kBadFile, 1, "not an object"},
           Case{"{\"a\": 1}\n{\"a\": [1]}\n", Code::kBadFile, 2, "column 'a': the value is a list"},
           Case{"{\"a\": {\"b\": 1}}\n", Code::kBadFile, 1, "column 'a': the value is a list or"},
           Case{"{\"a\": 1}\n{\"a\": \"x\"}\n", Code::kNotANumber, 2, "the text 'x' stands among"},
           Case{"{\"a\": \"x\"}\n{\"a\": 1}\n", Code::kNotANumber, 2, "a number stands among"},
           Case{"{\"a\": \"x\"}\n{\"a\": true}\n", Code::kNotANumber, 2, "as on line 1"},
           Case{"{\"a\": 9007199254740993}\n", Code::kNotANumber, 1, "beyond 2^53"},
           Case{"{\"a\": 1e999}\n", Code::kBadFile, 1, "too large"},
           Case{"{\"a\": 1, \"a\": 2}\n", Code::kBadFile, 1, "given twice"},
           Case{"{\"a\": 1}\n{\"a\": \n", Code::kBadFile, 2, "not valid JSON"},
           Case{"{\"a\": 1}\n{\"a\": 01}\n", Code::kBadFile, 2, "not valid JSON"},
           Case{"{\"a\": NaN}\n", Code::kBadFile, 1, "not valid JSON"},
           Case{"{\"a\": 1} {\"a\": 2}\n", Code::kBadFile, 1, "not valid JSON"},
           Case{"{'a': 1}\n", Code::kBadFile, 1, "not valid JSON"},
           Case{"{\"a\": \"\xff\"}\n", Code::kBadFile, 1, "byte 0xff at offset 7"},
           Case{"a,b\n1,2\n", Code::kBadFile, 1, "not valid JSON"},
           Case{std::string_view("{\"a\": 1}\n\0\n", 11), Code::kBadFile, 2, "zero byte"},
       }) {
    CAPTURE(wrong.text);
    check_refused([&] { parse(wrong.text); }, wrong.code, wrong.line, wrong.part);
  }
}

TEST_CASE("objects that share no keys are refused before the table is made") {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "{\"k" + std::to_string(i) + "\": 1}\n";
  check_refused([&] { parse(text); }, Code::kBadShape, -1, "5000 different keys");
}

}  // namespace
}  // namespace craton::json_lines_test
