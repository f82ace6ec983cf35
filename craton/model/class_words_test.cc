#include "craton/model/class_words.h"

#include <doctest/doctest.h>

#include <cmath>

namespace craton::class_words_test {
namespace {

Fitted fit(std::string_view model, bool labels, std::vector<NamedOption> options = {}) {
  TextArray texts;
  for (const char* text : {"cats purr", "cats sleep", "stars shine", "stars at night shine"}) {
    texts.add(text);
  }
  Schema schema;
  schema.texts.push_back({"body", ColumnKind::kText});
  const std::vector<std::int32_t> kinds{0, 0, 1, 1};
  Memory memory{.x = Dense<double>{nullptr, 4, 0, 0}, .texts = {texts.view()}};
  if (labels) {
    schema.target = Column{"kind", ColumnKind::kCategory, {"pets", "sky"}};
    memory.labels = kinds;
  }
  MemorySource source(memory, schema);
  return find_model(model).fit(source, options, {});
}

const ResultColumn::Words& words(const ResultTable& table, std::string_view column) {
  return *table.find(column)->words();
}

TEST_CASE("words: log-odds, for a standard deviation of the word's presence") {
  const std::optional<ResultTable> table = class_words(fit("multinomial-nb", true));
  REQUIRE(table);
  CHECK(words(*table, "class") ==
        ResultColumn::Words{"pets", "pets", "pets", "sky", "sky", "sky", "sky"});
  CHECK(words(*table, "word") ==
        ResultColumn::Words{"cats", "purr", "sleep", "shine", "stars", "at", "night"});
  // By hand: 4 words of pets, 6 of the sky, 7 different ones, alpha = 1. Cats are in half of the
  // texts, and purr in a quarter.
  const std::vector<double>& weights = *table->find("weight")->numbers();
  CHECK(weights[0] == doctest::Approx(0.5 * std::log((3 / 11.0) / (1 / 13.0))));
  CHECK(weights[1] == doctest::Approx(std::sqrt(0.25 * 0.75) * std::log((2 / 11.0) / (1 / 13.0))));
  CHECK(weights[3] == doctest::Approx(0.5 * std::log((3 / 13.0) / (1 / 11.0))));
}

TEST_CASE("words: of centres, how far they lie above the mean of the others") {
  const std::optional<ResultTable> table =
      class_words(fit("kmeans", false, {{"n_clusters", Index{2}}, {"n_init", Index{10}}}));
  REQUIRE(table);
  const std::size_t cats = words(*table, "word")[0] == "cats" ? 0 : 4;
  CHECK(words(*table, "word")[cats] == "cats");
  CHECK(words(*table, "cluster")[cats] == (cats == 0 ? "0" : "1"));
  CHECK(table->find("weight")->numbers()->at(cats) == doctest::Approx(1.0));
}

TEST_CASE("words: every model of classes and words that is linear has them") {
  for (const char* model : {"bernoulli-nb", "complement-nb", "logistic", "nearest-centroid"}) {
    CAPTURE(model);
    const std::optional<ResultTable> table = class_words(fit(model, true));
    REQUIRE(table);
    CHECK(words(*table, "word")[0] == "cats");
    CHECK(all_tables(fit(model, true)).back().name == "words");
  }
}

TEST_CASE("words: hashed ones, and what is impossible, have no table") {
  CHECK(!class_words(
      fit("multinomial-nb", true, {{"hashed", Index{16}}, {"alternate_sign", false}})));
  CHECK(!class_words(fit("multinomial-nb", true, {{"alpha", 0.0}})));
}

}  // namespace
}  // namespace craton::class_words_test
