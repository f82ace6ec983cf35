#include "craton/base/utf8.h"

#include <doctest/doctest.h>

namespace craton {
namespace {

using namespace std::literals;

TEST_CASE("characters of UTF-8 have their length and other bytes have none") {
  for (const auto& text :
       {"a"s, "\0"s, "\x7f"s, "\xc2\x80"s, "\xdf\xbf"s, "\xe0\xa0\x80"s, "\xed\x9f\xbf"s,
        "\xef\xbf\xbf"s, "\xf0\x90\x80\x80"s, "\xf4\x8f\xbf\xbf"s}) {
    CHECK(utf8_length(text) == text.size());
    CHECK(utf8_length(text + "more") == text.size());
    if (text.size() > 1) CHECK(utf8_length(text.substr(0, text.size() - 1)) == 0);
  }
  for (const char* text : {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf",
                           "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
                           "\xf8\x88\x80\x80\x80", "\xfe", "\xff", "\xc3(", "\xe2\x82("}) {
    CHECK(utf8_length(text) == 0);
  }
}

TEST_CASE("what a terminal would obey is spelt out") {
  CHECK(printable("\x1b[2J\x1b]0;title\x07") == "\\x1b[2J\\x1b]0;title\\x07");
  CHECK(printable("a\nb\tc\rd\0e"sv) == "a\\nb\\tc\\rd\\x00e");
  CHECK(printable("\x7f\xc2\x9b"
                  "31m") == "\\x7f\\u009b31m");
  CHECK(printable("\u202Egnp.exe\u2066\u200F\u2028") == "\\u202egnp.exe\\u2066\\u200f\\u2028");
  CHECK(printable("\xff\xc3(\xed\xa0\x80") == "\\xff\\xc3(\\xed\\xa0\\x80");
}

TEST_CASE("what a terminal shows stays as it is") {
  for (const char* text :
       {"", "plain text", "C:\\new\\x", "Größe, см, 名前, \U0001F600", "\\x1b"}) {
    CHECK(printable(text) == text);
  }
}

TEST_CASE("what is too long has dots in the middle and whole characters around them") {
  CHECK(printable("abcd", 4) == "abcd");
  CHECK(printable("abcde", 4) == "ab...de");
  CHECK(printable("a\u20ac\u20acd", 4) == "a...d");
  CHECK(printable("\n\n\n", 2) == "\\n...\\n");
  CHECK(printable(std::string(9, '\x80'), 4) == "...");
}

TEST_CASE("what is printable is not changed again") {
  std::string all;
  for (int i = 0; i < 256; ++i) all += {static_cast<char>(i), ' '};
  CHECK(printable(printable(all)) == printable(all));
}

TEST_CASE("utf8: the first byte that is not UTF-8 is found anywhere") {
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string text = std::string(size, 'a') + "\u00e9\u4e2d\U0001F600";
    CHECK(first_not_utf8(text) == text.size());
    CHECK(first_not_utf8(text + "\xFFtwelve bytes") == text.size());
    CHECK(first_not_utf8(text + "\xE4\xB8") == text.size());
  }
}

}  // namespace
}  // namespace craton
