#include "craton/text/tokens.h"

#include <doctest/doctest.h>

#include <random>

#include "craton/base/hash.h"
#include "craton/text/characters.h"
#include "craton/text/stop_words.h"
#include "craton/text/word_breaks.h"
#include "tests/refused.h"

using namespace craton;

namespace {

using List = std::vector<std::string>;
using Words = TokenOptions::Words;
using Analyzer = TokenOptions::Analyzer;

List terms(std::string_view text, const TokenOptions& options = {}) {
  return Tokeniser(options).terms(text);
}

}  // namespace

TEST_CASE("tokens: words are scikit-learn's") {
  CHECK(terms("The cat, a dog-house; don't: x_1 42!") ==
        List{"the", "cat", "dog", "house", "don", "x_1", "42"});
  CHECK(terms("Ärger über ½ x² Ω ωΩ") == List{"ärger", "über", "x²", "ωω"});
  CHECK(terms("").empty());
  CHECK(terms("a b c").empty());
  CHECK(terms("a b c", {.least_length = 1}) == List{"a", "b", "c"});
  CHECK(terms("Ab", {.lowercase = false}) == List{"Ab"});
  const std::string hundred(100, 'x'), run = hundred + " " + std::string(64, 'y');
  CHECK(terms(run) == List{hundred, std::string(64, 'y')});  // across and at ends of blocks
}

TEST_CASE("tokens: Unicode's words keep marks and apostrophes") {
  const TokenOptions unicode{.words = Words::kUnicode};
  CHECK(terms("Don't stop, 3.14 e.g. x:y __ -- a", unicode) ==
        List{"don't", "stop", "3.14", "e.g", "x:y"});
  // Of the issues 30935, 20211 and 7379 of scikit-learn: words of Hindi, Telugu and Bangla.
  CHECK(terms("हिन्दी भाषा में", unicode) == List{"हिन्दी", "भाषा", "में"});
  CHECK(terms("తెలుగు భాష", unicode) == List{"తెలుగు", "భాష"});
  CHECK(terms("আমার সোনার বাংলা", unicode) == List{"আমার", "সোনার", "বাংলা"});
  CHECK(terms("日本 abc", unicode) == List{"日", "本", "abc"});  // a word each, however short
}

TEST_CASE("tokens: Unicode's words are the same with and without the way for ASCII") {
  const Tokeniser tokeniser({.words = Words::kUnicode, .least_length = 1, .lowercase = false});
  std::mt19937 random(8);
  for (int i = 0; i < 3000; ++i) {
    std::string text(random() % 90, ' ');
    for (char& c : text) c = "ab1_.,;:' -"[random() % 11];
    List expected;
    for_each_segment(text, [&](const WordSegment& s) {
      if (s.alnum) expected.emplace_back(s.text);
    });
    if (tokeniser.terms(text) != expected) FAIL(text);
  }
}

TEST_CASE("tokens: letters and accents change in the order that is documented") {
  CHECK(terms("ÉCOLE", {.strip_accents = Accents::kUnicode}) == List{"ecole"});
  CHECK(terms("ÉCOLE", {.lowercase = false, .strip_accents = Accents::kAscii}) == List{"ECOLE"});
  CHECK(terms("Straße", {.fold = true}) == List{"strasse"});
  CHECK(terms("ﬁne E\u0301", {.least_length = 1, .normal_form = NormalForm::kNFKC}) ==
        List{"fine", "é"});
  CHECK(terms("I\u0307x", {.normal_form = NormalForm::kNFC}) == terms("\u0130x"));
}

TEST_CASE("tokens: n-grams are made after stop words are gone") {
  CHECK(terms("the cat and the dog sat", {.stop_words = "english", .ngram_max = 2}) ==
        List{"cat", "dog", "sat", "cat dog", "dog sat"});
  CHECK(terms("aa bb cc", {.ngram_min = 2, .ngram_max = 3}) == List{"aa bb", "bb cc", "aa bb cc"});
}

TEST_CASE("tokens: stop words are looked up before stems are taken") {
  const TokenOptions options{.stop_words = "running ", .stemmer = "english"};
  CHECK(terms("running runs runner runs", options) == List{"run", "runner", "run"});
}

TEST_CASE("tokens: characters are scikit-learn's") {
  const TokenOptions characters{.analyzer = Analyzer::kChar, .ngram_max = 2};
  CHECK(terms("ab \n c", characters) == List{"a", "b", " ", "c", "ab", "b ", " c"});
  CHECK(terms("a\nb", characters) == List{"a", "\n", "b", "a\n", "\nb"});
  const TokenOptions within{.analyzer = Analyzer::kCharWb, .ngram_min = 3, .ngram_max = 5};
  CHECK(terms(" ab  é ", within) == List{" ab", "ab ", " ab ", " é "});
  CHECK(terms("  ", within).empty());
}

