#pragma once
#include <optional>

#include "craton/base/error.h"
#include "craton/select/fold_plan.h"
#include "craton/select/verdict.h"

// Several models on the same folds of the same rows, each with the columns that it takes. One that
// cannot take the table, or cannot be measured so, is told with the reason, and the others go on.

namespace craton {

struct Contestant {
  std::string name;  // "nb", or as it was typed
  Trial trial;
};

struct CompareOptions {
  std::vector<std::string> metrics = {};  // the first decides; none: the usual ones
  FoldPlan folds = {};
  std::string positive = {};  // the label that metrics of one class are about
};

struct Compared {
  std::string name;
  Trial trial;
  Index columns = 0;                       // that it takes, the text among them
  std::vector<std::string> left_out = {};  // columns that others take
  bool texts = false;                      // it takes the words of one
  Results results = {};
};

struct NotCompared {
  std::string name;
  Trial trial;
  InputError why;
};

struct Comparison {
  std::vector<Compared> models;     // in the order given
  std::vector<NotCompared> failed;  // likewise
  std::vector<const Metric*> metrics;
  ModelTable data;        // as the first of the models has it
  Results guessing = {};  // empty: rows have nothing to be guessed
  Verdict verdict = {};   // numbers are places in `models`

  std::vector<Results> results() const;
};

// Rows that one of the models cannot take (Missing::kSkip) are left out for all. `next` is called
// now and then, with how many folds are done, of how many, and the model at work. When no model can
// be compared, the reason of the first is thrown. requires contestants that are not empty, with
// options that were checked.
using CompareProgress = FunctionRef<void(Index done, Index all, const std::string& model)>;
Comparison compare_models(const OpenedTable& table, const Roles& roles,
                          std::vector<Contestant> contestants, const CompareOptions& options,
                          const Exec& exec, TellNotes tell, CompareProgress next);

}  // namespace craton
