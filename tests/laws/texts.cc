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
    if (!model.abilities.sparse) return;
    law(model);
    ++models;
  });
  CHECK(models >= 5);
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
    CHECK(step->columns() == 14);
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
