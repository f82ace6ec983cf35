#pragma once
#include <string>
#include <vector>

#include "craton/core/table.h"

namespace craton {

// Something a person should know about work that went on all the same.
struct Note {
  std::string code;  // stable, e.g. "empty-cluster"
  std::string text;
};

struct FitReport {
  Index iterations = 0;
  bool converged = false;
  double objective = 0;  // of the model returned
  // The objective of every pass, and after every update where the model can tell (k-means); the
  // last one is `objective`.
  std::vector<double> trace;
  std::vector<Note> notes;
  std::string data_hash;  // of the rows and weights, in any order (columns.h); "" when not known
};

template <class M>
struct Fit {
  M model;
  FitReport report;
};

// A table for people: what `craton describe` prints.
struct SummaryTable {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

}  // namespace craton
