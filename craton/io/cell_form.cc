#include "craton/io/cell_form.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cmath>
#include <limits>
#include <span>

#include "craton/io/cell.h"
#include "craton/io/number.h"

namespace craton {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kLongestCell = 80;
constexpr double kSecondsOfDay = 86400;
constexpr Index kMistakesOf = 100;  // fewer than 1 in 100 are mistakes

bool is_figure(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Blanks of other widths, the typographic apostrophe and the minus sign as ASCII has them.
std::string plain_text(std::string_view cell) {
  struct Sign {
    std::string_view from;
    char to;
  };
  static constexpr std::array<Sign, 6> kSigns{{{"\xc2\xa0", ' '},
                                               {"\xe2\x80\xaf", ' '},
                                               {"\xe2\x80\x89", ' '},
                                               {"\xe2\x80\x99", '\''},
                                               {"\xe2\x88\x92", '-'},
                                               {"\t", ' '}}};
  std::string text;
  for (std::size_t i = 0; i < cell.size();) {
    const auto is_here = [&](const Sign& sign) { return cell.substr(i).starts_with(sign.from); };
    const auto sign = std::find_if(kSigns.begin(), kSigns.end(), is_here);
    text += sign == kSigns.end() ? cell[i] : sign->to;
    i += sign == kSigns.end() ? 1 : sign->from.size();
  }
  return text;
}

// Units.

constexpr std::string_view kCurrencies[] = {"$",   "€",   "£",   "¥",   "₹",   "US$", "A$",
                                            "C$",  "R$",  "USD", "EUR", "GBP", "CHF", "JPY",
                                            "CNY", "INR", "AUD", "CAD", "SEK", "NOK", "DKK",
                                            "PLN", "CZK", "BRL", "Fr.", "kr",  "zł",  "Rs"};

// One letter stands for a unit without a blank before it only where it is no usual name of a part
// or a class: 3a, 3b and 12A are none.
constexpr std::string_view kShortUnits[] = {"%", "‰", "°", "m", "g", "s"};
constexpr std::string_view kUnits[] = {
    "kg",    "mg",     "µg",  "μg",  "ug",    "t",     "lb",  "lbs", "oz",  "st",   "km",   "cm",
    "mm",    "µm",     "μm",  "nm",  "mi",    "miles", "ft",  "in",  "yd",  "l",    "L",    "ml",
    "mL",    "cl",     "dl",  "sec", "min",   "h",     "hr",  "hrs", "ms",  "day",  "days", "week",
    "weeks", "months", "yr",  "yrs", "years", "°C",    "°F",  "K",   "kW",  "kWh",  "MW",   "MWh",
    "W",     "V",      "mV",  "A",   "mA",    "Hz",    "kHz", "MHz", "GHz", "Pa",   "hPa",  "kPa",
    "bar",   "mbar",   "psi", "kJ",  "kcal",  "mmHg",  "bpm", "rpm", "mph", "km/h", "m/s",  "m²",
    "m2",    "m³",     "ha",  "kB",  "MB",    "GB",    "ppm"};

bool is_one_of(std::string_view text, std::span<const std::string_view> all) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

bool is_unit(std::string_view text, bool apart) {
  if (is_one_of(text, kCurrencies) || is_one_of(text, kShortUnits)) return true;
  return (apart || text.size() > 1) && is_one_of(text, kUnits);
}

// Numbers.

struct NumberCell {
  bool negative = false;
  std::string_view body = {}, exponent = {}, unit = {};
};

// A sign, a unit or none, digits with what parts them, an exponent, a unit or none.
std::optional<NumberCell> cut_number(std::string_view text) {
  NumberCell cell;
  const bool bracketed = text.size() > 2 && text.front() == '(' && text.back() == ')';
  if (bracketed) text = trimmed(text.substr(1, text.size() - 2));
  bool sign = bracketed;
  cell.negative = bracketed;
  const auto take_sign = [&] {
    if (sign || text.empty() || (text[0] != '-' && text[0] != '+')) return;
    sign = true;
    cell.negative = text[0] == '-';
    text.remove_prefix(1);
  };
  take_sign();
  std::size_t start = 0;
  while (start < text.size() && !is_figure(text[start]) && text[start] != '-' && text[start] != '+')
    ++start;
  if (start > 0 && start < text.size() && is_figure(text[start]) &&
      (text[start - 1] == '.' || text[start - 1] == ',') &&
      trimmed(text.substr(0, start)) != "Fr.") {
    --start;  // .5
  }
  cell.unit = trimmed(text.substr(0, start));
  if (!cell.unit.empty() && !is_one_of(cell.unit, kCurrencies)) return std::nullopt;
  text.remove_prefix(start);
  take_sign();
  std::size_t end = 0;
  while (end < text.size()) {
    const char c = text[end];
    const bool group = c == ' ' && end + 3 < text.size() && is_figure(text[end + 1]) &&
                       is_figure(text[end + 2]) && is_figure(text[end + 3]);
    if (!is_figure(c) && c != '.' && c != ',' && c != '\'' && !group) break;
    ++end;
  }
  cell.body = text.substr(0, end);
  text.remove_prefix(end);
  if (!text.empty() && (text[0] == 'e' || text[0] == 'E')) {
    std::size_t at = 1;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    const std::size_t digits = at;
    while (at < text.size() && is_figure(text[at])) ++at;
    if (at > digits) {
      cell.exponent = text.substr(0, at);
      text.remove_prefix(at);
    }
  }
  const bool apart = !text.empty() && text[0] == ' ';
  const std::string_view behind = trimmed(text);
  if (!behind.empty()) {
    if (!cell.unit.empty() || !is_unit(behind, apart)) return std::nullopt;
    cell.unit = behind;
  }
  if (bracketed && !is_one_of(cell.unit, kCurrencies)) return std::nullopt;
  return cell;
}

// The digits of a body with this decimal mark as a number is written plainly; `grouped`: thousands
// may be. False: it has not got
// that form.
bool read_body(std::string_view body, char decimal, bool grouped, std::string& out) {
  constexpr std::size_t kGroup = 3;
  const char other = decimal == '.' ? ',' : '.';
  const std::size_t mark = body.find(decimal);
  const std::string_view whole = body.substr(0, mark);
  const std::string_view fraction = mark == body.npos ? "" : body.substr(mark + 1);
  const bool ends = decimal == '.' && fraction.empty() && !whole.empty();  // 5.
  if (mark != body.npos && !ends &&
      (fraction.empty() || !std::all_of(fraction.begin(), fraction.end(), is_figure))) {
    return false;
  }
  const std::size_t first = whole.find_first_not_of("0123456789");
  if (first == whole.npos) {
    out += whole;
  } else {
    const char part = whole[first];
    if (part != other && part != ' ' && part != '\'') return false;
    if (!grouped || first == 0 || first > kGroup || whole[0] == '0') return false;
    out += whole.substr(0, first);
    for (std::size_t at = first; at < whole.size(); at += kGroup + 1) {
      const std::string_view group = whole.substr(at + 1, kGroup);
      if (whole[at] != part || group.size() != kGroup ||
          !std::all_of(group.begin(), group.end(), is_figure))
        return false;
      out += group;
    }
  }
  if (whole.empty() && fraction.empty()) return false;
  if (mark != body.npos) (out += '.') += fraction;
  return true;
}

bool read_number(std::string_view cell, char decimal, std::string_view unit, double& value) {
  constexpr std::size_t kExact = 15;  // digits that a double always holds
  const std::string text = plain_text(cell);
  const std::optional<NumberCell> cut = cut_number(text);
  if (!cut || (!cut->unit.empty() && cut->unit != unit)) return false;
  std::string digits(cut->negative ? "-" : "");
  if (!read_body(cut->body, decimal, cut->exponent.empty(), digits)) return false;
  if (digits.find('.') == digits.npos && digits.size() > kExact + 1) return false;
  digits += cut->exponent;
  double number = 0;
  if (!parse_number(digits, number) || !std::isfinite(number)) return false;
  value = number;
  return true;
}

// Dates.

struct DateCell {
  std::array<int, 3> numbers{};  // in their order; a month that is a word as its number
  int word = -1;                 // which of them is one
  char between = 0;
  double seconds = 0;  // since midnight, UTC
};

int month_of(std::string_view word) {
  static constexpr std::array<std::string_view, 12> kMonths{
      "january", "february", "march",     "april",   "may",      "june",
      "july",    "august",   "september", "october", "november", "december"};
  constexpr std::size_t kShort = 3;
  std::string lower;
  for (const char c : word) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (std::size_t m = 0; m < kMonths.size(); ++m) {
    const bool sept = m == 8 && lower == "sept";
    if (lower == kMonths[m] || lower == kMonths[m].substr(0, kShort) || sept) {
      return static_cast<int>(m) + 1;
    }
  }
  return 0;
}

// Takes 1 to `most` digits; -1: there are none, or more.
int take_number(std::string_view& text, std::size_t most, std::size_t least = 1) {
  std::size_t n = 0;
  int value = 0;
  while (n < text.size() && is_figure(text[n])) {
    if (n == most) return -1;
    value = value * 10 + (text[n++] - '0');
  }
  text.remove_prefix(n);
  return n < least ? -1 : value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text[0] != c) return false;
  text.remove_prefix(1);
  return true;
}

std::string_view take_word(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && is_letter(text[n])) ++n;
  const std::string_view word = text.substr(0, n);
  text.remove_prefix(n);
  return word;
}

