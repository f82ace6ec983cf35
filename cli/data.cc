#include "cli/data.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "cli/output.h"
#include "craton/core/bind_columns.h"
#include "craton/core/model_file.h"
#include "craton/io/open.h"

namespace craton::cli {
namespace {

bool contains(std::span<const std::string> names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A column of numbers that a flag names.
Index find_typed(const OpenedTable& table, const std::string& name, const std::string& flag) {
  const Index column =
      find_column(*table.source, name, Code::kUnknownName, flag + " names", table.notes);
  const Column& found = table.source->schema().columns[usize(column)];
  if (found.kind == ColumnKind::kNumber || flag == "--drop") return column;
  throw InputError(Code::kUnsupported, {.file = table.source->name(), .column = name},
                   fmt::format("this column of categories ({}) is named by {}, which takes numbers",
                               plural(ssize(found.levels), "level"), flag),
                   "Name columns of numbers only.");
}

Selection choose_columns(const Command& command, OpenedTable& table) {
  Selection selection;
  const Schema& schema = table.source->schema();
  if (!command.weights.empty()) selection.weights = find_typed(table, command.weights, "--weights");
  for (const std::string& name : command.drop) find_typed(table, name, "--drop");
  for (const std::string& name : command.features) {
    selection.columns.push_back({.from = find_typed(table, name, "--features")});
  }
  if (!command.features.empty()) return selection;  // nobody wonders where the others are
  for (Index j = 0; j < schema.size(); ++j) {
    const Column& column = schema.columns[usize(j)];
    if (column.name == command.weights || contains(command.drop, column.name)) continue;
    if (column.kind == ColumnKind::kNumber) {
      selection.columns.push_back({.from = j});
    } else {
      table.notes.push_back(ignored_category(column));
    }
  }
  if (!command.quiet) complain(table.notes, "note", table.source->name());
  return selection;
}

void refuse_repeated_names(const Source& x) {
  std::set<std::string_view> seen;  // a table may have a hundred thousand columns
  for (const Column& column : x.schema().columns) {
    if (!seen.insert(column.name).second) refuse_repeated(x, column.name);
  }
}

[[noreturn]] void refuse_missing(Source& x, const RowSet& complete, const std::string& weights) {
  const Index row = complete.first_absent(), lost = complete.rows() - complete.size();
  std::vector<double> values(usize(x.shape().cols));
  x.gather({&row, 1}, values);
  const auto at =
      std::find_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  Place place = x.place_of(row, at == values.end() ? -1 : at - values.begin());
  if (at == values.end()) place.column = weights;
  throw InputError(Code::kNotFinite, place,
                   fmt::format("the value is missing (NaN); {} of {} {} missing values", lost,
                               plural(complete.rows(), "row"), lost == 1 ? "has" : "have"),
                   "Give --missing skip to leave such rows out, or fill them in.");
}

void treat_missing(const Command& command, Data& data, const Exec& exec) {
  Source& all = data.source();
  RowSet complete = RowSet::complete(all, exec);
  const Index lost = complete.rows() - complete.size();
  if (command.missing == Missing::kError) {
    if (lost > 0) refuse_missing(all, complete, command.weights);
    return;
  }
  data.kept = std::make_unique<RowSet>(std::move(complete));
  if (lost == 0) return;
  data.rows = std::make_unique<SelectedRows>(all, *data.kept);
  if (command.quiet) return;
  complain("note", fmt::format("{}: left out {} of {} with missing values", data.name(), lost,
                               plural(data.kept->rows(), "row")));
}

bool all_as_they_are(const Selection& selection, Index columns) {
  Index next = 0;
  for (const auto& column : selection.columns) {
    if (column.from != next++ || !column.codes.empty()) return false;
  }
  return next == columns && selection.weights == Selection::kNone;
}

// A selection of columns makes sparse rows dense: pictures want that, and most models.
Data use(const Command& command, const Abilities& able, OpenedTable table, Selection selection,
         const Exec& exec) {
  Data data;
  data.weighted = selection.weights != Selection::kNone;
  data.guess = std::move(table.guess);
  data.file = std::move(table.source);
  const bool pictures = command.verb == Verb::kPlot || !command.plot.empty();
  if (!able.sparse || pictures || !all_as_they_are(selection, data.file->shape().cols)) {
    data.columns = std::make_unique<SelectedSource>(*data.file, std::move(selection));
  }
  refuse_repeated_names(data.source());
  treat_missing(command, data, exec);
  return data;
}

}  // namespace

Data read_to_fit(const Command& command, const Exec& exec) {
  OpenedTable table = open_table(command.data, command.read, exec);
  Selection selection = choose_columns(command, table);
  const Abilities& able = find_model(command.model).abilities;
  return use(command, able, std::move(table), std::move(selection), exec);
}

Data read_for_model(const Command& command, const Fitted& fitted, const Exec& exec) {
  const Schema& schema = fitted.schema;
  OpenedTable table = open_table(command.data, command.read, exec);
  auto [selection, notes] = bind_columns(schema, *table.source, command.weights, table.notes);
  if (!command.quiet) complain(notes, "note", table.source->name());
  if (!command.weights.empty()) selection.weights = find_typed(table, command.weights, "--weights");
  Data data = use(command, fitted.info().abilities, std::move(table), std::move(selection), exec);
  check_columns(data.source(), schema.size());
  return data;
}

Fitted read_model(const Command& command) {
  if (command.model_file == "-" && command.data == "-") {
    throw InputError(Code::kBadOption, {}, "the model and the data cannot both come from stdin",
                     "Give a file for one of them.");
  }
  return read_model(command.model_file);
}

Fitted read_model(const std::string& path) {
  return path == "-" ? load_model("/dev/stdin", "stdin") : load_model(path);
}

double total_weight(const Data& data) {
  if (!data.weighted) return static_cast<double>(data.size());
  constexpr Index kRows = 4096;
  double sum = 0;
  Block block;
  Chunk chunk;
  for (Index first = 0; first < data.size(); first += kRows) {
    data.source().fetch({first, std::min(first + kRows, data.size())}, block);
    data.source().decode(block, chunk);
    for (const double w : chunk.weights) sum += w;
  }
  return sum;
}

std::string describe(const Data& data) {
  return fmt::format("{}: {}, {} ({}){}", data.name(), plural(data.size(), "row"),
                     plural(data.schema().size(), "column"), listed(data.schema().names()),
                     data.weighted ? ", weighted" : "");
}

}  // namespace craton::cli
