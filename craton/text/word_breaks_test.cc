#include "craton/text/word_breaks.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace craton;

namespace {

std::string pieces(std::string_view text) {
  std::string out;
  for_each_segment(text, [&](const WordSegment& s) { out += "|" + std::string(s.text); });
  return out;
}

}  // namespace

// Lines of WordBreakTest.txt (Unicode 15); tests/reference/text_unicode.py tries all of them.
TEST_CASE("word_breaks: Unicode's examples") {
  CHECK(pieces("can't") == "|can't");
  CHECK(pieces("can\u2019t") == "|can\u2019t");
  CHECK(pieces("ab\u00ADby") == "|ab\u00ADby");
  CHECK(pieces("a$-34,567.14%b") == "|a|$|-|34,567.14|%|b");
  CHECK(pieces("3a") == "|3a");
  CHECK(pieces("a:b a::b") == "|a:b| |a|:|:|b");
  CHECK(pieces("\r\n\u0308a  b") == "|\r\n|\u0308|a|  |b");
  CHECK(pieces("a\u0308\u200D\u0308b") == "|a\u0308\u200D\u0308b");
  CHECK(pieces("א\"א א'") == "|א\"א| |א'");
  CHECK(pieces("\U0001F1E6\U0001F1E7\U0001F1E8") == "|\U0001F1E6\U0001F1E7|\U0001F1E8");
  CHECK(pieces("\U0001F1E6\U0001F1E7\u200D\U0001F1E8b") ==
        "|\U0001F1E6\U0001F1E7\u200D|\U0001F1E8|b");
  CHECK(pieces("\U0001F476\U0001F3FF\u200D\U0001F476") == "|\U0001F476\U0001F3FF\u200D\U0001F476");
  CHECK(pieces("_A_0_ア_") == "|_A_0_ア_");
  CHECK(pieces("中文") == "|中|文");
  CHECK(pieces("") == "");
}

TEST_CASE("word_breaks: what a segment holds") {
  std::vector<WordSegment> segments;
  for_each_segment("né _ 中", [&](const WordSegment& s) { segments.push_back(s); });
  REQUIRE(segments.size() == 5);
  CHECK(segments[0].characters == 2);
  CHECK(segments[0].alnum);
  CHECK_FALSE(segments[0].ideograph);
  CHECK_FALSE(segments[2].alnum);
  CHECK(segments[4].ideograph);
}
