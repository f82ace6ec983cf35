#pragma once
#include <memory>

#include "cli/parsing/command.h"
#include "craton/io/open.h"
#include "craton/model/registry.h"
#include "craton/tables/view.h"

// Data and model files, as a command names them.

namespace craton::cli {

// The rows and columns to use.
struct Data {
  std::unique_ptr<Source> file = {};
  std::unique_ptr<View> view = {};    // of the file, whose rows it labels
  std::unique_ptr<RowSet> kept = {};  // of the file, by --missing skip; null: all
  bool weighted = false;
  std::string guess = {};  // what the file was taken for, in a line

  Source& source() const { return *view; }
  Index size() const { return source().shape().rows; }
  const Schema& schema() const { return source().schema(); }
  std::string name() const { return source().name(); }
};

// The columns to fit on: --features, or all that the model takes but --drop, --weights and
// --target, which labels the rows, or has the numbers to learn from. Notes go to stderr. Names that
// are used, or kept in the model, are different from each other. Rows with missing values are
// refused or left out, as --missing says, or kept for models that take them.
Data read_to_fit(const Command& command, const Exec& exec);

// The same in two steps, for tables that several models read. In verbs that measure, --target
// labels the rows for all models of labels. `filled`: missing values are, whether --fill says so or
// not.
OpenedTable open_to_fit(const Command& command, const Exec& exec);
Data read_to_fit(const Command& command, OpenedTable table, const Exec& exec, bool filled = false);

// The column of texts that --text names; "": there is but one that is not left out.
Index find_text(const OpenedTable& table, const std::string& name,
                std::span<const std::string> left_out = {});

// The columns a model was fitted on, in its order (bind_columns.h), and the labels or numbers that
// it learned from, if they are wanted.
enum class Want { kRows, kTarget, kTargetIfThere };
Data read_for_model(const Command& command, const Fitted& fitted, Want want, const Exec& exec);

// The model of a file; "-" is standard input.
Fitted read_model(const Command& command);
Fitted read_model(const std::string& path);

// "a.csv: 272 rows, 2 columns (eruptions, waiting)"
std::string describe(const Data& data);

}  // namespace craton::cli
