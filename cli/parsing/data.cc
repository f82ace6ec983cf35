#include "cli/parsing/data.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <set>
#include <string_view>

#include "cli/showing/output.h"
#include "craton/io/open.h"
#include "craton/model/fit_steps.h"
#include "craton/model/model_file.h"
#include "craton/tables/bind_columns.h"
#include "craton/tables/preparation.h"

namespace craton::cli {
namespace {

bool contains(std::span<const std::string> names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A column that a flag names.
Index find_named(const OpenedTable& table, const std::string& name, const std::string& flag) {
  return find_column(*table.source, name, Code::kUnknownName, flag + " names", table.notes);
}

// A column of numbers.
Index find_typed(const OpenedTable& table, const std::string& name, const std::string& flag) {
  const Index column = find_named(table, name, flag);
  const Column& found = table.source->schema().columns[usize(column)];
  if (found.kind == ColumnKind::kNumber) return column;
  throw InputError(Code::kUnsupported, {.file = table.source->name(), .column = name},
                   fmt::format("this column of categories ({}) is named by {}, which takes numbers",
                               plural(ssize(found.levels), "level"), flag),
                   "Name columns of numbers only.");
}

// Columns of texts, but for those that are left out.
std::vector<std::string> texts_of(const OpenedTable& table, std::span<const std::string> left_out) {
  std::vector<std::string> names;
  for (const Column& column : table.source->schema().texts) {
    if (!contains(left_out, column.name)) names.push_back(column.name);
  }
  return names;
}

// What readers are to know of texts, if the model takes them.
void ask_for_texts(const Command& command, ReadOptions& read) {
  const Abilities able = command.model.empty() ? Abilities{} : find_model(command.model).abilities;
  if (!command.text_column.empty()) read.texts = {command.text_column};
  read.find_texts = (able.texts || command.model.empty()) && command.features.empty();
  read.texts_beside = able.texts_beside || command.model.empty();
  for (const std::string& name :
       {command.weights, command.validation.groups, command.validation.time}) {
    if (!name.empty()) read.roles.push_back(name);
  }
  read.roles.insert(read.roles.end(), command.drop.begin(), command.drop.end());
}

// The column of texts of a model that takes it beside others, which are chosen; none: -1.
Index choose_text(const Command& command, const Selection& others, OpenedTable& table) {
  if (!command.text_column.empty()) return find_text(table, command.text_column);
  const std::vector<std::string> texts = texts_of(table, command.drop);
  if (texts.empty() || !command.features.empty()) return -1;
  if (others.columns.empty()) return find_text(table, "", command.drop);
  if (texts.size() == 1) {
    table.notes.push_back({"text-column",
                           {"the words of the {} are counted, beside the other columns",
                            Ref::column(texts[0], texts[0])}});
    return find_text(table, "", command.drop);
  }
  table.notes.push_back({"ignored-column",
                         {"ignored {} columns of text: {}. {} counts the words of one",
                          texts.size(), listed(texts), Ref::flag("text", texts[0])}});
  return -1;
}

// Texts beside columns, of a model that does not take both.
void tell_ignored_texts(const Command& command, const Abilities& able, OpenedTable& table) {
  for (const std::string& text : texts_of(table, command.drop)) {
    const Ref name = Ref::column(text, text);
    table.notes.push_back(
        {"ignored-column",
         able.texts ? Message("ignored the {}, which holds texts: {} counts their words instead of "
                              "the numbers",
                              name, Ref::flag("text", text))
                    : Message("ignored the {}, which holds texts", name)});
  }
}

Selection choose_columns(const Command& command, const Abilities& able, OpenedTable& table) {
  Selection selection;
  const Schema& schema = table.source->schema();
  const Validation& validation = command.validation;
  if (!command.weights.empty()) selection.weights = find_typed(table, command.weights, "--weights");
  for (const std::string& name : command.drop) {
    if (schema.find_text(name) < 0) find_named(table, name, "--drop");
  }
  for (const std::string& name : command.features) {
    selection.columns.push_back({.from = able.categories ? find_named(table, name, "--features")
                                                         : find_typed(table, name, "--features")});
  }
  if (!command.text_column.empty()) {
    if (!able.texts) {
      throw InputError(Code::kNotAble, {}, fmt::format("{} takes no texts", command.model),
                       {"Models that do are: {}.", models_that(&Abilities::texts)});
    }
    selection.texts = {find_text(table, command.text_column)};
    if (!able.texts_beside) {
      selection.columns.clear();
      return selection;
    }
  }
  if (!command.features.empty()) return selection;  // nobody wonders where the others are
  for (Index j = 0; j < schema.size(); ++j) {
    const Column& column = schema.columns[usize(j)];
    if (column.name == command.weights || column.name == command.target) continue;
    if (column.name == validation.groups || column.name == validation.time) continue;
    if (contains(command.drop, column.name)) continue;
    if (column.kind == ColumnKind::kNumber || able.categories) {
      selection.columns.push_back({.from = j});
    } else {
      table.notes.push_back(ignored_category(column));
    }
  }
  if (able.texts_beside) {
    const Index text = choose_text(command, selection, table);
    if (text >= 0) selection.texts = {text};
  } else if (selection.columns.empty() && able.texts && !schema.texts.empty()) {
    selection.texts = {find_text(table, "", command.drop)};
  } else {
    tell_ignored_texts(command, able, table);
  }
  if (!command.quiet) complain(table.notes, "note", table.source->name());
  return selection;
}

bool has_targets(Source& x) {
  Block block;
  Chunk chunk;
  x.fetch({0, std::min<Index>(1, x.shape().rows)}, block);
  x.decode(block, chunk);
  return !chunk.targets.empty();
}

// Where the labels, or the numbers to learn from, are: the column that --target names, or those of
// a LIBSVM file.
Index find_target(const Command& command, const Abilities& able, const OpenedTable& table) {
  if (table.guess.starts_with("folder") && table.source->schema().columns.empty()) {
    throw InputError(Code::kBadOption, {.file = table.source->name()},
                     "the folder has no folders in it, so its files have no labels",
                     "A file is labelled by the folder that it lies in.");
  }
  if (!command.target.empty() && command.target == command.text_column) {
    throw InputError(Code::kBadOption, {},
                     fmt::format("--text and --target both name '{}'", command.target),
                     "Name a column of texts, and another one to learn from.");
  }
  if (!command.target.empty()) return find_named(table, command.target, "--target");
  if (has_targets(*table.source)) return kTargets;
  throw InputError(Code::kBadOption, {.file = table.source->name()},
                   fmt::format("{} learns from {}", command.model,
                               able.numbers ? "a number of each row: which column has it?"
                                            : "labelled rows: which column has the labels?"),
                   fmt::format("Give --target COLUMN. The columns are: {}.",
                               listed(table.source->schema().names(), 100)));
}

// The target that a model was fitted with; it has that name, unless --target says so.
Index find_target(const Command& command, const Schema& model, const OpenedTable& table) {
  if (!command.target.empty()) return find_named(table, command.target, "--target");
  if (has_targets(*table.source)) return kTargets;
  return find_column(*table.source, model.target->name, Code::kWrongColumns,
                     fmt::format("has the {} (--target gives another name)",
                                 model.number_target() ? "numbers to compare with" : "labels"),
                     table.notes);
}

bool has_target(const Command& command, const Schema& model, const OpenedTable& table) {
  return !command.target.empty() || has_targets(*table.source) ||
         table.source->schema().find(model.target->name) >= 0;
}

bool is_number(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == 0;
}

// A model of numbers learns from no words.
void refuse_words(const ModelInfo& model, const OpenedTable& table, Index target) {
  if (target == kTargets) return;
  const Column column = table.source->schema().column(target);
  if (column.kind == ColumnKind::kNumber) return;
  const auto word = std::ranges::find_if_not(column.levels, is_number);
  throw InputError(
      Code::kBadTarget, {.file = table.source->name(), .column = column.name},
      fmt::format("{} learns from numbers, and this column holds words{}", model.name,
                  word == column.levels.end() ? "" : fmt::format(", such as '{}'", *word)),
      {"Models of classes are: {}. If these should be numbers, --schema '{}=number' says which row "
       "has none.",
       models_that(&Abilities::labels), column.name});
}

// The classes of a column, unless they are measurements: many numbers, and not whole ones.
Classes classes_to_learn(const ModelInfo& model, Source& x, Index target, const Exec& exec) {
  constexpr Index kFew = 20;
  Classes classes = find_classes(x, target, exec);
  const Index count = ssize(classes.values);
  if (classes.column.kind != ColumnKind::kNumber || count <= kFew || count * 10 <= x.shape().rows) {
    return classes;
  }
  const auto broken =
      std::ranges::find_if(classes.values, [](double v) { return v != std::floor(v); });
  if (broken == classes.values.end()) return classes;
  throw InputError(
      Code::kBadTarget, {.file = x.name(), .column = classes.column.name},
      fmt::format("{} is for classes, and this column holds {} different numbers, such as {}",
                  model.name, count, *broken),
      {"Models of numbers are: {}. If these are names of classes, give --schema '{}=category'.",
       models_that(&Abilities::numbers), classes.column.name});
}

void refuse_repeated_names(const Source& x) {
  std::set<std::string_view> seen;  // a table may have a hundred thousand columns
  for (const Column& column : x.schema().columns) {
    if (!seen.insert(column.name).second) refuse_repeated(x, column.name);
  }
}

[[noreturn]] void refuse_missing_target(const Source& x, Index row) {
  Place place = x.place_of(row);
  place.column = x.schema().target->name;
  throw InputError(Code::kBadTarget, place, "the target is missing (NaN)",
                   "Give --missing skip to leave such rows out.");
}

[[noreturn]] void refuse_missing(const Command& command, Source& x, const RowSet& complete) {
  const Index row = complete.first_absent(), lost = complete.rows() - complete.size();
  std::vector<double> values(usize(x.shape().cols));
  x.gather({&row, 1}, values);
  const auto at =
      std::find_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  Place place = x.place_of(row, at == values.end() ? -1 : at - values.begin());
  if (at == values.end()) {
    Block block;
    Chunk chunk;
    x.fetch({row, row + 1}, block);
    x.decode(block, chunk);
    if (!std::isnan(chunk.weight(0))) refuse_missing_target(x, row);
    place.column = command.weights;
  }
  const bool fitted = !command.model_file.empty() || !command.warm_start.empty();
  throw InputError(Code::kNotFinite, place,
                   fmt::format("the value is missing (NaN); {} of {} {} missing values", lost,
                               plural(complete.rows(), "row"), lost == 1 ? "has" : "have"),
                   fmt::format("Give --missing skip to leave such rows out, or {}--fill median to "
                               "fill them in.",
                               fitted ? "fit the model with " : ""));
}

void treat_missing(const Command& command, bool taken, Data& data, const Exec& exec) {
  if (command.missing == Missing::kAuto && taken) return;
  Source& all = data.source();
  RowSet complete = RowSet::complete(all, exec);
  const Index lost = complete.rows() - complete.size();
  if (command.missing != Missing::kSkip) {
    if (lost > 0) refuse_missing(command, all, complete);
    return;
  }
  data.kept = std::make_unique<RowSet>(std::move(complete));
  if (lost == 0) return;
  data.view->rows(*data.kept);
  if (command.quiet) return;
  complain("note", fmt::format("{}: left out {} of {} with missing values", data.name(), lost,
                               plural(data.kept->rows(), "row")));
}

Data data_of(OpenedTable table) {
  auto view = std::make_unique<View>(*table.source);
  return {
      .file = std::move(table.source), .view = std::move(view), .guess = std::move(table.guess)};
}

bool all_as_they_are(const Selection& selection, Index columns) {
  Index next = 0;
  for (const auto& column : selection.columns) {
    if (column.from != next++ || !column.codes.empty()) return false;
  }
  return next == columns && selection.weights == Selection::kNone && selection.texts.empty();
}

// A selection of columns makes sparse rows dense: pictures want that, and most models.
void use(const Command& command, const Abilities& able, bool filled, Selection selection,
         Data& data, const Exec& exec) {
  data.weighted = selection.weights != Selection::kNone;
  if (!able.sparse || command.draws || !all_as_they_are(selection, data.file->shape().cols)) {
    data.view->select(std::move(selection));
  }
  refuse_repeated_names(data.source());
  treat_missing(command, able.missing || filled, data, exec);
}

bool fills(const Command& command) {
  return std::any_of(command.options.begin(), command.options.end(), [](const auto& option) {
    return option.first == "fill" && option.second != "none";
  });
}

}  // namespace

namespace {

// Whole numbers that are all different, and rise, or nearly always do.
bool numbers_rows(std::vector<double> column) {
  constexpr double kNearly = 0.95;
  double rises = 0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (!(column[i] == std::floor(column[i]))) return false;
    rises += i > 0 && column[i] > column[i - 1] ? 1 : 0;
  }
  std::sort(column.begin(), column.end());
  return rises >= kNearly * static_cast<double>(column.size() - 1) &&
         std::adjacent_find(column.begin(), column.end()) == column.end();
}

// Things that a person may not have meant; only said.
void tell_odd_columns(const Command& command, const Data& data) {
  constexpr Index kLooked = 200, kFewest = 20;
  const Schema& schema = data.schema();
  const Index rows = std::min(kLooked, data.size()), cols = schema.size();
  if (schema.target && schema.target->kind == ColumnKind::kNumber) {
    const Index values = ssize(schema.target->levels);
    if (values > kFewest && values * 10 > data.size()) {
      complain("note", fmt::format("{}: the target '{}' has {} different numbers: it looks like a "
                                   "measurement, and what is learned here are classes (models of "
                                   "numbers: {})",
                                   data.name(), schema.target->name, values,
                                   models_that(&Abilities::numbers).name));
    }
  }
  if (!command.features.empty() || rows < kFewest || cols == 0 || cols > kLooked) return;
  std::vector<Index> first(usize(rows));
  std::iota(first.begin(), first.end(), 0);
  std::vector<double> x(usize(rows * cols));
  data.source().gather(first, x);
  for (Index j = 0; j < cols; ++j) {
    if (schema.column(j).kind != ColumnKind::kNumber) continue;
    std::vector<double> column;
    for (Index i = 0; i < rows; ++i) column.push_back(x[usize(i * cols + j)]);
    if (!numbers_rows(column)) continue;
    complain("note", fmt::format("{}: the column '{}' looks like numbers of rows: --drop {} leaves "
                                 "it out",
                                 data.name(), schema.name(j), schema.name(j)));
  }
}

}  // namespace

Data read_to_fit(const Command& command, const Exec& exec) {
  return read_to_fit(command, open_to_fit(command, exec), exec);
}

Index find_text(const OpenedTable& table, const std::string& name,
                std::span<const std::string> left_out) {
  const Schema& schema = table.source->schema();
  const std::vector<std::string> names = texts_of(table, left_out);
  if (name.empty() && names.size() == 1) return schema.find_text(names[0]);
  if (name.empty()) {
    throw InputError(Code::kBadOption, {.file = table.source->name()},
                     names.empty() ? "there is no column of text"
                                   : fmt::format("there are {} columns of text: {}", names.size(),
                                                 listed(names)),
                     "Say which one to learn from: --text COLUMN.");
  }
  if (const Index column = schema.find_text(name); column >= 0) return column;
  if (schema.find(name) < 0 && !names.empty()) {
    const std::string near = did_you_mean(name, names);
    throw InputError(
        Code::kUnknownName, {.file = table.source->name()},
        fmt::format("there is no column '{}', which --text names", name),
        fmt::format("{}{}Columns of text are: {}.", near, near.empty() ? "" : " ", listed(names)));
  }
  find_named(table, name, "--text");  // says that there is none
  throw InputError(Code::kUnsupported, {.file = table.source->name(), .column = name},
                   "this column of numbers is named by --text", "Name a column of texts.");
}

OpenedTable open_to_fit(const Command& command, const Exec& exec) {
  ReadOptions read = command.read;
  read.labels = command.target;
  ask_for_texts(command, read);
  if (!command.validation.groups.empty()) read.categories.push_back(command.validation.groups);
  return open_table(command.data, read, exec);
}

Data read_to_fit(const Command& command, OpenedTable table, const Exec& exec, bool filled) {
  const ModelInfo& model = find_model(command.model);
  const Abilities& able = model.abilities;
  const bool labels = able.labels || (!able.numbers && (able.some_labels || command.measures) &&
                                      !command.target.empty());
  const Index target = labels || able.numbers ? find_target(command, able, table) : kTargets;
  if (able.numbers) refuse_words(model, table, target);
  Selection selection = choose_columns(command, able, table);
  Data data = data_of(std::move(table));
  if (labels) data.view->label(classes_to_learn(model, *data.file, target, exec));
  if (able.numbers) data.view->target(target);
  use(command, able, filled || fills(command), std::move(selection), data, exec);
  if (!command.quiet) tell_odd_columns(command, data);
  return data;
}

Data read_for_model(const Command& command, const Fitted& fitted, Want want, const Exec& exec) {
  const Schema& schema = fitted.schema;
  ReadOptions read = command.read;
  for (const Column& column : schema.columns) {
    if (column.kind == ColumnKind::kCategory) read.categories.push_back(column.name);
  }
  for (const Column& column : schema.texts) {
    read.texts.push_back(command.text_column.empty() ? column.name : command.text_column);
  }
  if (schema.target && schema.target->kind == ColumnKind::kCategory) {
    read.labels = command.target.empty() ? schema.target->name : command.target;
  }
  read.kept = command.keep;
  OpenedTable table = open_table(command.data, read, exec);
  std::vector<std::string> skip{command.weights, command.target};
  for (const std::string& name : command.keep) {
    if (schema.find(name) < 0) skip.push_back(name);
  }
  if (schema.target) skip.push_back(schema.target->name);
  const UnseenLevels unseen =
      design_of(*fitted.model) == nullptr ? UnseenLevels::kMissing : UnseenLevels::kKept;
  auto [selection, notes] = bind_columns(schema, *table.source, skip, table.notes, unseen);
  if (!command.quiet) complain(notes, "note", table.source->name());
  if (!command.weights.empty()) selection.weights = find_typed(table, command.weights, "--weights");
  const bool wanted =
      schema.target && (want == Want::kTarget ||
                        (want == Want::kTargetIfThere && has_target(command, schema, table)));
  const Index target = wanted ? find_target(command, schema, table) : kTargets;
  if (wanted && schema.number_target()) refuse_words(fitted.info(), table, target);
  Data data = data_of(std::move(table));
  if (wanted && schema.number_target()) {
    data.view->target(target);
  } else if (wanted) {
    data.view->label(bind_classes(*schema.target, *data.file, target, exec));
  }
  use(command, fitted.info().abilities, fills(fitted.options), std::move(selection), data, exec);
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

std::string describe(const Data& data) {
  const Schema& schema = data.schema();
  std::string text = fmt::format("{}: {}", data.name(), plural(data.size(), "row"));
  if (schema.size() > 0 || schema.texts.empty()) {
    text += fmt::format(", {} ({})", plural(schema.size(), "column"), listed(schema.names()));
  }
  if (!schema.texts.empty()) text += fmt::format(", texts of '{}'", schema.texts[0].name);
  return text + (data.weighted ? ", weighted" : "");
}

}  // namespace craton::cli
