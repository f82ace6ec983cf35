#include "craton/base/schema.h"

#include <doctest/doctest.h>

namespace craton {

TEST_CASE("columns without a header are numbered from 1") {
  const Schema schema = numbered_schema(3);
  CHECK(schema.names() == std::vector<std::string>{"1", "2", "3"});
  CHECK(schema.columns[0].kind == ColumnKind::kNumber);
  CHECK(numbered_schema(0).size() == 0);
}

TEST_CASE("a column is found by its name") {
  Schema schema = numbered_schema(2);
  schema.columns[1].name = "waiting";
  CHECK(schema.find("waiting") == 1);
  CHECK(schema.find("2") == -1);
  CHECK(schema.name(1) == "waiting");
}

TEST_CASE("of two columns with one name the first is found") {
  Schema schema = numbered_schema(2);
  schema.columns[1].name = "1";
  CHECK(schema.find("1") == 0);
}

TEST_CASE("schemas are equal when names, kinds and levels are") {
  Schema schema = numbered_schema(1);
  CHECK(schema == numbered_schema(1));
  schema.columns[0].kind = ColumnKind::kCategory;
  CHECK(schema != numbered_schema(1));
  Schema other = schema;
  other.columns[0].levels = {"red"};
  CHECK(schema != other);
}

}  // namespace craton
