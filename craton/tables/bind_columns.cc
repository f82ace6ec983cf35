#include "craton/tables/bind_columns.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace craton {
namespace {

const char* plural(std::size_t count) { return count == 1 ? "" : "s"; }

// Columns by name, for tables of very many.
using Places = std::unordered_map<std::string, std::vector<Index>>;
Places places_of(const Schema& schema) {
  Places places;
  for (Index j = 0; j < schema.size(); ++j) places[schema.name(j)].push_back(j);
  return places;
}

bool has_categories(const Schema& schema) {
  return std::any_of(schema.columns.begin(), schema.columns.end(),
                     [](const Column& column) { return column.kind == ColumnKind::kCategory; });
}

// From the codes of new data to those of the model.
Selection::Column recode(const Column& model, const Column& data, Index from, UnseenLevels others,
                         Binding& binding) {
  Selection::Column result{.from = from};
  if (model.kind != ColumnKind::kCategory || model.levels == data.levels) return result;
  result.levels = model.levels;
  std::vector<std::string> unseen;
  for (const std::string& level : data.levels) {
    const auto at = std::find(model.levels.begin(), model.levels.end(), level);
    const bool seen = at != model.levels.end();
    if (!seen && others == UnseenLevels::kKept) {
      result.codes.push_back(static_cast<double>(result.levels.size()));
      result.levels.push_back(level);
      continue;
    }
    if (!seen) unseen.push_back("'" + level + "'");
    result.codes.push_back(seen ? static_cast<double>(at - model.levels.begin())
                                : std::numeric_limits<double>::quiet_NaN());
  }
  if (!unseen.empty()) {
    binding.notes.push_back(
        {"unseen-level",
         {"took {} level{} of the {} that the model has not seen for missing: {}", unseen.size(),
          plural(unseen.size()), Ref::column(model.name), listed(unseen)}});
  }
  return result;
}

// The number that a column without a name is called by; -1: it has a name.
Index place_of(const std::string& name) {
  constexpr std::size_t kMostDigits = 9;
  const bool digits = name.find_first_not_of("0123456789") == std::string::npos;
  return digits && !name.empty() && name.size() <= kMostDigits ? std::stoll(name) - 1 : -1;
}

// Columns without names have the numbers of their places in the file of the fit. In a file like
// that one they are there, and so is the target: else nothing.
std::optional<std::vector<Index>> at_their_places(const Schema& model, const Schema& data) {
  const auto there = [&](Index place) { return place >= 0 && place < data.size(); };
  std::vector<Index> found;
  for (const Column& column : model.columns) {
    found.push_back(place_of(column.name));
    if (!there(found.back())) return std::nullopt;
  }
  const Index target = model.target ? place_of(model.target->name) : -1;
  if (target < 0) return found;
  if (!there(target) || data.columns[usize(target)].kind != model.target->kind) return std::nullopt;
  return found;
}

std::vector<std::string> names_of(std::span<const Index> columns, const Schema& schema) {
  std::vector<std::string> names;
  for (const Index j : columns) names.push_back(schema.name(j));
  return names;
}

void check_kind(const Source& data, const Column& model, const Column& found) {
  if (model.kind == found.kind) return;
  const bool number = model.kind == ColumnKind::kNumber;
  throw InputError(
      Code::kWrongColumns, {.file = data.name(), .column = found.name},
      fmt::format("this is a column of {}, but the model was fitted on {}",
                  number ? "categories" : "numbers", number ? "numbers" : "categories"),
      {"Give {} if it was guessed wrongly.",
       Ref::either(fmt::format("--schema '{}={}'", found.name, number ? "number" : "category"),
                   "a column of the other kind")});
}

}  // namespace

Note ignored_category(const Column& column) {
  return {"ignored-column",
          {"ignored the category {} ({} level{})", Ref::column(column.name), column.levels.size(),
           plural(column.levels.size())}};
}

bool has_names(const Schema& schema) {
  return std::any_of(schema.columns.begin(), schema.columns.end(), [](const Column& column) {
    return column.name.find_first_not_of("0123456789") != std::string::npos;
  });
}

void refuse_repeated(const Source& data, const std::string& name) {
  const auto& columns = data.schema().columns;
  const auto is = [&](const Column& column) { return column.name == name; };
  if (std::count_if(columns.begin(), columns.end(), is) < 2) return;
  throw InputError(Code::kDuplicateName, {.file = data.name()},
                   fmt::format("two columns are called '{}'", name),
                   "Rename one of them in the header.");
}

