#include "craton/io/open.h"

#include <doctest/doctest.h>

#include "craton/base/files.h"
#include "craton/io/npy.h"
#include "craton/io/npy_source.h"
#include "tests/folder.h"
#include "tests/refused.h"

namespace craton {
namespace {

std::vector<double> all_rows(Source& source) {
  std::vector<Index> rows;
  for (Index i = 0; i < source.shape().rows; ++i) rows.push_back(i);
  std::vector<double> values(rows.size() * usize(source.shape().cols));
  source.gather(rows, values);
  return values;
}

std::vector<double> decoded(Source& source, RowRange range) {
  Block block;
  Chunk chunk;
  source.fetch(range, block);
  source.decode(block, chunk);
  return std::visit(
      [](const auto& x) {
        std::vector<double> values;
        if constexpr (requires { x.data; }) values.assign(x.data, x.data + x.rows * x.cols);
        return values;
      },
      chunk.x);
}

TEST_CASE("a file is opened by its content, then by its name") {
  const Folder folder;
  write_file(folder / "a.csv", std::string("x,y\n1,2\n3,4\n"));
  write_file(folder / "b.txt", write_npy({{2, 2}, {1, 2, 3, 4}}));
  write_file(folder / "c.npy", std::string("x,y\n1,2\n"));
  for (const char* name : {"a.csv", "b.txt"}) {
    const OpenedTable table = open_table(folder / name, {}, {});
    CHECK(all_rows(*table.source) == std::vector<double>{1, 2, 3, 4});
    CHECK(table.source->name() == folder / name);
  }
  check_refused([&] { open_table(folder / "c.npy", {}, {}); }, Code::kBadFile, -1, "not an .npy");
  ReadOptions as_csv;
  as_csv.format = "csv";
  CHECK(open_table(folder / "c.npy", as_csv, {}).source->shape().rows == 1);
  as_csv.format = "cvs";
  check_refused([&] { open_table(folder / "a.csv", as_csv, {}); }, Code::kUnknownName, -1,
                "did you mean 'csv'");
}

TEST_CASE("what was guessed is said in a line") {
  const Folder folder;
  write_file(folder / "a", std::string("x\tk\tname\n1\ta\tann\n2\ta\tbob\n"));
  const OpenedTable table = open_table(folder / "a", {}, {});
  CHECK(table.guess == "TSV, tabs, header, 2 rows: 1 number, 1 category, 1 ignored");
  write_file(folder / "b", write_npy({{2, 3}, {1, 2, 3, 4, 5, 6}}));
  CHECK(open_table(folder / "b", {}, {}).guess == "NPY, 2 rows: 3 numbers");
}

TEST_CASE("a file that changes its mind late is read twice") {
  const Folder folder;
  std::string text = "x,y\n";
  for (int i = 0; i < 200'000; ++i) text += i < 150'000 ? "1,2.5\n" : "1,many\n";
  write_file(folder / "a.csv", text);
  const OpenedTable table = open_table(folder / "a.csv", {}, {.threads = 2});
  CHECK(table.source->schema().columns[1].levels == std::vector<std::string>{"2.5", "many"});
}

TEST_CASE("npy files are read by row ranges, whatever their type") {
  const Folder folder;
  const auto write = [&](const std::string& descr, const std::string& values) {
    std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (3, 2), }\n";
    std::string front = "\x93NUMPY";
    front += {'\x01', '\0', static_cast<char>(text.size()), '\0'};
    write_file(folder / "x.npy", front + text + values);
  };
  const auto check = [&] {
    for (const Index memory : {0, 5, 48}) {  // the last has room for all of it
      NpySource source(folder / "x.npy", memory);
      CHECK(source.in_memory() == (memory >= 6 * source.layout().element));
      CHECK(decoded(source, {0, 3}) == std::vector<double>{1, 2, 3, 4, 5, 6});
      CHECK(decoded(source, {1, 2}) == std::vector<double>{3, 4});
      CHECK(decoded(source, {3, 3}).empty());
      CHECK(all_rows(*source.reopen()) == std::vector<double>{1, 2, 3, 4, 5, 6});
    }
  };
  write("|u1", "\x01\x02\x03\x04\x05\x06");
  check();
  std::string shorts, floats;
  for (const char c : {'\1', '\2', '\3', '\4', '\5', '\6'}) shorts += {'\0', c};
  write(">i2", shorts);
  check();
  for (const float value : {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}) {
    floats.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  write("<f4", floats);
  check();
  write_file(folder / "x.npy", write_npy({{3, 2}, {1, 2, 3, 4, 5, 6}}));
  check();
}

TEST_CASE("an npy file of columns first is read into memory") {
  const Folder folder;
  const std::string text = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n";
  std::string front = "\x93NUMPY";
  front += {'\x01', '\0', static_cast<char>(text.size()), '\0'};
  write_file(folder / "x.npy", front + text + "\x01\x04\x02\x05\x03\x06");
  const OpenedTable table = open_table(folder / "x.npy", {}, {});
  CHECK(all_rows(*table.source) == std::vector<double>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("an npy file cut short or too long is refused before it is read") {
  const Folder folder;
  Bytes bytes = write_npy({{3, 2}, {1, 2, 3, 4, 5, 6}});
  bytes.pop_back();
  write_file(folder / "x.npy", bytes);
  check_refused([&] { open_table(folder / "x.npy", {}, {}); }, Code::kBadFile, -1, "cut short");
  bytes.resize(bytes.size() + 2);
  write_file(folder / "x.npy", bytes);
  check_refused([&] { open_table(folder / "x.npy", {}, {}); }, Code::kBadFile, -1,
                "after its array");
}

}  // namespace
}  // namespace craton
