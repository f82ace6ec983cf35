#include "craton/io/idx.h"

#include <doctest/doctest.h>

#include <string_view>

#include "tests/refused.h"

namespace craton::idx_test {
namespace {

using namespace std::literals;

Table parse(std::string_view text) {
  return parse_idx(*memory_input(std::as_bytes(std::span(text)), "x.idx"));
}

TEST_CASE("images become rows of pixels") {
  const Table table = parse("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x03\x01\x02\x03\xff\0\x06"sv);
  CHECK(table.x == Array{{2, 3}, {1, 2, 3, 255, 0, 6}});
  CHECK(table.schema == numbered_schema(3));
}

TEST_CASE("a file of labels is one column") {
  CHECK(parse("\0\0\x08\x01\0\0\0\x03\x07\x02\x01"sv).x == Array{{3, 1}, {7, 2, 1}});
}

TEST_CASE("all types are read, big-endian") {
  const auto values = [](std::string_view type, std::string_view data) {
    return parse("\0\0"s + std::string(type) + "\x01\0\0\0\x02"s + std::string(data)).x.values;
  };
  using Values = std::vector<double>;
  CHECK(values("\x09", "\xff\x02") == Values{-1, 2});
  CHECK(values("\x0b", "\xff\xfe\x01\0"sv) == Values{-2, 256});
  CHECK(values("\x0c", "\xff\xff\xff\xfe\0\x01\0\0"sv) == Values{-2, 65536});
  CHECK(values("\x0d", "\x3f\x80\0\0\xc0\x20\0\0"sv) == Values{1, -2.5});
  CHECK(values("\x0e", "\x3f\xf0\0\0\0\0\0\0\xc0\x04\0\0\0\0\0\0"sv) == Values{1, -2.5});
}

TEST_CASE("no rows are a table of no rows") {
  CHECK(parse("\0\0\x08\x02\0\0\0\0\0\0\0\x03"sv).x == Array{{0, 3}, {}});
}

TEST_CASE("a table larger than the pieces it is read in is whole") {
  std::string text = "\0\0\x0b\x02\0\x01\x11\x70\0\0\0\x03"s;  // 70000 x 3
  for (int i = 0; i < 210000; ++i) text += {static_cast<char>(i >> 8 & 0x7f), static_cast<char>(i)};
  const Table table = parse(text);
  REQUIRE(table.x.rows() == 70000);
  bool same = true;
  for (int i = 0; i < 210000; ++i) same = same && table.x.values[usize(i)] == (i & 0x7fff);
  CHECK(same);
}

TEST_CASE("wrong files are refused before memory is taken") {
  struct Case {
    std::string_view bytes;
    Code code;
    std::string_view part;
  };
  for (const Case& wrong : {
           Case{"", Code::kBadFile, "not an IDX file"},
           Case{"\0\0\x08"sv, Code::kBadFile, "not an IDX file"},
           Case{"PK\x08\x01", Code::kBadFile, "not an IDX file"},
           Case{"\0\x01\x08\x01\0\0\0\x01\x01"sv, Code::kBadFile, "not an IDX file"},
           Case{"\0\0\x07\x01\0\0\0\x01\x01"sv, Code::kBadFile, "type 0x07"},
           Case{"\0\0\x0a\x01\0\0\0\x01\x01"sv, Code::kBadFile, "type 0x0a"},
           Case{"\0\0\xff\x01\0\0\0\x01\x01"sv, Code::kBadFile, "type 0xff"},
           Case{"\0\0\x08\0"sv, Code::kBadShape, "dimensions ()"},
           Case{"\0\0\x08\x01\0\0\0"sv, Code::kBadFile, "dimensions are incomplete"},
           Case{"\0\0\x08\x02\0\0\0\x01"sv, Code::kBadFile, "dimensions are incomplete"},
           Case{"\0\0\x08\xff\0\0\0\x01"sv, Code::kBadFile, "dimensions are incomplete"},
           Case{"\0\0\x08\x02\0\0\0\x02\0\0\0\0"sv, Code::kBadShape, "dimensions (2, 0)"},
           Case{"\0\0\x08\x02\0\0\0\0\xff\xff\xff\xff"sv, Code::kBadShape, "(0, 4294967295)"},
           Case{"\0\0\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"sv, Code::kBadShape,
                "no table"},
           Case{"\0\0\x0e\x03\x80\0\0\0\0\x20\0\0\0\x20\0\0"sv, Code::kBadShape, "no table"},
           Case{"\0\0\x0e\x02\xff\xff\xff\xff\0\x40\0\0"sv, Code::kBadFile, "and it has 0"},
           Case{"\0\0\x08\x01\0\0\0\x02\x01"sv, Code::kBadFile, "need 2 values, and it has 1"},
           Case{"\0\0\x0c\x01\0\0\0\x01\x01\x02\x03"sv, Code::kBadFile, "and it has 0"},
           Case{"\0\0\x08\x01\0\0\0\x01\x01\x02"sv, Code::kBadFile, "bytes after its 1 values"},
           Case{"\0\0\x08\x01\0\0\0\0\x02"sv, Code::kBadFile, "bytes after its 0 values"},
       }) {
    CAPTURE(wrong.part);
    check_refused([&] { parse(wrong.bytes); }, wrong.code, -1, wrong.part);
  }
}

}  // namespace
}  // namespace craton::idx_test
