#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "craton/base/lazy.h"
#include "craton/base/message.h"
#include "craton/base/parameters.h"

namespace craton {

// Something a person should know about work that went on all the same.
struct Note {
  std::string code;  // stable, e.g. "empty-cluster"
  Message text;
};

// EM climbs F(q, theta) = E_q[log p(x, z | theta)] + H(q), which is at most the log-likelihood of
// theta, and equal to it after an E-step (Neal and Hinton, "A view of the EM algorithm", 1998).
struct HalfStep {
  double expected = 0, entropy = 0;  // the two terms, mean a row; log priors are in the first
  double bound() const { return expected + entropy; }
  bool operator==(const HalfStep&) const = default;
};

struct FitReport {
  static constexpr Index kMostIterations = Index{1} << 53;  // model files count so far
  Index iterations = 0;
  bool converged = false;
  double objective = 0;  // of the model returned
  // The objective of every pass, and after every update where the model can tell (k-means); the
  // last one is `objective`.
  std::vector<double> trace;
  std::vector<std::vector<double>> start_traces;  // of all starts, when there were several
  std::vector<HalfStep> half_steps;  // of EM: after E, M, E, ..., E; empty when not recorded
  std::vector<Note> notes;
  std::string data_hash;  // of the rows and weights, in any order (columns.h); "" when not known

  void count_iteration() { iterations += iterations < kMostIterations ? 1 : 0; }
};

template <class M>
struct Fit {
  M model;
  FitReport report;
  Lazy<std::vector<Parameter>> memory = {};  // of models that learn on: sums over rows (registry.h)
  std::vector<std::int32_t> labels = {};     // of its rows, where the fit knows them all
};

// A table as it is printed: cells are text (report/result_text.h). Results are ResultTables.
struct SummaryTable {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

}  // namespace craton
