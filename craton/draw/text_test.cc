#include "craton/draw/text.h"

#include <doctest/doctest.h>

namespace craton {
namespace {

TEST_CASE("good UTF-8 stays as it is") {
  for (const char* text : {"", "plain", "Zürich", "温度", "😀", "a\u00a0b"}) {
    CHECK(clean_text(text) == text);
  }
}

TEST_CASE("bytes that are not UTF-8 and control characters are replaced") {
  CHECK(clean_text("Z\xfcrich") == "Z\uFFFDrich");
  CHECK(clean_text("a\x1b[31m") == "a\uFFFD[31m");
  CHECK(clean_text(std::string_view("a\0b", 3)) == "a\uFFFDb");
  CHECK(clean_text("\u0085") == "\uFFFD");
  CHECK(clean_text("\xe6\xb8") == "\uFFFD\uFFFD");                      // cut short
  CHECK(clean_text("\xc0\xaf") == "\uFFFD\uFFFD");                      // overlong
  CHECK(clean_text("\xed\xa0\x80") == "\uFFFD\uFFFD\uFFFD");            // a surrogate
  CHECK(clean_text("\xef\xbf\xbf") == "\uFFFD");                        // not in XML
  CHECK(clean_text("\xf4\x90\x80\x80") == "\uFFFD\uFFFD\uFFFD\uFFFD");  // beyond the last
}

TEST_CASE("text is shortened by characters and not by bytes") {
  CHECK(shorten("Zürich", 6) == "Zürich");
  CHECK(shorten("Zürich", 3) == "Zü…");
  CHECK(shorten("温度計", 2) == "温…");
  CHECK(shorten("abc", 1) == "…");
}

TEST_CASE("lines break at blanks") {
  using Lines = std::vector<std::string>;
  CHECK(wrap("", 5).empty());
  CHECK(wrap("a bc def", 4) == Lines{"a bc", "def"});
  CHECK(wrap("a bc def", 80) == Lines{"a bc def"});
  CHECK(wrap("endless", 4) == Lines{"end…"});
}

TEST_CASE("digits are grouped by three") {
  CHECK(grouped_digits(7) == "7");
  CHECK(grouped_digits(999) == "999");
  CHECK(grouped_digits(1000) == "1,000");
  CHECK(grouped_digits(1234567) == "1,234,567");
  CHECK(grouped_digits(-123456) == "-123,456");
}

}  // namespace
}  // namespace craton
