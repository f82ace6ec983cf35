#pragma once
#include <string>
#include <vector>

#include "craton/tables/view.h"

// The columns that a model was fitted on, found in new data.

namespace craton {

struct Binding {
  Selection selection;
  std::vector<Note> notes;  // what was left out, taken by position, or not seen before
};

// What becomes of levels that the model has not seen: missing values, or levels behind its own, for
// a model that asks (Design).
enum class UnseenLevels { kMissing, kKept };

// By name when both sides have names, in any order; otherwise by position. Levels of categories are
// those of the model, then others. `skip` are columns that are no features (weights, the target).
// InputError (kWrongColumns) names what is missing; `left_out` are the reader's notes, which may
// say why.
Binding bind_columns(const Schema& model, const Source& data,
                     std::span<const std::string> skip = {}, std::span<const Note> left_out = {},
                     UnseenLevels others = UnseenLevels::kMissing);

// Names to find columns by: not 1..d, as those without a header are called.
bool has_names(const Schema& schema);

// Said of a category that a model of numbers does not take.
Note ignored_category(const Column& column);

// InputError (kDuplicateName) if two columns have this name.
void refuse_repeated(const Source& data, const std::string& name);

// A column by name. InputError with `code`: `wanted_by` ends the sentence "there is no column
// '...', which".
Index find_column(const Source& data, const std::string& name, Code code, const Message& wanted_by,
                  std::span<const Note> left_out = {});

}  // namespace craton
