#include "craton/io/cell_form.h"

#include <cmath>

#include "tests/fuzz/fuzz.h"

using namespace craton;

// A cell, in every form: what is said of it and what is read agree, and dates read back.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view cell = fuzz::text_of(data, size);
  const CellReading reading = look_at(cell);
  const auto check = [&](CellKind kind, bool fits) {
    const CellForm form{kind, std::string(reading.unit)};
    double value = 0;
    const bool read = form.read(cell, value);
    if (read != std::isfinite(value)) fuzz::fail("read, but no number; or a number, but not read");
    if (fits && !read && !form.is_date()) return;  // too many digits
    if (form.is_date() && fits != read) fuzz::fail("two opinions of a date");
    if (!form.is_date() || !read) return;
    const std::string text = date_text(value);
    double again = 0;
    constexpr double kMicro = 1e-6 / 86400;
    if (text.empty()) return;  // an offset led beyond the years
    if (!CellForm{CellKind::kYmd}.read(text, again)) fuzz::fail("a date that does not read back");
    if (std::abs(again - value) > kMicro) fuzz::fail("a date that reads back as another");
  };
  check(CellKind::kPoint, reading.point);
  check(CellKind::kComma, reading.comma);
  check(CellKind::kYmd, reading.ymd);
  check(CellKind::kDmy, reading.dmy);
  check(CellKind::kMdy, reading.mdy);
  check(CellKind::kYesNo, false);
  if (const auto form = form_of(cell); form && form->word() != cell) fuzz::fail("a word of a form");
  FormGuess guess;
  guess.add(cell, 1);
  if (guess.form() && !guess.rivals().empty()) fuzz::fail("one form and two");
  return 0;
}
