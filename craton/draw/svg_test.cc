#include "craton/draw/svg.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/well_formed.h"

namespace craton {
namespace {

using tests::xml_problem;

TEST_CASE("the checker of these tests sees what is wrong") {
  CHECK(xml_problem("<a b=\"1\"><c/>x &amp; y</a>\n") == "");
  for (const char* text : {"", "<a>", "<a></b>", "</a>", "<a/><b/>", "<a b=1/>", "<a b=\"<\"/>",
                           "<a>&</a>", "<a>\x01</a>", "x<a/>", "<a b=\"1\" b=\"2\"/>", "<a"}) {
    CAPTURE(text);
    CHECK(xml_problem(text) != "");
  }
}

TEST_CASE("numbers have two decimals at most") {
  CHECK(svg_number(0) == "0");
  CHECK(svg_number(-0.001) == "0");
  CHECK(svg_number(12.5) == "12.5");
  CHECK(svg_number(1.0 / 3) == "0.33");
  CHECK(svg_number(100) == "100");
  CHECK_THROWS(svg_number(std::nan("")));
}

TEST_CASE("text and attributes are data") {
  Svg svg(10, 10, "</title><script>");
  svg.add("rect", {{"fill", "\"/><script>"}});
  svg.text(1, 2, "</svg><script>alert('&amp;')</script>\x01\xff");
  const std::string text = svg.finish();
  CHECK(xml_problem(text) == "");
  CHECK(text.find("<script") == std::string::npos);
  CHECK(text.find("&lt;/svg&gt;&lt;script&gt;alert('&amp;amp;')") != std::string::npos);
}

TEST_CASE("finish closes what is open") {
  Svg svg(10, 10, "");
  svg.open("g", {});
  svg.open("g", {{"fill", "none"}});
  CHECK(xml_problem(svg.finish()) == "");
}

}  // namespace
}  // namespace craton
