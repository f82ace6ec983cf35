#pragma once
#include "cli/command.h"
#include "cli/criteria.h"
#include "cli/data.h"
#include "cli/sweep.h"
#include "craton/base/json.h"
#include "craton/base/report.h"
#include "craton/base/source.h"
#include "craton/draw/curve.h"
#include "craton/select/cross_validation.h"

// The fits that `craton select` compares, as a table, a picture and JSON.

namespace craton::cli {

struct Candidate {
  Setting setting;
  Fitted fitted;
  Criteria criteria;
  Estimate held_out = {};  // mean log-likelihood of rows held out, if that is the criterion

  // A component is flat: only the floor bounds the likelihood, and no criterion means anything.
  bool flat() const;
};

// The best criterion among those that are not flat, if there are any. Of held-out rows a flat
// component says nothing good, so there all count.
const Candidate& best_of(std::span<const Candidate> candidates, const Command& command);
// Why it is the best: "the lowest BIC, 29.9 below the next (5 full): very strong evidence".
std::string why_best(std::span<const Candidate> candidates, const Candidate& best,
                     const Command& command);

class ConsoleProgress;

// Those that the rows allow; a note says which they do not. If they allow none, that is an error.
std::vector<Candidate> fit_candidates(const Command& command, const Data& data,
                                      ConsoleProgress& progress);
void warn_unconverged(std::span<const Candidate> candidates);

double criterion_of(const Candidate& candidate, const Command& command);  // the lower, the better

SummaryTable table_of(std::span<const Candidate> candidates, const Candidate& best,
                      const Command& command);

// One line for each covariance type, in the order they were asked for.
Curve curve_of(std::span<const Candidate> candidates, const Candidate& best, const Command& command,
               const Data& data);

Json to_json(std::span<const Candidate> candidates, const Candidate& best, const Command& command);

}  // namespace craton::cli