bool is_word(std::string_view word, std::string_view lower) {
  return std::ranges::equal(
      word, lower, [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

// 14:30, 2:30 pm, 14:30:05.25Z, 14:30 +01:00; nothing is midnight.
bool take_time(std::string_view text, double& seconds) {
  constexpr int kHours = 24, kSixty = 60, kNoon = 12;
  seconds = 0;
  if (text.empty()) return true;
  int hour = take_number(text, 2);
  if (hour < 0 || hour >= kHours || !take(text, ':')) return false;
  const int minute = take_number(text, 2, 2);
  if (minute < 0 || minute >= kSixty) return false;
  if (take(text, ':')) {
    std::size_t n = 0;
    while (n < text.size() && (is_figure(text[n]) || text[n] == '.')) ++n;
    const std::string_view digits = text.substr(0, n);
    const bool two = n >= 2 && is_figure(digits[0]) && is_figure(digits[1]) &&
                     (n == 2 || (n > 3 && digits[2] == '.'));
    if (!two || !parse_number(digits, seconds) || seconds >= kSixty) return false;
    text.remove_prefix(n);
  }
  text = trimmed(text);
  std::string_view rest = text;
  const std::string_view word = take_word(rest);
  const bool pm = is_word(word, "pm"), am = is_word(word, "am");
  if (am || pm) {
    if (hour < 1 || hour > kNoon) return false;
    hour = hour % kNoon + (pm ? kNoon : 0);
    text = trimmed(rest);
  }
  double offset = 0;
  if (is_word(text, "z") || is_word(text, "utc")) {
    text = {};
  } else if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    const double sign = text[0] == '-' ? -1 : 1;
    text.remove_prefix(1);
    if (text.size() < 2 || !is_figure(text[0]) || !is_figure(text[1])) return false;
    const int hours = (text[0] - '0') * 10 + (text[1] - '0');
    text.remove_prefix(2);
    take(text, ':');
    const int minutes = text.empty() ? 0 : take_number(text, 2, 2);
    constexpr int kMostOffset = 14;
    if (hours > kMostOffset || minutes < 0 || minutes >= kSixty) return false;
    offset = sign * (hours * kSixty + minutes) * kSixty;
  }
  seconds += (hour * kSixty + minute) * kSixty - offset;
  return text.empty();
}

std::optional<DateCell> cut_date(std::string_view text) {
  constexpr std::size_t kYear = 4;
  DateCell date;
  for (std::size_t part = 0; part < 3; ++part) {
    if (part > 0) {  // what stands between two parts
      const bool comma = date.word >= 0 && take(text, ',');
      const char c = text.empty() ? 0 : text[0];
      if (c != '-' && c != '/' && c != '.' && c != ' ') return std::nullopt;
      if (comma && c != ' ') return std::nullopt;
      if (part == 2 && date.word < 0 && c != date.between &&
          !is_letter(text.size() > 1 ? text[1] : '0'))
        return std::nullopt;
      date.between = c;
      if (c != ' ') take(text, c);
      if (c == ' ' || c == '.') text = trimmed(text);  // 5. 3. 2024
    }
    if (!text.empty() && is_letter(text[0])) {
      if (date.word >= 0) return std::nullopt;
      date.word = static_cast<int>(part);
      date.numbers[part] = month_of(take_word(text));
      if (date.numbers[part] == 0) return std::nullopt;
      continue;
    }
    const std::size_t before = text.size();
    const bool year =
        part != 1 && (part == 2 || (text.size() > 2 && is_figure(text[1]) && is_figure(text[2])));
    const int number = take_number(text, year ? kYear : 2);
    if (number < 0) return std::nullopt;
    const std::size_t digits = before - text.size();
    if (year && digits != kYear && (part == 0 || digits > 2)) return std::nullopt;
    date.numbers[part] = number;
    if (digits == kYear) date.numbers[part] += 10000;  // marked as a year
  }
  if (date.word < 0 && date.between == ' ') return std::nullopt;
  if (!text.empty() && text[0] != ' ' && text[0] != 'T') return std::nullopt;
  const bool has_time = !text.empty();
  if (has_time) text = trimmed(text.substr(1));
  if (has_time && text.empty()) return std::nullopt;
  if (!take_time(text, date.seconds)) return std::nullopt;
  return date;
}

// Days since 1970-01-01 of the parts in an order; nothing: it is no date of that order.
std::optional<double> days_of(const DateCell& date, CellKind order) {
  constexpr int kYearMark = 10000;
  using namespace std::chrono;
  const std::size_t y = order == CellKind::kYmd ? 0 : 2;
  const std::size_t m = order == CellKind::kMdy ? 0 : 1;
  const std::size_t d = 3 - y - m;
  if (date.numbers[y] < kYearMark || date.numbers[m] >= kYearMark || date.numbers[d] >= kYearMark) {
    return std::nullopt;
  }
  if (date.word >= 0 && static_cast<std::size_t>(date.word) != m) return std::nullopt;
  const year_month_day day{year{date.numbers[y] - kYearMark},
                           month{static_cast<unsigned>(date.numbers[m])},
                           std::chrono::day{static_cast<unsigned>(date.numbers[d])}};
  if (!day.ok() || int{day.year()} < 1) return std::nullopt;
  return static_cast<double>(sys_days{day}.time_since_epoch().count()) +
         date.seconds / kSecondsOfDay;
}

std::optional<double> read_date(std::string_view cell, CellKind order) {
  const std::string text = plain_text(cell);
  const std::optional<DateCell> date = cut_date(text);
  return date ? days_of(*date, order) : std::nullopt;
}

std::optional<double> read_yes(std::string_view cell) {
  for (const std::string_view word : {"yes", "true", "y", "t", "1"}) {
    if (is_word(cell, word)) return 1;
  }
  for (const std::string_view word : {"no", "false", "n", "f", "0"}) {
    if (is_word(cell, word)) return 0;
  }
  return std::nullopt;
}

struct KindWord {
  CellKind kind;
  std::string_view word;
};
constexpr std::array<KindWord, 6> kKinds{{{CellKind::kPoint, "decimal-point"},
                                          {CellKind::kComma, "decimal-comma"},
                                          {CellKind::kYmd, "date-ymd"},
                                          {CellKind::kDmy, "date-dmy"},
                                          {CellKind::kMdy, "date-mdy"},
                                          {CellKind::kYesNo, "yes-no"}}};

}  // namespace

bool CellForm::read(std::string_view cell, double& value) const {
  value = kNoNumber;
  if (cell.size() > kLongestCell) return false;
  std::optional<double> found;
  switch (kind) {
    case CellKind::kPlain:
      return false;
    case CellKind::kPoint:
      return read_number(cell, '.', unit, value);
    case CellKind::kComma:
      return read_number(cell, ',', unit, value);
    case CellKind::kYmd:
    case CellKind::kDmy:
    case CellKind::kMdy:
      found = read_date(cell, kind);
      break;
    case CellKind::kYesNo:
      found = read_yes(cell);
      break;
  }
  if (found) value = *found;
  return found.has_value();
}

std::string CellForm::word() const {
  for (const KindWord& of : kKinds) {
    if (of.kind == kind) return std::string(of.word) + (unit.empty() ? "" : " " + unit);
  }
  return "";
}

std::optional<CellForm> form_of(std::string_view word) {
  const std::size_t blank = word.find(' ');
  const std::string_view kind = word.substr(0, blank);
  for (const KindWord& of : kKinds) {
    if (kind != of.word) continue;
    CellForm form{of.kind};
    if (blank == word.npos) return form;
    const bool number = of.kind == CellKind::kPoint || of.kind == CellKind::kComma;
    form.unit = word.substr(blank + 1);
    if (!number || !is_unit(form.unit, true)) return std::nullopt;
    return form;
  }
  return std::nullopt;
}

std::string_view word_of(CellKind kind) {
  for (const KindWord& of : kKinds) {
    if (of.kind == kind) return of.word;
  }
  return "number";
}

CellReading look_at(std::string_view cell) {
  CellReading reading;
  if (cell.empty() || cell.size() > kLongestCell) return reading;
  const std::string text = plain_text(cell);
  if (const std::optional<DateCell> date = cut_date(text)) {
    reading.ymd = days_of(*date, CellKind::kYmd).has_value();
    reading.dmy = days_of(*date, CellKind::kDmy).has_value();
    reading.mdy = days_of(*date, CellKind::kMdy).has_value();
    reading.dotted = date->between == '.';
    if (reading.ymd || reading.dmy || reading.mdy) reading.what = CellReading::What::kDate;
    return reading;
  }
  const std::optional<NumberCell> number = cut_number(text);
  if (!number) return reading;
  std::string digits;
  reading.point = read_body(number->body, '.', number->exponent.empty(), digits);
  digits.clear();
  reading.comma = read_body(number->body, ',', number->exponent.empty(), digits);
  reading.mark = number->body.find_first_of(".,") != number->body.npos;
  if (!reading.point && !reading.comma) return reading;
  reading.what = CellReading::What::kNumber;
  // The unit as it stands in the cell, which outlives the copy.
  if (!number->unit.empty()) {
    const std::size_t at = cell.find(number->unit);
    if (at == cell.npos) return {};
    reading.unit = cell.substr(at, number->unit.size());
  }
  return reading;
}

void FormGuess::add(std::string_view cell, Index line) {
  const CellReading reading = look_at(cell);
  const auto tells = [&](int how_well) {
    if (how_well <= told_) return;
    told_ = how_well;
    sample_ = {std::string(cell), line};
  };
  constexpr int kFits = 1, kMarked = 2, kTells = 3;
  if (reading.what == CellReading::What::kNothing) {
    ++others_;
    return;
  }
  if (reading.what == CellReading::What::kDate) {
    ++dates_;
    ymd_ += reading.ymd ? 1 : 0;
    const bool both = reading.dmy && reading.mdy;
    both_orders_ += both ? 1 : 0;
    only_dmy_ += reading.dmy && !both ? 1 : 0;
    only_mdy_ += reading.mdy && !both ? 1 : 0;
    dotted_ += reading.dotted ? 1 : 0;
    tells(both ? kFits : kTells);
    return;
  }
  ++numbers_;
  double value = 0;
  odd_ += parse_cell(cell, value) == Cell::kText ? 1 : 0;
  only_point_ += reading.point && !reading.comma ? 1 : 0;
  only_comma_ += reading.comma && !reading.point ? 1 : 0;
  marked_ += reading.mark ? 1 : 0;
  tells(reading.point != reading.comma          ? kTells
        : reading.mark || !reading.unit.empty() ? kMarked
                                                : kFits);
  if (reading.unit.empty()) return;
  if (!unit_known_) {
    unit_known_ = true;
    unit_ = reading.unit;
  }
  ++(reading.unit == unit_ ? of_unit_ : of_other_);
  if (reading.unit != unit_ && other_.line < 0) other_ = {std::string(cell), line};
}

bool FormGuess::mostly(Index count) const {
  return count > 0 && (cells() - count) * kMistakesOf < cells();
}

bool FormGuess::odd_enough() const { return odd_ > 0 && odd_ * kMistakesOf >= cells(); }

std::optional<CellForm> FormGuess::form() const {
  if (mostly(ymd_)) return CellForm{CellKind::kYmd};
  if (mostly(only_dmy_ + both_orders_) && (only_dmy_ > 0 || dotted_ == dates_)) {
    if (only_mdy_ == 0) return CellForm{CellKind::kDmy};
  }
  if (mostly(only_mdy_ + both_orders_) && only_mdy_ > 0 && only_dmy_ == 0) {
    return CellForm{CellKind::kMdy};
  }
  if (!mostly(numbers_) || of_other_ > 0 || !odd_enough()) return std::nullopt;
  const bool told = only_point_ + only_comma_ > 0;
  if (!told && marked_ > 0) return std::nullopt;  // two forms fit
  if (only_comma_ > only_point_ && mostly(numbers_ - only_point_)) {
    return CellForm{CellKind::kComma, unit_};
  }
  if (only_comma_ < std::max<Index>(only_point_, 1) && mostly(numbers_ - only_comma_)) {
    return CellForm{CellKind::kPoint, unit_};
  }
  return std::nullopt;
}

std::vector<CellKind> FormGuess::rivals() const {
  if (mostly(both_orders_) && only_dmy_ == 0 && only_mdy_ == 0 && dotted_ < dates_) {
    return {CellKind::kDmy, CellKind::kMdy};
  }
  const bool numbers = mostly(numbers_) && of_other_ == 0 && (odd_ == 0 || odd_enough());
  if (numbers && marked_ > 0 && only_point_ == 0 && only_comma_ == 0) {
    return {CellKind::kPoint, CellKind::kComma};
  }
  return {};
}

std::optional<FormGuess::Sample> FormGuess::other_unit() const {
  if (of_other_ == 0 || !mostly(numbers_) || !odd_enough()) return std::nullopt;
  return other_;
}

std::string words_of(const CellForm& form) {
  const std::string unit = form.unit.empty() ? "" : fmt::format(" of the unit '{}'", form.unit);
  switch (form.kind) {
    case CellKind::kPoint:
      return "numbers" + unit + " with decimal points";
    case CellKind::kComma:
      return "numbers" + unit + " with decimal commas";
    case CellKind::kYmd:
      return "dates";
    case CellKind::kDmy:
      return "dates, the day first";
    case CellKind::kMdy:
      return "dates, the month first";
    case CellKind::kYesNo:
      return "yes and no";
    case CellKind::kPlain:
      break;
  }
  return "numbers";
}

std::string date_text(double days) {
  constexpr double kFirst = -719162, kLast = 2932896;  // 0001-01-01 and 9999-12-31
  if (!(days >= kFirst && days < kLast + 1)) return "";
  using namespace std::chrono;
  const double whole = std::floor(days);
  constexpr double kMicro = 1e6;
  const double micros = std::round((days - whole) * kSecondsOfDay * kMicro);
  const bool next = micros >= kSecondsOfDay * kMicro;  // rounded up to midnight
  const year_month_day day{sys_days{std::chrono::days{static_cast<int>(whole) + (next ? 1 : 0)}}};
  std::string text =
      fmt::format("{:04}-{:02}-{:02}", int{day.year()}, unsigned{day.month()}, unsigned{day.day()});
  const auto rest = static_cast<std::int64_t>(next ? 0 : micros);
  if (rest == 0) return text;
  const std::int64_t seconds = rest / 1000000, part = rest % 1000000;
  text += fmt::format("T{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (part == 0) return text;
  text += fmt::format(".{:06}", part);
  return text.substr(0, text.find_last_not_of('0') + 1);
}

namespace {

constexpr std::array<std::string_view, 5> kParts{"year", "month", "day", "weekday", "hour"};

}  // namespace

std::optional<DatePart> date_part_of(std::string_view word) {
  const auto at = std::find(kParts.begin(), kParts.end(), word);
  if (at == kParts.end()) return std::nullopt;
  return static_cast<DatePart>(at - kParts.begin());
}

std::string_view word_of(DatePart part) { return kParts[static_cast<std::size_t>(part)]; }

double part_of(double days, DatePart part) {
  if (std::isnan(days)) return kNoNumber;
  using namespace std::chrono;
  constexpr double kHours = 24;
  const double whole = std::floor(days);
  const sys_days date{std::chrono::days{static_cast<int>(whole)}};
  const year_month_day day{date};
  switch (part) {
    case DatePart::kYear:
      return int{day.year()};
    case DatePart::kMonth:
      return unsigned{day.month()};
    case DatePart::kDay:
      return unsigned{day.day()};
    case DatePart::kWeekday:
      return weekday{date}.iso_encoding();
    case DatePart::kHour:
      break;
  }
  // To the microsecond: half past six is 18.5.
  constexpr double kMicro = 1e6;
  return std::round((days - whole) * kSecondsOfDay * kMicro) / (kSecondsOfDay * kMicro / kHours);
}

}  // namespace craton
