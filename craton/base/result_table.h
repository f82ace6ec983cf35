#pragma once
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "craton/base/matrix.h"
#include "craton/base/schema.h"

// Results as tables of named columns, of numbers or of words: what a model learned, or what it says
// of each row. Models fill them; report/result_text.h makes text, CSV and JSON of them.

namespace craton {

// How a person is shown a number. CSV, JSON and arrays have all of it.
struct Digits {
  enum class Form {
    kSignificant,    // at least `count` of them, and no zeros at the end (digits.h)
    kApart,          // and enough to tell the numbers of the column apart
    kDecimals,       // `count` after the point
    kDecimalsIfAny,  // the same, but a whole number has none
  };
  int count = 6;
  Form form = Form::kSignificant;
};

struct ResultColumn {
  using Numbers = std::vector<double>;
  using Words = std::vector<std::string>;

  std::string name;
  std::variant<Numbers, Words> cells;
  Digits digits = {};
  std::string unit = {};     // "%"
  Index feature = -1;        // the column of the rows that it is about, if it is about one
  bool measured = false;     // and has its units: rows that are scaled first change its numbers
  bool lacks = false;        // not every row has such a number: NaN where there is none
  bool log_density = false;  // of rows: those of rows that are scaled first are other ones
  // The standard deviation, or error, of the column before it: text has it there, in brackets, and
  // shows as many digits of that column as it allows.
  bool deviation = false;

  Index size() const;
  const Numbers* numbers() const { return std::get_if<Numbers>(&cells); }
  const Words* words() const { return std::get_if<Words>(&cells); }
  bool counts() const;  // its numbers are whole: labels, numbers of things
};

struct ResultTable {
  std::string name;   // for programs, and to be typed: "centres"
  std::string title;  // for people
  std::vector<ResultColumn> columns = {};
  Index features_shown = 0;  // text has the first of them, and says so; 0: all

  Index rows() const { return columns.empty() ? 0 : columns[0].size(); }
  const ResultColumn* find(std::string_view column) const;  // null: there is none

  // Each appends a column. requires as many cells as the others have.
  ResultColumn& add_words(std::string column, ResultColumn::Words words);
  ResultColumn& add_numbers(std::string column, ResultColumn::Numbers numbers, Digits digits = {});
  void add_count(std::string column, Index count);                         // 0, 1, ..., count - 1
  void add_labels(std::string column, const Schema& schema, Index count);  // what they stand for
  void add_probabilities(std::string column, std::span<const double> logarithms);
  // Values of a feature, such as centres; means of a feature with their standard deviations.
  void add_values(std::string column, Index feature, ResultColumn::Numbers values);
  void add_means(std::string column, Index feature, ResultColumn::Numbers means,
                 ResultColumn::Numbers deviations);
};

// The names of the columns for programs: each once and none empty, "weight", "weight_2".
std::vector<std::string> column_names(const ResultTable& table);

}  // namespace craton
