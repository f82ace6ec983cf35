#include "craton/io/open.h"

#include <fmt/core.h>

#include <array>
#include <filesystem>
#include <string_view>

#include "craton/core/error.h"
#include "craton/io/csv.h"
#include "craton/io/input.h"
#include "craton/io/npy.h"
#include "craton/io/npy_source.h"

namespace craton {
namespace {

constexpr std::size_t kFrontSize = 4096;      // what tells a format
constexpr Index kMostBytes = Index{1} << 40;  // a terabyte: beyond any memory

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

 private:
  const Table table_;
  MemorySource source_;
};

OpenedTable owned(Table table, std::string_view format) {
  OpenedTable opened;
  opened.notes = std::move(table.notes);
  opened.source = std::make_unique<OwnedTable>(std::move(table));
  const Shape shape = opened.source->shape();
  opened.guess = fmt::format("{}, {} rows: {} numbers", format, shape.rows, shape.cols);
  return opened;
}

// A file that was opened to tell its format.
struct Opened {
  const std::string& path;
  std::unique_ptr<Input> input;  // from its front
  const ReadOptions& options;
  const Exec& exec;
};

OpenedTable open_text(Opened& file) {
  const bool twice = file.path != "-" && std::filesystem::is_regular_file(file.path);
  const auto open = [&](int time) {
    if (time == 0) return std::move(file.input);
    return twice ? open_input(file.path) : nullptr;
  };
  return read_csv(open, file.options, file.exec);
}

OpenedTable open_npy(Opened& file) {
  if (file.input->size() >= 0) {  // a plain file
    auto source = std::make_unique<NpySource>(file.path);
    if (!source->layout().fortran_order || source->shape().cols == 1) {
      const Shape shape = source->shape();
      return {.source = std::move(source),
              .notes = {},
              .guess = fmt::format("NPY, {} rows: {} numbers", shape.rows, shape.cols)};
    }
  }
  return owned(parse_npy(read_rest(*file.input, kMostBytes), file.input->name()), "NPY");
}

struct Format {
  std::string_view name, extension;
  std::string_view start;  // nothing else starts so; "": it cannot be told by that
  OpenedTable (*open)(Opened& file);
};

// The first is what files are that nothing else fits.
constexpr std::array kFormats{
    Format{"csv", ".csv", "", open_text},
    Format{"tsv", ".tsv", "", open_text},
    Format{"npy", ".npy", "\x93NUMPY", open_npy},
};

const Format& find_format(const std::string& name) {
  std::vector<std::string> names;
  for (const Format& format : kFormats) {
    if (format.name == name) return format;
    names.emplace_back(format.name);
  }
  throw InputError(Code::kUnknownName, {}, fmt::format("there is no format '{}'", name),
                   did_you_mean(name, names));
}

const Format& format_of(const std::string& path, std::string_view front) {
  for (const Format& format : kFormats) {
    if (!format.start.empty() && front.starts_with(format.start)) return format;
  }
  for (const Format& format : kFormats) {
    if (path.ends_with(format.extension)) return format;
  }
  return kFormats.front();
}

}  // namespace

OpenedTable open_table(const std::string& path, const ReadOptions& options, const Exec& exec) {
  std::unique_ptr<Input> input = open_input(path);
  Bytes front(kFrontSize);
  front.resize(read_full(*input, front));
  const std::string_view text(reinterpret_cast<const char*>(front.data()), front.size());
  const Format& format =
      options.format.empty() ? format_of(path, text) : find_format(options.format);
  Opened file{path, rewound(std::move(front), std::move(input)), options, exec};
  return format.open(file);
}

}  // namespace craton
