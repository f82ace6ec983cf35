#include "craton/base/error.h"
#include "craton/report/pages/report.h"
#include "tests/laws/laws.h"
#include "tests/well_formed.h"

// What every model says on a page.

using namespace craton;
using namespace craton::laws;

namespace {

const Page::Section* section_of(const Page& page, std::string_view title) {
  const auto found = std::ranges::find(page.sections, title, &Page::Section::title);
  return found == page.sections.end() ? nullptr : &*found;
}

template <class B>
Index count_blocks(const Page::Section& section) {
  return std::ranges::count_if(section.blocks,
                               [](const Page::Block& b) { return std::holds_alternative<B>(b); });
}

}  // namespace

TEST_CASE("every model has a page: what it is, what it learned, pictures, how to use it") {
  for_every_model([](const ModelInfo& model) {
    const Data data = groups(model, 120, 3, 71);
    MemorySource x = data.source();
    const Fitted fitted = fit(model, data);
    const Page page = report_model(fitted, x, {"m.craton", "rows.csv"}, {});
    CHECK(page.title.find(model.name) != page.title.npos);
    const Abilities& able = model.abilities;
    for (const char* title : {"In short", "The model", "Pictures", "How to use it"}) {
      CAPTURE(std::string(title));
      REQUIRE(section_of(page, title) != nullptr);
      CHECK_FALSE(section_of(page, title)->blocks.empty());
    }
    CHECK(count_blocks<Page::Table>(*section_of(page, "The model")) >= 1);
    CHECK(count_blocks<Page::Picture>(*section_of(page, "Pictures")) >= 1);
    const bool truth = able.labels || able.some_labels || able.numbers;
    CHECK((section_of(page, "Mistakes") != nullptr) == truth);
    View untold(x);
    untold.unlabel();
    const Page without = report_model(fitted, untold, {}, {});
    CHECK(section_of(without, "Mistakes") == nullptr);
    CHECK(count_blocks<Page::Table>(*section_of(without, "The model")) >= 1);
    const std::string html = to_html(page);
    CHECK(html.find(">nan<") == html.npos);
    CHECK(html == to_html(report_model(fitted, x, {"m.craton", "rows.csv"}, {.threads = 7})));
  });
}

namespace {

// 90 rows in three groups, with a word, a number, and a column that misses values.
OpenedTable opened_table() {
  const Data data = groups(90, 3, 72);
  Table table{.schema = numbered_schema(3), .x = {{90, 5}, {}}, .name = "folder/rows.csv"};
  table.schema.columns.push_back({"kind", ColumnKind::kCategory, {"a", "b", "c"}});
  table.schema.columns.push_back({"size"});
  for (Index i = 0; i < 90; ++i) {
    double sum = 0;
    for (Index j = 0; j < 3; ++j) {
      const double value = data.x[usize(i * 3 + j)];
      table.x.values.push_back(i % 10 == j ? std::nan("") : value);
      sum += value;
    }
    table.x.values.push_back(data.labels[usize(i)] % 3);
    table.x.values.push_back(sum + static_cast<double>(i % 7) / 16);
  }
  return opened("CSV", std::move(table));
}

TableReport report_of(const std::string& target, int threads) {
  ReportQuestion question{.files = {"", "rows.csv"}};
  question.roles.target = target;
  return report_table(opened_table(), question, {.threads = threads},
                      [](Index, Index, const std::string&) {});
}

}  // namespace

TEST_CASE("a table has a page, with a target of words, of numbers, or none, on any threads") {
  for (const std::string target : {"kind", "size", ""}) {
    CAPTURE(target);
    const TableReport report = report_of(target, 1);
    for (const char* title : {"In short", "The table", "Pictures", "Rows to check"}) {
      CAPTURE(std::string(title));
      REQUIRE(section_of(report.page, title) != nullptr);
      CHECK_FALSE(section_of(report.page, title)->blocks.empty());
    }
    CHECK((section_of(report.page, "Models compared") != nullptr) == !target.empty());
    CHECK((section_of(report.page, "Mistakes on rows held out") != nullptr) == !target.empty());
    REQUIRE(report.model);
    CHECK(report.model->schema.target.has_value() == !target.empty());
    const std::string html = to_html(report.page);
    CHECK(html.find(">nan<") == html.npos);
    CHECK(html.find(digest(*report.model)) != html.npos);
    CHECK(html == to_html(report_of(target, 2).page));
    CHECK(html == to_html(report_of(target, 7).page));
  }
}

TEST_CASE("a model that cannot take the table is a line of its page, others are filled in") {
  ReportQuestion question;
  for (const char* name : {"nb", "linear-discriminant", "linear"}) {
    question.models.push_back({name, {.model = &find_model(name)}});
  }
  question.roles.target = "kind";
  const TableReport report =
      report_table(opened_table(), question, {}, [](Index, Index, const std::string&) {});
  const Page::Section& section = *section_of(report.page, "Models compared");
  const auto& failed = std::get<Page::Table>(section.blocks.back());
  REQUIRE(failed.table.name == "failed");
  CHECK(*failed.table.find("model")->words() == std::vector<std::string>{"linear"});
  CHECK(failed.table.find("why")->words()->at(0).find("numbers") != std::string::npos);
  const auto& models = std::get<Page::Table>(section.blocks.front());
  const auto& names = *models.table.find("model")->words();
  CHECK(std::ranges::find(names, "linear-discriminant") != names.end());
}

TEST_CASE("the metric that is asked for decides on a page") {
  ReportQuestion question{.compare = {.metrics = {"log-loss"}}};
  question.roles.target = "kind";
  const auto report = [&] {
    return report_table(opened_table(), question, {}, [](Index, Index, const std::string&) {});
  };
  const auto& models =
      std::get<Page::Table>(section_of(report().page, "Models compared")->blocks.front());
  CHECK(models.table.find("log-loss") != nullptr);
  CHECK(models.table.find("accuracy") == nullptr);
  question.compare.metrics = {"nonsense"};
  CHECK_THROWS_AS(report(), InputError);
}
