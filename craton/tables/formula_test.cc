#include "craton/tables/formula.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/refused.h"

namespace craton::formula_test {
namespace {

Schema schema() {
  Schema schema;
  for (const char* name : {"age", "bmi", "hours-per-week", "body mass", "a+b", "größe"}) {
    schema.columns.push_back({.name = name});
  }
  schema.columns.push_back({"sex", ColumnKind::kCategory, {"female", "male"}});
  schema.columns.push_back({"race", ColumnKind::kCategory, {"black, other", "white"}});
  return schema;
}

// "age^2 sex:age", as the parser understood it.
std::string parsed(std::string_view text, const Schema& of = schema()) {
  std::string result;
  for (const ColumnProduct& term : parse_terms(text, of)) {
    std::string product;
    for (const ColumnPower& factor : term) {
      product += (product.empty() ? "" : ":") + of.name(factor.column);
      if (factor.power > 1) product += "^" + std::to_string(factor.power);
    }
    result += (result.empty() ? "" : " ") + product;
  }
  return result;
}

TEST_CASE("terms are products of columns and powers") {
  CHECK(parsed("age") == "age");
  CHECK(parsed("age, age^2, sex:age") == "age age^2 sex:age");
  CHECK(parsed(" age+bmi ") == "age bmi");
  CHECK(parsed("age * sex") == "age sex age:sex");
  CHECK(parsed("age * bmi * sex") == "age bmi age:bmi sex age:sex bmi:sex age:bmi:sex");
  CHECK(parsed("age:age") == "age^2");
  CHECK(parsed("age^2:age:sex:sex") == "age^3:sex");
  CHECK(parsed("(age + bmi):sex") == "age:sex bmi:sex");
  CHECK(parsed("(age + bmi + sex)^2") == "age bmi sex age:bmi age:sex bmi:sex");
  CHECK(parsed("age*sex:race") == "age sex:race age:sex:race");
}

TEST_CASE("a term counts once, in whatever order it is written") {
  CHECK(parsed("age, sex:age, age:sex, age") == "age sex:age");
  CHECK(parsed("sex:age - age:sex + bmi") == "bmi");
}

TEST_CASE("a dot is every column, and a hyphen takes terms away") {
  Schema two;
  two.columns = {{.name = "x"}, {.name = "y"}};
  CHECK(parsed(".", two) == "x y");
  CHECK(parsed("y, .", two) == "y x");
  CHECK(parsed("., x^2", two) == "x y x^2");
  CHECK(parsed(".^2", two) == "x y x:y");
  CHECK(parsed(". - x", two) == "y");
  CHECK(parsed("x*y - x - y", two) == "x:y");
  CHECK(parsed("2, 1^2", {.columns = {}, .unnamed = 2}) == "2 1^2");
}

TEST_CASE("names have hyphens and blanks, and quotes where they have more") {
  CHECK(parsed("hours-per-week, body mass^2") == "hours-per-week body mass^2");
  CHECK(parsed("'a+b':age") == "a+b:age");
  CHECK(parsed("`a+b`, \"age\"") == "a+b age");
  CHECK(parsed("größe:age") == "größe:age");
}

TEST_CASE("what is wrong is said, and at which character") {
  const auto refused = [](std::string_view text, std::string_view part,
                          Code code = Code::kBadOption) {
    CAPTURE(text);
    check_refused([&] { parse_terms(text, schema()); }, code, -1, part);
  };
  refused("age, agee^2", "no column 'agee', at character 6", Code::kUnknownName);
  refused("age, agee^2", "did you mean 'age'?", Code::kUnknownName);
  refused("größe, nix", "at character 8", Code::kUnknownName);  // letters, not bytes
  refused("", "'.' for all columns");
  refused("age,", "a term is missing, at character 5");
  refused("age,,sex", "a term is missing before ','");
  refused(":age", "a term is missing before ':'");
  refused("age^", "power cannot be taken, at character 5");
  refused("age^0", "from 1 to 16");
  refused("age^17", "from 1 to 16");
  refused("age^1.5", "whole number");
  refused("age^99999999999999999999", "whole number");
  refused("age^9:age^9", "too high");
  refused("sex^2", "no powers");
  refused("(age + bmi", "not closed, at character 1");
  refused("age)", "')' is not expected");
  refused("'age", "quote");
  refused("log(age)", "functions of columns");
  refused("age 'bmi'", "no column", Code::kUnknownName);
  refused("'age' bmi", "not expected");
  refused("y ~ age", "right of '~'", Code::kUnknownName);
  refused("0 + age", "intercept", Code::kUnknownName);
  refused("age - bmi", "is not there");
  refused("age - age", "no term is left");
  refused(std::string(100, '('), "too many brackets");
}

TEST_CASE("there is an end to what terms may be") {
  Schema wide;
  for (int j = 0; j < 400; ++j) wide.columns.push_back({.name = "x" + std::to_string(j)});
  check_refused([&] { parse_terms(".^2", wide); }, Code::kBadOption, -1, "more than 65536 terms");
  check_refused([&] { parse_terms("x1:x2:x3:x4:x5:x6:x7:x8:x9", wide); }, Code::kBadOption, -1,
                "too many columns");
}

TEST_CASE("levels are named by column") {
  const auto of = [](std::string_view text) { return parse_levels(text, schema()); };
  CHECK(of("").empty());
  REQUIRE(of("sex=male, race='black, other'").size() == 2);
  CHECK(of(" sex = male ")[0].code == 1);
  CHECK(of("sex=male, race='black, other'")[1].code == 0);
  const auto refused = [&](std::string_view text, std::string_view part, Code code) {
    CAPTURE(text);
    check_refused([&] { of(text); }, code, -1, part);
  };
  refused("sex=mal", "did you mean 'male'?", Code::kUnknownName);
  refused("sex=mal", "at character 5", Code::kUnknownName);
  refused("sec=male", "did you mean 'sex'?", Code::kUnknownName);
  refused("sex", "'=' and a level are missing", Code::kBadOption);
  refused("age=3", "has numbers", Code::kBadOption);
  refused("sex='male' race=white", "a comma is missing", Code::kBadOption);
}

}  // namespace
}  // namespace craton::formula_test