Index find_column(const Source& data, const std::string& name, Code code, const Message& wanted_by,
                  std::span<const Note> left_out) {
  const Index column = data.schema().find(name);
  if (column >= 0) refuse_repeated(data, name);
  if (column >= 0) return column;
  const Message what{"there is no {}, which {}", Ref::column(name), wanted_by};
  for (const Note& note : left_out) {
    const std::vector<Ref> columns = note.text.columns();
    const auto same = [&](const Ref& ref) { return ref.name == name; };
    if (std::none_of(columns.begin(), columns.end(), same)) continue;
    throw InputError(code, {.file = data.name()}, what, {"The reader {}.", note.text});
  }
  std::vector<std::string> names = data.schema().names();
  const std::string near = did_you_mean(name, names);
  for (const Column& text : data.schema().texts) names.push_back(text.name + " (text)");
  throw InputError(
      code, {.file = data.name()}, what,
      fmt::format("{}The columns are: {}.", near.empty() ? "" : near + " ", listed(names, 100)));
}

namespace {

// The texts that a model counts: by name, or the only one there is.
void bind_texts(const Schema& model, const Source& data, std::span<const Note> left_out,
                Binding& binding) {
  const Schema& schema = data.schema();
  for (const Column& column : model.texts) {
    Index found = schema.find_text(column.name);
    if (found < 0 && schema.texts.size() == 1) found = 0;
    if (found < 0) {
      find_column(data, column.name, Code::kWrongColumns, "the model counts the words of",
                  left_out);
      throw InputError(Code::kWrongColumns, {.file = data.name(), .column = column.name},
                       "this is no column of text", "Give a file with texts.");
    }
    binding.selection.texts.push_back(found);
  }
}

}  // namespace

Binding bind_columns(const Schema& model, const Source& data, std::span<const std::string> skip,
                     std::span<const Note> left_out, UnseenLevels others) {
  const Schema& schema = data.schema();
  Binding binding;
  bind_texts(model, data, left_out, binding);
  if (!model.texts.empty() && model.size() == 0) return binding;
  const auto skipped = [&](const std::string& name) {
    return std::find(skip.begin(), skip.end(), name) != skip.end();
  };
  std::vector<Index> found;
  const Places in_model = places_of(model);
  const bool repeats_name = ssize(in_model) < model.size();
  const bool nameless = !has_names(schema) && !has_names(model);
  const auto places = nameless ? at_their_places(model, schema) : std::nullopt;
  if (has_names(schema) && has_names(model) && !repeats_name) {
    const Places by_name = places_of(schema);
    for (const Column& column : model.columns) {
      const auto at = by_name.find(column.name);
      const bool once = at != by_name.end() && at->second.size() == 1;
      found.push_back(once ? at->second[0]
                           : find_column(data, column.name, Code::kWrongColumns,
                                         "the model was fitted on",
                                         left_out));  // says what is wrong
    }
    std::vector<std::string> extra = schema.names();
    std::erase_if(extra,
                  [&](const auto& name) { return in_model.contains(name) || skipped(name); });
    if (!extra.empty()) {
      binding.notes.push_back(
          {"extra-columns", fmt::format("ignored {} column{} that the model was not fitted on: {}",
                                        extra.size(), plural(extra.size()), listed(extra))});
    }
  } else if (places) {
    found = *places;
    if (found.back() != model.size() - 1 || schema.size() > model.size() + 1) {
      binding.notes.push_back(
          {"by-place", fmt::format("columns without names are taken from the places that they had "
                                   "in the file of the fit: {}",
                                   listed(names_of(found, schema)))});
    }
  } else {
    binding.notes.assign(left_out.begin(), left_out.end());
    for (Index j = 0; j < schema.size(); ++j) {
      const Column& column = schema.columns[usize(j)];
      const bool of_fit = nameless && model.target && column.name == model.target->name;
      if (skipped(column.name) && !of_fit) continue;  // the label had that place, and is not there
      if (column.kind == ColumnKind::kNumber || has_categories(model)) {
        found.push_back(j);
      } else {
        binding.notes.push_back(ignored_category(column));
      }
    }
    const bool moved = model.size() > 0 && place_of(model.columns.back().name) >= model.size();
    const bool differ = has_names(schema) || has_names(model) || moved;
    if (differ && ssize(found) == model.size()) {
      binding.notes.push_back(
          {"by-position", fmt::format("columns are taken in their order, as {} no names",
                                      has_names(model) ? "they have" : "the model has")});
    }
  }
  for (Index j = 0; j < ssize(found); ++j) {
    const Index from = found[usize(j)];
    if (ssize(found) != model.size()) {  // the model will say so
      binding.selection.columns.push_back({.from = from});
      continue;
    }
    const Column &of_model = model.columns[usize(j)], &of_data = schema.columns[usize(from)];
    check_kind(data, of_model, of_data);
    binding.selection.columns.push_back(recode(of_model, of_data, from, others, binding));
  }
  return binding;
}

}  // namespace craton
