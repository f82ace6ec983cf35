#pragma once
#include "craton/base/options.h"
#include "craton/classes/calibration.h"
#include "craton/classes/latent_class.h"

// What classifiers do with rows without a label: leave them out, or learn from them too by EM
// (latent_class.h), where their weights may count for less. Nigam, McCallum, Thrun, Mitchell, "Text
// classification from labeled and unlabeled documents using EM", Machine Learning 39, 2000.

namespace craton {

enum class Unlabelled { kSkip, kEm };

struct SemiSupervised {
  Unlabelled unlabelled = Unlabelled::kSkip;
  double unlabelled_weight = 1;  // of a row without a label, beside 1 with one
  Index max_iter = 100;
  double tol = 1e-3;
};
void describe(OptionVisitor& v, SemiSupervised& options);

// Sums over rows do not tell what EM, or calibration, asks of every row: InputError (kNotAble) for
// a model with these options that is to learn on, unlearn or merge.
void check_learns_on(const SemiSupervised& options, Calibrate calibrate);

}  // namespace craton
