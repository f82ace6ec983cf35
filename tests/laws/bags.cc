#include <mutex>
#include <set>

#include "craton/base/error.h"
#include "craton/base/files.h"
#include "craton/base/random.h"
#include "craton/engine/workers.h"
#include "craton/io/csv_write.h"
#include "craton/io/open.h"
#include "craton/model/explain.h"
#include "craton/model/model_file.h"
#include "craton/tables/view.h"
#include "tests/folder.h"
#include "tests/laws/laws.h"

// Texts beside other columns: naive Bayes and mixtures of columns of any kind.

using namespace craton;
using namespace craton::laws;

namespace {

const std::vector<std::string> kColours{"blue", "red"}, kKinds{"ham", "spam", "other"};

// Messages with a number and a colour beside them, which all tell their kind, and weights.
struct Mail {
  std::vector<double> x, weights;  // number and colour, row after row
  std::vector<std::int32_t> labels;
  TextArray texts;

  explicit Mail(Index rows) {
    static const std::vector<std::vector<std::string>> words{
        {"lunch", "train", "mother"}, {"prize", "win", "cash"}, {"report", "table", "figure"}};
    for (Index i = 0; i < rows; ++i) {
      Random random(5, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
      const auto below = [&](std::size_t n) {
        return std::min(n - 1, static_cast<std::size_t>(random.uniform() * static_cast<double>(n)));
      };
      const std::size_t kind = below(3);
      std::string text;
      for (std::size_t n = 1 + below(6); n > 0; --n) {
        text += (below(3) == 0 ? words[below(3)][below(3)] : words[kind][below(3)]) + " ";
      }
      x.push_back(i % 41 == 7 ? NAN : 2 * static_cast<double>(kind) + random.normal());
      x.push_back(below(4) < kind + 1 ? 1 : 0);
      labels.push_back(static_cast<std::int32_t>(kind));
      weights.push_back(static_cast<double>(1 + i % 3));
      texts.add(i % 59 == 3 ? "" : text);
    }
  }
  enum Parts { kColumns, kText, kBoth };
  MemorySource source(Parts parts, bool labelled = true, bool weighted = false) const {
    Schema schema;
    Memory memory{.x = Dense<double>{x.data(), texts.rows(), 2, 2}};
    if (parts == kText) memory.x = Dense<double>{nullptr, texts.rows(), 0, 0};
    if (parts != kText) {
      schema.columns = {{"number"}, {"colour", ColumnKind::kCategory, kColours}};
    }
    if (parts != kColumns) {
      schema.texts.push_back({"body", ColumnKind::kText});
      memory.texts = {texts.view()};
    }
    if (labelled) {
      schema.target = Column{"kind", ColumnKind::kCategory, kKinds};
      memory.labels = labels;
    }
    if (weighted) memory.weights = weights;
    return MemorySource(memory, schema);
  }
  std::string csv() const {
    std::string text = "kind,number,colour,body\n";
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const double number = x[2 * i];
      text += kKinds[usize(labels[i])] + "," + (std::isnan(number) ? "" : csv_field(number)) + "," +
              kColours[static_cast<std::size_t>(x[2 * i + 1])] + ",\"" +
              std::string(texts.view()[static_cast<Index>(i)]) + "\"\n";
    }
    return text;
  }
};

std::vector<double> log_proba(const Fitted& fitted, Source& x) {
  std::vector<double> out(usize(x.shape().rows * fitted.model->classes()));
  fitted.model->predict_log_proba(x, out, {});
  return out;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

template <class Law>
void for_models_beside(const Law& law) {
  Index models = 0;
  for_every_model([&](const ModelInfo& model) {
    if (!model.abilities.texts_beside) return;
    law(model);
    ++models;
  });
  CHECK(models == 2);
}

}  // namespace

TEST_CASE("naive Bayes of a text alone is multinomial naive Bayes") {
  const Mail mail(700);
  for (const bool weighted : {false, true}) {
    for (const char* how : {"", "alpha=0.3", "fit_prior=false", "calibrate=leave-one-out"}) {
      CAPTURE(how);
      MemorySource x = mail.source(Mail::kText, true, weighted);
      const ModelInfo &nb = find_model("nb"), &multinomial = find_model("multinomial-nb");
      const Fitted a = nb.fit(x, parse_options(nb.options(), how), {});
      const Fitted b = multinomial.fit(x, parse_options(multinomial.options(), how), {});
      CHECK(largest_difference(log_proba(a, x), log_proba(b, x)) < 1e-9);
      CHECK(a.report.objective == doctest::Approx(b.report.objective).epsilon(1e-12));
    }
  }
}

TEST_CASE("with rows without labels, by EM, it is so too") {
  Mail mail(700);
  for (std::size_t i = 0; i < mail.labels.size(); ++i) {
    if (i % 10 != 0) mail.labels[i] = -1;
  }
  MemorySource x = mail.source(Mail::kText);
  const char* how = "unlabelled=em; tol=0; max_iter=7; unlabelled_weight=0.5";
  const ModelInfo &nb = find_model("nb"), &multinomial = find_model("multinomial-nb");
  const Fitted a = nb.fit(x, parse_options(nb.options(), how), {});
  const Fitted b = multinomial.fit(x, parse_options(multinomial.options(), how), {});
  CHECK(a.report.iterations == 7);
  CHECK(largest_difference(log_proba(a, x), log_proba(b, x)) < 1e-9);
}

TEST_CASE("a text beside columns adds its log-likelihood to theirs") {
  const Mail mail(700);
  const ModelInfo& nb = find_model("nb");
  MemorySource both = mail.source(Mail::kBoth), columns = mail.source(Mail::kColumns),
               text = mail.source(Mail::kText);
  const Fitted all = nb.fit(both, {}, {}), of_columns = nb.fit(columns, {}, {}),
               of_text = nb.fit(text, {}, {});
  const std::vector<double> found = log_proba(all, both);
  const std::vector<double> a = log_proba(of_columns, columns), b = log_proba(of_text, text);
  std::vector<double> count(3);
  for (const std::int32_t label : mail.labels) count[usize(label)] += 1;
  double largest = 0;
  for (std::size_t i = 0; i < mail.labels.size(); ++i) {
    double joint[3], sum = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      joint[c] = a[i * 3 + c] + b[i * 3 + c] - std::log(count[c] / 700);
      sum += std::exp(joint[c]);
    }
    for (std::size_t c = 0; c < 3; ++c) {
      largest = std::max(largest, std::abs(joint[c] - std::log(sum) - found[i * 3 + c]));
    }
  }
  CHECK(largest < 1e-9);
  std::vector<double> density(700);
  all.model->score_samples(both, density, {});
  const double mean = all.model->measures(both, {})[1].value;
  CHECK(all.report.objective == doctest::Approx(mean).epsilon(1e-12));
}

