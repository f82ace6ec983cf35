#include "craton/io/cell_form.h"

#include <doctest/doctest.h>

#include <cmath>

namespace craton {
namespace {

// NaN: the form does not read it.
double read_by(std::string_view form, std::string_view cell) {
  double value = 0;
  REQUIRE(form_of(form));
  return form_of(form)->read(cell, value) ? value : NAN;
}

TEST_CASE("numbers are read with either decimal mark, grouped or not") {
  CHECK(read_by("decimal-point", "1,234.50") == 1234.5);
  CHECK(read_by("decimal-point", "-1,234,567") == -1234567);
  CHECK(read_by("decimal-point", "1'234.5") == 1234.5);
  CHECK(read_by("decimal-point", "12 345.5") == 12345.5);
  CHECK(read_by("decimal-point", ".5") == 0.5);
  CHECK(read_by("decimal-point", "1.5e-3") == 1.5e-3);
  CHECK(read_by("decimal-comma", "1.234,50") == 1234.5);
  CHECK(read_by("decimal-comma", "1.234") == 1234);
  CHECK(read_by("decimal-comma",
                "1\xe2\x80\xaf"
                "234,5") == 1234.5);
  CHECK(read_by("decimal-comma", "0,123") == 0.123);
  CHECK(read_by("decimal-comma",
                "\xe2\x88\x92"
                "0,1") == -0.1);
}

TEST_CASE("groups of other than three digits, two marks and what overflows are no numbers") {
  for (const char* cell :
       {"12,34", "1,2345", "1,234,56", "0,123", "1.2.3", "1 2", "", "-", "1234,567", "1'23",
        "1e999", "1,184e3", "--1", "1 234,567 890", "12345678901234567890"}) {
    CAPTURE(cell);
    CHECK(std::isnan(read_by("decimal-point", cell)));
  }
}

TEST_CASE("a unit stands before or behind, and it is the one of the form") {
  CHECK(read_by("decimal-point $", "$1,234.50") == 1234.5);
  CHECK(read_by("decimal-point $", "-$5") == -5);
  CHECK(read_by("decimal-point $", "($5.00)") == -5);
  CHECK(read_by("decimal-point $", "7") == 7);
  CHECK(read_by("decimal-comma EUR", "1.234,5 EUR") == 1234.5);
  CHECK(read_by("decimal-comma €", "€ 12,5") == 12.5);
  CHECK(read_by("decimal-point %", "12 %") == 12);
  CHECK(read_by("decimal-point kg", "5kg") == 5);
  for (const char* cell : {"5 lb", "5 kg kg", "$5", "kg 5", "(5)", "5 kgs"}) {
    CAPTURE(cell);
    CHECK(std::isnan(read_by("decimal-point kg", cell)));
  }
  CHECK(look_at("3a").what == CellReading::What::kNothing);  // as rooms are called
  CHECK(look_at("12A").what == CellReading::What::kNothing);
  CHECK(look_at("12 A").unit == "A");
}

// 1970-01-01 and (datetime.date(y, m, d) - datetime.date(1970, 1, 1)).days of Python
TEST_CASE("dates are days since 1970, in the order of their form") {
  CHECK(read_by("date-ymd", "1970-01-01") == 0);
  CHECK(read_by("date-ymd", "2024-02-29") == 19782);
  CHECK(read_by("date-ymd", "1899/12/31") == -25568);
  CHECK(read_by("date-dmy", "03/04/2024") == 19816);
  CHECK(read_by("date-mdy", "03/04/2024") == 19786);
  CHECK(read_by("date-dmy", "4.3.2024") == 19786);
  CHECK(read_by("date-dmy", "4. 3. 2024") == 19786);
  CHECK(read_by("date-dmy", "5-Mar-2024") == 19787);
  CHECK(read_by("date-dmy", "5. March 2024") == 19787);
  CHECK(read_by("date-mdy", "Mar 5, 2024") == 19787);
  CHECK(read_by("date-ymd", "0001-01-01") == -719162);
}

TEST_CASE("times are parts of a day, and offsets are undone") {
  CHECK(read_by("date-ymd", "1970-01-02T12:00") == 1.5);
  CHECK(read_by("date-ymd", "1970-01-01 06:00:00Z") == 0.25);
  CHECK(read_by("date-ymd", "1970-01-01T23:00:00-01:00") == 1);
  CHECK(read_by("date-mdy", "1/2/1970 12:00 pm") == 1.5);
  CHECK(read_by("date-mdy", "1/2/1970 12:00 AM") == 1);
  CHECK(read_by("date-ymd", "1970-01-01T00:00:00.125") == 0.125 / 86400);
}

TEST_CASE("what the calendar or the clock has not is no date") {
  for (const char* cell :
       {"2023-02-29", "2024-13-01", "2024-00-01", "2024-01-32", "0000-01-01", "2024-1-1 24:00",
        "2024-1-1 10", "2024-1-1 1:60", "2024-1-1 13:00 pm", "2024-1-1 10:00:60", "24-01-01",
        "2024-01/01", "2024-01", "2024-01-01x", "2024-01-01T", "2024 01 01", "10.0.0.1"}) {
    CAPTURE(cell);
    CHECK(std::isnan(read_by("date-ymd", cell)));
  }
  CHECK(std::isnan(read_by("date-dmy", "03/13/2024")));
  CHECK(std::isnan(read_by("date-dmy", "03/04/24")));
  CHECK(std::isnan(read_by("date-dmy", "5 Foo 2024")));
}

TEST_CASE("days are written as dates that read back to the same days") {
  CHECK(date_text(0) == "1970-01-01");
  CHECK(date_text(-0.5) == "1969-12-31T12:00:00");
  CHECK(date_text(19782.123456) == "2024-02-29T02:57:46.5984");
  CHECK(date_text(0.9999999999999) == "1970-01-02");
  CHECK(date_text(NAN).empty());
  CHECK(date_text(1e9).empty());
  for (double days = -719162; days < 2932896; days += 9973.25) {
    CHECK(read_by("date-ymd", date_text(days)) == doctest::Approx(days).epsilon(1e-12));
  }
}

TEST_CASE("parts of dates") {
  const double days = 19782.75;  // Thursday
  CHECK(part_of(days, DatePart::kYear) == 2024);
  CHECK(part_of(days, DatePart::kMonth) == 2);
  CHECK(part_of(days, DatePart::kDay) == 29);
  CHECK(part_of(days, DatePart::kWeekday) == 4);
  CHECK(part_of(days, DatePart::kHour) == 18);
  CHECK(part_of(-0.25, DatePart::kWeekday) == 3);
  CHECK(std::isnan(part_of(NAN, DatePart::kYear)));
}

FormGuess guess_of(std::initializer_list<const char*> cells) {
  FormGuess guess;
  Index line = 2;
  for (const char* cell : cells) guess.add(cell, line++);
  return guess;
}

std::string form_in(std::initializer_list<const char*> cells) {
  const std::optional<CellForm> form = guess_of(cells).form();
  return form ? form->word() : "none";
}

TEST_CASE("a column has the form that reads all of it") {
  CHECK(form_in({"1,234", "5", "1,234.5"}) == "decimal-point");
  CHECK(form_in({"1.234", "5", "1,5"}) == "decimal-comma");
  CHECK(form_in({"1,234,567", "1,234"}) == "decimal-point");
  CHECK(form_in({"$5", "$1,200.25"}) == "decimal-point $");
  CHECK(form_in({"5 kg", "12 kg"}) == "decimal-point kg");
  CHECK(form_in({"2024-03-04", "2024-12-31"}) == "date-ymd");
  CHECK(form_in({"03/04/2024", "13/04/2024"}) == "date-dmy");
  CHECK(form_in({"03/04/2024", "03/14/2024"}) == "date-mdy");
  CHECK(form_in({"03.04.2024", "01.02.2023"}) == "date-dmy");
}

TEST_CASE("where two forms fit all cells, both are told and none is taken") {
  CHECK(form_in({"1,234", "5,678"}) == "none");
  CHECK(guess_of({"1,234", "5,678"}).rivals() ==
        std::vector<CellKind>{CellKind::kPoint, CellKind::kComma});
  CHECK(guess_of({"$1.234"}).rivals().size() == 2);
  CHECK(form_in({"03/04/2024", "05/06/2024"}) == "none");
  CHECK(guess_of({"03/04/2024", "05/06/2024"}).rivals() ==
        std::vector<CellKind>{CellKind::kDmy, CellKind::kMdy});
}

TEST_CASE("cells that contradict each other have no form") {
  CHECK(form_in({"1.5", "1,5"}) == "none");
  CHECK(form_in({"13/04/2024", "04/13/2024"}) == "none");
  CHECK(form_in({"2024-03-04", "abc"}) == "none");
  CHECK(form_in({"2024-03-04", "04.03.2024"}) == "none");
  CHECK(form_in({"5 kg", "5 lb"}) == "none");
  CHECK(guess_of({"5 kg", "12 lb"}).other_unit()->line == 3);
  CHECK(form_in({}) == "none");
  CHECK(form_in({"1.5", "2"}) == "none");  // plain numbers need none
}

TEST_CASE("words of forms, and of the schema, are read back; others are none") {
  for (const char* word :
       {"decimal-point", "decimal-comma €", "date-ymd", "date-dmy", "date-mdy", "yes-no"}) {
    CHECK(form_of(word)->word() == word);
  }
  CHECK(form_of("decimal-comma")->kind == CellKind::kComma);
  for (const char* word :
       {"", "date", "date-ymd kg", "decimal-point nonsense", "decimal-comma ", "number"}) {
    CHECK_FALSE(form_of(word));
  }
}

}  // namespace
}  // namespace craton