TEST_CASE("tokens: more words than are handed on at once") {
  std::string text;
  List words;
  for (int i = 0; i < 5000; ++i) {
    words.push_back("w" + std::to_string(i));
    text += words.back() + " ";
  }
  CHECK(terms(text) == words);
}

TEST_CASE("tokens: any bytes are taken, and those that are not UTF-8 are part of no word") {
  CHECK(terms("ab\xFFxy\xC3 caf\xC3\xA9") == List{"ab", "xy", "café"});
}

TEST_CASE("tokens: room is used again, for other options too") {
  TokenWork work;
  const Tokeniser plain({}), stems({.stemmer = "english"}), french({.stemmer = "french"});
  const auto words = [&](const Tokeniser& t, std::string_view text) {
    List list;
    t.words(text, work, [&](std::span<const Word> some) {
      for (const Word& word : some) list.emplace_back(word.text());
    });
    return list;
  };
  for (int i = 0; i < 3; ++i) {
    CHECK(words(stems, "flying continuation") == List{"fli", "continu"});
    CHECK(words(french, "continuellement") == List{"continuel"});
    CHECK(words(plain, "flying") == List{"flying"});
  }
}

TEST_CASE("tokens: stop words that are cut into others are noted") {
  CHECK(Tokeniser({.stop_words = "english"}).notes().empty());
  const std::vector<Note> notes = Tokeniser({.stop_words = "don't the"}).notes();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].code == "stop-words-cut");
  CHECK(notes[0].text.plain().find("don") != std::string::npos);
  CHECK(Tokeniser({.words = Words::kUnicode, .stop_words = "don't the"}).notes().empty());
  CHECK(Tokeniser({.stop_words = "german"}).notes().empty());
  CHECK(Tokeniser({.strip_accents = Accents::kUnicode, .stop_words = "german"}).notes().size() ==
        1);
  CHECK(Tokeniser({.stop_words = "nepali"}).notes().size() == 1);
  CHECK(Tokeniser({.words = Words::kUnicode, .stop_words = "nepali"}).notes().empty());
}

TEST_CASE("tokens: options that cannot be are refused") {
  const auto refused = [](const TokenOptions& options, std::string_view part) {
    check_refused([&] { Tokeniser{options}; }, Code::kBadOption, -1, part);
  };
  refused({.ngram_min = 3, .ngram_max = 2}, "ngram_min = 3");
  refused({.ngram_min = 0}, "ngram_min");
  refused({.least_length = 0}, "least_length");
  refused({.stemmer = "englsh"}, "english");
  refused({.stop_words = "klingon"}, "klingon");
  refused({.stop_words = "germn"}, "german");
}

TEST_CASE("stop_words: lists are in order, and those of a release never change") {
  // The numbers of words are those of `sort -u FILE | wc -l`.
  const std::vector<std::tuple<std::string_view, std::size_t, std::string_view>> released{
      {"danish", 94, "95593d85017c523250dafef0ff04a525"},
      {"dutch", 101, "9da95d573854cbc9cbf65418586529fd"},
      {"english", 318, "fe46a37b27c20b459e293d2fc589518f"},
      {"finnish", 229, "9c85959bf4896f85c031d7f37e8eaf99"},
      {"french", 155, "7fc5b1e1f4553580ad4b9f2f1aab7644"},
      {"german", 231, "b869e0726f981efea74791c14bf790bd"},
      {"hungarian", 198, "c4845118e0ad1d9cfeac8b5fbc4cb8ab"},
      {"italian", 279, "44ce1de3c158fe77bd472fe901e70a8d"},
      {"nepali", 304, "194bab465a6dddd4af4bc8926a571f74"},
      {"norwegian", 172, "860bbddf5b79aed0d3dc0e006fe64587"},
      {"portuguese", 203, "f7deeca466dbc2f85c5139dc0c56500a"},
      {"russian", 151, "e958e17f498cfa8679a7a976a0c10498"},
      {"spanish", 313, "e06a49fe1f7cc476c21129f4f469bc25"},
      {"swedish", 114, "c696c7503f3c256b71290cb67fde8a8a"},
      {"turkish", 53, "724f935024c01ff359ed69eb5534d215"},
  };
  REQUIRE(stop_lists().size() == released.size());
  for (std::size_t i = 0; i < released.size(); ++i) {
    const StopList& list = stop_lists()[i];
    const auto& [name, count, hash] = released[i];
    CAPTURE(name);
    CHECK(list.name == name);
    const List words = stop_words(name);
    CHECK(words.size() == count);
    CHECK(std::ranges::adjacent_find(words, std::greater_equal{}) == words.end());
    CHECK(hash_hex(std::as_bytes(std::span(list.words))) == hash);
  }
}

TEST_CASE("stop_words: an option names a list, or gives the words") {
  CHECK(terms("Der Hund und die Katze", {.stop_words = "german"}) == List{"hund", "katze"});
  CHECK(stop_words("a b\nc") == List{"a", "b", "c"});
  CHECK(stop_words("english ") == List{"english"});
  CHECK(stop_words("").empty());
}
