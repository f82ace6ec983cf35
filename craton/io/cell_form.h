#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/matrix.h"

// Numbers and dates as people write them in tables. A column has one form, and every cell of it is
// read by that form or by none:
//
//   decimal-point, decimal-comma
//                  1,234.50 and 1.234,50: the decimal mark; thousands are grouped by the other one,
//                  by blanks or by apostrophes. A unit may stand before or behind the number, the
//                  same one in all cells: $, EUR, %, kg, ... 12 % is 12; (5.00) after a currency
//                  is -5
//   date-ymd, date-dmy, date-mdy
//                  dates: the order of year, month and day, between - / . or blanks; months may be
//                  English words; a time may follow (14:30, 2:30 pm, T14:30:05.5Z), and an offset
//                  from UTC, which is undone. The number is that of days since 1970-01-01
//   yes-no         yes, true, y and t are 1; no, false, n and f are 0
//
// A form as a word: "decimal-comma EUR", "date-dmy". Nothing is read in two ways: where the cells
// of a column fit two forms, FormGuess says so, and the user decides.

namespace craton {

enum class CellKind : std::uint8_t { kPlain, kPoint, kComma, kYmd, kDmy, kMdy, kYesNo };

struct CellForm {
  CellKind kind = CellKind::kPlain;
  std::string unit = {};

  bool is_date() const { return kind >= CellKind::kYmd && kind <= CellKind::kMdy; }
  // False: the cell is nothing of this form. requires a text without blanks around it.
  bool read(std::string_view cell, double& value) const;
  std::string word() const;
  bool operator==(const CellForm&) const = default;
};

// Nothing where the word is none: "date" too, which says no order.
std::optional<CellForm> form_of(std::string_view word);

std::string_view word_of(CellKind kind);

// What may be said of one cell.
struct CellReading {
  enum class What : std::uint8_t { kNothing, kNumber, kDate };
  What what = What::kNothing;
  // Of a number: whether each decimal mark, and of a date whether each order, fits.
  bool point = false, comma = false;
  bool ymd = false, dmy = false, mdy = false;
  bool mark = false;    // a number that has '.' or ',' in it
  bool dotted = false;  // a date between dots, where the day is first by convention
  std::string_view unit = {};
};
CellReading look_at(std::string_view cell);

// What a column is, told by its cells. Those of numbers as craton writes them need not be added.
class FormGuess {
 public:
  void add(std::string_view cell, Index line);

  struct Sample {
    std::string text = {};
    Index line = -1;
  };
  Index cells() const { return numbers_ + dates_ + others_; }
  // At least so many of the cells are read by the form: in a hundred all but one.
  std::optional<CellForm> form() const;
  // The two kinds that all cells fit; none: they fit one, or none.
  std::vector<CellKind> rivals() const;
  // A cell of another unit than most, where those are units that are known.
  std::optional<Sample> other_unit() const;
  const std::string& unit() const { return unit_; }
  const Sample& sample() const { return sample_; }  // that tells the form best
  bool any() const { return numbers_ + dates_ > 0; }
  bool has_points() const { return only_point_ > 0; }
  bool has_commas() const { return only_comma_ > 0; }

 private:
  bool mostly(Index count) const;
  bool odd_enough() const;  // fewer are mistakes among plain numbers

  Index numbers_ = 0, dates_ = 0, others_ = 0;
  Index odd_ = 0;  // numbers that are not written plainly
  Index only_point_ = 0, only_comma_ = 0, marked_ = 0;
  Index ymd_ = 0, only_dmy_ = 0, only_mdy_ = 0, both_orders_ = 0, dotted_ = 0;
  Index of_unit_ = 0, of_other_ = 0;
  bool unit_known_ = false;
  std::string unit_ = {};
  Sample sample_ = {}, other_ = {};
  int told_ = 0;  // how well the sample tells the form
};

// 2024-03-04, or 2024-03-04T14:30:05 where the day is not whole; "" of what is no date.
std::string date_text(double days);

// "dates, the day first"
std::string words_of(const CellForm& form);

// Parts of dates as numbers.
enum class DatePart : std::uint8_t { kYear, kMonth, kDay, kWeekday, kHour };
std::optional<DatePart> date_part_of(std::string_view word);
std::string_view word_of(DatePart part);
// year; month 1 to 12; day of the month; weekday 1 (Monday) to 7; hour of the day with its
// fraction. NaN of NaN.
double part_of(double days, DatePart part);

}  // namespace craton
