#include "craton/io/open.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "craton/io/documents.h"
#include "craton/io/formats.h"
#include "craton/io/npz.h"

namespace craton {
namespace {

// A table in memory that a Source must outlive.
class OwnedTable final : public Source {
 public:
  explicit OwnedTable(Table table) : table_(std::move(table)), source_(table_.source()) {}
  Shape shape() const override { return source_.shape(); }
  const Schema& schema() const override { return source_.schema(); }
  void fetch(RowRange range, Block& block) override { source_.fetch(range, block); }
  void decode(Block& block, Chunk& chunk) const override { source_.decode(block, chunk); }
  void gather(std::span<const Index> rows, std::span<double> out) override {
    source_.gather(rows, out);
  }
  std::unique_ptr<Source> reopen() const override { return source_.reopen(); }
  std::string name() const override { return source_.name(); }
  bool in_memory() const override { return true; }

 private:
  const Table table_;
  MemorySource source_;
};

}  // namespace

OpenedTable opened(std::string_view format, std::unique_ptr<Source> source,
                   std::vector<Note> notes) {
  const auto& columns = source->schema().columns;
  const Index categories = std::count_if(columns.begin(), columns.end(), [](const Column& column) {
    return column.kind == ColumnKind::kCategory;
  });
  const auto counted = [](Index count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
  };
  std::string guess =
      fmt::format("{}, {}: {}", format, counted(source->shape().rows, "row", "rows"),
                  counted(ssize(columns) - categories, "number", "numbers"));
  if (categories > 0) guess += ", " + counted(categories, "category", "categories");
  return {.source = std::move(source), .notes = std::move(notes), .guess = std::move(guess)};
}

OpenedTable opened(std::string_view format, Table table) {
  std::vector<Note> notes = std::move(table.notes);
  return opened(format, std::make_unique<OwnedTable>(std::move(table)), std::move(notes));
}

OpenedTable open_table(const std::string& path, const ReadOptions& options, const Exec& exec) {
  std::error_code error;  // open_input says what is wrong with what cannot be looked at
  if (std::filesystem::is_directory(path, error)) return open_folder(path, options, exec);
  return open_table(path, open_input(split_npz_path(path).first), options, exec);
}

OpenedTable open_table(const std::string& path, std::unique_ptr<Input> input,
                       const ReadOptions& options, const Exec& exec) {
  const auto [file, array] = split_npz_path(path);
  Bytes front(kFrontSize);
  front.resize(read_full(*input, front));
  const Format& format =
      options.format.empty() ? format_of(file, front) : find_format(options.format);
  const bool text = format.name == "csv" || format.name == "tsv";
  if (!text && !options.kinds.empty()) {
    throw InputError(Code::kBadOption, {.file = file},
                     fmt::format("a schema is for CSV files, and this is {}", format.name),
                     {"Leave {} out.", Ref::flag("schema")});
  }
  if (!text && !options.names.empty()) {
    throw InputError(Code::kBadOption, {.file = file},
                     fmt::format("names are for CSV files, and this is {}", format.name),
                     {"Leave {} out.", Ref::flag("names")});
  }
  input = decoded(rewound(std::move(front), std::move(input)), options.encoding);
  OpenFile open{file, array, std::move(input), options, exec};
  return format.open(open);
}

}  // namespace craton
