#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "craton/io/cell_form.h"
#include "craton/io/csv_block.h"
#include "craton/io/open.h"

// What a text table looks like, told by its front.

namespace craton {

// A cell of a column that is no number, to show.
struct CsvSample {
  std::string text = {};
  Index line = -1;
  bool big_integer = false;
};

struct CsvColumn {
  std::string name;
  ColumnKind kind = ColumnKind::kNumber;
  bool chosen = false;     // by the user
  bool taken = false;      // as text; else texts are left out
  bool wordy = false;      // most values are words
  bool sentences = false;  // most are several
  bool whole = true;       // every number seen was an integer
  bool nameless = false;   // in the file
  bool row_names = false;  // if it counts up
  CsvSample sample = {};   // of a category or text
  Message ignored = {};    // why, when that is clear from the front
  CellForm form = {};      // of a number, where it is not written plainly
  bool doubled = false;    // its text is taken beside the number
};

struct CsvPlan {
  char delimiter = ',';
  bool quotes = true;
  bool finds_texts = false;
  bool header = false;
  Index first_line = 1, data_line = 1;
  std::size_t data_offset = 0;  // of the first row, in the front
  std::vector<CsvColumn> columns;
  std::vector<DatePart> date_parts;
  std::vector<Note> notes;

  CsvDialect dialect() const { return {delimiter, quotes}; }
  CsvLayout layout() const;
};

// A column of numbers with fewer cells than this that are none is a column with mistakes in it, not
// one of text.
inline constexpr Index kMistakesIn = 100;  // fewer than 1 in 100
inline bool is_mistake(Index bad, Index present) { return bad * kMistakesIn < present; }

// `front` starts with the first record, on line `first_line`, and is not empty. InputError: a name
// that is not UTF-8; options that name no column.
CsvPlan plan_csv(std::string_view front, Index first_line, const std::string& name,
                 const ReadOptions& options);

// A text for messages, cut if it is long; and in quotes.
std::string shortened(std::string text);
std::string shown(std::string text);

}  // namespace craton
