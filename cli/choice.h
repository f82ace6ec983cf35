#pragma once
#include "cli/command.h"
#include "cli/data.h"
#include "craton/base/json.h"
#include "craton/base/report.h"
#include "craton/draw/curve.h"

namespace craton::cli {

class ConsoleProgress;

// What `craton select` found, as it is saved, drawn and printed.
struct Choice {
  Fitted best;
  std::string name, why;  // "4 full", "the lowest BIC, ..."
  SummaryTable table;
  Curve curve;
  Json json;
  std::string note = {};  // a line about the data, if there is more to say
};

// By a criterion of the likelihood, or of clusters, which have none.
Choice choose_by_likelihood(const Command& command, const Data& data, ConsoleProgress& progress);
Choice choose_clusters(const Command& command, const Data& data, ConsoleProgress& progress);

}  // namespace craton::cli
