#pragma once
#include "craton/select/guessing.h"

namespace craton {

// What is to be said of models, or points of a search, that were measured on the same folds. By the
// first metric, two are told apart by a difference of more than two errors (cross_validation.h).
struct Verdict {
  Index best = 0;
  std::vector<Index> close = {};  // to the best: the difference may be chance
  std::vector<Index> worse = {};  // than guessing, or no better
  // Labels better than guessed, but probabilities that are not, or that are worse than those of a
  // model with labels no better: they are too sure, or not sure enough.
  std::vector<Index> misjudged = {};

  bool is_worse(Index i) const;
};

// guessing: of the same metrics; empty: nothing can be guessed. requires one model.
Verdict judge(std::span<const Results> all, const Results& guessing,
              std::span<const Metric* const> metrics);

}  // namespace craton
