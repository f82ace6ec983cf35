#include "craton/io/csv_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "craton/base/utf8.h"
#include "craton/io/cell.h"
#include "craton/io/number.h"

namespace craton {
namespace {

struct ColumnSample {
  Index numbers = 0, texts = 0, big_integers = 0;
  Index sentences = 0;  // texts of several words
  bool fraction = false;
  CsvSample text, big_integer;
  Levels levels;

  Index present() const { return numbers + texts + big_integers; }
  Index odd() const { return texts + (fraction ? 0 : big_integers); }
  bool numeric() const { return numbers > 0 && (texts == 0 || is_mistake(texts, present())); }
};

Cell add_cell(ColumnSample& column, const CsvField& field, Index line) {
  double value = 0;
  const Cell cell = parse_cell(field.text, value);
  if (cell == Cell::kMissing) return cell;
  if (cell == Cell::kNumber) {
    ++column.numbers;
    column.fraction |= !is_integer(field.text);
  } else {
    const bool big = cell == Cell::kBigInteger;
    ++(big ? column.big_integers : column.texts);
    column.sentences += field.text.find(' ') != field.text.npos ? 1 : 0;
    CsvSample& sample = big ? column.big_integer : column.text;
    if (sample.line < 0) sample = {unquoted(field), line, big};
  }
  if (column.odd() > 0) column.levels.code(field.text);
  return cell;
}

// A first line as scikit-learn's files have it, 569,30,malignant,benign: rows, features, and names
// of classes. The lines below have one field more than there are features. A first line as wide as
// they are may be a header or a row: then there must be text in it, and the number of rows right.
struct Title {
  std::size_t bytes = 0;  // 0: there is none
  Index next_line = 0;
  std::string note;
};

Title find_title(std::string_view text, CsvDialect dialect, Index line) {
  CsvScanner scanner(text, dialect, line);
  std::vector<CsvField> fields, row;
  if (scanner.next(fields) != CsvStep::kRecord || fields.size() < 2) return {};
  const Title title{static_cast<std::size_t>(scanner.position() - text.data()), scanner.next_line(),
                    fmt::format("skipped line {}, a title that says {} rows of {} features", line,
                                fields[0].text, fields[1].text)};
  Index rows = 0, features = 0;
  if (!parse_whole(fields[0].text, rows) || !parse_whole(fields[1].text, features)) return {};
  const bool narrow = ssize(fields) <= features;
  if (rows < 1 || (!narrow && ssize(fields) != features + 1)) return {};
  Index seen = 0;
  for (; scanner.next(row) == CsvStep::kRecord; ++seen) {
    if (ssize(row) != features + 1) return {};
  }
  const bool has_text = std::any_of(fields.begin(), fields.end(), [](const CsvField& field) {
    double value = 0;
    return parse_cell(field.text, value) == Cell::kText;
  });
  if (seen == 0 || (!narrow && (!has_text || seen != rows))) return {};
  return title;
}

struct Front {
  std::vector<std::string> names;  // the fields of the first record
  std::vector<Cell> first;
  std::vector<ColumnSample> columns;  // of the records after it
  std::vector<FormGuess> guesses;     // of those that hold other cells than plain numbers
};

// Records that do not fit are left to the parser, which says where they are.
Front sample_front(CsvScanner& scanner, CsvPlan& plan) {
  Front front;
  std::vector<CsvField> fields;
  if (scanner.next(fields) != CsvStep::kRecord) fields.assign(1, {});
  for (const CsvField& field : fields) {
    double value = 0;
    front.names.push_back(unquoted(field));
    front.first.push_back(parse_cell(field.text, value));
  }
  front.columns.resize(fields.size());
  plan.data_line = scanner.next_line();
  while (scanner.next(fields) == CsvStep::kRecord) {
    if (fields.size() != front.columns.size()) continue;
    for (std::size_t j = 0; j < fields.size(); ++j) {
      add_cell(front.columns[j], fields[j], scanner.line());
    }
  }
  return front;
}

// Could the column be numbers or dates in a form of their own? Cells are looked at once more, those
// of words not for long; and where decimal commas turn up, those of plain fractions.
void guess_forms(const CsvScanner& scanner, Front& front) {
  constexpr Index kWords = 100;
  front.guesses.resize(front.columns.size());
  const auto look = [&](std::vector<std::size_t> asked) {
    CsvScanner from = scanner;
    std::vector<CsvField> fields;
    from.next(fields);
    while (!asked.empty() && from.next(fields) == CsvStep::kRecord) {
      if (fields.size() != front.columns.size()) continue;
      std::erase_if(asked, [&](std::size_t j) {
        FormGuess& guess = front.guesses[j];
        if (!is_missing(fields[j].text)) guess.add(fields[j].text, from.line());
        return guess.cells() >= kWords && !guess.any();
      });
    }
  };
  std::vector<std::size_t> words, fractions;
  for (std::size_t j = 0; j < front.columns.size(); ++j) {
    if (front.columns[j].texts > 0) {
      words.push_back(j);
    } else if (front.columns[j].fraction) {
      fractions.push_back(j);
    }
  }
  look(words);
  const auto undecided = [](const FormGuess& guess) {
    return guess.has_commas() || !guess.rivals().empty();
  };
  if (std::ranges::any_of(front.guesses, undecided)) look(fractions);
}

// Text above numbers; or text alone, when no column has numbers below to compare with.
bool has_header(const Front& front) {
  bool above_numbers = false, any_text = false, any_number = false, numbers_below = false;
  bool one_of_many = false;  // a word that other rows have
  for (std::size_t j = 0; j < front.columns.size(); ++j) {
    // What reads as numbers or dates of some form, there too, is no name.
    const bool form = front.guesses[j].form().has_value() || !front.guesses[j].rivals().empty();
    const bool numeric = front.columns[j].numeric() || form;
    const bool first = form && look_at(front.names[j]).what != CellReading::What::kNothing;
    const bool text = front.first[j] == Cell::kText && !first;
    any_number |= first;
    one_of_many |= !numeric && text && front.columns[j].levels.has(front.names[j]);
    above_numbers |= numeric && text;
    numbers_below |= numeric;
    any_text |= text;
    any_number |= front.first[j] == Cell::kNumber || front.first[j] == Cell::kBigInteger;
  }
  return above_numbers || (!numbers_below && any_text && !any_number && !one_of_many);
}

void give_names(CsvPlan& plan, const std::vector<std::string>& names, const std::string& file) {
  if (names.size() != plan.columns.size()) {
    throw InputError(Code::kBadOption, {.file = file},
                     {"{} has {} names, and the file {} columns", Ref::flag("names"), names.size(),
                      plan.columns.size()},
                     "Give a name for each column.");
  }
  for (std::size_t j = 0; j < names.size(); ++j) {
    plan.columns[j].name = names[j];
    plan.columns[j].nameless = false;
  }
}

void name_columns(CsvPlan& plan, const Front& front, const std::string& file) {
  std::set<std::string> taken;
  if (plan.header) taken.insert(front.names.begin(), front.names.end());
  std::set<std::string> used;
  for (std::size_t j = 0; j < front.names.size(); ++j) {
    CsvColumn& column = plan.columns.emplace_back();
    column.nameless = front.names[j].empty();
    column.name = !plan.header || column.nameless ? std::to_string(j + 1) : front.names[j];
    if (!plan.header) continue;
    if (first_not_utf8(column.name) < column.name.size()) {
      throw InputError(Code::kBadFile, {.file = file, .line = plan.first_line},
                       fmt::format("the name of column {} is not UTF-8 text", j + 1),
                       "Save it as UTF-8: iconv -f LATIN1 -t UTF-8 in.csv > out.csv");
    }
    const std::string given = column.name;
    for (int i = 1; used.contains(column.name) || (i > 1 && taken.contains(column.name)); ++i) {
      column.name = fmt::format("{}.{}", given, i);
    }
    used.insert(column.name);
    if (column.name == given) continue;
    plan.notes.push_back({"renamed-column", fmt::format("column {} is called {}, as another is {}",
                                                        j + 1, shown(column.name), shown(given))});
  }
}

ColumnKind guess_kind(const ColumnSample& sample) {
  if (sample.odd() == 0 || is_mistake(sample.odd(), sample.present())) return ColumnKind::kNumber;
  return sample.levels.full() ? ColumnKind::kText : ColumnKind::kCategory;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// The decimal mark that the other columns of the file have, where all agree.
CellKind mark_of(const Front& front) {
  bool points = false, commas = false;
  for (std::size_t j = 0; j < front.columns.size(); ++j) {
    const FormGuess& guess = front.guesses[j];
    const bool plain = front.columns[j].numeric() && front.columns[j].texts == 0;
    const std::optional<CellForm> form = guess.form();
    points |= form && form->kind == CellKind::kPoint && guess.has_points();
    commas |= form && form->kind == CellKind::kComma;
    points |= plain && guess.has_points();
  }
  if (points == commas) return CellKind::kPlain;
  return points ? CellKind::kPoint : CellKind::kComma;
}

std::string read_as(const std::string& cell, CellForm form) {
  double value = 0;
  if (!form.read(cell, value)) return "nothing";
  return form.is_date() ? date_text(value) : shortest_text(value);
}

// Two forms fit: what the cell is in each of them, and how to say which.
[[noreturn]] void refuse_rivals(const CsvColumn& column, const FormGuess::Sample& cell,
                                const std::vector<CellKind>& rivals, const std::string& unit,
                                const std::string& file) {
  const auto schema = [&](CellKind kind) {
    return Ref::flag("schema", fmt::format("'{}={}'", column.name, word_of(kind)));
  };
  throw InputError(
      Code::kNotANumber, {.file = file, .line = cell.line, .column = column.name},
      fmt::format("{} fits two readings, as all of the column does: {} as {}, {} as {}",
                  shown(cell.text), read_as(cell.text, {rivals[0], unit}),
                  words_of({rivals[0], ""}), read_as(cell.text, {rivals[1], unit}),
                  words_of({rivals[1], ""})),
      {"Say which: {}, or {}; or category, or ignore.", schema(rivals[0]), schema(rivals[1])});
}

// A column that is plain numbers, in a file whose other columns have decimal commas: 1.234 may be
// 1234 there.
bool may_be_thousands(const FormGuess& guess) {
  const std::vector<CellKind> rivals = guess.rivals();
  return rivals.size() == 2 && rivals[0] == CellKind::kPoint;
}

void take_form(CsvColumn& column, const CellForm& form, const FormGuess& guess, CsvPlan& plan) {
  column.kind = ColumnKind::kNumber;
  column.form = form;
  column.whole = column.wordy = column.sentences = false;
  const FormGuess::Sample& cell = guess.sample();
  if (cell.line < 0) return;
  plan.notes.push_back(
      {"read-as",
       {"read the {} as {}: {} on line {} is {}", Ref::column(column.name, shortened(column.name)),
        words_of(form), shown(cell.text), cell.line, read_as(cell.text, form)}});
}

// requires columns whose kinds are guessed.
void choose_forms(CsvPlan& plan, const Front& front, const ReadOptions& options,
                  const std::string& file) {
  const CellKind mark = mark_of(front);
  const auto named = [](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  for (std::size_t j = 0; j < plan.columns.size(); ++j) {
    CsvColumn& column = plan.columns[j];
    const FormGuess& guess = front.guesses[j];
    const auto same = [&](const auto& of) { return of.first == column.name; };
    const auto given = std::ranges::find_if(options.forms, same);
    const auto kind = std::ranges::find_if(options.kinds, same);
    if (given != options.forms.end() && given->second != "date") {
      CellForm form = *form_of(given->second);
      const bool number = form.kind == CellKind::kPoint || form.kind == CellKind::kComma;
      if (number && !options.forms_known && form.unit.empty()) form.unit = guess.unit();
      column = {.name = column.name, .chosen = true, .sample = column.sample};
      take_form(column, form, options.forms_known ? FormGuess() : guess, plan);
      continue;
    }
    const bool dates = given != options.forms.end();
    if (options.forms_known ||
        (kind != options.kinds.end() && kind->second != ColumnKind::kNumber)) {
      continue;
    }
    constexpr Index kFew = 20;
    const bool labels = column.name == options.labels && front.columns[j].levels.size() <= kFew;
    const bool wanted = dates || kind != options.kinds.end();
    if (!wanted && (labels || named(options.categories, column.name) ||
                    named(options.texts, column.name) || named(options.kept, column.name))) {
      continue;
    }
    if (const auto other = guess.other_unit()) {
      throw InputError(
          Code::kNotANumber, {.file = file, .line = other->line, .column = column.name},
          fmt::format("{} is of another unit than {} on line {}", shown(other->text),
                      shown(guess.sample().text), guess.sample().line),
          {"Give all cells one unit, or say what the column is: {}, or text, or ignore.",
           Ref::flag("schema", fmt::format("'{}=category'", column.name))});
    }
    const std::optional<CellForm> form = guess.form();
    const std::vector<CellKind> rivals = guess.rivals();
    const bool of_dates =
        (form && form->is_date()) || (!rivals.empty() && rivals[0] == CellKind::kDmy);
    if (of_dates && kind != options.kinds.end()) continue;  // which says that it is a number
    const bool plain = front.columns[j].texts == 0;
    if (plain && (mark != CellKind::kComma || !may_be_thousands(guess))) {
      if (!dates) continue;
    }
    if (!rivals.empty()) {
      const bool by_mark = !plain && rivals[0] == CellKind::kPoint && mark != CellKind::kPlain;
      if (!by_mark) refuse_rivals(column, guess.sample(), rivals, guess.unit(), file);
      take_form(column, {mark, guess.unit()}, guess, plan);
    } else if (form && (!dates || form->is_date())) {
      take_form(column, *form, guess, plan);
    } else if (dates) {
      throw InputError(Code::kNotANumber,
                       {.file = file, .line = plan.data_line, .column = column.name},
                       "this is no column of dates",
                       "Dates are 2024-03-04, 4.3.2024, 3/4/2024, 4 Mar 2024 or March 4, 2024, all "
                       "of one order.");
    }
  }
}

void guess_columns(CsvPlan& plan, const Front& front) {
  for (std::size_t j = 0; j < front.columns.size(); ++j) {
    const ColumnSample& sample = front.columns[j];
    CsvColumn& column = plan.columns[j];
    column.kind = guess_kind(sample);
    column.whole = !sample.fraction;
    column.wordy = 2 * sample.texts > sample.present();
    column.sentences = 2 * sample.sentences > sample.present();
    column.sample = sample.texts > 0 ? sample.text : sample.big_integer;
  }
  if (!plan.header || plan.columns.size() == 1) return;
  CsvColumn& leading = plan.columns[0];
  const std::string name = leading.nameless ? "" : lower(leading.name);
  leading.row_names = name.empty() || name == "id";
  if (name == "rownames") {
    leading.kind = ColumnKind::kIgnore;
    leading.ignored = {"ignored the {}, which holds row names",
                       Ref::column(leading.name, shortened(leading.name))};
  }
}

// Columns that the user names; those with a form are numbers.
std::vector<std::pair<std::string, ColumnKind>> kinds_and_forms(const ReadOptions& options) {
  auto kinds = options.kinds;
  for (const auto& [name, form] : options.forms) {
    if (!options.forms_known) kinds.emplace_back(name, ColumnKind::kNumber);
  }
  return kinds;
}

void choose_columns(CsvPlan& plan, const ReadOptions& options, const std::string& file) {
  for (CsvColumn& column : plan.columns) {
    const auto& words = options.categories;
    const bool kept =
        std::find(options.kept.begin(), options.kept.end(), column.name) != options.kept.end();
    if (kept) column.row_names = column.nameless = false;
    column.doubled = kept && column.form.kind != CellKind::kPlain;
    const bool labels =
        (kept || column.name == options.labels) && column.kind != ColumnKind::kNumber;
    if (!labels && std::find(words.begin(), words.end(), column.name) == words.end()) continue;
    column = {.name = column.name,
              .kind = ColumnKind::kCategory,
              .chosen = true,
              .whole = false,
              .sample = column.sample};
  }
  for (const auto& [name, kind] : kinds_and_forms(options)) {
    const auto at = std::find_if(plan.columns.begin(), plan.columns.end(),
                                 [&name = name](const CsvColumn& c) { return c.name == name; });
    if (at == plan.columns.end()) {
      std::vector<std::string> names;
      for (const CsvColumn& column : plan.columns) names.push_back(column.name);
      throw InputError(Code::kUnknownName, {.file = file},
                       {"there is no {} to be given a kind", Ref::column(name, shortened(name))},
                       did_you_mean(name, names));
    }
    if (kind == ColumnKind::kNumber && at->form.kind != CellKind::kPlain) {
      at->chosen = true;
      continue;
    }
    *at = {.name = at->name, .kind = kind, .chosen = true, .whole = false, .sample = at->sample};
  }
  const auto is_feature = [&](const CsvColumn& column) {
    const bool guessed_form = column.form.kind != CellKind::kPlain && !column.chosen;
    return column.kind == ColumnKind::kNumber && !column.row_names && !guessed_form &&
           column.name != options.labels &&
           std::ranges::find(options.roles, column.name) == options.roles.end();
  };
  const bool alone = std::ranges::none_of(plan.columns, is_feature);
  plan.finds_texts = options.find_texts && (alone || options.texts_beside);
  for (CsvColumn& column : plan.columns) {
    if (!alone) column.wordy = column.wordy && column.sentences;  // else names, or codes
    const bool named = std::ranges::find(options.texts, column.name) != options.texts.end();
    if (named) column = {.name = column.name, .kind = ColumnKind::kText, .chosen = true};
    column.taken = named || (plan.finds_texts && column.kind == ColumnKind::kText && column.wordy);
  }
  const auto taken = [](const CsvColumn& column) { return column.taken; };
  if (!alone || !plan.finds_texts || std::ranges::none_of(plan.columns, taken)) return;
  for (CsvColumn& column : plan.columns) {  // texts are all that is learned from
    if (column.form.kind == CellKind::kPlain || column.chosen || column.doubled) continue;
    column = {.name = column.name, .kind = ColumnKind::kIgnore};
    column.ignored = {"ignored the {}, which is no text",
                      Ref::column(column.name, shortened(column.name))};
    std::erase_if(plan.notes, [&](const Note& note) {
      return note.code == "read-as" && note.text.columns()[0].name == column.name;
    });
  }
}

}  // namespace

std::string shortened(std::string text) {
  constexpr std::size_t kLongest = 24;
  if (text.size() <= kLongest) return text;
  std::size_t size = kLongest;
  while (size > 0 && (text[size] & 0xc0) == 0x80) --size;  // not inside a UTF-8 character
  return text.substr(0, size) + "...";
}

std::string shown(std::string text) { return "'" + shortened(std::move(text)) + "'"; }

CsvLayout CsvPlan::layout() const {
  CsvLayout layout{.dialect = dialect(), .rules = {}, .forms = {}, .date_parts = date_parts};
  for (const CsvColumn& column : columns) {
    const bool category = column.kind == ColumnKind::kCategory;
    const bool number = column.kind == ColumnKind::kNumber;
    layout.forms.push_back(column.form);
    if (number && column.form.kind != CellKind::kPlain) {
      layout.rules.push_back(column.doubled ? CsvRule::kFormAndText : CsvRule::kForm);
      continue;
    }
    layout.rules.push_back(category       ? (column.chosen ? CsvRule::kChosen : CsvRule::kCategory)
                           : number       ? (column.whole ? CsvRule::kWhole : CsvRule::kNumber)
                           : column.taken ? CsvRule::kText
                                          : CsvRule::kSkip);
  }
  return layout;
}

CsvPlan plan_csv(std::string_view front_text, Index first_line, const std::string& name,
                 const ReadOptions& options) {
  CsvPlan plan;
  plan.first_line = first_line;
  plan.quotes = options.quotes != Quotes::kNone;
  plan.delimiter =
      options.delimiter != 0 ? options.delimiter : sniff_delimiter(front_text, plan.quotes);
  Title title;
  if (options.header == Header::kSniff) title = find_title(front_text, plan.dialect(), first_line);
  if (title.bytes > 0) {
    front_text.remove_prefix(title.bytes);
    plan.first_line = first_line = title.next_line;
    plan.notes.push_back({"skipped-title", title.note});
  }
  std::vector<CsvField> fields;
  CsvScanner scanner(front_text, plan.dialect(), first_line);
  const CsvScanner all_of_front = scanner;
  {
    CsvScanner first = scanner;
    first.next(fields);
    plan.data_offset = static_cast<std::size_t>(first.position() - front_text.data());
  }
  Front front = sample_front(scanner, plan);
  guess_forms(all_of_front, front);
  plan.header =
      options.header == Header::kSniff ? has_header(front) : options.header == Header::kYes;
  if (!plan.header) {  // then the first record is a row
    plan.data_line = first_line;
    plan.data_offset = 0;
    CsvScanner first(front_text, plan.dialect(), first_line);
    if (first.next(fields) == CsvStep::kRecord) {
      for (std::size_t j = 0; j < fields.size(); ++j) {
        const CsvSample text = front.columns[j].text, big = front.columns[j].big_integer;
        front.columns[j].text = front.columns[j].big_integer = {};
        add_cell(front.columns[j], fields[j], first_line);
        if (front.columns[j].text.line < 0) front.columns[j].text = text;
        if (front.columns[j].big_integer.line < 0) front.columns[j].big_integer = big;
        if (front.columns[j].texts > 0 && !is_missing(fields[j].text)) {
          front.guesses[j].add(fields[j].text, first_line);
        }
      }
    }
  }
  plan.data_offset += title.bytes;
  name_columns(plan, front, name);
  if (!options.names.empty()) give_names(plan, options.names, name);
  guess_columns(plan, front);
  plan.date_parts = options.date_parts;
  choose_forms(plan, front, options, name);
  choose_columns(plan, options, name);
  return plan;
}

}  // namespace craton
