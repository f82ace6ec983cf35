#include "cli/data.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/output.h"
#include "craton/core/error.h"
#include "craton/core/model_file.h"
#include "craton/io/formats.h"

namespace craton::cli {
namespace {

// Names to find columns by: not 1..d, as those without a header are called.
bool has_names(const Schema& schema) {
  return std::any_of(schema.columns.begin(), schema.columns.end(), [](const Column& column) {
    return column.name.find_first_not_of("0123456789") != std::string::npos;
  });
}

// The first name that two columns have, or nullptr.
const std::string* find_repeated(const Schema& schema) {
  for (Index j = 0; j < schema.size(); ++j) {
    if (schema.find(schema.name(j)) != j) return &schema.name(j);
  }
  return nullptr;
}

void refuse_repeated(const Table& table, const std::string& name) {
  const auto is = [&](const Column& column) { return column.name == name; };
  if (std::count_if(table.schema.columns.begin(), table.schema.columns.end(), is) < 2) return;
  throw InputError(Code::kDuplicateName, {.file = table.name},
                   fmt::format("two columns are called '{}'", name),
                   "Rename one of them in the header.");
}

bool contains(std::span<const std::string> names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A column of numbers by name. `wanted_by` ends the sentence "there is no ..., which".
Index find_column(const Table& table, const std::string& name, Code code,
                  const std::string& wanted_by) {
  const Index column = table.schema.find(name);
  if (column >= 0) refuse_repeated(table, name);
  if (column >= 0) return column;
  const std::string what =
      fmt::format("there is no column of numbers '{}', which {}", name, wanted_by);
  for (const Note& note : table.notes) {
    if (note.text.find("'" + name + "'") == std::string::npos) continue;
    throw InputError(code, {.file = table.name}, what, "The reader " + note.text + ".");
  }
  const std::vector<std::string> names = table.schema.names();
  const std::string near = did_you_mean(name, names);
  throw InputError(
      code, {.file = table.name}, what,
      (near.empty() ? "" : near + " ") + fmt::format("The columns are: {}.", join(names)));
}

Index find_column_typed(const Table& table, const std::string& name, const char* flag) {
  return find_column(table, name, Code::kUnknownName, std::string(flag) + " names");
}

Table keep_columns(Table table, std::span<const Index> keep) {
  Table result;
  result.weights = std::move(table.weights);
  result.name = std::move(table.name);
  const Index rows = table.x.rows(), cols = ssize(keep);
  result.x.shape = {rows, cols};
  result.x.values.reserve(usize(rows * cols));
  for (const Index j : keep) result.schema.columns.push_back(table.schema.columns[usize(j)]);
  for (Index i = 0; i < rows; ++i) {
    const double* row = table.x.view().row(i);
    for (const Index j : keep) result.x.values.push_back(row[j]);
  }
  return result;
}

// The rows of a table that miss no value in the columns used.
std::vector<Index> find_complete(const Table& table) {
  std::vector<Index> complete;
  for (Index i = 0; i < table.x.rows(); ++i) {
    const double* row = table.x.view().row(i);
    const bool has_weight = table.weights.empty() || !std::isnan(table.weights[usize(i)]);
    const auto missing = [](double v) { return std::isnan(v); };
    if (has_weight && std::none_of(row, row + table.x.cols(), missing)) complete.push_back(i);
  }
  return complete;
}

[[noreturn]] void refuse_missing(const Table& table, Index row, Index count,
                                 const std::string& weights) {
  const double* values = table.x.view().row(row);
  const double* end = values + table.x.cols();
  const double* at = std::find_if(values, end, [](double v) { return std::isnan(v); });
  const Place place{.file = table.name,
                    .line = table.source().line_of(row),
                    .row = row,
                    .column = at == end ? weights : table.schema.name(at - values)};
  throw InputError(Code::kNotFinite, place,
                   fmt::format("the value is missing (NaN); {} of {} {} missing values", count,
                               plural(table.x.rows(), "row"), count == 1 ? "has" : "have"),
                   "Give --missing skip to leave such rows out, or fill them in.");
}

Table keep_rows(Table table, std::span<const Index> keep) {
  const Index cols = table.x.cols();
  std::vector<double> values, weights;
  values.reserve(usize(ssize(keep) * cols));
  for (const Index i : keep) {
    const double* row = table.x.view().row(i);
    values.insert(values.end(), row, row + cols);
    if (!table.weights.empty()) weights.push_back(table.weights[usize(i)]);
  }
  table.x = {{ssize(keep), cols}, std::move(values)};
  table.weights = std::move(weights);
  return table;
}

// As --missing says. Returns the rows kept by --missing skip.
std::vector<Index> treat_missing(const Command& command, Table& table) {
  std::vector<Index> complete = find_complete(table);
  const Index rows = table.x.rows(), lost = rows - ssize(complete);
  if (command.missing == Missing::kError) {
    if (lost == 0) return {};
    Index first = 0;
    while (first < ssize(complete) && complete[usize(first)] == first) ++first;
    refuse_missing(table, first, lost, command.weights);
  }
  if (lost > 0) table = keep_rows(std::move(table), complete);
  if (lost > 0 && !command.quiet) {
    complain("note", fmt::format("{}: left out {} of {} with missing values", table.name, lost,
                                 plural(rows, "row")));
  }
  return complete;
}

void take_weights(Table& table, const std::string& name) {
  if (name.empty()) return;
  const Index column = find_column_typed(table, name, "--weights");
  for (Index i = 0; i < table.x.rows(); ++i) {
    table.weights.push_back(table.x.view().row(i)[column]);
  }
}

// LIBSVM and Matrix Market files are sparse; the models take dense rows.
void make_dense(Table& table) {
  if (table.sparse.offsets.empty()) return;
  constexpr Index kMostValues = Index{1} << 27;  // a gigabyte
  const Index rows = ssize(table.sparse.offsets) - 1, cols = table.schema.size();
  if (rows > kMostValues / std::max<Index>(1, cols)) {
    throw InputError(Code::kUnsupported, {.file = table.name},
                     fmt::format("{} rows of {} columns are sparse, and would not fit in memory as "
                                 "dense rows, which the models need",
                                 rows, cols),
                     "Give fewer rows or columns.");
  }
  std::vector<Index> all(usize(rows));
  std::iota(all.begin(), all.end(), Index{0});
  Array dense{{rows, cols}, std::vector<double>(usize(rows * cols))};
  table.source().gather(all, dense.values);
  table.x = std::move(dense);
  table.sparse = {};
}

// Any format that craton reads, as dense columns of numbers; categories are left out with a note.
Table read_numbers(const std::string& path) {
  Table table = read_any_table(path, "");
  make_dense(table);
  std::vector<Index> keep;
  for (Index j = 0; j < table.schema.size(); ++j) {
    const Column& column = table.schema.columns[usize(j)];
    if (column.kind == ColumnKind::kNumber) {
      keep.push_back(j);
    } else {
      table.notes.push_back(
          {"ignored-column", fmt::format("ignored the category column '{}' ({})", column.name,
                                         plural(ssize(column.levels), "level"))});
    }
  }
  if (ssize(keep) == table.schema.size()) return table;
  std::vector<Note> notes = std::move(table.notes);
  table = keep_columns(std::move(table), keep);
  table.notes = std::move(notes);
  return table;
}

}  // namespace

Table read_to_fit(const Command& command) {
  Table table = read_numbers(command.data);
  const bool chosen = !command.features.empty();  // then nobody wonders where the others are
  if (!command.quiet && !chosen) complain(table.notes, "note", table.name);
  take_weights(table, command.weights);
  for (const std::string& name : command.drop) find_column_typed(table, name, "--drop");
  std::vector<Index> keep;
  for (const std::string& name : command.features) {
    keep.push_back(find_column_typed(table, name, "--features"));
  }
  for (Index j = 0; j < table.schema.size() && !chosen; ++j) {
    const std::string& name = table.schema.name(j);
    if (name != command.weights && !contains(command.drop, name)) keep.push_back(j);
  }
  if (ssize(keep) < table.schema.size() || chosen) table = keep_columns(std::move(table), keep);
  if (const std::string* name = find_repeated(table.schema)) refuse_repeated(table, *name);
  treat_missing(command, table);
  return table;
}

NewRows read_for_model(const Command& command, const Schema& schema) {
  Table table = read_numbers(command.data);
  take_weights(table, command.weights);
  std::vector<Index> keep;
  if (has_names(table.schema) && has_names(schema) && find_repeated(schema) == nullptr) {
    for (const std::string& name : schema.names()) {
      keep.push_back(find_column(table, name, Code::kWrongColumns, "the model was fitted on"));
    }
    std::vector<std::string> extra = table.schema.names();
    std::erase_if(extra, [&](const std::string& name) {
      return schema.find(name) >= 0 || name == command.weights;
    });
    if (!extra.empty() && !command.quiet) {
      complain("note", fmt::format("{}: ignored {} that the model was not fitted on: {}",
                                   table.name, plural(ssize(extra), "column"), join(extra)));
    }
  } else {
    if (!command.quiet) complain(table.notes, "note", table.name);
    for (Index j = 0; j < table.schema.size(); ++j) {
      if (table.schema.name(j) != command.weights) keep.push_back(j);
    }
    const bool differ = has_names(table.schema) || has_names(schema);
    if (differ && ssize(keep) == schema.size() && !command.quiet) {
      complain("note", fmt::format("{}: columns are taken in their order, as {} no names",
                                   table.name, has_names(schema) ? "they have" : "the model has"));
    }
  }
  table = keep_columns(std::move(table), keep);
  check_columns(table.source(), schema.size());
  std::vector<Index> rows = treat_missing(command, table);
  return {std::move(table), std::move(rows)};
}

Fitted read_model(const Command& command) {
  if (command.model_file == "-" && command.data == "-") {
    throw InputError(Code::kBadOption, {}, "the model and the data cannot both come from stdin",
                     "Give a file for one of them.");
  }
  if (command.model_file != "-") return load_model(command.model_file);
  return load_model("/dev/stdin", "stdin");
}

double total_weight(const Table& table) {
  if (table.weights.empty()) return static_cast<double>(table.x.rows());
  return std::accumulate(table.weights.begin(), table.weights.end(), 0.0);
}

std::string describe(const Table& table) {
  constexpr std::size_t kMostNames = 8;
  std::vector<std::string> names = table.schema.names();
  if (names.size() > kMostNames) {
    names.resize(kMostNames);
    names.emplace_back("...");
  }
  return fmt::format("{}: {}, {} ({}){}", table.name, plural(table.x.rows(), "row"),
                     plural(table.schema.size(), "column"), join(names),
                     table.weights.empty() ? "" : ", weighted");
}

}  // namespace craton::cli
