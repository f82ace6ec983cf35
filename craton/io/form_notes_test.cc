#include "craton/io/form_notes.h"

#include <doctest/doctest.h>

namespace craton {
namespace {

TEST_CASE("forms of columns are kept as notes, and read back from them, whatever names they have") {
  const std::vector<ColumnForm> forms{
      {"when", "when", {CellKind::kDmy}},
      {"when.month", "when", {CellKind::kDmy}},
      {"it' was read as ymd", "it' was read as ymd", {CellKind::kComma, "Fr."}},
      {"price", "price", {CellKind::kPoint, "$"}},
      {"x", "x", {CellKind::kYesNo}}};
  Schema schema;
  for (const ColumnForm& of : forms) schema.columns.push_back({of.name});
  schema.columns.pop_back();
  schema.target = Column{"x"};
  std::vector<Note> notes{{"one-start", "from one start"}};
  add_form_notes(notes, schema, forms);
  CHECK(notes.size() == 1 + forms.size());
  CHECK(notes[1].text.plain() == "the column 'when' was read as date-dmy");
  CHECK(forms_in(notes) == forms);
  add_form_notes(notes, schema, forms);
  CHECK(notes.size() == 1 + forms.size());
}

TEST_CASE("columns that the model has not are not told, and other words say nothing") {
  std::vector<Note> notes;
  add_form_notes(notes, Schema{}, std::vector<ColumnForm>{{"a", "a", {CellKind::kYmd}}});
  CHECK(notes.empty());
  for (const char* text :
       {"", "the column '", "the column 'a' was read as", "the column 'a' was read as x",
        "' was read as date-ymd", "the column 'a' was read as date-ymd.month"}) {
    CHECK(forms_in(std::vector<Note>{{"read-as", text}}).empty());
  }
}

}  // namespace
}  // namespace craton
