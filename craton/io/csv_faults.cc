#include "craton/io/csv_faults.h"

#include <fmt/core.h>

#include <algorithm>

namespace craton {

void check_is_text(std::string_view front, const std::string& file) {
  using namespace std::literals;
  if (front.starts_with("\xff\xfe\0\0"sv) || front.starts_with("\0\0\xfe\xff"sv)) {
    throw InputError(Code::kBadFile, {.file = file}, "this text is in UTF-32",
                     "Save it as UTF-8: iconv -f UTF-32 -t UTF-8 in.csv > out.csv");
  }
  if (front.starts_with("\xff\xfe") || front.starts_with("\xfe\xff")) {
    throw InputError(Code::kBadFile, {.file = file}, "this text is in UTF-16",
                     "Save it as UTF-8: iconv -f UTF-16 -t UTF-8 in.csv > out.csv");
  }
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f';
  };
  // Texts hold an escape sequence now and then, but no zeros, and not one such byte in fifty.
  constexpr Index kRare = 50;
  const Index controls = std::count_if(front.begin(), front.end(), is_control);
  if (front.find('\0') == front.npos && controls * kRare <= ssize(front)) return;
  const auto at = std::find_if(front.begin(), front.end(), is_control);
  const Index line = 1 + std::count(front.begin(), at, '\n');
  throw InputError(Code::kBadFile, {.file = file, .line = line},
                   fmt::format("this is not text: it has a byte 0x{:02x} at offset {}",
                               static_cast<unsigned char>(*at), at - front.begin()),
                   "Data files are CSV or TSV text, or NumPy .npy.");
}

void FaultReporter::fault(const CsvFault& fault, Index first_line, Index first_row) const {
  const Place place{.file = file_, .line = first_line + fault.line};
  const Message quotes{
      "A quoted field ends with \" before the delimiter; quotes inside it are doubled. Give {} if "
      "they are letters.",
      Ref::flag("quotes", "none")};
  switch (fault.what) {
    case CsvFault::What::kRagged:
      ragged(fault.fields, place.line, first_row + fault.row);
    case CsvFault::What::kBlank:
      blank(place.line, first_row + fault.row);
    case CsvFault::What::kOpenQuote:
      throw UnpairedQuotes(Code::kBadFile, place, "a quote that opens on this line is never closed",
                           quotes);
    case CsvFault::What::kTextAfterQuote:
      throw UnpairedQuotes(Code::kBadFile, place, "text follows the closing quote of a field",
                           quotes);
    case CsvFault::What::kNotText:
      throw InputError(Code::kBadFile, place, "this is not text: it has a zero byte",
                       "Data files are CSV or TSV text, or NumPy .npy.");
    case CsvFault::What::kNotUtf8:
      break;
  }
  throw InputError(Code::kBadFile, place,
                   fmt::format("this is not UTF-8: it has a byte 0x{:02x} at offset {} of the row",
                               fault.byte, fault.offset),
                   {"Give {} if that is what it is, or {}; or save it as UTF-8: iconv -f LATIN1 -t "
                    "UTF-8 in.csv > out.csv",
                    Ref::flag("encoding", "latin-1"), Ref::flag("encoding-errors", "replace")});
}

void FaultReporter::ragged(Index fields, Index line, Index row) const {
  const Index width = ssize(plan_.columns);
  const bool first = row == (plan_.header ? 0 : 1);
  std::string fix =
      "Give every row the same number of fields, and quote text that has the delimiter in it.";
  if (first) fix += fmt::format(" If line {} is a title, delete it.", plan_.first_line);
  if (first && fields == width + 1) {
    fix = "If the first column holds row names, name it in the header: rownames.";
  }
  throw InputError(
      Code::kRaggedRow, {.file = file_, .line = line},
      fmt::format("this line has {} fields, but line {} has {}", fields, plan_.first_line, width),
      fix);
}

void FaultReporter::blank(Index line, Index rows_before) const {
  std::string fix = "Delete the line.";
  if (rows_before == (plan_.header ? 0 : 1)) {
    fix += fmt::format(" If line {} is a title, delete it.", plan_.first_line);
  }
  throw InputError(Code::kRaggedRow, {.file = file_, .line = line}, "this line is blank", fix);
}

namespace {

std::string not_of(const CellForm& form) {
  if (form.kind == CellKind::kPlain) return "is not a number";
  return fmt::format("is not of the form of the column ({})", words_of(form));
}

}  // namespace

void FaultReporter::bad_cells(const BadCells& bad, Index present) const {
  const CsvColumn& column = plan_.columns[usize(bad.column)];
  const Place place{.file = file_, .line = bad.line, .column = column.name};
  const std::string problem = bad.big_integer
                                  ? "is an integer beyond 2^53, which numbers do not hold"
                                  : not_of(column.form);
  const std::string others = column.chosen ? ""
                                           : fmt::format(", but {} of the column's {} values are",
                                                         present - bad.count, present);
  throw InputError(
      Code::kNotANumber, place, fmt::format("{} {}{}", shown(bad.text), problem, others),
      {"Correct it, leave it empty if it is missing, or say what the column is: {}, or text, or "
       "ignore.",
       Ref::flag("schema", fmt::format("'{}=category'", column.name))});
}

void fail_to_read_twice(const BadCells& bad, const std::string& file) {
  throw InputError(
      Code::kNotANumber, {.file = file, .line = bad.line},
      fmt::format("{} in column {} is not a number, though the first megabyte has numbers there",
                  shown(bad.text), bad.column + 1),
      {"There was no room to keep what comes through a pipe: give a file, another {}, or say what "
       "the column is with {}, or text, or ignore.",
       Ref::flag("tmpdir"), Ref::flag("schema", "NAME=category")});
}

std::string describe_guess(const CsvPlan& plan, Index rows, Index numbers, Index categories,
                           Index texts) {
  const auto counted = [](Index count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
  };
  const std::string delimiter = plan.delimiter == '\t'      ? "tabs"
                                : plan.delimiter == kBlanks ? "blanks"
                                                            : fmt::format("'{}'", plan.delimiter);
  const Index ignored = ssize(plan.columns) - numbers - categories - texts;
  std::string text =
      fmt::format("{}, {}, {}, {}: {}", plan.delimiter == '\t' ? "TSV" : "CSV", delimiter,
                  plan.header ? "header" : "no header", counted(rows, "row", "rows"),
                  counted(numbers, "number", "numbers"));
  if (categories > 0) text += ", " + counted(categories, "category", "categories");
  if (texts > 0) text += ", " + counted(texts, "text", "texts");
  if (ignored > 0) text += fmt::format(", {} ignored", ignored);
  return text;
}

void shorten_notes(std::vector<Note>& notes) {
  constexpr std::size_t kMost = 20;
  if (notes.size() <= kMost + 1) return;
  const std::size_t more = notes.size() - kMost;
  notes.resize(kMost);
  notes.push_back({"ignored-column", fmt::format("and {} more columns likewise", more)});
}

}  // namespace craton
