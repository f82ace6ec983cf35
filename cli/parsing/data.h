#pragma once
#include "cli/parsing/command.h"
#include "craton/select/model_table.h"

// Data and model files, as a command names them.

namespace craton::cli {

using Data = ModelTable;
using craton::find_text, craton::Want;

// The table that a command names, for its model (craton/select/model_table.h). Notes go to stderr.
Data read_to_fit(const Command& command, const Exec& exec);
// The same in two steps. `filled`: missing values are, whether --fill says so or not.
OpenedTable open_to_fit(const Command& command, const Exec& exec);
Data read_to_fit(const Command& command, OpenedTable table, const Exec& exec, bool filled = false);
Data read_for_model(const Command& command, const Fitted& fitted, Want want, const Exec& exec);

Roles roles_of(const Command& command);

// Prints notes on the file, unless --quiet was given.
class PrintNotes {
 public:
  PrintNotes(const Command& command, std::string file) : quiet_(command.quiet), file_(file) {}
  void operator()(std::span<const Note> notes) const;

 private:
  bool quiet_;
  std::string file_;
};

// The model of a file; "-" is standard input.
Fitted read_model(const Command& command);
Fitted read_model(const std::string& path);

// "a.csv: 272 rows, 2 columns (eruptions, waiting)"
std::string describe(const Data& data);

}  // namespace craton::cli
