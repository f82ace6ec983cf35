#include "craton/select/model_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string_view>

#include "craton/base/error.h"
#include "craton/model/fit_steps.h"
#include "craton/select/leaks.h"
#include "craton/tables/bind_columns.h"
#include "craton/tables/preparation.h"

namespace craton {
namespace {

bool contains(std::span<const std::string> names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string counted(Index count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// A column that a flag names.
Index find_named(const OpenedTable& table, const std::string& name, const char* flag) {
  return find_column(*table.source, name, Code::kUnknownName, {"{} names", Ref::flag(flag)},
                     table.notes);
}

// A column of numbers.
Index find_typed(const OpenedTable& table, const std::string& name, const char* flag) {
  const Index column = find_named(table, name, flag);
  const Column& found = table.source->schema().columns[usize(column)];
  if (found.kind == ColumnKind::kNumber) return column;
  throw InputError(Code::kUnsupported, {.file = table.source->name(), .column = name},
                   {"this column of categories ({}) is named by {}, which takes numbers",
                    counted(ssize(found.levels), "level"), Ref::flag(flag)},
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

// The column of texts of a model that takes it beside others, which are chosen; none: -1.
Index choose_text(const Roles& roles, const Selection& others, OpenedTable& table) {
  if (!roles.text.empty()) return find_text(table, roles.text);
  const std::vector<std::string> texts = texts_of(table, roles.drop);
  if (texts.empty() || !roles.features.empty()) return -1;
  if (others.columns.empty()) return find_text(table, "", roles.drop);
  if (texts.size() == 1) {
    table.notes.push_back({"text-column",
                           {"the words of the {} are counted, beside the other columns",
                            Ref::column(texts[0], texts[0])}});
    return find_text(table, "", roles.drop);
  }
  table.notes.push_back({"ignored-column",
                         {"ignored {} columns of text: {}. {} counts the words of one",
                          texts.size(), listed(texts), Ref::flag("text", texts[0])}});
  return -1;
}

// Texts beside columns, of a model that does not take both.
void tell_ignored_texts(const Roles& roles, const Abilities& able, OpenedTable& table) {
  for (const std::string& text : texts_of(table, roles.drop)) {
    const Ref name = Ref::column(text, text);
    table.notes.push_back(
        {"ignored-column",
         able.texts ? Message("ignored the {}, which holds texts: {} counts their words instead of "
                              "the numbers",
                              name, Ref::flag("text", text))
                    : Message("ignored the {}, which holds texts", name)});
  }
}

// No column is left that the model takes, and why.
[[noreturn]] void refuse_nothing(const ModelInfo& model, const Roles& roles,
                                 const OpenedTable& table,
                                 std::span<const std::string> categories) {
  const Place file{.file = table.source->name()};
  if (!categories.empty()) {
    throw InputError(Code::kBadShape, file,
                     {"{} takes numbers, and all that is left to learn from are categories: {}",
                      model.name, listed(categories)},
                     {"Models that take categories are: {}.", models_that(&Abilities::categories)});
  }
  std::string why;
  std::vector<std::string> ignored;
  for (const Note& note : table.notes) {
    for (const Ref& column : note.text.columns()) ignored.push_back(column.quoted());
  }
  const auto add = [&](const std::string& reason) { why += (why.empty() ? "" : ", ") + reason; };
  if (!ignored.empty()) add(fmt::format("ignored: {}", listed(ignored)));
  if (!roles.target.empty()) add(fmt::format("'{}' is the target", roles.target));
  if (!roles.drop.empty()) add(fmt::format("left out: {}", listed(roles.drop)));
  throw InputError(Code::kBadShape, file,
                   fmt::format("no column is left to learn from{}", why.empty() ? "" : ": " + why),
                   ignored.empty() ? Message("Leave fewer columns out, or give a table with more.")
                                   : Message("If one of them should be read otherwise, give {}.",
                                             Ref::flag("schema", "COLUMN=number")));
}

Selection choose_columns(const ModelInfo& model, const Roles& roles, OpenedTable& table,
                         TellNotes tell) {
  const Abilities& able = model.abilities;
  Selection selection;
  const Schema& schema = table.source->schema();
  if (!roles.weights.empty()) selection.weights = find_typed(table, roles.weights, "weights");
  for (const std::string& name : roles.drop) {
    if (schema.find_text(name) < 0) find_named(table, name, "drop");
  }
  for (const std::string& name : roles.features) {
    selection.columns.push_back({.from = able.categories ? find_named(table, name, "features")
                                                         : find_typed(table, name, "features")});
  }
  if (!roles.text.empty()) {
    if (!able.texts) {
      throw InputError(Code::kNotAble, {}, fmt::format("{} takes no texts", model.name),
                       {"Models that do are: {}.", models_that(&Abilities::texts)});
    }
    selection.texts = {find_text(table, roles.text)};
    if (!able.texts_beside) {
      selection.columns.clear();
      return selection;
    }
  }
  if (!roles.features.empty()) return selection;  // nobody wonders where the others are
  std::vector<std::string> ignored;
  for (Index j = 0; j < schema.size(); ++j) {
    const Column& column = schema.columns[usize(j)];
    if (column.name == roles.weights || column.name == roles.target) continue;
    if (column.name == roles.groups || column.name == roles.time) continue;
    if (contains(roles.drop, column.name)) continue;
    if (column.kind == ColumnKind::kNumber || able.categories) {
      selection.columns.push_back({.from = j});
    } else {
      ignored.push_back(column.name);
      table.notes.push_back(ignored_category(column));
    }
  }
  if (able.texts_beside) {
    const Index text = choose_text(roles, selection, table);
    if (text >= 0) selection.texts = {text};
  } else if (selection.columns.empty() && able.texts && !schema.texts.empty()) {
    selection.texts = {find_text(table, "", roles.drop)};
  } else {
    tell_ignored_texts(roles, able, table);
  }
  tell(table.notes);
  if (selection.columns.empty() && selection.texts.empty()) {
    refuse_nothing(model, roles, table, ignored);
  }
  return selection;
}

bool has_targets(Source& x) {
  Block block;
  Chunk chunk;
  x.fetch({0, std::min<Index>(1, x.shape().rows)}, block);
  x.decode(block, chunk);
  return !chunk.targets.empty();
}

// Where the labels, or the numbers to learn from, are: the column of that name, or those of a
// LIBSVM file.
Index find_target(const ModelInfo& model, const Roles& roles, const OpenedTable& table) {
  if (table.guess.starts_with("folder") && table.source->schema().columns.empty()) {
    throw InputError(Code::kBadOption, {.file = table.source->name()},
                     "the folder has no folders in it, so its files have no labels",
                     "A file is labelled by the folder that it lies in.");
  }
  if (!roles.target.empty() && roles.target == roles.text) {
    throw InputError(
        Code::kBadOption, {},
        {"{} and {} both name '{}'", Ref::flag("text"), Ref::flag("target"), roles.target},
        "Name a column of texts, and another one to learn from.");
  }
  if (!roles.target.empty()) return find_named(table, roles.target, "target");
  if (has_targets(*table.source)) return kTargets;
  throw InputError(
      Code::kBadOption, {.file = table.source->name()},
      fmt::format("{} learns from {}", model.name,
                  model.abilities.numbers ? "a number of each row: which column has it?"
                                          : "labelled rows: which column has the labels?"),
      {"Give {}. The columns are: {}.", Ref::flag("target", "COLUMN"),
       listed(table.source->schema().names(), 100)});
}

// The target that a model was fitted with; it has that name, unless another is given.
Index find_target(const Schema& model, const Roles& roles, const OpenedTable& table) {
  if (!roles.target.empty()) return find_named(table, roles.target, "target");
  if (has_targets(*table.source)) return kTargets;
  return find_column(
      *table.source, model.target->name, Code::kWrongColumns,
      {"has the {} ({} gives another name)",
       model.number_target() ? "numbers to compare with" : "labels", Ref::flag("target")},
      table.notes);
}

bool has_target(const Schema& model, const Roles& roles, const OpenedTable& table) {
  return !roles.target.empty() || has_targets(*table.source) ||
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
      {"Models of classes are: {}. If these should be numbers, {} says which row has none.",
       models_that(&Abilities::labels),
       Ref::flag("schema", fmt::format("'{}=number'", column.name))});
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
      {"Models of numbers are: {}. If these are names of classes, give {}.",
       models_that(&Abilities::numbers),
       Ref::flag("schema", fmt::format("'{}=category'", classes.column.name))});
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
                   {"Give {} to leave such rows out.", Ref::flag("missing", "skip")});
}

[[noreturn]] void refuse_missing(const Roles& roles, Source& x, const RowSet& complete) {
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
    place.column = roles.weights;
  }
  throw InputError(
      Code::kNotFinite, place,
      fmt::format("the value is missing (NaN); {} of {} {} missing values", lost,
                  counted(complete.rows(), "row"), lost == 1 ? "has" : "have"),
      {"Give {} to leave such rows out, or {}{} to fill them in.", Ref::flag("missing", "skip"),
       roles.fitted ? "fit the model with " : "", Ref::flag("fill", "median")});
}

void treat_missing(const Roles& roles, bool taken, ModelTable& data, const Exec& exec,
                   TellNotes tell) {
  if (roles.missing == Missing::kAuto && taken) return;
  Source& all = data.source();
  RowSet complete = RowSet::complete(all, exec);
  const Index lost = complete.rows() - complete.size();
  if (roles.missing != Missing::kSkip) {
    if (lost > 0) refuse_missing(roles, all, complete);
    return;
  }
  data.kept = std::make_unique<RowSet>(std::move(complete));
  if (lost == 0) return;
  data.view->rows(*data.kept);
  const Note note{
      "missing-rows",
      {"left out {} of {} with missing values", lost, counted(data.kept->rows(), "row")}};
  tell({&note, 1});
  if (lost < data.kept->rows()) return;
  throw InputError(
      Code::kNoRows, {.file = data.name()}, "no row is left: every one has a missing value",
      {"Give {} to leave out columns that are mostly empty, or {} instead of {}.",
       Ref::flag("drop", "COLUMN"), Ref::flag("fill", "median"), Ref::flag("missing", "skip")});
}

ModelTable table_of(OpenedTable opened) {
  auto view = std::make_unique<View>(*opened.source);
  return {.file = std::move(opened.source),
          .view = std::move(view),
          .guess = std::move(opened.guess),
          .forms = std::move(opened.forms)};
}

bool all_as_they_are(const Selection& selection, Index columns) {
  Index next = 0;
  for (const auto& column : selection.columns) {
    if (column.from != next++ || !column.codes.empty()) return false;
  }
  return next == columns && selection.weights == Selection::kNone && selection.texts.empty();
}

// A selection of columns makes sparse rows dense: pictures want that, and most models.
void use(const Roles& roles, const Abilities& able, bool filled, Selection selection,
         ModelTable& data, const Exec& exec, TellNotes tell) {
  data.weighted = selection.weights != Selection::kNone;
  if (!able.sparse || roles.dense || !all_as_they_are(selection, data.file->shape().cols)) {
    data.view->select(std::move(selection));
  }
  refuse_repeated_names(data.source());
  treat_missing(roles, able.missing || filled, data, exec, tell);
}

// Things that a person may not have meant; only said.
void tell_odd_columns(const Roles& roles, const ModelTable& data, const Exec& exec,
                      TellNotes tell) {
  constexpr Index kFewest = 20;
  const Schema& schema = data.schema();
  std::vector<Note> notes;
  if (schema.target && schema.target->kind == ColumnKind::kNumber) {
    const Index values = ssize(schema.target->levels);
    if (values > kFewest && values * 10 > data.size()) {
      notes.push_back({"many-classes",
                       {"the target '{}' has {} different numbers: it looks like a measurement, "
                        "and what is learned here are classes (models of numbers: {})",
                        schema.target->name, values, models_that(&Abilities::numbers)}});
    }
  }
  if (roles.features.empty()) {
    for (const Leak& leak : find_leaks(data.source(), {.threads = exec.threads})) {
      notes.push_back(note_of(leak, schema));
    }
  }
  tell(notes);
}

}  // namespace

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
                     {"Say which one to learn from: {}.", Ref::flag("text", "COLUMN")});
  }
  if (const Index column = schema.find_text(name); column >= 0) return column;
  if (schema.find(name) < 0 && !names.empty()) {
    const std::string near = did_you_mean(name, names);
    throw InputError(
        Code::kUnknownName, {.file = table.source->name()},
        {"there is no column '{}', which {} names", name, Ref::flag("text")},
        fmt::format("{}{}Columns of text are: {}.", near, near.empty() ? "" : " ", listed(names)));
  }
  find_named(table, name, "text");  // says that there is none
  throw InputError(Code::kUnsupported, {.file = table.source->name(), .column = name},
                   {"this column of numbers is named by {}", Ref::flag("text")},
                   "Name a column of texts.");
}

