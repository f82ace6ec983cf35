#include "craton/tables/bind_columns.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/refused.h"

namespace craton {
namespace {

const std::vector<double> kRow{0, 1, 2, 3};

MemorySource data_with(std::vector<Column> columns) {
  const Index cols = ssize(columns);
  return MemorySource({.x = Dense<double>{kRow.data(), 1, cols, cols}}, {std::move(columns)},
                      "new.csv");
}
Column number(const char* name) { return {name, ColumnKind::kNumber, {}}; }

std::vector<Index> columns_of(const Binding& binding) {
  std::vector<Index> columns;
  for (const auto& column : binding.selection.columns) columns.push_back(column.from);
  return columns;
}

TEST_CASE("columns are found by name in any order, and others are left out") {
  const Schema model{{number("a"), number("b")}};
  MemorySource data = data_with({number("w"), number("b"), number("x"), number("a")});
  const Binding binding = bind_columns(model, data, {{"w"}});
  CHECK(columns_of(binding) == std::vector<Index>{3, 1});
  REQUIRE(binding.notes.size() == 1);
  CHECK(binding.notes[0].text.plain().find("not fitted on: x") != std::string::npos);
}

TEST_CASE("a column that is missing is named, and why") {
  const Schema model{{number("height"), number("id")}};
  MemorySource data = data_with({number("hieght")});
  check_refused([&] { bind_columns(model, data); }, Code::kWrongColumns, -1,
                "did you mean 'hieght'?");
  MemorySource other = data_with({number("height")});
  const std::vector<Note> notes{
      {"ignored-column", {"ignored the {}, which counts", Ref::column("id")}}};
  check_refused([&] { bind_columns(model, other, {}, notes); }, Code::kWrongColumns, -1,
                "The reader ignored the column 'id'");
  MemorySource twice = data_with({number("height"), number("id"), number("height")});
  check_refused([&] { bind_columns(model, twice); }, Code::kDuplicateName, -1, "two columns");
}

TEST_CASE("without names columns are taken in their order, which is said") {
  MemorySource data = data_with(numbered_schema(2).columns);
  const Binding binding = bind_columns({{number("a"), number("b")}}, data);
  CHECK(columns_of(binding) == std::vector<Index>{0, 1});
  REQUIRE(binding.notes.size() == 1);
  CHECK(binding.notes[0].text == "columns are taken in their order, as they have no names");
  CHECK(bind_columns(numbered_schema(2), data).notes.empty());
}

TEST_CASE("columns without names are found where the file of the fit had them") {
  Schema model{{number("2"), number("3")}};
  model.target = Column{"1", ColumnKind::kCategory, {"F", "M"}};
  const Column words{"1", ColumnKind::kCategory, {"F", "I"}};
  MemorySource alike = data_with({words, number("2"), number("3"), number("4")});
  CHECK(columns_of(bind_columns(model, alike, {{"1"}})) == std::vector<Index>{1, 2});
  MemorySource unlabelled = data_with(numbered_schema(2).columns);
  const Binding by_order = bind_columns(model, unlabelled, {{"1"}});
  CHECK(columns_of(by_order) == std::vector<Index>{0, 1});
  REQUIRE(by_order.notes.size() == 1);
  CHECK(by_order.notes[0].code == "by-position");
  // Three numbers: neither the columns of the fit, whose first has words, nor its features alone.
  MemorySource neither = data_with(numbered_schema(3).columns);
  CHECK(columns_of(bind_columns(model, neither, {{"1"}})).size() == 3);  // which the model refuses
}

TEST_CASE("levels are those of the model, and one that it has not seen is missing and said") {
  const Schema model{{{"colour", ColumnKind::kCategory, {"blue", "red"}}}};
  MemorySource data = data_with({{"colour", ColumnKind::kCategory, {"green", "red"}}});
  const Binding binding = bind_columns(model, data);
  REQUIRE(binding.selection.columns.size() == 1);
  const std::vector<double>& codes = binding.selection.columns[0].codes;
  CHECK(std::isnan(codes[0]));
  CHECK(codes[1] == 1);
  REQUIRE(binding.notes.size() == 1);
  CHECK(binding.notes[0].text ==
        "took 1 level of the column 'colour' that the model has not seen for missing: 'green'");
  const Binding kept = bind_columns(model, data, {}, {}, UnseenLevels::kKept);
  CHECK(kept.notes.empty());
  CHECK(kept.selection.columns[0].codes == std::vector<double>{2, 1});
  CHECK(kept.selection.columns[0].levels == std::vector<std::string>{"blue", "red", "green"});
  MemorySource same = data_with({{"colour", ColumnKind::kCategory, {"blue", "red"}}});
  CHECK(bind_columns(model, same).selection.columns[0].codes.empty());
  MemorySource numbers = data_with({number("colour")});
  check_refused([&] { bind_columns(model, numbers); }, Code::kWrongColumns, -1,
                "--schema 'colour=category'");
}

}  // namespace
}  // namespace craton
