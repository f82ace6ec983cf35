// What the library makes of a data file, for csv_against_pandas.py:
//
//   dump_table FILE VALUES
//
// writes the values to VALUES as float64, row after row, and prints the columns, the notes and the
// guess as JSON. Built when asked for: ninja -C build/release dump_table
#include <cstdio>

#include "craton/base/error.h"
#include "craton/base/files.h"
#include "craton/base/json.h"
#include "craton/engine/for_each.h"
#include "craton/io/open.h"

namespace {

using namespace craton;

Json describe(const Schema& schema) {
  Json::List columns;
  for (const Column& column : schema.columns) {
    const bool category = column.kind == ColumnKind::kCategory;
    columns.push_back(Json::object({{"name", column.name},
                                    {"kind", category ? "category" : "number"},
                                    {"levels", column.levels}}));
  }
  return Json(Json::Value(std::move(columns)));
}

Json dump(const std::string& path, const std::string& values) {
  const OpenedTable table = open_table(path, {}, {});
  FileWriter out(values);
  for_rows(*table.source, {.threads = 1}, [&](const Chunk& chunk) {
    const auto& x = std::get<Dense<double>>(chunk.x);
    out.append(std::as_bytes(std::span(x.data, usize(x.rows * x.cols))));
  });
  out.commit();
  std::vector<std::string> notes;
  for (const Note& note : table.notes) notes.push_back(note.text.plain());
  return Json::object({{"rows", table.source->shape().rows},
                       {"guess", table.guess},
                       {"columns", describe(table.source->schema())},
                       {"notes", notes}});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  Json result;
  try {
    result = dump(argv[1], argv[2]);
  } catch (const InputError& error) {
    result = Json::object({{"refused", error.what()}});
  }
  std::puts(write_json(result).c_str());
  return 0;
}
