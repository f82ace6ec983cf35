#include "craton/report/table_facts.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/io/csv.h"
#include "craton/report/next_commands.h"

namespace craton {
namespace {

TableFacts facts_of(const std::string& text, const std::string& target = "") {
  const Table table = parse_csv(text, "t.csv");
  MemorySource source = table.source();
  return find_table_facts(source, {.target = target}, {});
}

// A column x of these, then of numbers from 0 to 96, 97 times each.
std::string beside(const std::vector<std::string>& odd) {
  std::string text = "x\n";
  for (const std::string& cell : odd) text += cell + "\n";
  for (int i = 0; i < 97 * 97; ++i) text += std::to_string(i * 31 % 97 + 20) + "\n";
  return text;
}

std::vector<std::string> suspicious_in(const std::string& text) {
  std::vector<std::string> values;
  for (const TableFacts::Cell& of : facts_of(text).suspicious) values.push_back(of.cell.value);
  return values;
}

using Values = std::vector<std::string>;

TEST_CASE("nines, -1 and 0 that stand apart are suspicious, and where they are is told") {
  CHECK(suspicious_in(beside({"999"})) == Values{"999"});
  CHECK(suspicious_in(beside({"-99", "999.9"})) == Values{"-99", "999.9"});
  CHECK(suspicious_in(beside({"-999", "-99"})) == Values{"-999", "-99"});
  const TableFacts facts = facts_of(beside({"50", "999", "51", "999"}));
  REQUIRE(facts.suspicious.size() == 1);
  CHECK(facts.suspicious[0].row == 1);
  CHECK(facts.suspicious[0].cell.rows == 2);
  CHECK(suspicious_in(beside({"118", "119"})).empty());
}

TEST_CASE("a code is told by how often it stands where the values beside it are rare") {
  std::string ages = "age\n";
  for (int i = 0; i < 400; ++i) ages += std::to_string(20 + i % 60) + "\n";
  for (int age = 81; age < 95; ++age) ages += std::to_string(age) + "\n";
  CHECK(suspicious_in(ages).empty());
  for (int i = 0; i < 12; ++i) ages += "99\n";
  CHECK(suspicious_in(ages) == Values{"99"});
}

TEST_CASE("an impossible age is suspicious, the tail of a skewed column is not") {
  std::string text = "age,income\n";
  for (int i = 1; i < 500; ++i) {
    const double u = i / 500.0;
    text +=
        std::to_string(20 + i % 60) + "," + std::to_string(std::exp(std::log(u / (1 - u)))) + "\n";
  }
  CHECK(suspicious_in(text).empty());
  CHECK(suspicious_in(text + "233,1\n") == Values{"233"});
}

TEST_CASE("words that differ by capitals or blanks, and words for missing, are suspicious") {
  std::string text = "x,sex,hair\n";
  for (int i = 0; i < 10; ++i) text += std::to_string(i) + ",Male,red\n";
  text += "1,male,light brown\n2,Male,Light_Brown\n3,Male,unknown\n4,Female,light brown\n";
  CHECK(suspicious_in(text) == Values{"male", "unknown", "Light_Brown"});
}

TEST_CASE("correlations are told from a half on, if chance would not make them") {
  std::string text = "a,b,c\n";
  for (int i = 0; i < 60; ++i) {
    text +=
        std::to_string(i) + "," + std::to_string(i * i * i) + "," + std::to_string(i % 2) + "\n";
  }
  const TableFacts facts = facts_of(text);
  REQUIRE(facts.correlations.size() == 1);
  CHECK(facts.correlations[0].b == 1);
  CHECK(facts.correlations[0].spearman == doctest::Approx(1));
  CHECK(facts_of("a,b\n1,2\n2,1\n4,3\n5,5\n").correlations.empty());
}

TEST_CASE("bars are as high as they hold rows, and none is told from few") {
  CHECK(bars_of(std::vector<Index>{8000, 4000, 1, 0}) == "█▄▁·");
  CHECK(bars_of({}).empty());
}

TEST_CASE("commands that follow name the file and the columns as a shell takes them") {
  std::string text = "nr,it's,y\n";
  for (int i = 0; i < 15; ++i) text += std::to_string(i) + "," + std::to_string(i % 3) + ",1.5\n";
  const TableFacts facts = facts_of(text + "15,2,3\n", "it's");
  CHECK(next_commands(facts, "my data.csv") ==
        std::vector<std::string>{
            "craton cv nb 'my data.csv' --drop nr --target 'it'\\''s'",
            "craton fit nb 'my data.csv' --drop nr --target 'it'\\''s' -o model.craton"});
}

TEST_CASE("tables have what there is to tell") {
  const TableFacts facts = facts_of("k,x\na,1\nb,2\na,5\nb,\n", "k");
  std::vector<std::string> names;
  for (const ResultTable& table : tables_of(facts)) names.push_back(table.name);
  CHECK(names == std::vector<std::string>{"numbers", "categories", "classes"});
}

}  // namespace
}  // namespace craton
