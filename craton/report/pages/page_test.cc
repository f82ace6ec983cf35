#include "craton/report/pages/page.h"

#include <doctest/doctest.h>

#include "tests/well_formed.h"

namespace craton::page_test {
namespace {

ResultTable table_of(Index rows) {
  ResultTable table{.name = "t", .title = "the <best> rows"};
  ResultColumn::Words words;
  ResultColumn::Numbers numbers;
  for (Index i = 0; i < rows; ++i) {
    words.push_back("w" + std::to_string(i));
    numbers.push_back(static_cast<double>(i) / 3);
  }
  table.add_words("who", words);
  table.add_numbers("third", numbers);
  return table;
}

std::string page_of(Page::Block block) {
  Page page{.title = "A & B", .subtitle = "of <c>"};
  page.add("First").blocks.push_back(std::move(block));
  page.add("Empty");
  return to_html(page);
}

TEST_CASE("what a person wrote stays text in a page") {
  const std::string hostile = "</script><img src=x onerror=alert(1)>\"'&\x01\xff";
  const std::string safe =
      "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;\xef\xbf\xbd\xef\xbf\xbd";
  CHECK(escaped_html(hostile) == safe);
  ResultTable table{.name = "t", .title = hostile};
  table.add_words(hostile, {hostile});
  for (const Page::Block& block :
       {Page::Block(Page::Words{hostile}), Page::Block(Page::Facts{{{hostile, hostile}}}),
        Page::Block(Page::Table{table}), Page::Block(Page::Table{.table = table, .folded = true}),
        Page::Block(Page::Picture{"<svg></svg>", hostile}), Page::Block(Page::Commands{hostile})}) {
    Page page{.title = hostile, .subtitle = hostile};
    page.add(hostile).blocks.push_back(block);
    const std::string html = to_html(page);
    CHECK(html.find("<img") == html.npos);
    CHECK(html.find(safe) != html.npos);
    CHECK(tests::count_of(html, "<script>") == 1);
    CHECK(tests::count_of(html, "</script>") == 1);
  }
}

TEST_CASE("a section without anything in it is left out") {
  const std::string html = page_of(Page::Words{"hello"});
  CHECK(html.find(">First</h2>") != html.npos);
  CHECK(html.find("Empty") == html.npos);
}

TEST_CASE("numbers keep all digits to sort by, and rows that are left out are counted") {
  const std::string html = page_of(Page::Table{.table = table_of(60), .most = 10});
  CHECK(html.find("<td class=\"n\" data-v=\"0.3333333333333333\">0.333333</td>") != html.npos);
  CHECK(tests::count_of(html, "<tr>") == 11);
  CHECK(html.find("and 50 rows more") != html.npos);
  CHECK(html.find("type=\"search\"") != html.npos);
  CHECK(page_of(Page::Table{table_of(3)}).find("type=\"search\"") == html.npos);
}

TEST_CASE("deviations stand in brackets, and the numbers beside them sort") {
  ResultTable table{.name = "t", .title = "t"};
  table.add_means("height", 0, {170.25}, {2.5});
  table.add_words("who", {"a"});
  const std::string html = page_of(Page::Table{table});
  CHECK(html.find("data-v=\"170.25\">170.2 (2.5)</td><td>a</td>") != html.npos);
}

TEST_CASE("two pictures of a page do not share names of parts") {
  Page page{.title = "p"};
  Page::Section& section = page.add("s");
  for (int i = 0; i < 2; ++i) {
    section.add(Page::Picture{
        "<?xml version=\"1.0\"?><svg><clipPath id=\"plot\"/><g clip-path=\"url(#plot)\"/></svg>"});
  }
  const std::string html = to_html(page);
  CHECK(html.find("<?xml") == html.npos);
  CHECK(tests::count_of(html, "id=\"plot\"") == 0);
  CHECK(tests::count_of(html, "id=\"p1-plot\"") == 1);
  CHECK(tests::count_of(html, "url(#p1-plot)") == 1);
  CHECK(tests::count_of(html, "id=\"p2-plot\"") == 1);
}

}  // namespace
}  // namespace craton::page_test
