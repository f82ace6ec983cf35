#include "craton/io/npy.h"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <string_view>

#include "craton/base/error.h"

namespace craton::npy_test {
namespace {

Bytes to_bytes(std::string_view text) {
  Bytes bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

// An .npy file of any header and data.
Bytes file(const std::string& header, std::string_view data, char version = 1) {
  std::string text = "\x93NUMPY";
  text += {version, '\0', static_cast<char>(header.size()), '\0'};
  if (version > 1) text += {'\0', '\0'};
  return to_bytes(text + header + std::string(data));
}

std::string header(const std::string& descr, const std::string& shape,
                   const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

Bytes file_of(const std::string& descr, const std::string& shape, std::string_view data) {
  return file(header(descr, shape), data);
}

Table parse(const Bytes& bytes) { return parse_npy(bytes, "x.npy"); }

void check_refused(const Bytes& bytes, Code code, std::string_view part) {
  std::string message = "was taken";
  try {
    parse(bytes);
  } catch (const InputError& error) {
    CHECK(error.code() == code);
    message = error.what();
  }
  CAPTURE(message);
  CAPTURE(part);
  CHECK(message.find(part) != std::string::npos);
}

using namespace std::string_view_literals;

TEST_CASE("what is written reads back to the same bits") {
  const Array x{{2, 3}, {0.1, -0.0, 1e300, std::numeric_limits<double>::infinity(), 5, -6}};
  const Table table = parse(write_npy(x));
  CHECK(table.x == x);
  CHECK(table.schema == numbered_schema(3));
  CHECK(table.name == "x.npy");
}

TEST_CASE("one dimension becomes one column") {
  const Table table = parse(write_npy({{3}, {1, 2, 3}}));
  CHECK(table.x == Array{{3, 1}, {1, 2, 3}});
}

// [[1., 2.]] by hand, from the description of the format.
TEST_CASE("the writer writes every byte as the format says") {
  const std::string head = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }";
  std::string expected = std::string("\x93NUMPY\x01\0\x76\0"sv) + head;
  expected.append(128 - 1 - expected.size(), ' ');
  expected += "\n";
  expected.append("\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40"sv);
  CHECK(write_npy({{1, 2}, {1, 2}}) == to_bytes(expected));
}

TEST_CASE("the data start at a multiple of 64 whatever the shape") {
  for (Index rows = 1; rows < 200000000000; rows *= 7) {
    Array array{{rows, 1}, {}};
    CHECK(write_npy(array).size() % 64 == 0);
  }
}

TEST_CASE("all element types are read in both byte orders") {
  const auto values = [](const std::string& descr, std::string_view data) {
    return parse(file_of(descr, "(2,)", data)).x.values;
  };
  using Values = std::vector<double>;
  CHECK(values("|b1", "\x01\0"sv) == Values{1, 0});
  CHECK(values("|i1", "\xff\x02"sv) == Values{-1, 2});
  CHECK(values("|u1", "\xff\x02"sv) == Values{255, 2});
  CHECK(values("<i2", "\xfe\xff\x03\0"sv) == Values{-2, 3});
  CHECK(values(">i2", "\xff\xfe\0\x03"sv) == Values{-2, 3});
  CHECK(values("<u2", "\xfe\xff\x03\0"sv) == Values{65534, 3});
  CHECK(values("<i4", "\xfe\xff\xff\xff\x03\0\0\0"sv) == Values{-2, 3});
  CHECK(values(">u4", "\xff\xff\xff\xff\0\0\0\x03"sv) == Values{4294967295, 3});
  CHECK(values("<i8", "\xfe\xff\xff\xff\xff\xff\xff\xff\x03\0\0\0\0\0\0\0"sv) == Values{-2, 3});
  CHECK(values(">u8", "\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\x03"sv) == Values{256, 3});
  CHECK(values("<f4", "\0\0\x80\x3f\0\0\x20\xc0"sv) == Values{1, -2.5});
  CHECK(values(">f4", "\x3f\x80\0\0\xc0\x20\0\0"sv) == Values{1, -2.5});
  CHECK(values("<f8", "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\x04\xc0"sv) == Values{1, -2.5});
  CHECK(values(">f8", "\x3f\xf0\0\0\0\0\0\0\xc0\x04\0\0\0\0\0\0"sv) == Values{1, -2.5});
}

TEST_CASE("columns-first data are turned") {
  const Table table = parse(file(header("|u1", "(2, 3)", "True"), "\x01\x04\x02\x05\x03\x06"));
  CHECK(table.x == Array{{2, 3}, {1, 2, 3, 4, 5, 6}});
}

TEST_CASE("versions 2 and 3 are read") {
  for (const char version : {'\x02', '\x03'}) {
    CHECK(parse(file(header("|u1", "(2,)"), "\x01\x02", version)).x.values ==
          std::vector<double>{1, 2});
  }
}

TEST_CASE("keys come in any order and with any blanks") {
  const std::string text = "{ \"shape\" :( 2 , ) , 'fortran_order':False,'descr':'|u1'}   \n";
  CHECK(parse(file(text, "\x01\x02")).x.values == std::vector<double>{1, 2});
}

TEST_CASE("an array of no rows is a table of no rows") {
  CHECK(parse(file_of("<f8", "(0, 3)", "")).x == Array{{0, 3}, {}});
  CHECK(parse(file_of("<f8", "(0,)", "")).x == Array{{0, 1}, {}});
}

TEST_CASE("other files are refused") {
  check_refused({}, Code::kBadFile, "not an .npy file");
  check_refused(to_bytes("a,b\n1,2\n"), Code::kBadFile, "not an .npy file");
  check_refused(file(header("|u1", "(1,)"), "\x01", '\x04'), Code::kBadFile, "version 4.0");
}

TEST_CASE("every proper prefix of a file is refused as cut short") {
  const Bytes whole = write_npy({{2, 2}, {1, 2, 3, 4}});
  for (std::size_t size = 6; size < whole.size(); ++size) {
    check_refused(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)),
                  Code::kBadFile, "cut short");
  }
}

TEST_CASE("bytes after the array are refused") {
  check_refused(file_of("|u1", "(2,)", "\x01\x02\x03"), Code::kBadFile, "after its array");
}

TEST_CASE("shapes that cannot be are refused before memory is taken") {
  check_refused(file_of("<f8", "(4611686018427387904, 4)", ""), Code::kBadFile, "2^63");
  check_refused(file_of("<f8", "(1152921504606846976,)", ""), Code::kBadFile, "2^63");
  check_refused(file_of("<f8", "(99999999999999999999,)", ""), Code::kBadFile, "64 bits");
  check_refused(file_of("<f8", "(1000000000000,)", "\x01"), Code::kBadFile, "cut short");
  check_refused(file_of("<f8", "(-1,)", ""), Code::kBadFile, "not a count");
  check_refused(file_of("<f8", "(0, 1000000000000)", ""), Code::kBadShape, "shape");
}

TEST_CASE("shapes that are no table are refused") {
  check_refused(file_of("<f8", "()", "\0\0\0\0\0\0\0\0"sv), Code::kBadShape, "shape ()");
  check_refused(file_of("|u1", "(1, 1, 1)", "\x01"), Code::kBadShape, "shape (1, 1, 1)");
  check_refused(file_of("|u1", "(5, 0)", ""), Code::kBadShape, "shape (5, 0)");
}

TEST_CASE("element types that are no numbers are refused by name") {
  check_refused(file_of("|O", "(1,)", ""), Code::kBadFile, "pickled");
  check_refused(file_of("<U3", "(1,)", ""), Code::kBadFile, "'<U3'");
  check_refused(file_of("<c16", "(1,)", ""), Code::kBadFile, "'<c16'");
  check_refused(file_of("<M8[ns]", "(1,)", ""), Code::kBadFile, "'<M8[ns]'");
  check_refused(file_of("", "(1,)", ""), Code::kBadFile, "''");
  check_refused(file("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }\n", ""),
                Code::kBadFile, "records");
}

TEST_CASE("a header that is not the dictionary is refused as data") {
  for (const char* text :
       {"", "{", "{}", "{'descr': '<f8'}", "{'descr': '<f8", "{'descr' '<f8'}", "[1]",
        "__import__('os').system('true')", "{'descr': '<f8', 'descr': '<f8'}",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (x,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} 1"}) {
    CAPTURE(text);
    check_refused(file(text, ""), Code::kBadFile, "not a whole .npy file");
  }
}

}  // namespace
}  // namespace craton::npy_test