ReadOptions read_options(ReadOptions read, const Roles& roles, const ModelInfo* model) {
  read.labels = roles.target;
  if (!roles.text.empty()) read.texts = {roles.text};
  read.find_texts = (model == nullptr || model->abilities.texts) && roles.features.empty();
  read.texts_beside = model == nullptr || model->abilities.texts_beside;
  for (const std::string& name : {roles.weights, roles.groups, roles.time}) {
    if (!name.empty()) read.roles.push_back(name);
  }
  read.roles.insert(read.roles.end(), roles.drop.begin(), roles.drop.end());
  if (!roles.groups.empty()) read.categories.push_back(roles.groups);
  return read;
}

ModelTable table_to_fit(const ModelInfo& model, OpenedTable table, const Roles& roles, bool filled,
                        const Exec& exec, TellNotes tell) {
  const Abilities& able = model.abilities;
  const bool labels = able.labels || (!able.numbers && (able.some_labels || roles.measured) &&
                                      !roles.target.empty());
  const Index target = labels || able.numbers ? find_target(model, roles, table) : kTargets;
  if (able.numbers) refuse_words(model, table, target);
  Selection selection = choose_columns(model, roles, table, tell);
  ModelTable data = table_of(std::move(table));
  if (labels) data.view->label(classes_to_learn(model, *data.file, target, exec));
  if (able.numbers) data.view->target(target);
  use(roles, able, filled, std::move(selection), data, exec, tell);
  tell_odd_columns(roles, data, exec, tell);
  return data;
}

