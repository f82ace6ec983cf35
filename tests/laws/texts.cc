#include <mutex>
#include <set>

#include "craton/base/files.h"
#include "craton/base/random.h"
#include "craton/engine/workers.h"
#include "craton/io/csv_write.h"
#include "craton/io/open.h"
#include "craton/model/fit_steps.h"
#include "craton/model/model_file.h"
#include "craton/tables/view.h"
#include "craton/text/text_step.h"
#include "tests/folder.h"
#include "tests/laws/laws.h"

using namespace craton;
using namespace craton::laws;

namespace {

// Messages of three kinds, each with words of its own, and what is learned from them.
struct Corpus {
  std::vector<std::string> kinds, texts;
  std::vector<double> numbers;
};

Corpus corpus(Index rows) {
  const std::vector<std::string> common{"the", "and", "of", "caf\xc3\xa9", "word"};
  const std::vector<std::vector<std::string>> own{
      {"cat", "dog", "mouse"}, {"star", "moon", "sun"}, {"rain", "wind", "snow"}};
  Random random(3, Purpose::kTest);
  const auto below = [&](std::size_t n) {
    return std::min(n - 1, static_cast<std::size_t>(random.uniform() * static_cast<double>(n)));
  };
  Corpus result;
  for (Index i = 0; i < rows; ++i) {
    const std::size_t kind = below(3);
    std::string text;
    for (std::size_t words = 3 + below(9); words > 0; --words) {
      text += (below(2) == 0 ? common[below(5)] : own[kind][below(3)]) + " ";
    }
    result.kinds.push_back(std::string(1, static_cast<char>('a' + kind)));
    result.texts.push_back(i % 97 == 5 ? "" : text);  // some say nothing
    result.numbers.push_back(static_cast<double>(kind) + random.normal());
  }
  return result;
}

std::string written(const Corpus& corpus) {
  std::string csv = "kind,number,body\n";
  for (std::size_t i = 0; i < corpus.texts.size(); ++i) {
    csv += corpus.kinds[i] + "," + csv_field(corpus.numbers[i]) + ",\"" + corpus.texts[i] + "\"\n";
  }
  return csv;
}

// The rows of a file as a model learns from them: texts, and labels or numbers if it wants those.
View texts_of(const ModelInfo& model, Source& file, const Exec& exec) {
  View rows(file);
  if (model.abilities.numbers) {
    rows.target(1);
  } else if (model.abilities.labels) {
    rows.label(find_classes(file, 0, exec));
  }
  rows.select({.texts = {0}});
  return rows;
}

template <class Law>
void for_models_of_texts(const Law& law) {
  Index models = 0;
  for_every_model([&](const ModelInfo& model) {
    if (!model.abilities.texts) return;
    law(model);
    ++models;
  });
  CHECK(models >= 8);
}

}  // namespace

