#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "craton/base/source.h"
#include "craton/engine/exec.h"
#include "craton/io/encoding.h"
#include "craton/io/form_notes.h"

// A data file as a Source, whatever its format and size.

namespace craton {

class Input;

enum class Header { kSniff, kYes, kNo };
// Whether '"' may stand around fields of CSV; kSniff: unless they do not pair, in a file that is
// read for its texts.
enum class Quotes { kSniff, kYes, kNone };

struct ReadOptions {
  std::string format;  // as in formats.h; "": by content and name
  Header header = Header::kSniff;
  std::vector<std::string> names;  // of all columns of a text without a header; none: 1..d
  char delimiter = 0;              // 0: sniffed
  std::vector<std::pair<std::string, ColumnKind>> kinds;  // --schema: wins over what is guessed
  // How numbers and dates of columns are written (cell_form.h): --schema, or a model, which knows
  // them all. "date": in one of the orders.
  std::vector<std::pair<std::string, std::string>> forms;
  bool forms_known = false;          // then none is guessed
  std::vector<DatePart> date_parts;  // more columns of each date: when.month
  // Columns of words, where a text file has them, if `kinds` does not say otherwise: those that are
  // categories to a model, whatever they look like here; and one that has labels, not text.
  std::vector<std::string> categories;
  std::string labels;
  // Columns to be read as text (Schema::texts); `find_texts`: all that look so, of a file that has
  // no numbers but those that `roles` names; `texts_beside`: of one that has, those of sentences.
  std::vector<std::string> texts;
  bool find_texts = false, texts_beside = false;
  std::vector<std::string> roles;  // of columns that are no features: weights, groups
  Quotes quotes = Quotes::kSniff;
  TextEncoding encoding = {};       // of text files
  std::vector<std::string> kept;    // whatever they hold, row names and texts too
  std::string temporary_folder;     // "" : the system's
  Index memory = Index{256} << 20;  // tables up to this size lie in memory: larger ones are read by
                                    // row ranges, those of text from a file that is spooled there
};

struct OpenedTable {
  std::unique_ptr<Source> source;  // numbers and categories; its schema says which
  std::vector<Note> notes;         // what was left out, and why
  std::string guess;               // one line: "CSV, ',', header, 400 rows: 2 numbers, 1 category"
  std::vector<Column> in_file = {};  // all columns of a text, also kText and kIgnore, without
                                     // levels; none: those of the source
  std::vector<ColumnForm> forms = {};
};

// A table that was read, with its guess.
OpenedTable opened(std::string_view format, Table table);
OpenedTable opened(std::string_view format, std::unique_ptr<Source> source,
                   std::vector<Note> notes = {});

// "-" is the standard input, "a.npz:x" one array of an archive. Text is parsed once, in parallel;
// numbers of a text column, categories as codes (levels sorted), missing values as NaN.
OpenedTable open_table(const std::string& path, const ReadOptions& options, const Exec& exec);
// The same of an input that was opened to look at its front.
OpenedTable open_table(const std::string& path, std::unique_ptr<Input> input,
                       const ReadOptions& options, const Exec& exec);

}  // namespace craton
