#include "cli/showing/describe_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

#include "cli/showing/output.h"
#include "cli/showing/progress.h"
#include "cli/verbs.h"
#include "craton/base/json.h"
#include "craton/select/cross_validation.h"
#include "craton/tables/bind_columns.h"
#include "craton/tables/column_facts.h"
#include "craton/tables/view.h"

namespace craton::cli {
namespace {

constexpr Index kMostColumns = 1000, kLevelsShown = 3;

struct Described {
  Column column;
  ColumnFacts facts = {};
};

bool is_category(const Column& column) { return column.kind == ColumnKind::kCategory; }
bool used(const Column& column) {
  return is_category(column) || column.kind == ColumnKind::kNumber;
}

struct Share {
  std::string level;
  Index rows = 0;
  double share = 0;
};

// The most frequent first; of equals the first.
std::vector<Share> shares(const std::vector<std::string>& levels, const std::vector<Index>& rows) {
  const Index all = std::accumulate(rows.begin(), rows.end(), Index{0});
  std::vector<Share> result;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const double share =
        static_cast<double>(rows[i]) / static_cast<double>(std::max<Index>(all, 1));
    result.push_back({levels[i], rows[i], share});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Share& a, const Share& b) { return a.rows > b.rows; });
  return result;
}

// Columns that the reader left out are in their places, without facts.
std::vector<Described> describe_columns(const OpenedTable& table, const Exec& exec) {
  const Schema& schema = table.source->schema();
  std::vector<ColumnFacts> facts = column_facts(*table.source, kMostColumns, exec);
  std::vector<Described> result;
  Index next = 0;
  for (const Column& column : table.in_file) {
    if (!used(column)) result.push_back({column});
    if (!used(column) || next == ssize(facts)) continue;
    result.push_back({schema.column(next), std::move(facts[usize(next)])});
    ++next;
  }
  for (; next < ssize(facts); ++next) {
    result.push_back({schema.column(next), std::move(facts[usize(next)])});
  }
  return result;
}

std::vector<Share> classes_of(const Command& command, const OpenedTable& table, const Exec& exec) {
  if (command.target.empty()) return {};
  const Index column =
      find_column(*table.source, command.target, Code::kUnknownName, "--target names", table.notes);
  View labelled(*table.source);
  labelled.label(find_classes(*table.source, column, exec));
  const std::vector<std::string>& levels = labelled.schema().target->levels;
  std::vector<Index> rows(levels.size());
  for (const std::int32_t label : labels_of(labelled, exec)) {
    if (label >= 0) ++rows[usize(label)];
  }
  return shares(levels, rows);
}

std::string for_shell(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' ||
           c == ',';
  });
  return plain ? name : "'" + name + "'";
}

// "'id' is constant: --drop id", or "3 columns are constant: --drop a,b,c".
Note drop_note(const char* code, const std::vector<std::string>& names, const char* one,
               const char* many) {
  const std::string what = names.size() == 1 ? fmt::format("'{}' {}", names[0], one)
                                             : fmt::format("{} columns {}", names.size(), many);
  return {code, fmt::format("{}: --drop {}", what, for_shell(join(names, ",")))};
}

std::vector<Note> notes_on(const Command& command, const OpenedTable& table,
                           const std::vector<Described>& columns) {
  std::vector<std::string> numbers, empty, constant;
  const auto [rows, cols] = table.source->shape();
  for (const auto& [column, facts] : columns) {
    if (!used(column) || column.name == command.target || rows < 2) continue;
    if (facts.counts_up) numbers.push_back(column.name);
    if (facts.distinct == 0) empty.push_back(column.name);
    if (facts.distinct == 1 && facts.missing == 0) constant.push_back(column.name);
  }
  std::vector<Note> notes = table.notes;
  const auto add = [&](const char* code, const auto& names, const char* one, const char* many) {
    if (!names.empty()) notes.push_back(drop_note(code, names, one, many));
  };
  add("row-numbers", numbers, "looks like a row number", "look like row numbers");
  add("constant", constant, "is constant", "are constant");
  add("no-values", empty, "has no values", "have no values");
  if (cols > kMostColumns) {
    notes.push_back({"more-columns", fmt::format("and {} more columns", cols - kMostColumns)});
  }
  return notes;
}

std::string percent(double share) { return fmt::format("{:.3g}%", 100 * share); }

std::string name_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::kNumber:
      return "number";
    case ColumnKind::kCategory:
      return "category";
    case ColumnKind::kText:
      return "text, ignored";
    case ColumnKind::kIgnore:
      return "ignored";
  }
  return "";
}