namespace {

// Columns are read as those of the fit were. What the user says of a column goes before.
void ask_for_forms(const Fitted& fitted, ReadOptions& read) {
  read.forms_known = true;
  for (const ColumnForm& of : forms_in(fitted.report.notes)) {
    if (of.name != of.in_file) {
      const auto part = date_part_of(of.name.substr(of.in_file.size() + 1));
      if (part && std::ranges::find(read.date_parts, *part) == read.date_parts.end()) {
        read.date_parts.push_back(*part);
      }
    }
    const auto same = [&](const auto& given) { return given.first == of.in_file; };
    if (std::ranges::any_of(read.kinds, same) || std::ranges::any_of(read.forms, same)) continue;
    read.forms.emplace_back(of.in_file, of.form.word());
  }
}

}  // namespace

ReadOptions read_options(ReadOptions read, const Roles& roles, const Fitted& fitted) {
  const Schema& schema = fitted.schema;
  for (const Column& column : schema.columns) {
    if (column.kind == ColumnKind::kCategory) read.categories.push_back(column.name);
  }
  for (const Column& column : schema.texts) {
    read.texts.push_back(roles.text.empty() ? column.name : roles.text);
  }
  if (schema.target && schema.target->kind == ColumnKind::kCategory) {
    read.labels = roles.target.empty() ? schema.target->name : roles.target;
  }
  read.kept = roles.keep;
  ask_for_forms(fitted, read);
  return read;
}