TEST_CASE("models of texts have one digest, however the texts are read") {
  const Folder folder;
  write_file(folder / "x.csv", written(corpus(5'003)));
  ReadOptions in_memory;
  in_memory.texts = {"body"};
  ReadOptions spooled = in_memory;
  spooled.memory = 0;
  spooled.temporary_folder = folder / "";
  for_models_of_texts([&](const ModelInfo& model) {
    std::set<std::string> digests;
    for (const int threads : {1, 2, 7}) {
      const Exec exec{.threads = threads};
      for (const ReadOptions& options : {in_memory, spooled}) {
        const OpenedTable file = open_table(folder / "x.csv", options, exec);
        CHECK(file.source->in_memory() == (options.memory > 0));
        View rows = texts_of(model, *file.source, exec);
        digests.insert(digest(fit(model, rows, exec)));
      }
    }
    for (const ReadOptions& options : {in_memory, spooled}) {
      std::mutex mutex;
      run_in_process_ranks(3, [&](Comm& comm) {
        const Exec exec{.threads = 2, .comm = &comm};
        const OpenedTable file = open_table(folder / "x.csv", options, {.threads = 1});
        View rows = texts_of(model, *file.source, exec);
        const std::string found = digest(fit(model, rows, exec));
        const std::lock_guard lock(mutex);
        digests.insert(found);
      });
    }
    CHECK(digests.size() == 1);
  });
}

TEST_CASE("a model of texts is that of their counts, and comes back from its file") {
  const Folder folder;
  write_file(folder / "x.csv", written(corpus(601)));
  ReadOptions options;
  options.texts = {"body"};
  const OpenedTable file = open_table(folder / "x.csv", options, {});
  for_models_of_texts([&](const ModelInfo& model) {
    View rows = texts_of(model, *file.source, {});
    const Fitted fitted = fit(model, rows);
    const TextStep* const step = text_of(*fitted.model);
    REQUIRE(step != nullptr);
    CHECK(step->columns() == (step->place() == TextPlace::kPositions ? 20 : 14));
    const std::unique_ptr<Source> counts = step->over(rows);
    const Fitted plain = fit(model, *counts);
    CHECK(predicted(plain, *counts) == predicted(fitted, rows));
    save_model(fitted, folder / "m");
    const Fitted again = load_model(folder / "m");
    CHECK(digest(again) == digest(fitted));
    CHECK(again.schema.texts.size() == 1);
    CHECK(predicted(again, rows) == predicted(fitted, rows));
  });
}

TEST_CASE("a text by itself is what it is in a table, to the bit") {
  const Folder folder;
  const Corpus own = corpus(301);
  write_file(folder / "x.csv", written(own));
  ReadOptions options;
  options.texts = {"body"};
  const OpenedTable file = open_table(folder / "x.csv", options, {});
  for_models_of_texts([&](const ModelInfo& model) {
    if (!model.abilities.predict) return;
    View rows = texts_of(model, *file.source, {});
    const Fitted fitted = fit(model, rows);
    const AnyModel& any = *fitted.model;
    std::vector<std::int32_t> labels(own.texts.size());
    any.predict(rows, labels, {});
    RowWork work(any);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      CHECK(any.predict_text(own.texts[i], work) == labels[i]);
    }
    if (!model.abilities.predict_log_proba) return;
    const auto k = usize(any.classes());
    std::vector<double> log_p(labels.size() * k), one(k);
    any.predict_log_proba(rows, log_p, {});
    for (std::size_t i = 0; i < labels.size(); ++i) {
      any.predict_log_proba_text(own.texts[i], work, one);
      CHECK(std::ranges::equal(one, std::span(log_p).subspan(i * k, k)));
    }
  });
}

namespace {

// Rows of a corpus as a table in memory, with labels or numbers as a model wants them.
struct Part {
  TextArray texts;
  std::vector<std::int32_t> labels;
  std::vector<double> numbers;
  Part(const Corpus& corpus, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      texts.add(corpus.texts[i]);
      labels.push_back(corpus.kinds[i][0] - 'a');
      numbers.push_back(corpus.numbers[i]);
    }
  }
  MemorySource source(const ModelInfo& model) const {
    Schema schema;
    schema.texts.push_back({"body", ColumnKind::kText});
    if (model.abilities.labels) schema.target = Column{"k", ColumnKind::kCategory, {"a", "b", "c"}};
    if (model.abilities.numbers) schema.target = Column{"number"};
    Memory memory{.x = Dense<double>{nullptr, texts.rows(), 0, 0}, .texts = {texts.view()}};
    if (model.abilities.labels) memory.labels = labels;
    if (model.abilities.numbers) memory.targets = numbers;
    return MemorySource(memory, schema);
  }
};

// The second half has words that the first has not, and the other way round.
Corpus corpus_with_new_words(std::size_t rows) {
  Corpus result = corpus(static_cast<Index>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    result.texts[i] += i < rows / 2 ? " before" : " after zebra";
    if (i % 5 == 0)
      result.texts[i] += " aardvark" + std::to_string(i % 35 + (i < rows / 2 ? 0 : 7));
  }
  return result;
}

}  // namespace

TEST_CASE("halves of a corpus, merged or learned one by one, are the whole: one digest") {
  const Corpus all = corpus_with_new_words(900);
  const Part first(all, 0, 450), second(all, 450, 900), whole(all, 0, 900);
  Index merged = 0;
  for (const char* how : {"", "ngram_max=2", "hashed=50; alternate_sign=false", "tf=presence"}) {
    for_models_of_texts([&](const ModelInfo& model) {
      CAPTURE(how);
      if (model.name != "multinomial-nb" && model.name != "bernoulli-nb" &&
          model.name != "complement-nb" && model.name != "nb") {
        return;
      }
      std::vector<NamedOption> options = small_options(model);
      for (const NamedOption& option : parse_options(text_options(), how)) {
        options.push_back(option);
      }
      MemorySource left = first.source(model), right = second.source(model),
                   both = whole.source(model);
      const Fitted a = model.fit(left, options, {}), b = model.fit(right, options, {});
      const std::string digest_of_all = digest(model.fit(both, options, {}));
      CHECK(digest(model.merge(a, b)) == digest_of_all);
      CHECK(digest(model.merge(b, a)) == digest_of_all);
      CHECK(digest(model.partial_fit(a, right, a.options, {})) == digest_of_all);
      ++merged;
    });
  }
  CHECK(merged == 16);
}

TEST_CASE("words that cannot join the others are told") {
  const Corpus all = corpus_with_new_words(900);
  const Part first(all, 0, 450), second(all, 450, 900);
  const auto try_model = [&](const ModelInfo& model, std::string_view how) {
    std::vector<NamedOption> options = small_options(model);
    for (const NamedOption& option : parse_options(text_options(), how)) options.push_back(option);
    MemorySource left = first.source(model), right = second.source(model);
    const Fitted a = model.fit(left, options, {}), b = model.fit(right, options, {});
    if (model.abilities.merge) CHECK_THROWS_AS(model.merge(a, b), InputError);
    if (!model.abilities.partial_fit) return;
    const Fitted next = model.partial_fit(a, right, a.options, {});
    CHECK(next.model->steps() == a.model->steps());
    CHECK(std::ranges::count(next.report.notes, "unknown-words", &Note::code) == 1);
  };
  for_models_of_texts([&](const ModelInfo& model) {
    if (!model.abilities.merge && !model.abilities.partial_fit) return;
    try_model(model, "min_df=2");
    try_model(model, "idf=smooth");
    const bool sums = model.name.ends_with("nb") && model.name != "gaussian-nb";
    if (!sums) try_model(model, "");
  });
}

TEST_CASE("texts without a word are learned too") {
  Corpus all = corpus_with_new_words(460);
  for (std::size_t i = 450; i < 460; ++i) all.texts[i] = i % 2 == 0 ? "" : "! ?";
  const Part first(all, 0, 450), nothing(all, 450, 460), whole(all, 0, 460);
  for (const char* name : {"multinomial-nb", "nb"}) {
    const ModelInfo& model = find_model(name);
    MemorySource left = first.source(model), empty = nothing.source(model),
                 both = whole.source(model);
    const Fitted a = model.fit(left, {}, {});
    CHECK(digest(model.partial_fit(a, empty, a.options, {})) == digest(model.fit(both, {}, {})));
  }
}
