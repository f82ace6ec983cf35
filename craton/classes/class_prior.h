#pragma once
#include <span>
#include <string>
#include <vector>

#include "craton/base/options.h"
#include "craton/base/source.h"
#include "craton/model/registry.h"

// The probabilities of the classes, as every classifier of this folder takes them.

namespace craton {

struct ClassPrior {
  bool fit_prior = true;  // the shares of the classes; else all the same
  Array class_prior;      // given; wins over fit_prior
};
void describe(OptionVisitor& v, ClassPrior& prior);

// log p(class), from the weight of each class. InputError (kBadOption) for given ones that are not
// as many as the classes, negative, or do not sum to 1; kBadWeight where all weights are 0, as when
// every row was unlearned.
std::vector<double> log_class_prior(const ClassPrior& prior, std::span<const double> weights);

// The number of labels that the rows may have. InputError (kBadTarget) for rows without labels.
Index count_classes(const Source& x);

void check_any_row(const Source& x);  // InputError (kNoRows): there is none

// Checks the rows of every class: InputError (kBadTarget) when no row has a label. Adds a note for
// rows without one, which are left out, and for classes without rows.
void check_classes(const Source& x, std::span<const double> weights, Index unlabelled,
                   std::vector<Note>& notes);

// Of rows that a model learns on from: InputError (kBadWeight) where they weigh too much.
void check_more_weight(const Source& x, std::span<const double> weights);

// For from_parameters(): each finite or -inf, and e^ of them sum to 1.
void check_log_prior(std::span<const double> log_prior);

}  // namespace craton
