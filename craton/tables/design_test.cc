#include "craton/tables/design.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "craton/base/files.h"
#include "craton/io/open.h"
#include "craton/tables/preparation.h"
#include "craton/tables/view.h"
#include "tests/folder.h"
#include "tests/refused.h"

namespace craton::design_test {
namespace {

using Coding = DesignOptions::Coding;
using Unseen = DesignOptions::Unseen;

// A table that owns its rows.
struct Rows {
  Schema schema;
  std::vector<double> x;
  std::vector<double> weights = {};

  Index rows() const { return ssize(x) / schema.size(); }
  MemorySource source() const {
    return MemorySource(
        {.x = Dense<double>{x.data(), rows(), schema.size(), schema.size()}, .weights = weights},
        schema, "a.csv");
  }
};

Column category(const char* name, std::vector<std::string> levels) {
  return {name, ColumnKind::kCategory, std::move(levels)};
}

// age, sex, town: Ulm is the most frequent, nobody lives in Rom.
Rows people() {
  Rows rows;
  rows.schema.columns = {
      {.name = "age"}, category("sex", {"f", "m"}), category("town", {"Bonn", "Rom", "Ulm"})};
  rows.x = {30, 0, 0,  //
            40, 1, 2,  //
            50, 1, 2,  //
            20, 0, 2};
  return rows;
}

using Matrix2 = std::map<std::string, std::vector<double>>;  // columns by name

Matrix2 by_name(Source& rows) {
  const Array all = read_all(rows);
  Matrix2 result;
  for (Index j = 0; j < rows.shape().cols; ++j) {
    std::vector<double>& column = result[rows.schema().name(j)];
    for (Index i = 0; i < all.rows(); ++i) column.push_back(all.view().row(i)[j]);
  }
  return result;
}

Design learned(const Rows& rows, const DesignOptions& options = {},
               const Design::Setting& setting = {}) {
  MemorySource x = rows.source();
  return Design::learn(x, options, setting, {}).value();
}

Matrix2 made(const Rows& rows, const DesignOptions& options = {},
             const Design::Setting& setting = {}) {
  const Design design = learned(rows, options, setting);
  MemorySource x = rows.source();
  const auto terms = design.over(x);
  CHECK(terms->shape().cols == design.outputs());
  const Matrix2 result = by_name(*terms);
  CHECK(ssize(result) == design.outputs());  // names are different
  return result;
}

std::vector<std::string> names(const Rows& rows, const DesignOptions& options = {}) {
  return learned(rows, options).schema(rows.schema)->names();
}

TEST_CASE("designs are those of patsy and pandas") {
  std::ifstream file(CRATON_REFERENCE "/design.txt");
  const std::map<std::string, std::vector<std::string>> levels{
      {"sex", {"male", "female"}},
      {"race", {"white", "black", "other"}},
      {"job", {"none", "some"}}};
  Rows rows;
  std::vector<std::vector<double>> columns;
  std::string line;
  std::getline(file, line);
  REQUIRE(line == "rows");
  while (std::getline(file, line) && !line.starts_with("terms ")) {
    std::istringstream words(line);
    std::string name, word;
    words >> name;
    rows.schema.columns.push_back({.name = name});
    std::vector<double>& column = columns.emplace_back();
    if (levels.contains(name))
      rows.schema.columns.back() = {name, ColumnKind::kCategory, levels.at(name)};
    while (words >> word) {
      const auto& of = rows.schema.columns.back().levels;
      const auto at = std::find(of.begin(), of.end(), word) - of.begin();
      column.push_back(of.empty() ? std::strtod(word.c_str(), nullptr) : static_cast<double>(at));
    }
  }
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    for (const auto& column : columns) rows.x.push_back(column[i]);
  }
  int designs = 0;
  while (file) {
    std::istringstream words(line);
    std::string terms, coding;
    int intercept = 0;
    words >> terms >> coding >> intercept;
    std::getline(words >> std::ws, terms);
    CAPTURE(line);
    Matrix2 expected;
    while (std::getline(file, line) && !line.starts_with("terms ")) {
      std::istringstream numbers(line);
      std::string name;
      numbers >> name;
      for (double v; numbers >> v;) expected[name].push_back(v);
    }
    const DesignOptions options{
        .terms = terms,
        .coding = coding == "one_hot" ? Coding::kOneHot : Coding::kReference,
        .reference = "sex=male, race=white, job=none"};
    CHECK(made(rows, options, {.intercept = intercept == 1}) == expected);
    ++designs;
  }
  CHECK(designs == 34);
}

TEST_CASE("the most frequent level is the reference, the first of equals, or the one named") {
  const Rows rows = people();
  CHECK(names(rows) == std::vector<std::string>{"age", "sex=m", "town=Bonn"});
  CHECK(names(rows, {.reference = "sex=m, town=Bonn"}) ==
        std::vector<std::string>{"age", "sex=f", "town=Ulm"});
  Rows heavy = people();
  heavy.weights = {5, 1, 1, 1};
  CHECK(names(heavy) == std::vector<std::string>{"age", "sex=m", "town=Ulm"});
  check_refused([&] { names(rows, {.reference = "town=Rom"}); }, Code::kBadOption, -1,
                "no row has the level 'Rom'");
  check_refused([&] { names(rows, {.reference = "town=Berlin"}); }, Code::kUnknownName, -1,
                "no level 'Berlin'");
}

TEST_CASE("levels without rows have no column, nor have those of rows without weight") {
  CHECK(names(people(), {.coding = Coding::kOneHot}) ==
        std::vector<std::string>{"age", "sex=f", "sex=m", "town=Bonn", "town=Ulm"});
  Rows light = people();
  light.weights = {0, 1, 1, 1};
  CHECK(names(light, {.coding = Coding::kOneHot}) ==
        std::vector<std::string>{"age", "sex=f", "sex=m", "town=Ulm"});
  CHECK(names(light) == std::vector<std::string>{"age", "sex=f"});  // town says nothing
}

TEST_CASE("numbers alone are not touched, unless terms ask for it") {
  Rows rows;
  rows.schema = numbered_schema(2);
  rows.x = {1, 2, 3, 4};
  MemorySource x = rows.source();
  CHECK_FALSE(Design::learn(x, {}, {}, {}).has_value());
  CHECK_FALSE(Design::learn(x, {.terms = "1, 2"}, {}, {}).has_value());
  CHECK(made(rows, {.terms = "2, 1:2"}) == Matrix2{{"2", {2, 4}}, {"1:2", {2, 12}}});
  MemorySource none({.x = Dense<double>{nullptr, 0, 3, 3}}, people().schema);
  CHECK_FALSE(Design::learn(none, {}, {}, {}).has_value());
}

TEST_CASE("a level that was not seen is refused, or what the option says") {
  const Rows rows = people();
  Rows fresh = people();
  fresh.schema.columns[2].levels.push_back("Paris");
  fresh.x = {25, 1, 0,  //
             35, 0, 3};
  const auto of_fresh = [&](const DesignOptions& options, const Design::Setting& setting = {}) {
    const Design design = learned(rows, options, setting);
    MemorySource x = fresh.source();
    const Matrix2 result = by_name(*design.over(x));
    std::vector<double> gathered(usize(design.outputs())), row(gathered.size());
    design.over(x)->gather(std::vector<Index>{1}, gathered);
    design.do_row(&fresh.x[3], 3, row.data());
    CHECK(gathered == row);
    return result;
  };
  check_refused([&] { of_fresh({}); }, Code::kUnseenLevel, -1,
                "column 'town': no row of the fit had the level 'Paris'");
  CHECK(of_fresh({.unseen = Unseen::kReference}).at("town=Bonn") == std::vector<double>{1, 0});
  CHECK(of_fresh({.terms = "town:age", .unseen = Unseen::kReference}).at("town=Ulm:age") ==
        std::vector<double>{0, 35});
  const Matrix2 one_hot = of_fresh({.coding = Coding::kOneHot, .unseen = Unseen::kReference});
  CHECK(one_hot.at("town=Bonn") == std::vector<double>{1, 0});
  CHECK(one_hot.at("town=Ulm") == std::vector<double>{0, 0});
  check_refused([&] { of_fresh({.unseen = Unseen::kMissing}); }, Code::kNotFinite, -1, "missing");
  const std::vector<double> fill{35, 0, 0};  // Bonn
  CHECK(of_fresh({.unseen = Unseen::kMissing}, {.fill = fill}).at("town=Bonn") ==
        std::vector<double>{1, 1});
  fresh.x[5] = 1;  // Rom, which no row had
  check_refused([&] { of_fresh({}); }, Code::kUnseenLevel, -1, "'Rom'");
  fresh.x[5] = 0.5;
  check_refused([&] { of_fresh({}); }, Code::kUnseenLevel, -1, "'0.5'");
  fresh.x[5] = -1;
  check_refused([&] { of_fresh({}); }, Code::kUnseenLevel, -1, "'-1'");
  fresh.x[5] = 1e300;
  check_refused([&] { of_fresh({}); }, Code::kUnseenLevel, -1, "'1e+300'");
}

TEST_CASE("a category that is missing is refused by row and column, a number goes to the model") {
  Rows rows = people();
  rows.x[5] = NAN;
  check_refused([&] { made(rows); }, Code::kNotFinite, -1,
                "a.csv: row 1 (counted from 0), column 'town': the category is missing");
  const Design design = learned(people());
  std::vector<double> out(usize(design.outputs()));
  design.do_row(&rows.x[3], 3, out.data());
  CHECK(out[1] == 1);
  CHECK(std::isnan(out[2]));
  rows = people();
  rows.x[3] = NAN;
  CHECK(std::isnan(made(rows).at("age")[1]));
  for (double& v : rows.x) v = NAN;
  check_refused([&] { made(rows); }, Code::kNotFinite, -1, "no row has a level");
}

TEST_CASE("codes that stand for nothing are refused in a fit") {
  for (const double code : {2.0, -1.0, 0.5, 1e300}) {
    Rows rows = people();
    rows.x[4] = code;
    check_refused([&] { made(rows); }, Code::kUnseenLevel, -1, "column 'sex': the code");
  }
}

TEST_CASE("terms that cannot vary, or are too many, are refused") {
  Rows rows;
  rows.schema.columns = {category("sex", {"f", "m"})};
  rows.x = {1, 1, 1};
  check_refused([&] { made(rows); }, Code::kNoSpread, -1, "one level");
  CHECK(made(rows, {.coding = Coding::kOneHot}) == Matrix2{{"sex=m", {1, 1, 1}}});
  std::vector<std::string> ids;
  for (Index i = 0; i < 40000; ++i) {
    ids.push_back("row " + std::to_string(i));
    rows.x.push_back(static_cast<double>(i));
  }
  rows.schema.columns = {category("id", std::move(ids))};
  check_refused([&] { made(rows); }, Code::kUnsupported, -1, "40000 levels");
  rows.schema.columns.push_back(rows.schema.columns[0]);
  rows.schema.columns[1].name = "also";
  check_refused([&] { learned(rows, {.terms = "id:also"}, {.sparse = true}); }, Code::kUnsupported,
                -1, "more than 1048576 columns");
}

// Sixty levels and two numbers, 3000 rows.
Rows wide() {
  Rows rows;
  std::vector<std::string> levels;
  for (int i = 0; i < 90; ++i) levels.push_back("level " + std::to_string(i));
  rows.schema.columns = {{.name = "x"}, category("c", std::move(levels)), {.name = "y"}};
  for (Index i = 0; i < 3000; ++i) {
    const double v = static_cast<double>(i % 7) - 3;
    rows.x.insert(rows.x.end(), {v, static_cast<double>(i * 37 % 90), v * v / 4});
  }
  return rows;
}

TEST_CASE("wide rows are sparse where the model takes them, with the same values") {
  const Rows rows = wide();
  const DesignOptions options{.terms = "., c:x", .coding = Coding::kOneHot};
  const Design sparse = learned(rows, options, {.sparse = true}), dense = learned(rows, options);
  CHECK(sparse.sparse());
  CHECK_FALSE(dense.sparse());
  CHECK_FALSE(learned(people(), {}, {.sparse = true}).sparse());
  MemorySource x = rows.source();
  const auto a = sparse.over(x), b = dense.over(x);
  CHECK(has_sparse_rows(*a));
  CHECK(read_all(*a) == read_all(*b));
  Block block;
  Chunk chunk;
  a->fetch({100, 300}, block);
  a->decode(block, chunk);
  const auto& part = std::get<Sparse<double>>(chunk.x);
  CHECK(part.offsets[0] == 0);
  for (Index i = 0; i < part.rows; ++i) {
    for (Index e = part.offsets[i] + 1; e < part.offsets[i + 1]; ++e) {
      CHECK(part.columns[e - 1] < part.columns[e]);
    }
  }
}

TEST_CASE("float, sparse, kept and chosen rows give the same terms as doubles") {
  const Rows rows = wide();
  const DesignOptions options{.terms = ". + c:x:y^2"};
  const Design design = learned(rows, options);
  MemorySource x = rows.source();
  const auto terms = design.over(x);
  const Array expected = read_all(*terms);
  const std::vector<float> floats(rows.x.begin(), rows.x.end());
  MemorySource narrow({.x = Dense<float>{floats.data(), 3000, 3, 3}}, rows.schema);
  CHECK(read_all(*design.over(narrow)) == expected);
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  for (Index i = 0; i < 3000; ++i) {
    for (std::int32_t j = 0; j < 3; ++j) {
      const double v = rows.x[usize(i * 3 + j)];
      if (v == 0) continue;
      columns.push_back(j);
      values.push_back(v);
    }
    offsets.push_back(ssize(values));
  }
  MemorySource csr({.x = Sparse<double>{offsets.data(), columns.data(), values.data(), 3000, 3}},
                   rows.schema);
  CHECK(read_all(*design.over(csr)) == expected);
  CHECK(*Design::learn(csr, options, {}, {}) == design);
  CHECK(Design::learn(csr, options, {.sparse = true}, {})->sparse());
  View kept(*terms);
  kept.keep({});
  CHECK(read_all(kept) == expected);
  CHECK(read_all(*terms->reopen()) == expected);
  std::vector<double> row(usize(design.outputs()));
  for (const Index i : {0, 17, 2999}) {
    design.do_row(&rows.x[usize(i * 3)], 3, row.data());
    CHECK(std::equal(row.begin(), row.end(), expected.view().row(i)));
  }
}

TEST_CASE("neither the order of rows nor the number of threads changes a design") {
  const Rows rows = wide();
  Rows turned = rows;
  for (Index i = 0; i < 3000; ++i) {
    for (Index j = 0; j < 3; ++j) turned.x[usize(i * 3 + j)] = rows.x[usize((2999 - i) * 3 + j)];
  }
  MemorySource x = rows.source(), back = turned.source();
  const Design one = *Design::learn(x, {}, {}, {.threads = 1});
  CHECK(*Design::learn(x, {}, {}, {.threads = 7}) == one);
  CHECK(*Design::learn(back, {}, {}, {.threads = 2}) == one);
}

TEST_CASE("a file in pieces has the terms of a table in memory") {
  const Folder folder;
  const Rows rows = wide();
  std::string text = "x,c,y\n";
  for (Index i = 0; i < rows.rows(); ++i) {
    const double* const row = &rows.x[usize(i * 3)];
    text += std::to_string(row[0]) + "," + rows.schema.columns[1].levels[usize(Index(row[1]))] +
            "," + std::to_string(row[2]) + "\n";
  }
  write_file(folder / "a.csv", text);
  ReadOptions pieces;
  pieces.memory = 0;
  pieces.temporary_folder = folder / "";
  const OpenedTable file = open_table(folder / "a.csv", pieces, {});
  const OpenedTable memory = open_table(folder / "a.csv", {}, {});
  CHECK_FALSE(file.source->in_memory());
  const DesignOptions options{.terms = "., c:x, y^2"};
  const Design design = *Design::learn(*file.source, options, {}, {.threads = 2});
  CHECK(design == *Design::learn(*memory.source, options, {}, {.threads = 1}));
  CHECK(read_all(*design.over(*file.source)) == read_all(*design.over(*memory.source)));
}

TEST_CASE("products are of prepared numbers") {
  const Rows rows = people();
  MemorySource x = rows.source();
  const Preparation scaled =
      Preparation::learn(x, {.scale = PreparationOptions::Scale::kMinMax}, {});
  const auto prepared = scaled.over(x);
  const Design design = *Design::learn(*prepared, {.terms = "age^2, sex:age"}, {}, {});
  const auto terms = design.over(*prepared);
  const Matrix2 result = by_name(*terms);
  CHECK(result.at("age^2")[0] == doctest::Approx(1.0 / 9));
  CHECK(result.at("sex=m:age")[1] == doctest::Approx(2.0 / 3));
}

TEST_CASE("terms are shown with what they are made of and compared with") {
  const Rows rows = people();
  const std::vector<ResultTable> tables =
      learned(rows, {.terms = "age^2, town, sex:age"}).tables(rows.schema);
  REQUIRE(tables.size() == 1);
  using Words = ResultColumn::Words;
  CHECK(*tables[0].find("term")->words() == Words{"age^2", "town=Bonn", "sex=f:age", "sex=m:age"});
  CHECK(*tables[0].find("of")->words() == Words{"age", "town", "sex, age", "sex, age"});
  CHECK(*tables[0].find("compared with")->words() == Words{"", "town=Ulm", "", ""});
}

TEST_CASE("what terms say goes back to their columns, products in equal shares") {
  const Design design = learned(people(), {.terms = "age, sex, town, sex:age"});
  std::vector<double> of(3);
  design.add_up(std::vector<double>{1, 10, 100, 1000}, of);
  CHECK(of == std::vector<double>{501, 510, 100});
}

TEST_CASE("parameters give the design back, and none that make no sense") {
  const Rows rows = wide();
  for (const char* terms : {".", "x, x^3:c, c:y", "x^2"}) {
    for (const bool sparse : {false, true}) {
      const Design design = learned(rows, {.terms = terms}, {.sparse = sparse});
      const auto again = Design::from_parameters(design.parameters(), design.outputs());
      REQUIRE(again.has_value());
      CHECK(*again == design);
      CHECK(again->fits(rows.schema));
      MemorySource x = rows.source();
      CHECK(read_all(*again->over(x)) == read_all(*design.over(x)));
    }
  }
  CHECK_FALSE(Design::from_parameters({}, 3).has_value());
}

TEST_CASE("hostile parameters are refused") {
  const Rows rows = people();
  const Design design = learned(rows, {.terms = "age^2, town, sex:age"});
  const std::vector<Parameter> good = design.parameters();
  const Index outputs = design.outputs();
  REQUIRE(good.size() == 5);
  const auto refused = [&](std::vector<Parameter> bad, Index wanted) {
    check_refused([&] { Design::from_parameters(bad, wanted); }, Code::kDamagedModel, -1, "terms.");
  };
  refused(good, outputs + 1);
  refused(good, -1);
  for (std::size_t p = 0; p < good.size(); ++p) {
    std::vector<Parameter> bad = good;
    bad.erase(bad.begin() + static_cast<std::ptrdiff_t>(p));
    CAPTURE(good[p].name);
    refused(bad, outputs);
    bad = good;
    bad[p].value.shape.push_back(1);
    refused(bad, outputs);
    bad = good;
    bad[p].name = "terms.other";
    refused(bad, outputs);
    bad = good;
    bad.push_back(good[p]);
    refused(bad, outputs);
    for (std::size_t i = 0; i < good[p].value.values.size(); ++i) {
      CAPTURE(i);
      for (const double v : {0.5, -4.0, 1e18, 1e308, double{NAN}, double{INFINITY}}) {
        bad = good;
        bad[p].value.values[i] = v;
        refused(bad, outputs);
      }
      // Any other small number gives a design of so many columns, which works, or none.
      for (const double v : {-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 16.0, 17.0}) {
        bad = good;
        bad[p].value.values[i] = v;
        try {
          const auto other = Design::from_parameters(bad, outputs);
          REQUIRE(other.has_value());
          CHECK(other->parameters() == bad);
          MemorySource x = rows.source();
          try {
            CHECK(read_all(*other->over(x)).cols() == outputs);
          } catch (const InputError& error) {
            CHECK(error.code() == Code::kUnseenLevel);
          }
          other->tables(rows.schema);
        } catch (const InputError& error) {
          CHECK((error.code() == Code::kDamagedModel || error.code() == Code::kUnseenLevel));
        }
      }
    }
  }
  Schema other = rows.schema;
  CHECK(design.fits(other));
  other.columns[2].levels.pop_back();
  CHECK_FALSE(design.fits(other));
  other = rows.schema;
  other.columns[0].kind = ColumnKind::kCategory;
  CHECK_FALSE(design.fits(other));
  other.columns.pop_back();
  CHECK_FALSE(design.fits(other));
}

}  // namespace
}  // namespace craton::design_test
