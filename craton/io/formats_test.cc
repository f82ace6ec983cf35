#include "craton/io/formats.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string_view>

#include "craton/base/files.h"
#include "tests/folder.h"
#include "tests/refused.h"

namespace craton::formats_test {
namespace {

using namespace std::literals;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string written(const Format& format, const Table& table) {
  std::string text;
  MemorySource source = table.source();
  format.write(source, [&](std::string_view piece) { text += piece; });
  return text;
}
std::string written(std::string_view format, const Table& table) {
  return written(find_format(format), table);
}

std::unique_ptr<Source> open_as(std::string_view format, const std::string& path) {
  ReadOptions options;
  options.format = format;
  return open_table(path, options, {}).source;
}
std::unique_ptr<Source> read_back(const Folder& folder, std::string_view format,
                                  const Table& table) {
  write_file(folder / "written", written(format, table));
  return open_as(format, folder / "written");
}

// All values, dense, with targets and weights behind.
std::vector<double> all_values(Source& source) {
  std::vector<double> all;
  read_dense_rows(source, [&](Index, std::span<const double> row) {
    all.insert(all.end(), row.begin(), row.end());
  });
  return all;
}

std::vector<double> all_values(const Table& table) {
  MemorySource source = table.source();
  return all_values(source);
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

Table numbers() {
  Table table;
  table.x = {{3, 2}, {0.1, -1e300, kNaN, 5e-324, 123456789, 1.0 / 3}};
  table.schema = numbered_schema(2);
  return table;
}

Table sparse_rows() {
  Table table;
  table.sparse = {{0, 2, 2, 3}, {0, 2, 1}, {1.5, -2, 7}};
  table.schema = numbered_schema(3);
  table.x.shape = {0, 3};
  return table;
}

TEST_CASE("every format that is written reads back to the same bits") {
  const Folder folder;
  for (const Format& format : formats()) {
    if (format.write == nullptr) continue;
    CAPTURE(format.name);
    for (const Table& table : {numbers(), sparse_rows()}) {
      std::vector<double> back = all_values(*read_back(folder, format.name, table));
      if (format.name == "libsvm") {  // the label, which is not there, comes back as 0
        std::vector<double> features;
        const std::size_t width = usize(table.schema.size()) + 1;
        for (std::size_t i = 0; i < back.size(); ++i) {
          if (i % width + 1 != width) features.push_back(back[i]);
        }
        back = features;
      }
      CHECK(same(back, all_values(table)));
    }
  }
}

TEST_CASE("many rows come through every writer whole") {
  const Folder folder;
  Table table;
  table.schema = numbered_schema(2);
  table.x.shape = {20000, 2};
  for (int i = 0; i < 40000; ++i) table.x.values.push_back(i + 1);
  table.targets.assign(20000, 3);
  for (const Format& format : formats()) {
    if (format.write == nullptr) continue;
    CAPTURE(format.name);
    CHECK(all_values(*read_back(folder, format.name, table)) == all_values(table));
  }
}

TEST_CASE("categories are written by name in text and as codes in numbers") {
  Table table;
  table.schema.columns = {{"a,b", ColumnKind::kNumber, {}},
                          {"c", ColumnKind::kCategory, {"x \"y\"", "z"}}};
  table.x = {{3, 2}, {1, 0, 2, 1, 3, kNaN}};
  CHECK(written("csv", table) == "\"a,b\",c\n1,\"x \"\"y\"\"\"\n2,z\n3,NA\n");
  CHECK(written("tsv", table) == "\"a,b\"\tc\n1\t\"x \"\"y\"\"\"\n2\tz\n3\tNA\n");
  CHECK(written("jsonl", table) ==
        "{\"a,b\":1,\"c\":\"x \\\"y\\\"\"}\n{\"a,b\":2,\"c\":\"z\"}\n{\"a,b\":3,\"c\":null}\n");
  CHECK(written("libsvm", table) == "0 1:1\n0 1:2 2:1\n0 1:3 2:NaN\n");
}

TEST_CASE("targets and weights are columns, or the label") {
  Table table = sparse_rows();
  table.targets = {1, -1, 0.5};
  CHECK(written("libsvm", table) == "1 1:1.5 3:-2\n-1\n0.5 2:7\n");
  CHECK(written("csv", table) == "1,2,3,target\n1.5,0,-2,1\n0,0,0,-1\n0,7,0,0.5\n");
  CHECK(written("mtx", table) ==
        "%%MatrixMarket matrix coordinate real general\n3 4 6\n1 1 1.5\n1 3 -2\n1 4 1\n2 4 -1\n"
        "3 2 7\n3 4 0.5\n");
  table.weights = {1, 2, 3};
  table.schema.columns[0].name = "target";
  CHECK(written("csv", table).starts_with("target,2,3,target_,weight\n1.5,0,-2,1,1\n"));
}

TEST_CASE("a table without rows is written and read") {
  const Folder folder;
  Table table;
  table.schema = numbered_schema(2);
  table.x.shape = {0, 2};
  for (const std::string_view name : {"npy", "idx", "mtx"}) {
    CAPTURE(name);
    CHECK(read_back(folder, name, table)->shape().cols == 2);
  }
}

TEST_CASE("JSON cannot hold an infinity") {
  Table table = numbers();
  table.x.values[3] = std::numeric_limits<double>::infinity();
  check_refused([&] { written("jsonl", table); }, Code::kNotFinite, -1,
                "row 1 (counted from 0), column '2'");
}

TEST_CASE("formats are told by content, then by name") {
  struct Case {
    std::string_view path, front, format;
  };
  for (const Case& c : {
           Case{"x.csv", "\x93NUMPY\x01\0"sv, "npy"},
           Case{"x", "PK\x03\x04 x.npy", "npz"},
           Case{"train-images", "\0\0\x08\x03\0\0\0\x01"sv, "idx"},
           Case{"x.txt", "%%MatrixMarket matrix", "mtx"},
           Case{"a9a", "-1 3:1 11:1 \n", "libsvm"},
           Case{"a9a", "# comment\n\n+1 qid:2 3:0.5 # more\n", "libsvm"},
           Case{"a9a", "1 1:2 3:4.", "libsvm"},
           Case{"a9a", "1 1:2 3", "libsvm"},  // cut where the bytes at hand end
           Case{"x.txt", "1 1:2\n", "libsvm"},
           Case{"x.csv", "1 1:2\n", "csv"},
           Case{"x", "1 10:30:00\n", "csv"},
           Case{"x", "1 2 3\n", "csv"},
           Case{"x", "a b:1\n", "csv"},
           Case{"x", "", "csv"},
           Case{"x.SVM.gz", "", "libsvm"},
           Case{"x.tsv.zst", "", "tsv"},
           Case{"x", " {\"a\": 1}\n", "jsonl"},
           Case{"x", "{a}\n", "csv"},
           Case{"x.jsonl", "a,b\n", "jsonl"},
           Case{"x.npy", "a,b\n", "npy"},
           Case{"t10k-labels-idx1-ubyte", "", "idx"},
       }) {
    CAPTURE(c.path);
    CAPTURE(c.front);
    CHECK(format_of(std::string(c.path), std::as_bytes(std::span(c.front))).name == c.format);
  }
}

TEST_CASE("a format to write is told by the name alone") {
  CHECK(format_to_write("a/b.MTX").name == "mtx");
  check_refused([] { format_to_write("x"); }, Code::kBadOption, -1, "give --to");
  check_refused([] { format_to_write("x.csv.gz"); }, Code::kBadOption, -1, "pipe it into gzip");
  check_refused([] { format_to_write("x.npz"); }, Code::kBadOption, -1, "npz are not written");
  check_refused([] { find_format("libsmv"); }, Code::kUnknownName, -1, "did you mean 'libsvm'?");
}

TEST_CASE("files of any format are read, and may be told to be another") {
  const Folder folder;
  write_file(folder / "x.svm", "1 1:2\n");
  const auto has_targets = [&](const char* format) {
    const auto source = open_as(format, folder / "x.svm");
    Block block;
    Chunk chunk;
    source->fetch({0, 1}, block);
    source->decode(block, chunk);
    return !chunk.targets.empty();
  };
  CHECK(has_targets(""));
  CHECK(has_targets("libsvm"));
  CHECK_FALSE(has_targets("csv"));
}

TEST_CASE("what is surely something else is named with what to do") {
  const auto refused = [](const std::string& path, std::string_view front, const char* words) {
    check_refused([&] { format_of(path, std::as_bytes(std::span(front))); }, Code::kBadFile, -1,
                  words);
  };
  refused("x.csv", std::string_view("PAR1\x15\x04", 6), "Parquet");
  refused("x.bz2", "BZh91AY\x01", "bunzip2");
  refused("x.xlsx", std::string_view("PK\x03\x04\x14", 5), "Save a spreadsheet as CSV");
  CHECK(format_of("x.csv", std::as_bytes(std::span(std::string_view("PAR1,BZh\n1,2\n")))).name ==
        "csv");
}

}  // namespace
}  // namespace craton::formats_test
