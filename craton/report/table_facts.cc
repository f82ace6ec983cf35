#include "craton/report/table_facts.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numeric>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/engine/exec.h"
#include "craton/io/cell_form.h"
#include "craton/report/next_commands.h"
#include "craton/report/words.h"
#include "craton/select/cross_validation.h"
#include "craton/tables/bind_columns.h"
#include "craton/tables/view.h"

namespace craton {
namespace {

constexpr Index kLevelsShown = 4;
constexpr std::size_t kLongestLevel = 24;

bool is_category(const Column& column) { return column.kind == ColumnKind::kCategory; }

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
std::vector<DescribedColumn> describe_columns(const Schema& schema, std::span<const Column> in_file,
                                              std::span<const ColumnFacts> facts) {
  std::vector<DescribedColumn> result;
  Index next = 0;
  for (const Column& column : in_file) {
    DescribedColumn of{column};
    if (of.used() && next == ssize(facts)) continue;
    if (of.used()) of = {schema.column(next), facts[usize(next)]}, ++next;
    result.push_back(std::move(of));
  }
  for (; next < ssize(facts); ++next) result.push_back({schema.column(next), facts[usize(next)]});
  return result;
}

// Has the target classes, or is it a quantity?
bool has_classes(const Column& column, const ColumnFacts* facts) {
  constexpr Index kFew = 50, kMany = 1000;
  if (is_category(column) || facts == nullptr) return true;
  return facts->distinct >= 0 && facts->distinct <= (facts->whole ? kMany : kFew);
}

std::vector<Share> shares_of_classes(Source& x, Index column, const Exec& exec) {
  View labelled(x);
  labelled.label(find_classes(x, column, exec));
  const std::vector<std::string>& levels = labelled.schema().target->levels;
  std::vector<Index> rows(levels.size());
  for (const std::int32_t label : labels_of(labelled, exec)) {
    if (label >= 0) ++rows[usize(label)];
  }
  return shares(levels, rows);
}

// "'id' is constant: --drop id", or "3 columns are constant: --drop a,b,c".
void add_drop(std::vector<Note>& notes, const char* code, const std::vector<std::string>& names,
              const char* one, const char* many) {
  if (names.empty()) return;
  const std::string what = names.size() == 1 ? fmt::format("'{}' {}", names[0], one)
                                             : fmt::format("{} columns {}", names.size(), many);
  notes.push_back({code, {"{}: {}", what, Ref::flag("drop", names_for_shell(names))}});
}

std::vector<Note> notes_on(const TableFacts& facts) {
  std::vector<Note> notes;
  const Useless useless = useless_columns(facts);
  add_drop(notes, "row-numbers", useless.numbers, "looks like a row number",
           "look like row numbers");
  add_drop(notes, "constant", useless.constant, "is constant", "are constant");
  add_drop(notes, "no-values", useless.empty, "has no values", "have no values");
  const Index more = facts.shape.cols - TableFacts::kMostColumns;
  if (more > 0) notes.push_back({"more-columns", fmt::format("and {} more columns", more)});
  return notes;
}

// The least correlation that one of so many pairs has by chance once in a hundred tables: Fisher's
// z is about normal with the variance 1 / (n - 3).
double beyond_chance(Index rows, Index pairs) {
  constexpr double kChance = 0.01;
  if (rows <= 3) return 2;  // no correlation is as much
  const double z = -normal_quantile(kChance / 2 / static_cast<double>(std::max<Index>(pairs, 1)));
  return std::tanh(z / std::sqrt(static_cast<double>(rows - 3)));
}

double strength(const Correlation& pair) {
  return std::fmax(std::abs(pair.pearson), std::abs(pair.spearman));
}

void find_correlations(TableFacts& facts, Source& x, std::span<const ColumnFacts> of,
                       const Exec& exec) {
  std::vector<Index> columns;
  for (Index j = 0; j < ssize(of) && ssize(columns) < TableFacts::kMostCorrelated; ++j) {
    const bool varies = of[usize(j)].distinct < 0 || of[usize(j)].distinct > 1;
    if (of[usize(j)].rows.empty() && varies) columns.push_back(j);
  }
  if (columns.size() < 2) return;
  Correlations all = correlations(x, columns, exec);
  facts.correlated_rows = all.rows;
  facts.correlated_columns = ssize(columns);
  for (const Correlation& pair : all.pairs) {
    const double least =
        std::max(TableFacts::kCorrelated, beyond_chance(pair.rows, ssize(all.pairs)));
    if (strength(pair) >= least) facts.correlations.push_back(pair);
  }
  std::stable_sort(
      facts.correlations.begin(), facts.correlations.end(),
      [](const Correlation& a, const Correlation& b) { return strength(a) > strength(b); });
}

std::string short_level(const std::string& level) {
  if (level.size() <= kLongestLevel) return level;
  std::size_t size = kLongestLevel;
  while (size > 0 && (level[size] & 0xc0) == 0x80) --size;  // not inside of a character
  return level.substr(0, size) + "...";
}

std::string percent(double share) { return fmt::format("{:.3g}%", 100 * share); }

std::string top_words(const DescribedColumn& of) {
  std::string words;
  const std::vector<Share> all = shares(of.column.levels, of.facts.rows);
  for (Index i = 0; i < std::min(kLevelsShown, ssize(all)); ++i) {
    const Share& share = all[usize(i)];
    words +=
        fmt::format("{}{} {}", i == 0 ? "" : ", ", short_level(share.level), percent(share.share));
  }
  return words + (ssize(all) > kLevelsShown ? ", ..." : "");
}

const char* reason_of(ColumnKind kind) {
  return kind == ColumnKind::kText ? "text, ignored" : "ignored";
}

// Collects columns of a ResultTable row by row.
struct Rows {
  std::vector<std::string> names;
  ResultColumn::Words words;
  std::vector<ResultColumn::Numbers> numbers;
  void add(std::string name, std::string word, std::initializer_list<double> values) {
    names.push_back(std::move(name));
    words.push_back(std::move(word));
    numbers.resize(values.size());
    std::size_t k = 0;
    for (const double value : values) numbers[k++].push_back(value);
  }
};

double distinct_of(const ColumnFacts& facts) {
  return facts.distinct < 0 ? NAN : static_cast<double>(facts.distinct);
}

// "10000+" where they were not counted.
ResultColumn::Words distinct_words(const ResultColumn::Numbers& numbers) {
  ResultColumn::Words words;
  for (const double n : numbers) {
    words.push_back(std::isnan(n) ? fmt::format("{}+", ColumnFacts::kMostDistinct)
                                  : fmt::format("{:.0f}", n));
  }
  return words;
}

ResultTable number_table(const TableFacts& facts) {
  Rows rows;
  for (const DescribedColumn& of : facts.columns) {
    if (!of.used() || is_category(of.column) || of.date) continue;
    const ColumnFacts& f = of.facts;
    rows.add(of.column.name, bars_of(f.bars),
             {static_cast<double>(f.missing), distinct_of(f), f.mean, f.deviation, f.least,
              f.lower_quartile, f.median, f.upper_quartile, f.greatest});
  }
  ResultTable table{.name = "numbers", .title = "numbers"};
  if (rows.names.empty()) return table;
  constexpr Digits kDigits{.count = 4};
  table.add_words("column", rows.names);
  table.add_numbers("missing", rows.numbers[0]);
  table.add_words("distinct", distinct_words(rows.numbers[1]));
  table.add_numbers("mean", rows.numbers[2], kDigits);
  table.add_numbers("deviation", rows.numbers[3], kDigits).deviation = true;
  const std::array names{"least", "25%", "median", "75%", "greatest"};
  for (std::size_t k = 0; k < names.size(); ++k) {
    table.add_numbers(names[k], rows.numbers[4 + k]);
  }
  table.add_words("shape", rows.words);
  return table;
}

ResultTable date_table(const TableFacts& facts) {
  Rows rows;
  std::array<ResultColumn::Words, 3> dates;
  for (const DescribedColumn& of : facts.columns) {
    if (!of.used() || !of.date) continue;
    const ColumnFacts& f = of.facts;
    rows.add(of.column.name, bars_of(f.bars), {static_cast<double>(f.missing), distinct_of(f)});
    const std::array days{f.least, f.median, f.greatest};
    for (std::size_t k = 0; k < days.size(); ++k) dates[k].push_back(date_text(days[k]));
  }
  ResultTable table{.name = "dates", .title = "dates"};
  if (rows.names.empty()) return table;
  table.add_words("column", rows.names);
  table.add_numbers("missing", rows.numbers[0]);
  table.add_words("distinct", distinct_words(rows.numbers[1]));
  const std::array names{"first", "median", "last"};
  for (std::size_t k = 0; k < names.size(); ++k) table.add_words(names[k], dates[k]);
  table.add_words("shape", rows.words);
  return table;
}

ResultTable category_table(const TableFacts& facts) {
  Rows rows;
  for (const DescribedColumn& of : facts.columns) {
    if (!is_category(of.column)) continue;
    rows.add(of.column.name, top_words(of),
             {static_cast<double>(of.facts.missing), distinct_of(of.facts)});
  }
  ResultTable table{.name = "categories", .title = "categories"};
  if (rows.names.empty()) return table;
  table.add_words("column", rows.names);
  table.add_numbers("missing", rows.numbers[0]);
  table.add_numbers("distinct", rows.numbers[1]);
  table.add_words("most frequent", rows.words);
  return table;
}

ResultTable left_out_table(const TableFacts& facts) {
  Rows rows;
  for (const DescribedColumn& of : facts.columns) {
    if (!of.used()) rows.add(of.column.name, reason_of(of.column.kind), {});
  }
  ResultTable table{.name = "left_out", .title = "left out"};
  if (rows.names.empty()) return table;
  table.add_words("column", rows.names);
  table.add_words("as", rows.words);
  return table;
}

ResultTable class_table(const TableFacts& facts) {
  Rows rows;
  for (const Share& share : facts.classes) {
    rows.add(share.level, percent(share.share), {static_cast<double>(share.rows)});
  }
  ResultTable table{.name = "classes", .title = fmt::format("classes of {}", facts.target)};
  if (rows.names.empty()) return table;
  table.add_words(facts.target, rows.names);
  table.add_numbers("rows", rows.numbers[0]);
  table.add_words("share", rows.words);
  return table;
}

std::string of_rows(const TableFacts& facts) {
  if (facts.correlated_rows == facts.shape.rows) return "";
  return fmt::format(", from {} of {}", facts.correlated_rows, plural(facts.shape.rows, "row"));
}

ResultTable correlation_table(const TableFacts& facts) {
  Rows rows;
  std::vector<std::string> others;
  for (const Correlation& pair : facts.correlations) {
    const auto name = [&](Index j) {
      Index at = 0;
      for (const DescribedColumn& of : facts.columns) {
        if (of.used() && at++ == j) return of.column.name;
      }
      return std::to_string(j);
    };
    rows.add(name(pair.a), "", {pair.pearson, pair.spearman, static_cast<double>(pair.rows)});
    others.push_back(name(pair.b));
  }
  ResultTable table{.name = "correlations",
                    .title = fmt::format("correlations of {} and more (Pearson's, or of ranks){}",
                                         TableFacts::kCorrelated, of_rows(facts))};
  if (rows.names.empty()) return table;
  constexpr Digits kDigits{.count = 3, .form = Digits::Form::kDecimals};
  table.add_words("column", rows.names);
  table.add_words("with", others);
  table.add_numbers("pearson", rows.numbers[0], kDigits);
  table.add_numbers("spearman", rows.numbers[1], kDigits);
  table.add_numbers("rows", rows.numbers[2]);
  return table;
}

ResultTable suspicious_table(const TableFacts& facts) {
  Rows rows;
  std::vector<std::string> values;
  const auto known = [](Index number) { return number < 0 ? NAN : static_cast<double>(number); };
  bool lines = false;
  for (const TableFacts::Cell& of : facts.suspicious) {
    rows.add(of.column, of.cell.why,
             {static_cast<double>(of.cell.rows), known(of.row), known(of.line)});
    values.push_back(short_level(of.cell.value));
    lines |= of.line >= 0;
  }
  ResultTable table{.name = "suspicious", .title = "cells to look at (rows count from 0)"};
  if (rows.names.empty()) return table;
  table.add_words("column", rows.names);
  table.add_words("value", values);
  table.add_numbers("rows", rows.numbers[0]);
  table.add_numbers("first row", rows.numbers[1]);
  if (lines) table.add_numbers("line", rows.numbers[2]);
  table.add_words("why", rows.words);
  return table;
}

Json to_json(const std::vector<Share>& all) {
  Json::List list;
  for (const Share& s : all) {
    list.push_back(Json::object({{"level", s.level}, {"rows", s.rows}, {"share", s.share}}));
  }
  return Json(Json::Value(std::move(list)));
}

Json to_json(const DescribedColumn& of) {
  static constexpr const char* kKinds[] = {"number", "category", "text", "ignore"};
  Json json =
      Json::object({{"name", of.column.name}, {"kind", kKinds[static_cast<int>(of.column.kind)]}});
  if (!of.used()) return json;
  const ColumnFacts& facts = of.facts;
  json.set("missing", facts.missing);
  json.set("distinct", facts.distinct < 0 ? Json(nullptr) : Json(facts.distinct));
  if (is_category(of.column)) {
    json.set("levels", to_json(shares(of.column.levels, facts.rows)));
    return json;
  }
  if (!of.form.empty()) json.set("form", of.form);
  if (of.date) {
    json.set("first", date_text(facts.least));
    json.set("last", date_text(facts.greatest));
  }
  if (facts.infinite > 0) json.set("infinite", facts.infinite);
  json.set("mean", facts.mean);
  json.set("deviation", facts.deviation);
  json.set("least", facts.least);
  json.set("lower_quartile", facts.lower_quartile);
  json.set("median", facts.median);
  json.set("upper_quartile", facts.upper_quartile);
  json.set("greatest", facts.greatest);
  Json::List bars;
  for (const Index n : facts.bars) bars.emplace_back(n);
  json.set("histogram", Json::object({{"from", facts.bars_from},
                                      {"width", facts.bar_width},
                                      {"rows", Json(Json::Value(std::move(bars)))}}));
  return json;
}

Json list_of(std::vector<Json> items) { return Json(Json::Value(Json::List(std::move(items)))); }

}  // namespace

TableFacts find_table_facts(Source& x, const TableQuestion& question, const Exec& exec) {
  TableFacts result;
  result.name = x.name();
  result.target = question.target;
  result.shape = x.shape();
  Index target = -1;
  if (!question.target.empty()) {
    target =
        find_column(x, question.target, Code::kUnknownName, "is to be the target", question.notes);
  }
  const Schema& schema = x.schema();
  const std::vector<ColumnFacts> facts = column_facts(x, TableFacts::kMostColumns, exec);
  result.columns = describe_columns(schema, question.in_file, facts);
  const auto form_of_column = [&](const std::string& name) {
    const auto same = [&](const ColumnForm& of) { return of.name == name; };
    const auto at = std::find_if(question.forms.begin(), question.forms.end(), same);
    return at == question.forms.end() ? nullptr : &*at;
  };
  for (DescribedColumn& of : result.columns) {
    const ColumnForm* const form = form_of_column(of.column.name);
    if (form == nullptr || form->name != form->in_file) continue;
    of.form = form->form.word();
    of.date = form->is_date();
  }
  const bool described = target >= 0 && target < ssize(facts);
  if (target >= 0 &&
      has_classes(schema.column(target), described ? &facts[usize(target)] : nullptr)) {
    result.classes = shares_of_classes(x, target, exec);
  }
  find_correlations(result, x, facts, exec);
  for (Index j = 0; j < ssize(facts); ++j) {
    const Column column = schema.column(j);
    const ColumnForm* const form = form_of_column(column.name);
    const bool date = form != nullptr && form->is_date();
    for (SuspiciousCell& cell : suspicious_cells(j, column, facts[usize(j)], date)) {
      const Index row = x.row_in_file(cell.first), line = x.line_of(cell.first);
      result.suspicious.push_back({std::move(cell), column.name, row, line});
    }
  }
  result.notes.assign(question.notes.begin(), question.notes.end());
  for (Note& note : notes_on(result)) result.notes.push_back(std::move(note));
  return result;
}

std::vector<ResultTable> tables_of(const TableFacts& facts) {
  std::vector<ResultTable> tables;
  for (ResultTable& table : std::array{
           number_table(facts), date_table(facts), category_table(facts), left_out_table(facts),
           class_table(facts), correlation_table(facts), suspicious_table(facts)}) {
    if (table.rows() > 0) tables.push_back(std::move(table));
  }
  return tables;
}

Json to_json(const TableFacts& facts) {
  std::vector<Json> columns, pairs, cells, notes;
  for (const DescribedColumn& of : facts.columns) columns.push_back(to_json(of));
  std::vector<std::string> names;
  for (const DescribedColumn& of : facts.columns) {
    if (of.used()) names.push_back(of.column.name);
  }
  for (const Correlation& pair : facts.correlations) {
    pairs.push_back(Json::object({{"column", names[usize(pair.a)]},
                                  {"with", names[usize(pair.b)]},
                                  {"pearson", pair.pearson},
                                  {"spearman", pair.spearman},
                                  {"rows", pair.rows}}));
  }
  for (const TableFacts::Cell& of : facts.suspicious) {
    cells.push_back(Json::object({{"column", of.column},
                                  {"value", of.cell.value},
                                  {"rows", of.cell.rows},
                                  {"first_row", of.row},
                                  {"line", of.line < 0 ? Json(nullptr) : Json(of.line)},
                                  {"why", of.cell.why}}));
  }
  for (const auto& [code, text] : facts.notes) {
    notes.push_back(Json::object({{"code", code}, {"text", text.plain()}}));
  }
  Json json = Json::object(
      {{"data", facts.name}, {"rows", facts.shape.rows}, {"columns", list_of(std::move(columns))}});
  if (!facts.classes.empty()) json.set("classes", to_json(facts.classes));
  json.set("correlations", Json::object({{"least", TableFacts::kCorrelated},
                                         {"rows", facts.correlated_rows},
                                         {"columns", facts.correlated_columns},
                                         {"pairs", list_of(std::move(pairs))}}));
  json.set("suspicious", list_of(std::move(cells)));
  json.set("notes", list_of(std::move(notes)));
  return json;
}

std::string bars_of(std::span<const Index> bars) {
  static constexpr std::array<const char*, 8> kHeights{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const Index most = bars.empty() ? 0 : *std::max_element(bars.begin(), bars.end());
  std::string text;
  for (const Index rows : bars) {
    // The height is rounded up, so that few are more than none.
    const Index height = (rows * ssize(kHeights) + most - 1) / std::max<Index>(most, 1);
    text += rows == 0 ? "·" : kHeights[usize(height - 1)];
  }
  return text;
}

}  // namespace craton
