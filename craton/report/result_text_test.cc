#include "craton/report/result_text.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "craton/base/error.h"

namespace craton {
namespace {

using Form = Digits::Form;

ResultTable fish() {
  ResultTable table{"means", "means (standard deviations)"};
  table.add_count("component", 2);
  table.add_numbers("weight", {0.25, 0.75}, {4, Form::kDecimals});
  table.add_means("length", 0, {30.123456, -2}, {0.5, 1e-3});
  return table;
}

std::vector<std::string> column_of(ResultColumn column) {
  ResultTable table{"t", "t", {std::move(column)}};
  std::vector<std::string> cells;
  for (const auto& row : cells_of(table).rows) cells.push_back(row[0]);
  return cells;
}

}  // namespace

TEST_CASE("deviations stand in brackets behind what they are of") {
  CHECK(format(fish()) ==
        "means (standard deviations)\n"
        "  component  weight       length\n"
        "          0  0.2500  30.12 (0.5)\n"
        "          1  0.7500   -2 (0.001)\n");
}

TEST_CASE("numbers have the digits that their column asks for") {
  using Cells = std::vector<std::string>;
  const ResultColumn::Numbers numbers{1, 0.123456789, 1234567.5};
  CHECK(column_of({"", numbers, {4}}) == Cells{"1", "0.1235", "1235000"});
  CHECK(column_of({"", numbers, {2, Form::kDecimals}}) == Cells{"1.00", "0.12", "1234567.50"});
  CHECK(column_of({"", numbers, {2, Form::kDecimalsIfAny}}) == Cells{"1", "0.12", "1234567.50"});
  CHECK(column_of({"", ResultColumn::Numbers{1e9, 1e9 + 0.5}, {3, Form::kApart}}) ==
        Cells{"1000000000", "1000000000.5"});
  CHECK(column_of({"", numbers, {2, Form::kDecimals}, "%"})[0] == "1.00 %");
}

TEST_CASE("where there is no number there is nothing") {
  ResultTable table{"t", "t"};
  table.add_words("who", {"a", "b", "c"});
  table.add_numbers("how much", {NAN, 1.5, INFINITY});
  CHECK(format(table) ==
        "t\n"
        "  who  how much\n"
        "  a\n"
        "  b    1.5\n"
        "  c    inf\n");
  CHECK(to_csv(table) == "who,how much\na,\nb,1.5\nc,inf\n");
  CHECK(write_json(to_json(table)).find("[null,1.5,null]") != std::string::npos);
  table.columns.pop_back();
  table.add_means("m", 0, {1, 2, NAN}, {NAN, 0.5, 0.5});
  CHECK(cells_of(table).rows ==
        std::vector<std::vector<std::string>>{{"a", "1"}, {"b", "2 (0.5)"}, {"c", ""}});
}

TEST_CASE("programs have all digits, and a column for the deviations") {
  CHECK(to_csv(fish()) ==
        "component,weight,length,length_std\n"
        "0,0.25,30.123456,0.5\n"
        "1,0.75,-2,0.001\n");
  const std::string json = write_json(to_json(fish()));
  CHECK(json.starts_with(R"json({"name":"means","title":"means (standard deviations)",)json"));
  CHECK(json.find(R"({"name":"component","values":[0,1]})") != std::string::npos);
  CHECK(json.find(R"({"name":"length_std","values":[0.5,0.001]})") != std::string::npos);
}

TEST_CASE("units are in the text, in the header of CSV, and in JSON") {
  ResultTable table{"axes", "axes"};
  table.add_numbers("explained", {75}, {2, Form::kDecimals}).unit = "%";
  CHECK(format(table) == "axes\n  explained\n    75.00 %\n");
  CHECK(to_csv(table) == "explained (%)\n75\n");
  CHECK(write_json(to_json(table)).find(R"("unit":"%")") != std::string::npos);
}

TEST_CASE("names that are there twice, or not at all, are told apart for programs") {
  ResultTable table{"t", "t"};
  for (const char* name : {"", "weight", "weight", "weight_2", ""}) table.add_words(name, {"a"});
  CHECK(column_names(table) ==
        std::vector<std::string>{"name", "weight", "weight_2", "weight_2_2", "name_2"});
  CHECK(cells_of(table).header[2] == "weight");  // a person sees where it stands
  table.columns.clear();
  table.add_words("weight", {"a"});
  table.add_means("weight", 0, {1}, {0.5});
  CHECK(column_names(table) == std::vector<std::string>{"weight", "weight_2", "weight_2_std"});
}

TEST_CASE("names and words are shown, not obeyed") {
  ResultTable table{"t", "\x1b[2J"};
  table.add_words("a\nb", {"\x1b[31m", "größe, \"x\""});
  table.add_words("n", {"1", "2"});
  CHECK(format(table) ==
        "\\x1b[2J\n"
        "  a\\nb        n\n"
        "  \\x1b[31m    1\n"
        "  größe, \"x\"  2\n");
  CHECK(to_csv(table) == "\"a\nb\",n\n\x1b[31m,1\n\"größe, \"\"x\"\"\",2\n");
  CHECK(write_json(to_json(table)).find('\x1b') == std::string::npos);
}

TEST_CASE("what does not fit is counted") {
  ResultTable table{"t", ""};
  table.add_count("row", 53);
  for (int j = 0; j < 30; ++j) table.add_numbers("column", ResultColumn::Numbers(53, j));
  const std::string text = format(table, "elsewhere");
  CHECK(text.ends_with("  ... and 3 more rows\n  ... and 19 more columns\n  (elsewhere)\n"));
  CHECK(text.find("\n   49  ") != std::string::npos);
  CHECK(text.find("\n   50  ") == std::string::npos);
  CHECK(std::ssize(cells_of(table, 7).rows) == 7);
}

TEST_CASE("a last column of words is shown, however wide") {
  ResultTable table{"t", ""};
  for (const char* name : {"a", "b", "c"}) table.add_words(name, {std::string(60, 'w')});
  CHECK(format(table).find("more column") == std::string::npos);
  table.add_words("d", {"x"});
  CHECK(format(table).find("more column") != std::string::npos);  // c is not the last any more
}

TEST_CASE("text has the first features where there are many, and says so") {
  ResultTable table{.name = "means", .title = "means", .features_shown = 2};
  table.add_words("class", {"a"});
  for (Index j = 0; j < 3; ++j) table.add_means("x" + std::to_string(j), j, {1}, {0.5});
  CHECK(format(table) ==
        "means of the first 2 of 3 features\n"
        "  class       x0       x1\n"
        "  a      1 (0.5)  1 (0.5)\n");
  CHECK(csv_header(table) == "class,x0,x0_std,x1,x1_std,x2,x2_std");
  table.features_shown = 3;
  CHECK(format(table).starts_with("means\n"));
}

TEST_CASE("a table is found by name, or its neighbours are named") {
  const std::vector<ResultTable> tables{fish(), {"axes", "axes"}};
  CHECK(&find_table(tables, "axes") == &tables[1]);
  try {
    find_table(tables, "mean");
    FAIL("found");
  } catch (const InputError& error) {
    CHECK(error.code() == Code::kUnknownName);
    CHECK(std::string(error.what()) ==
          "the model has no table 'mean'\n  did you mean 'means'? The tables are: means, axes.");
  }
}

TEST_CASE("a table without rows is its header") {
  ResultTable table{"t", "t"};
  table.add_words("a", {});
  table.add_numbers("b", {});
  CHECK(format(table) == "t\n  a  b\n");
  CHECK(to_csv(table) == "a,b\n");
}

}  // namespace craton
