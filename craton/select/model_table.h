#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "craton/base/function_ref.h"
#include "craton/io/open.h"
#include "craton/model/registry.h"
#include "craton/tables/view.h"

// A table as one model has it: the columns that it takes, what it learns from, and the rows that it
// can take.

namespace craton {

// What to do with rows that have missing values; kAuto: refuse them if the model cannot take them.
enum class Missing { kAuto, kError, kSkip };

// What the columns of a table are for, by name; "": none is.
struct Roles {
  std::string target = {}, text = {}, weights = {};
  std::string groups = {}, time = {};             // of rows, to part them by: no features
  std::vector<std::string> features = {};         // none: all that the model takes, but
  std::vector<std::string> drop = {}, keep = {};  // these; to be told beside labels
  Missing missing = Missing::kAuto;
  bool measured = false;  // the target is the truth, for models that do not learn from it too
  bool fitted = false;    // the model is: its missing values cannot be filled in any more
  bool dense = false;     // sparse rows are wanted as if they were not
};

// The rows and columns to use. The view is of the file, and labels its rows.
struct ModelTable {
  std::unique_ptr<Source> file = {};
  std::unique_ptr<View> view = {};
  std::unique_ptr<RowSet> kept = {};  // of the file, without missing values; null: all
  bool weighted = false;
  std::string guess = {};              // what the file was taken for, in a line
  std::vector<ColumnForm> forms = {};  // how columns were written that were not so plainly

  Source& source() const { return *view; }
  Index size() const { return source().shape().rows; }
  const Schema& schema() const { return source().schema(); }
  std::string name() const { return source().name(); }
};

// What was done that a person may wonder about, as soon as it was: errors may come after it.
using TellNotes = FunctionRef<void(std::span<const Note>)>;

// How to read a file for that model; null: for several.
ReadOptions read_options(ReadOptions read, const Roles& roles, const ModelInfo* model);

// The columns to fit on: the features, or all that the model takes but those with another role. The
// target labels the rows, or has the numbers to learn from. Names that are used, or kept in the
// model, are different from each other. Rows with missing values are refused or left out, as
// Roles::missing says, or kept for models that take them, and by `filled` ones.
ModelTable table_to_fit(const ModelInfo& model, OpenedTable table, const Roles& roles, bool filled,
                        const Exec& exec, TellNotes tell);

// The columns a model was fitted on, in its order (bind_columns.h), and the labels or numbers that
// it learned from, if they are wanted.
enum class Want { kRows, kTarget, kTargetIfThere };
ReadOptions read_options(ReadOptions read, const Roles& roles, const Fitted& fitted);
ModelTable table_for(const Fitted& fitted, OpenedTable table, const Roles& roles, Want want,
                     const Exec& exec, TellNotes tell);

// The column of texts of that name; "": there is but one that is not left out.
Index find_text(const OpenedTable& table, const std::string& name,
                std::span<const std::string> left_out = {});

}  // namespace craton
