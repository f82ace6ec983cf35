#pragma once
#include <string>
#include <string_view>

#include "craton/io/csv_plan.h"

// What is said of a text table: what is wrong and where, and what it was taken for.

namespace craton {

// Quotes are not where CSV has them; perhaps they are letters here.
class UnpairedQuotes final : public InputError {
 public:
  using InputError::InputError;
};

// InputError (kBadFile) for UTF-16, and for bytes that no text has, or not so many.
void check_is_text(std::string_view front, const std::string& file);

class FaultReporter {
 public:
  FaultReporter(const CsvPlan& plan, const std::string& file) : plan_(plan), file_(file) {}

  // `first_line` and `first_row` are those of the block in which it was found.
  [[noreturn]] void fault(const CsvFault& fault, Index first_line, Index first_row) const;
  [[noreturn]] void blank(Index line, Index rows_before) const;
  [[noreturn]] void bad_cells(const BadCells& bad, Index present) const;

 private:
  [[noreturn]] void ragged(Index fields, Index line, Index row) const;
  const CsvPlan& plan_;
  const std::string& file_;
};

[[noreturn]] void fail_to_read_twice(const BadCells& bad, const std::string& file);

// "CSV, ',', header, 400 rows: 2 numbers, 1 category"
std::string describe_guess(const CsvPlan& plan, Index rows, Index numbers, Index categories,
                           Index texts);

// Keeps the first of many, and says how many more there are.
void shorten_notes(std::vector<Note>& notes);

}  // namespace craton
