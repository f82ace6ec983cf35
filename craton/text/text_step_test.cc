#include "craton/text/text_step.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/error.h"
#include "craton/base/inner_rows.h"
#include "craton/base/parameters.h"
#include "craton/text/count.h"

namespace craton {
namespace {

Table texts_of(std::initializer_list<std::string_view> texts) {
  Table table;
  table.schema.texts.push_back({"body", ColumnKind::kText});
  table.x.shape = {static_cast<Index>(texts.size()), 0};
  for (const std::string_view text : texts) table.texts.emplace_back().add(text);
  TextArray all;
  for (const std::string_view text : texts) all.add(text);
  table.texts = {all};
  return table;
}

std::vector<std::string> terms_of(const TextStep& step) {
  std::vector<std::string> terms;
  for (Index j = 0; j < step.columns(); ++j) terms.push_back(step.term(j));
  return terms;
}

TEST_CASE("a step counts the words of texts") {
  const Table table = texts_of({"the cat saw the dog", "", "a dog"});
  MemorySource source = table.source();
  TermRows counted;
  const TextStep step = TextStep::learn(source, {}, {}, &counted);
  CHECK(terms_of(step) == std::vector<std::string>{"cat", "dog", "saw", "the"});
  const std::unique_ptr<Source> rows = step.over(source);
  CHECK(read_all(*rows).values == std::vector<double>{1, 1, 1, 2, 0, 0, 0, 0, 0, 1, 0, 0});
  REQUIRE(counted.rows() > 0);
  CHECK(read_all(*counted_rows(std::move(counted), step.columns(), source, {})) == read_all(*rows));
  CHECK(step.schema(source.schema())->name(3) == "the");
  std::vector<double> last(4);
  const Index row = 2;
  rows->gather({&row, 1}, last);
  CHECK(last == std::vector<double>{0, 1, 0, 0});
}

TEST_CASE("beside columns the words of texts are an inner table") {
  Table table = texts_of({"the cat saw the dog", "", "a dog"});
  table.schema.columns.push_back({"number"});
  table.x = {{3, 1}, {4, 5, 6}};
  MemorySource source = table.source();
  TermRows counted;
  const TextStep step = TextStep::learn(source, {}, {}, &counted, TextPlace::kBeside);
  REQUIRE(counted.rows() > 0);
  const std::unique_ptr<Source> rows = step.over(source);
  const std::unique_ptr<Source> kept =
      counted_rows(std::move(counted), step.columns(), source, {}, TextPlace::kBeside);
  CHECK(rows->schema().inner[0].level(3) == "the");
  for (Source* x : {rows.get(), kept.get()}) {
    CHECK(read_all(*x).values == table.x.values);
    CHECK(x->schema().name(0) == "number");
    CHECK(x->schema().inner[0].codes == 4);
    InnerRows inside(*x);
    CHECK(read_all(inside).values == std::vector<double>{1, 1, 1, 2, 0, 0, 0, 0, 0, 1, 0, 0});
  }
}

TEST_CASE("words by position are numbers of the vocabulary") {
  const Table table = texts_of({"the cat saw the dog", "", "dog mouse cat"});
  MemorySource source = table.source();
  TextOptions options;
  options.positions = 3;
  options.cuts.min_df = 2;
  const TextStep step = TextStep::learn(source, options, {}, nullptr, TextPlace::kPositions);
  CHECK(step.columns() == 3);
  const std::unique_ptr<Source> rows = step.over(source);
  CHECK(rows->schema().name(2) == "word 3");
  CHECK(rows->schema().inner[0].levels == std::vector<std::string>{"cat", "dog"});
  std::string text;
  for (const double v : read_all(*rows).values) text += std::isnan(v) ? "-" : v == 0 ? "c" : "d";
  CHECK(text == "-c----d-c");
  const auto again = TextStep::from_parameters(step.parameters(), 3, TextPlace::kPositions);
  REQUIRE(again);
  CHECK(again->parameters() == step.parameters());
  CHECK_THROWS_AS(TextStep::from_parameters(step.parameters(), 4, TextPlace::kPositions),
                  InputError);
  CHECK_THROWS_AS(TextStep::learn(source, options, {}), InputError);
  options.tokens.ngram_max = 2;
  CHECK_THROWS_AS(TextStep::learn(source, options, {}, nullptr, TextPlace::kPositions), InputError);
}

TEST_CASE("a step comes back from its parameters") {
  const Table table = texts_of({"the cat saw the dog", "a dog", "Der Hund"});
  MemorySource source = table.source();
  TextOptions options;
  options.tokens.ngram_max = 2;
  options.tokens.stop_words = "saw der";
  options.weights.idf = WeightOptions::Idf::kSmooth;
  options.weights.norm = WeightOptions::Norm::kL2;
  for (const Index hashed : {0, 16}) {
    options.hashed = hashed;
    if (hashed > 0) options.weights.idf = WeightOptions::Idf::kNone;
    const TextStep step = TextStep::learn(source, options, {});
    const std::vector<Parameter> parameters = step.parameters();
    const auto again = TextStep::from_parameters(parameters, step.columns());
    REQUIRE(again);
    CHECK(again->options() == options);
    CHECK(again->parameters() == parameters);
    CHECK(read_all(*again->over(source)) == read_all(*step.over(source)));
  }
}

TEST_CASE("steps that were damaged are refused") {
  const Table table = texts_of({"one two", "two three"});
  MemorySource source = table.source();
  const std::vector<Parameter> sound = TextStep::learn(source, {}, {}).parameters();
  const auto refused = [&](auto&& damage) {
    std::vector<Parameter> parameters = sound;
    for (Parameter& p : parameters) damage(p);
    CHECK_THROWS_AS(TextStep::from_parameters(parameters, 3), InputError);
  };
  refused([](Parameter& p) {
    if (p.name == "text.how") p.text = "ngram_max";
  });
  refused([](Parameter& p) {
    if (p.name == "text.how") p.text = "ngram_max=0\n";
  });
  refused([](Parameter& p) {
    if (p.name == "text.how") p.text = "no_such=1\n";
  });
  refused([](Parameter& p) {
    if (p.name == "text.vocabulary") p.text = "onetwothree";
  });
  refused([](Parameter& p) {
    if (p.name == "text.vocabulary") p.text = "one\xffhreetwo";
  });
  refused([](Parameter& p) {
    if (p.name == "text.documents") p.value.values[0] = 0.5;
  });
  CHECK_THROWS_AS(TextStep::from_parameters(sound, 4), InputError);
}

TEST_CASE("terms that would lie beyond the vocabulary are not looked at") {
  const Table table = texts_of({"counterrevolutionaries misunderstandings"});
  MemorySource source = table.source();
  std::vector<Parameter> parameters = TextStep::learn(source, {}, {}).parameters();
  for (Parameter& p : parameters) {
    if (p.name == "text.offsets") p.value.values[1] = 1000;  // the last one fits again
  }
  CHECK_THROWS_AS(TextStep::from_parameters(parameters, 2), InputError);
}

TEST_CASE("vocabularies of parts of a corpus unite") {
  const Table all = texts_of({"a cat saw", "the dog", "the cat sat", "zebra"});
  const Table left = texts_of({"a cat saw", "the dog"}), right = texts_of({"the cat sat", "zebra"});
  MemorySource source = all.source(), first = left.source(), second = right.source();
  std::vector<Index> of_first, of_second;
  TextOptions options;
  options.tokens.ngram_max = 2;
  const TextStep a = TextStep::learn(first, options, {}), b = TextStep::learn(second, options, {});
  const TextStep both = TextStep::merged(a, b, of_first, of_second);
  CHECK(both.parameters() == TextStep::learn(source, options, {}).parameters());
  for (Index j = 0; j < a.columns(); ++j) CHECK(both.term(of_first[usize(j)]) == a.term(j));
  for (Index j = 0; j < b.columns(); ++j) CHECK(both.term(of_second[usize(j)]) == b.term(j));
  options.cuts.min_df = 2;
  CHECK_THROWS_AS(TextStep::merged(TextStep::learn(source, options, {}),
                                   TextStep::learn(source, options, {}), of_first, of_second),
                  InputError);
}

TEST_CASE("what cannot be counted is refused") {
  Table two = texts_of({"one"});
  two.schema.texts.push_back({"title", ColumnKind::kText});
  two.texts.push_back(two.texts[0]);
  MemorySource source = two.source();
  CHECK_THROWS_AS(TextStep::learn(source, {}, {}), InputError);
  const Table empty = texts_of({"", "! ?"});
  MemorySource nothing = empty.source();
  CHECK_THROWS_AS(TextStep::learn(nothing, {}, {}), InputError);
}

}  // namespace
}  // namespace craton
