#include "craton/text/count.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "tests/refused.h"

using namespace craton;

namespace {

struct Documents {
  explicit Documents(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) all.add(text);
  }
  Texts view() const { return {all.bytes.data(), all.offsets.data(), all.size()}; }
  Vocabulary all;
};

// Random words, some frequent, some long, some not ASCII; empty documents too.
Documents made_documents(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) {
    std::string text;
    for (int words = static_cast<int>(random() % 60); words > 0; --words) {
      const auto number =
          static_cast<int>(std::pow(300.0, static_cast<double>(random() % 1000) / 1000));
      text += number % 7 == 0 ? "Größe" : number % 5 == 0 ? "averyveryverylongword" : "w";
      text += std::to_string(number) + (random() % 4 == 0 ? ", " : " ");
    }
    texts.push_back(text);
  }
  return Documents(texts);
}

std::vector<std::string> list(const Vocabulary& vocabulary) {
  std::vector<std::string> terms;
  for (Index j = 0; j < vocabulary.size(); ++j) terms.emplace_back(vocabulary[j]);
  return terms;
}

bool same(const SparseArray& a, const SparseArray& b) {
  return a.offsets == b.offsets && a.columns == b.columns && a.values == b.values;
}
bool same(const TermRows& a, const SparseArray& b) {
  return a.offsets == b.offsets &&
         std::equal(b.columns.begin(), b.columns.end(), a.columns.data()) &&
         std::equal(b.values.begin(), b.values.end(), a.values.data());
}

bool same(const TermRows& a, const TermRows& b) {
  return a.offsets == b.offsets &&
         std::equal(a.columns.data(), a.columns.data() + a.entries(), b.columns.data()) &&
         std::equal(a.values.data(), a.values.data() + a.entries(), b.values.data());
}

struct Expected {
  LearnedTerms terms;
  SparseArray rows;
};

// The terms and rows as maps of strings have them.
Expected by_maps(const Documents& documents, const Tokeniser& tokeniser, double least_df) {
  std::vector<std::map<std::string, double>> rows;
  std::map<std::string, std::pair<Index, Index>> of_term;  // df, cf
  for (Index i = 0; i < documents.view().rows; ++i) {
    rows.emplace_back();
    for (const std::string& term : tokeniser.terms(documents.view()[i])) ++rows.back()[term];
    for (const auto& [term, count] : rows.back()) {
      ++of_term[term].first;
      of_term[term].second += static_cast<Index>(count);
    }
  }
  std::erase_if(of_term,
                [&](const auto& t) { return static_cast<double>(t.second.first) < least_df; });
  Expected result;
  std::map<std::string, std::int32_t> column;
  for (const auto& [term, counts] : of_term) {
    column[term] = static_cast<std::int32_t>(result.terms.vocabulary.size());
    result.terms.vocabulary.add(term);
    result.terms.df.push_back(counts.first);
    result.terms.cf.push_back(counts.second);
  }
  result.rows.offsets = {0};
  for (const auto& row : rows) {
    for (const auto& [term, count] : row) {
      if (!column.contains(term)) continue;
      result.rows.columns.push_back(column[term]);
      result.rows.values.push_back(count);
    }
    result.rows.offsets.push_back(std::ssize(result.rows.columns));
  }
  return result;
}

std::vector<TokenOptions> kinds() {
  return {{},
          {.ngram_max = 2},
          {.ngram_min = 2, .ngram_max = 4},
          {.words = TokenOptions::Words::kUnicode, .stop_words = "w1 w2", .stemmer = "german"},
          {.analyzer = TokenOptions::Analyzer::kCharWb, .ngram_min = 2, .ngram_max = 3},
          {.analyzer = TokenOptions::Analyzer::kChar, .ngram_max = 3}};
}

}  // namespace

TEST_CASE("count: one pass, two passes and shards give what maps of strings give") {
  const Documents documents = made_documents(400, 1);
  for (const TokenOptions& options : kinds()) {
    const Tokeniser tokeniser(options);
    for (const double least : {1.0, 3.0}) {
      CAPTURE(options.ngram_max);
      const CutOptions cuts{.min_df = least};
      const Expected expected = by_maps(documents, tokeniser, least);
      for (const int threads : {1, 2, 7}) {
        const CountedTexts found =
            learn_and_count(documents.view(), tokeniser, cuts, {.threads = threads});
        CHECK(list(found.terms.vocabulary) == list(expected.terms.vocabulary));
        CHECK(found.terms.df == expected.terms.df);
        CHECK(found.terms.cf == expected.terms.cf);
        CHECK(found.terms.documents == 400);
        CHECK(same(found.rows, expected.rows));
      }
      TermCounts late(tokeniser), early(tokeniser), sent(tokeniser);
      early.add(documents.view().slice({0, 150}));
      late.add(documents.view().slice({150, 400}));
      Writer writer;
      early.write(writer);
      Reader reader(writer.bytes());
      sent.read(reader);
      late.merge(sent);
      const LearnedTerms learned = late.learned(cuts);
      CHECK(learned.vocabulary == expected.terms.vocabulary);
      CHECK(learned.df == expected.terms.df);
      CHECK(learned.cf == expected.terms.cf);

      CountWork work;
      SparseArray rows;
      const TermFinder finder(learned.vocabulary, tokeniser);
      for (const RowRange range : {RowRange{0, 7}, RowRange{7, 400}}) {
        count_terms(documents.view().slice(range), tokeniser, finder, work, rows);
      }
      CHECK(same(rows, expected.rows));
    }
  }
}

