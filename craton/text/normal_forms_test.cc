#include "craton/text/normal_forms.h"

#include <doctest/doctest.h>

using namespace craton;

namespace {

std::string normal(std::string_view text, NormalForm form) {
  std::string out;
  CodePoints work;
  append_normal_form(text, form, out, work);
  return out;
}
std::string stripped(std::string_view text, Accents accents) {
  std::string out;
  CodePoints work;
  append_without_accents(text, accents, out, work);
  return out;
}
std::string folded(std::string_view text) {
  std::string out;
  CodePoints work;
  append_folded(text, out, work);
  return out;
}

}  // namespace

// Lines of NormalizationTest.txt (Unicode 15); tests/reference/text_unicode.py tries all of them.
TEST_CASE("normal_forms: Unicode's examples") {
  const auto check = [](std::string_view source, std::string_view nfc, std::string_view nfkc) {
    CHECK(normal(source, NormalForm::kNFC) == nfc);
    CHECK(normal(source, NormalForm::kNFKC) == nfkc);
  };
  check("\u1E0A\u0323", "\u1E0C\u0307", "\u1E0C\u0307");
  check("\u0044\u0307\u0323", "\u1E0C\u0307", "\u1E0C\u0307");
  check("\u2460", "\u2460", "1");
  check("\uFB2C", "\u05E9\u05BC\u05C1", "\u05E9\u05BC\u05C1");  // excluded from composition
  check("\u1112\u1161\u11AB", "\uD55C", "\uD55C");              // Hangul
  check("\uFDFA", "\uFDFA",
        "\u0635\u0644\u0649 \u0627\u0644\u0644\u0647 \u0639\u0644\u064A\u0647 "
        "\u0648\u0633\u0644\u0645");
  check("\u0061\u0315\u0300\u05AE\u0300\u0062", "\u00E0\u05AE\u0300\u0315\u0062",
        "\u00E0\u05AE\u0300\u0315\u0062");
  check("plain", "plain", "plain");
  check("", "", "");
}

TEST_CASE("normal_forms: accents come off as scikit-learn takes them") {
  CHECK(stripped("Éléphant Łódź ﬁn ½", Accents::kUnicode) == "Elephant Łodz fin 1\u20442");
  CHECK(stripped("Éléphant Łódź ﬁn ½ 中", Accents::kAscii) == "Elephant odz fin 12 ");
}

TEST_CASE("normal_forms: folding is full") {
  CHECK(folded("Straße STRASSE ΣΑΣ ﬁ") == "strasse strasse σασ fi");
}

TEST_CASE("normal_forms: half a million marks in the wrong order are no trouble") {
  std::string marks = "a";
  for (int i = 0; i < 250000; ++i) marks += "\u0301\u0323";
  const std::string ordered = normal(marks, NormalForm::kNFC);
  CHECK(ordered.substr(0, 3) == "\u1EA1");  // with the dot below, whose class is the lower one
  CHECK(ordered.substr(3, 2) == "\u0323");
  CHECK(ordered.substr(ordered.size() - 2) == "\u0301");
}
