#pragma once
#include <optional>

#include "craton/report/pages/page.h"
#include "craton/report/pages/sections.h"

// Reports to hand on: of a fitted model and rows that it is shown, and of a table.

namespace craton {

// requires rows that the model takes; their labels or numbers, if they have any, are the truth.
Page report_model(const Fitted& fitted, Source& x, const ReportFiles& files, const Exec& exec);

struct ReportQuestion {
  Roles roles = {};                     // the target, "": groups are looked for
  std::vector<Contestant> models = {};  // to compare; none: all that learn from such a target
  CompareOptions compare = {};          // the first of its metrics decides
  ReportFiles files = {};
};

struct TableReport {
  Page page = {};
  std::optional<Fitted> model = {};  // that was chosen
  std::vector<Note> notes = {};      // on columns that were left out, and the like
};

// A table: what is in it; the model that tells the target best, of all that can, by rows held out,
// or the groups that its rows fall into, by BIC; its pictures, its mistakes on rows held out, the
// rows to check. Columns that number the rows, or never differ, are left out. Of many rows what is
// learned is learned from some, drawn at random. The same page on any number of threads. InputError
// (kTooFewRows) of fewer than 10 rows, (kBadTarget) of a target that never differs. `next` is
// called as fits go on.
using ReportProgress = FunctionRef<void(Index done, Index all, const std::string& what)>;
TableReport report_table(const OpenedTable& table, const ReportQuestion& question, const Exec& exec,
                         ReportProgress next);

}  // namespace craton