TEST_CASE("count: many texts in one pass give what two passes give, whatever is cut") {
  const Documents documents = made_documents(2500, 4);  // some parts, and many buckets of words
  for (const TokenOptions& options : kinds()) {
    const Tokeniser tokeniser(options);
    CAPTURE(options.ngram_max);
    TermCounts counts(tokeniser);
    counts.add(documents.view());
    for (const CutOptions& cuts :
         {CutOptions{}, CutOptions{.max_df = 0.5, .min_count = 3},
          CutOptions{.min_df = 2, .max_features = 700},
          CutOptions{.max_features = 50, .rank = CutOptions::Rank::kDocuments}}) {
      const LearnedTerms learned = counts.learned(cuts);
      CountWork work;
      SparseArray rows;
      count_terms(documents.view(), tokeniser, TermFinder(learned.vocabulary, tokeniser), work,
                  rows);
      for (const int threads : {1, 3}) {
        const CountedTexts found =
            learn_and_count(documents.view(), tokeniser, cuts, {.threads = threads});
        CHECK(found.terms.vocabulary == learned.vocabulary);
        CHECK(found.terms.df == learned.df);
        CHECK(found.terms.cf == learned.cf);
        CHECK(same(found.rows, rows));
      }
    }
  }
}

TEST_CASE("count: counts that were learned go on from their vocabulary") {
  const Documents documents = made_documents(100, 2);
  for (const TokenOptions& options : kinds()) {
    const Tokeniser tokeniser(options);
    TermCounts whole(tokeniser), half(tokeniser), again(tokeniser);
    whole.add(documents.view());
    half.add(documents.view().slice({0, 50}));
    again.add(half.learned({}));
    again.add(documents.view().slice({50, 100}));
    const LearnedTerms a = whole.learned({}), b = again.learned({});
    CHECK(a.vocabulary == b.vocabulary);
    CHECK(a.df == b.df);
    CHECK(a.cf == b.cf);
    CHECK(a.documents == b.documents);
  }
}

TEST_CASE("count: cuts keep what they say") {
  const Documents documents({"aa aa aa bb", "aa bb cc", "aa cc dd", "aa ee ee ee ee"});
  const Tokeniser tokeniser({});
  TermCounts counts(tokeniser);
  counts.add(documents.view());
  using Terms = std::vector<std::string>;
  const auto kept = [&](const CutOptions& cuts) { return list(counts.learned(cuts).vocabulary); };
  CHECK(kept({}) == Terms{"aa", "bb", "cc", "dd", "ee"});
  CHECK(kept({.min_df = 2}) == Terms{"aa", "bb", "cc"});
  CHECK(kept({.min_df = 0.5}) == Terms{"aa", "bb", "cc"});
  CHECK(kept({.max_df = 0.5}) == Terms{"bb", "cc", "dd", "ee"});
  CHECK(kept({.max_df = 2}) == Terms{"bb", "cc", "dd", "ee"});
  CHECK(kept({.max_df = 1.5}) == Terms{"dd", "ee"});
  CHECK(kept({.min_count = 3}) == Terms{"aa", "ee"});
  CHECK(kept({.max_features = 2}) == Terms{"aa", "ee"});
  CHECK(kept({.max_features = 3}) == Terms{"aa", "bb", "ee"});  // bb and cc are as frequent
  CHECK(kept({.max_features = 3, .rank = CutOptions::Rank::kDocuments}) == Terms{"aa", "bb", "cc"});
  CHECK(kept({.max_features = 9}).size() == 5);
  const auto refused = [&](const CutOptions& cuts, Code code, std::string_view part) {
    check_refused([&] { counts.learned(cuts); }, code, -1, part);
  };
  refused({.min_df = 5}, Code::kBadOption, "min_df = 5 asks for more documents than there are: 4");
  refused({.min_df = 3, .max_df = 2}, Code::kBadOption, "below min_df = 3");
  refused({.min_df = 3, .max_df = 3}, Code::kNoTerms,
          "of 5 terms none is left: min_df = 3 took 4 of them, max_df = 3 took 1, min_count = 1 "
          "took 0");
  refused({.min_count = 9}, Code::kNoTerms, "min_count = 9 took 5");
  TermCounts none(tokeniser);
  none.add(Documents({"", "a b"}).view());
  check_refused([&] { none.learned({}); }, Code::kNoTerms, -1, "2 documents hold not one term");
  check_refused([&] { TermCounts(tokeniser).learned({}); }, Code::kNoTerms, -1, "0 documents hold");
}

