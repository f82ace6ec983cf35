#include <thread>

#include "craton/base/error.h"
#include "craton/tables/design.h"
#include "craton/tables/preparation.h"
#include "tests/embedding/allocations.h"
#include "tests/laws/laws.h"

// A model in a program that answers requests: threads share it, and no row takes memory.

using namespace craton;
using namespace craton::laws;

namespace {

struct Served {
  std::int64_t allocations = 0;
  std::vector<std::int32_t> labels;
  std::vector<double> numbers = {};
  bool operator==(const Served&) const = default;
};

Served serve(const AnyModel& model, const Data& data) {
  const Abilities& able = model.info().abilities;
  RowWork work(model);
  std::vector<double> log_p(usize(model.classes()));
  Served served{0, std::vector<std::int32_t>(usize(data.rows)),
                std::vector<double>(usize(data.rows))};
  const std::int64_t before = allocations();
  for (Index i = 0; i < data.rows; ++i) {
    const std::span<const double> row(&data.x[usize(i * data.cols)], usize(data.cols));
    if (able.predict) served.labels[usize(i)] = model.predict_row(row, work);
    if (able.predict_log_proba) model.predict_log_proba_row(row, work, log_p);
    if (able.score_samples) model.score_row(row, work);
    if (able.predict_numbers) served.numbers[usize(i)] = model.predict_number_row(row, work);
  }
  served.allocations = allocations() - before;
  return served;
}

}  // namespace

TEST_CASE("allocations are counted") {
  const Data data = groups(100, 3, 1);
  const Fitted fitted = fit(find_model("gmm"), data);
  std::vector<std::int32_t> labels(100);
  MemorySource x = data.source();
  const std::int64_t before = allocations();
  fitted.model->predict(x, labels, {.threads = 1});
  CHECK(allocations() > before);
}

TEST_CASE("a row is made into terms without memory") {
  Data data = groups(200, 3, 3);
  for (std::size_t i = 0; i < data.x.size(); i += 3) data.x[i] = static_cast<double>(i % 5);
  Schema schema = numbered_schema(3);
  schema.columns[0].kind = ColumnKind::kCategory;
  schema.columns[0].levels = {"a", "b", "c", "d", "e"};
  MemorySource x({.x = Dense<double>{data.x.data(), 200, 3, 3}}, schema);
  Steps steps;
  steps.add(std::make_unique<Preparation>(
      Preparation::learn(x, {.scale = PreparationOptions::Scale::kStandard}, {})));
  const auto design = Design::learn(*steps.over(x), {.terms = "., 1:2, 1:3^2"}, {}, {});
  REQUIRE(design.has_value());
  steps.add(std::make_unique<Design>(*design));
  std::vector<double> work(usize(steps.row_room(design->outputs())));
  const std::int64_t before = allocations();
  double sum = 0;
  for (Index i = 0; i < 200; ++i) {
    sum += *steps.do_row(&data.x[usize(i * 3)], design->outputs(), work.data());
  }
  CHECK(allocations() == before);
  CHECK(std::isfinite(sum));
}

TEST_CASE("a row takes no memory, of the models that say so") {
  Index checked = 0, prepared = 0;
  for_every_model([&](const ModelInfo& model) {
    if (!model.abilities.rows) return;
    ++checked;
    const Data data = groups(model, 300, 5, 2);
    const Fitted fitted = fit(model, data);
    CHECK(serve(*fitted.model, data).allocations == 0);
    std::vector<NamedOption> options = small_options(model);
    options.emplace_back("fill", "most_frequent");
    options.emplace_back("scale", "max_abs");  // never below 0, and codes stay few
    MemorySource x = data.source();
    try {
      const Fitted scaled = model.fit(x, options, {});
      CHECK(serve(*scaled.model, data).allocations == 0);
      ++prepared;
    } catch (const InputError&) {  // its columns cannot be scaled: codes
    }
  });
  CHECK(checked >= 14);
  CHECK(prepared >= 12);
}

TEST_CASE("a row takes no memory where kernels lie about the values of columns, many or few") {
  for (const char* name : {"nb", "density"}) {
    for (const Index rows : {60, 4000}) {  // sums one by one, and over cells
      const ModelInfo& model = find_model(name);
      const Data data = groups(model, rows, 3, 4);
      MemorySource x = data.source();
      const Fitted fitted = model.fit(x, parse_options(model.options(), "family=kde"), {});
      CHECK(serve(*fitted.model, data).allocations == 0);
    }
  }
}

TEST_CASE("a text takes no memory once longer ones were read") {
  TextArray texts;
  std::vector<std::int32_t> labels;
  for (Index i = 0; i < 60; ++i) {
    std::string text = i % 2 == 0 ? "cats and " : "stars or ";
    for (Index word = 0; word < 60 - i; ++word) text += std::to_string(100 + word * i % 31) + " ";
    texts.add(text);
    labels.push_back(static_cast<std::int32_t>(i % 2));
  }
  Schema schema{.columns = {}, .target = Column{"kind", ColumnKind::kCategory, {"cat", "star"}}};
  schema.texts.push_back({"body", ColumnKind::kText});
  MemorySource x({.x = Dense<double>{nullptr, 60, 0, 0}, .labels = labels, .texts = {texts.view()}},
                 schema);
  for (const char* name : {"multinomial-nb", "bernoulli-nb", "complement-nb", "logistic"}) {
    CAPTURE(name);
    for (const Index hashed : {0, 64}) {
      const std::vector<NamedOption> options{
          {"ngram_max", Index{2}}, {"hashed", hashed}, {"alternate_sign", false}};
      const Fitted fitted = find_model(name).fit(x, options, {});
      RowWork work(*fitted.model);
      std::vector<double> log_p(2);
      std::int64_t before = 0;
      for (const int pass : {1, 2}) {
        before = allocations();
        for (Index i = 0; i < texts.rows(); ++i) {
          fitted.model->predict_text(texts.view()[i], work);
          fitted.model->predict_log_proba_text(texts.view()[i], work, log_p);
        }
        if (pass == 2) CHECK(allocations() == before);
      }
    }
  }
}

TEST_CASE("threads share a model, and all get the same answers") {
  for_every_model([](const ModelInfo& model) {
    if (!model.abilities.rows) return;
    const Data data = groups(model, 300, 4, 3);
    const Fitted fitted = fit(model, data);
    const Served alone = serve(*fitted.model, data);
    std::vector<Served> served(8);
    {
      std::vector<std::jthread> threads;
      for (Served& one : served) {
        threads.emplace_back([&] { one = serve(*fitted.model, data); });
      }
    }
    for (const Served& one : served) CHECK(one == alone);
  });
}
