#include "craton/io/table_file.h"

#include <doctest/doctest.h>

#include <string_view>

#include "craton/core/error.h"
#include "craton/io/npy.h"

namespace craton {
namespace {

Table parse(std::string_view text, const std::string& name) {
  return parse_table(std::as_bytes(std::span(text.data(), text.size())), name);
}

TEST_CASE("the first bytes tell the format whatever the file is called") {
  CHECK(parse_table(write_npy({{2}, {1, 2}}), "x.csv").x.rows() == 2);
  CHECK(parse("a\n1\n", "x.txt").x.rows() == 1);
}

TEST_CASE("a file called npy is not taken for text") {
  CHECK_THROWS_AS(parse("a\n1\n", "x.npy"), InputError);
}

TEST_CASE("packed files are named with what to do") {
  try {
    parse("\x1f\x8b\x08 more", "x.csv.gz");
    FAIL("was taken");
  } catch (const InputError& error) {
    CHECK(error.code() == Code::kBadFile);
    CHECK(std::string_view(error.what()).find("gunzip") != std::string_view::npos);
  }
}

TEST_CASE("a column may be called as other formats begin") {
  CHECK(parse("PAR1,BZh\n1,2\n", "x.csv").schema.name(0) == "PAR1");
}

}  // namespace
}  // namespace craton