TEST_CASE("count: a vocabulary that was given keeps its order") {
  const std::vector<std::string> given = {"zz", "aa bb", "aa", "not  there"};
  const Vocabulary vocabulary = Vocabulary::of(given);
  const Tokeniser tokeniser({.ngram_max = 2});
  const TermFinder finder(vocabulary, tokeniser);
  CountWork work;
  SparseArray rows;
  count_terms(Documents({"AA bb aa zz cc", "dd", "aa cc bb"}).view(), tokeniser, finder, work,
              rows);
  CHECK(rows.offsets == std::vector<Index>{0, 3, 3, 4});
  CHECK(rows.columns == std::vector<std::int32_t>{0, 1, 2, 2});
  CHECK(rows.values == std::vector<double>{1, 1, 2, 1});
  const std::vector<std::string> twice = {"aa", "bb", "aa"};
  check_refused([&] { Vocabulary::of(twice); }, Code::kDuplicateName, -1, "'aa' twice");
  check_refused([] { Vocabulary::of({}); }, Code::kNoTerms, -1, "no term");
}

TEST_CASE("count: hashes are those of MurmurHash3") {
  // sklearn.utils.murmurhash3_32(..., seed=0, positive=True)
  CHECK(murmur3("") == 0);
  CHECK(murmur3("a") == 1009084850);
  CHECK(murmur3("the") == 3162218338);
  CHECK(murmur3("hello") == 613153351);
  CHECK(murmur3("größe") == 3822294591);
}

TEST_CASE("count: hashed rows are those of scikit-learn") {
  // HashingVectorizer(n_features=..., norm=None, alternate_sign=...), scikit-learn 1.9
  const Documents documents({"the cat the dog", "", "hello"});
  const Tokeniser tokeniser({});
  CountWork work;
  SparseArray rows, plain;
  count_hashed(documents.view(), tokeniser, {.n_features = 1 << 20}, work, rows);
  CHECK(rows.offsets == std::vector<Index>{0, 3, 3, 4});
  rows.columns.resize(3);
  rows.values.resize(3);
  CHECK(rows.columns == std::vector<std::int32_t>{286878, 300839, 980517});
  CHECK(rows.values == std::vector<double>{-2, 1, -1});
  count_hashed(documents.view(), tokeniser, {.n_features = 1, .alternate_sign = false}, work,
               plain);
  CHECK(plain.values == std::vector<double>{4, 1});
}

TEST_CASE("count: the hash that has no absolute value has a column all the same") {
  const Documents documents({"aivlts3m"});
  CHECK(murmur3("aivlts3m") == 0x80000000);
  CountWork work;
  SparseArray rows;
  count_hashed(documents.view(), Tokeniser({}), {.n_features = 1000}, work, rows);
  count_hashed(documents.view(), Tokeniser({}), {.n_features = 7}, work, rows);
  CHECK(rows.columns == std::vector<std::int32_t>{648, 2});
  CHECK(rows.values == std::vector<double>{-1, -1});
}

TEST_CASE("count: parts of texts are joined in order") {
  std::vector<std::string> texts;
  for (int i = 0; i < 40; ++i) texts.push_back("n" + std::to_string(i) + std::string(30000, ' '));
  const Documents documents(texts);
  const Tokeniser tokeniser({});
  const CountedTexts one = learn_and_count(documents.view(), tokeniser, {}, {.threads = 1});
  CHECK(one.rows.columns.size() == 40);
  const TermFinder finder(one.terms.vocabulary, tokeniser);
  for (const int threads : {1, 2, 7}) {
    const TermRows rows = count_all(documents.view(), {.threads = threads},
                                    [&](const Texts& some, CountWork& work, SparseArray& out) {
                                      count_terms(some, tokeniser, finder, work, out);
                                    });
    CHECK(same(rows, one.rows));
    CHECK(same(learn_and_count(documents.view(), tokeniser, {}, {.threads = threads}).rows, rows));
  }
}
