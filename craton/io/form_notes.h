#pragma once
#include <span>
#include <string>
#include <vector>

#include "craton/base/report.h"
#include "craton/base/schema.h"
#include "craton/io/cell_form.h"

// How the cells of a model's columns were written, which it must know to read others alike: notes
// of its report keep that, "the column 'when' was read as date-dmy", with the code kReadAs.

namespace craton {

// A column that was not written plainly, or a part of its dates.
struct ColumnForm {
  std::string name;     // in the schema
  std::string in_file;  // the same, but of a part of a date
  CellForm form = {};
  bool is_date() const { return form.is_date() && name == in_file; }
  bool operator==(const ColumnForm&) const = default;
};

// For each of the forms that is of a column of the schema, or its target, if there is none yet.
void add_form_notes(std::vector<Note>& notes, const Schema& schema,
                    std::span<const ColumnForm> forms);

// Back from the notes; those that are not of that form say nothing.
std::vector<ColumnForm> forms_in(std::span<const Note> notes);

}  // namespace craton