std::string levels_of(const Described& of) {
  std::vector<std::string> words;
  const std::vector<Share> all = shares(of.column.levels, of.facts.rows);
  for (Index i = 0; i < std::min(kLevelsShown, ssize(all)); ++i) {
    words.push_back(fmt::format("{} {}", all[usize(i)].level, percent(all[usize(i)].share)));
  }
  if (ssize(all) > kLevelsShown) words.emplace_back("...");
  return join(words);
}

std::string table_of(const std::vector<Described>& columns) {
  SummaryTable table{
      "", {"column", "kind", "missing", "distinct", "least", "median", "greatest"}, {}};
  const bool categories = std::any_of(columns.begin(), columns.end(),
                                      [](const Described& of) { return is_category(of.column); });
  if (categories) table.header.emplace_back("most frequent");
  const auto number = [](double value) { return std::isnan(value) ? "" : shown(value); };
  for (const Described& of : columns) {
    auto& row = table.rows.emplace_back();
    row = {of.column.name, name_of(of.column.kind)};
    row.resize(table.header.size());
    if (!used(of.column)) continue;
    const ColumnFacts& facts = of.facts;
    row[2] = std::to_string(facts.missing);
    row[3] = facts.distinct < 0 ? fmt::format("{}+", ColumnFacts::kMostDistinct)
                                : std::to_string(facts.distinct);
    if (!is_category(of.column)) {
      row[4] = number(facts.least);
      row[5] = number(facts.median);
      row[6] = number(facts.greatest);
    } else {
      row[7] = levels_of(of);
    }
  }
  return laid_out(table);
}

std::string table_of(const std::string& target, const std::vector<Share>& classes) {
  SummaryTable table{"", {target, "rows", "share"}, {}};
  for (const Share& c : classes) {
    table.rows.push_back({c.level, std::to_string(c.rows), percent(c.share)});
  }
  return laid_out(table);
}

Json shares_to_json(const std::vector<Share>& all) {
  Json::List list;
  for (const Share& s : all) {
    list.push_back(Json::object({{"level", s.level}, {"rows", s.rows}, {"share", s.share}}));
  }
  return Json(Json::Value(std::move(list)));
}

Json column_to_json(const Described& of) {
  static constexpr const char* kKinds[] = {"number", "category", "text", "ignore"};
  Json json =
      Json::object({{"name", of.column.name}, {"kind", kKinds[static_cast<int>(of.column.kind)]}});
  if (!used(of.column)) return json;
  json.set("missing", of.facts.missing);
  json.set("distinct", of.facts.distinct < 0 ? Json(nullptr) : Json(of.facts.distinct));
  if (is_category(of.column)) {
    json.set("levels", shares_to_json(shares(of.column.levels, of.facts.rows)));
    return json;
  }
  json.set("least", of.facts.least);
  json.set("median", of.facts.median);
  json.set("greatest", of.facts.greatest);
  return json;
}

Json notes_to_json(const std::vector<Note>& notes) {
  Json::List list;
  for (const auto& [code, text] : notes) {
    list.push_back(Json::object({{"code", code}, {"text", text.plain()}}));
  }
  return Json(Json::Value(std::move(list)));
}

}  // namespace

int describe_table(const Command& command, std::unique_ptr<Input> input) {
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  ReadOptions read = command.read;
  read.labels = command.target;
  const OpenedTable table = open_table(command.model_file, std::move(input), read, exec);
  progress.start_passes(table.source->shape().rows);
  const std::vector<Share> classes = classes_of(command, table, exec);
  const std::vector<Described> columns = describe_columns(table, exec);
  const std::vector<Note> notes = notes_on(command, table, columns);
  progress.finish();
  if (command.json) {
    Json::List list;
    for (const Described& of : columns) list.push_back(column_to_json(of));
    Json json = Json::object({{"data", table.source->name()},
                              {"rows", table.source->shape().rows},
                              {"columns", Json(Json::Value(std::move(list)))}});
    if (!classes.empty()) json.set("classes", shares_to_json(classes));
    json.set("notes", notes_to_json(notes));
    print_json(json);
    return kOk;
  }
  std::string text = field("data", table.source->name()) + field("read", table.guess) + "\n";
  text += table_of(columns);
  if (!classes.empty()) text += "\n" + table_of(command.target, classes);
  if (!notes.empty()) text += "\n";
  for (const Note& note : notes) text += field("note", note.text.plain());
  print(text);
  return kOk;
}

}  // namespace craton::cli
