#include "craton/text/characters.h"

#include <doctest/doctest.h>

#include <random>

#include "craton/base/utf8.h"

using namespace craton;

namespace {

std::string lower(std::string_view text) {
  std::string out;
  append_lower(text, out);
  return out;
}

}  // namespace

TEST_CASE("characters: every character reads back as it was written") {
  for (std::uint32_t code = 0; code < 0x110000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    std::string text = "a";
    append_character(code, text);
    const Character c = character_at(text.data() + 1, text.data() + text.size());
    const Character last = last_character(text);
    if (c.code != code || c.bytes != text.size() - 1 || last.code != code) FAIL(code);
  }
}

TEST_CASE("characters: bytes that are not UTF-8 are read one by one") {
  std::mt19937 random(4);
  for (int i = 0; i < 200000; ++i) {
    std::string text(1 + random() % 5, ' ');
    for (char& c : text) c = "\x41\x80\xBF\xC0\xC2\xDF\xE0\xED\xEF\xF0\xF4\xF5\xFF"[random() % 13];
    const std::size_t length = utf8_length(text);  // as base/ knows it
    const Character c = character_at(text.data(), text.data() + text.size());
    if (c.bytes != std::max<std::size_t>(length, 1)) FAIL(printable(text));
    if (length == 0) CHECK(c.code == kNotUtf8);
  }
}

TEST_CASE("characters: small letters are those of Python") {
  CHECK(lower("ABC xyz ÄÖÜ ŒŁ ΑΒΓ ДЖЯ") == "abc xyz äöü œł αβγ джя");
  CHECK(lower("\u0130") == "i\u0307");          // one letter becomes two
  CHECK(lower("\u1E9E\u2126\u212A") == "ßωk");  // to fewer bytes
  CHECK(lower("ΟΔΟΣ ΟΔΟΣ.") == "οδος οδος.");   // a final sigma
  CHECK(lower("ΣΑΣ Σ") == "σας σ");             // but not alone
  CHECK(lower("ΑΣ\u0301 ΑΣ\u00ADΑ") == "ας\u0301 ασ\u00ADα");
  CHECK(lower("A\xFFZ\xC3") == "a\uFFFDz\uFFFD");
}

TEST_CASE("characters: letters, numbers and white space are those of Python") {
  for (const std::uint32_t code : {0x41u, 0x39u, 0xB2u, 0xBDu, 0x660u, 0x4E00u, 0x3007u, 0x10FFu}) {
    CHECK(is_alnum(code));
  }
  for (const std::uint32_t code : {0x5Fu, 0x2Du, 0x300u, 0x93Fu, 0x20ACu, 0xFFFDu, 0x10FFFFu}) {
    CHECK_FALSE(is_alnum(code));
  }
  for (const std::uint32_t code : {0x09u, 0x0Au, 0x1Cu, 0x20u, 0x85u, 0xA0u, 0x2028u, 0x3000u}) {
    CHECK(is_space(code));
  }
  CHECK_FALSE(is_space(0x200B));
}