TEST_CASE("texts beside columns have one digest, however they are read") {
  const Folder folder;
  write_file(folder / "x.csv", Mail(5'003).csv());
  ReadOptions in_memory;
  in_memory.texts = {"body"};
  ReadOptions spooled = in_memory;
  spooled.memory = 0;
  spooled.temporary_folder = folder / "";
  const auto rows_of = [](const ModelInfo& model, Source& file, const Exec& exec) {
    View rows(file);
    if (model.abilities.labels) rows.label(find_classes(file, 0, exec));
    rows.select({.columns = {{.from = 1}, {.from = 2}}, .texts = {0}});
    return rows;
  };
  for_models_beside([&](const ModelInfo& model) {
    for (const char* scale : {"none", "standard"}) {
      std::set<std::string> digests;
      std::vector<NamedOption> how = small_options(model);
      how.emplace_back("scale", std::string(scale));
      for (const ReadOptions& options : {in_memory, spooled}) {
        for (const int threads : {1, 2, 7}) {
          const Exec exec{.threads = threads};
          const OpenedTable file = open_table(folder / "x.csv", options, exec);
          CHECK(file.source->in_memory() == (options.memory > 0));
          View rows = rows_of(model, *file.source, exec);
          digests.insert(digest(model.fit(rows, how, exec)));
        }
        std::mutex mutex;
        run_in_process_ranks(3, [&](Comm& comm) {
          const Exec exec{.threads = 2, .comm = &comm};
          const OpenedTable file = open_table(folder / "x.csv", options, {.threads = 1});
          View rows = rows_of(model, *file.source, exec);
          const std::string found = digest(model.fit(rows, how, exec));
          const std::lock_guard lock(mutex);
          digests.insert(found);
        });
      }
      CHECK(digests.size() == 1);
    }
  });
}

TEST_CASE("a model of texts beside columns comes back from its file") {
  const Folder folder;
  const Mail mail(300);
  for_models_beside([&](const ModelInfo& model) {
    for (const char* scale : {"none", "standard"}) {
      MemorySource x = mail.source(Mail::kBoth, model.abilities.labels);
      std::vector<NamedOption> how = small_options(model);
      how.emplace_back("scale", std::string(scale));
      const Fitted fitted = model.fit(x, how, {});
      save_model(fitted, folder / "m");
      const Fitted again = load_model(folder / "m");
      CHECK(digest(again) == digest(fitted));
      CHECK(again.schema == fitted.schema);
      CHECK(log_proba(again, x) == log_proba(fitted, x));
      CHECK(fitted.model->tables(fitted.schema).size() >= 3);
      CHECK_THROWS_AS(fitted.model->sample(3, 0), InputError);  // texts are not told from counts
      RowWork work(*fitted.model);
      CHECK_THROWS_AS(fitted.model->predict_text("win a prize", work), InputError);  // no number
    }
  });
}

TEST_CASE("reasons of a row with a text add up, and words are among them") {
  const Mail mail(300);
  for (const char* scale : {"none", "standard"}) {
    const ModelInfo& model = find_model("nb");
    MemorySource x = mail.source(Mail::kBoth);
    const std::vector<NamedOption> how{{"scale", std::string(scale)}};
    const Fitted fitted = model.fit(x, how, {});
    const Schema told = fitted.model->told_schema(fitted.schema);
    CHECK(told.size() == fitted.model->told_columns());
    CHECK(told.name(1) == "colour");
    const Index prize = told.find("prize");
    REQUIRE(prize >= 2);
    double largest = 0;
    Index prizes = 0;
    explain(*fitted.model, x, -1, {.threads = 1}, [&](Index, const Explanation& why) {
      double sum = why.prior;
      for (const double v : why.log_odds) sum += v;
      largest = std::max(largest, std::abs(sum - (why.log_p - why.log_p_other)));
      const std::size_t at = usize(prize);
      prizes += why.x[at] > 0 ? 1 : 0;
      CHECK((why.x[at] > 0) == (why.log_odds[at] != 0));
    });
    CHECK(largest < 1e-9);
    CHECK(prizes > 20);
  }
}

TEST_CASE("rows with texts are learned on from, merged and unlearned") {
  const Mail mail(900);
  MemorySource x = mail.source(Mail::kBoth);
  View first(x), second(x);
  first.slice({0, 500});
  second.slice({500, 900});
  const ModelInfo& model = find_model("nb");
  const std::vector<NamedOption> how = small_options(model);
  const Fitted whole = model.fit(x, how, {}), a = model.fit(first, how, {}),
               b = model.fit(second, how, {});
  for (const Fitted& next : {model.partial_fit(a, second, a.options, {}), model.merge(a, b)}) {
    CHECK(difference(next, whole) < 1e-9);
    // Words stay, and with them how many texts had them.
    const Fitted back = model.unlearn(next, second, a.options, {});
    CHECK(largest_difference(log_proba(back, x), log_proba(a, x)) < 1e-9);
  }
  CHECK_THROWS_AS(model.unlearn(a, x, a.options, {}), InputError);  // more than it has seen
}