ModelTable table_for(const Fitted& fitted, OpenedTable table, const Roles& roles, Want want,
                     const Exec& exec, TellNotes tell) {
  const Schema& schema = fitted.schema;
  std::vector<std::string> skip{roles.weights, roles.target};
  for (const std::string& name : roles.keep) {
    if (schema.find(name) < 0) skip.push_back(name);
  }
  if (schema.target) skip.push_back(schema.target->name);
  const UnseenLevels unseen =
      design_of(*fitted.model) == nullptr ? UnseenLevels::kMissing : UnseenLevels::kKept;
  auto [selection, notes] = bind_columns(schema, *table.source, skip, table.notes, unseen);
  tell(notes);
  if (!roles.weights.empty()) selection.weights = find_typed(table, roles.weights, "weights");
  const bool wanted =
      schema.target &&
      (want == Want::kTarget || (want == Want::kTargetIfThere && has_target(schema, roles, table)));
  const Index target = wanted ? find_target(schema, roles, table) : kTargets;
  if (wanted && schema.number_target()) refuse_words(fitted.info(), table, target);
  ModelTable data = table_of(std::move(table));
  if (wanted && schema.number_target()) {
    data.view->target(target);
  } else if (wanted) {
    data.view->label(bind_classes(*schema.target, *data.file, target, exec));
  }
  Roles fixed = roles;
  fixed.fitted = true;
  use(fixed, fitted.info().abilities, fills(fitted.options), std::move(selection), data, exec,
      tell);
  check_columns(data.source(), schema.size());
  return data;
}

}  // namespace craton
