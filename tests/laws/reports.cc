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
    const std::string html = to_html(page);
    CHECK(html.find(">nan<") == html.npos);
    CHECK(html == to_html(report_model(fitted, x, {"m.craton", "rows.csv"}, {.threads = 7})));
  });
}
