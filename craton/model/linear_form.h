#pragma once
#include <string>
#include <vector>

#include "craton/base/matrix.h"
#include "craton/base/schema.h"
#include "craton/tables/design.h"

// What a model is linear in, for people and programs: columns, or products of what is made of them.

namespace craton {

// A number made of one column of a row: "log {}" stands for the logarithm of its value, "[{} = 2]"
// for 1 where it is the category 2, and 0 elsewhere.
struct LinearFactor {
  Index column = 0;
  std::string of;
  bool operator==(const LinearFactor&) const = default;
};

// The product of some.
struct LinearTerm {
  std::vector<LinearFactor> factors;
  bool operator==(const LinearTerm&) const = default;
};

// The scores w t + b of the labels of a row, whose softmax is p(label | row), or the one number
// that is predicted for it; t are its columns, or its terms.
struct LinearForm {
  Array coef;                          // labels, or 1, x columns, or terms
  Array intercept;                     // labels, or 1
  std::vector<LinearTerm> terms = {};  // none: the columns
};

// A form in the columns of a design as one in the columns that its terms are made of, which were
// scaled first. Products of numbers are multiplied out: with y = (x - c) / s,
//
//   w y^2 = w / s^2 x^2 - 2 w c / s^2 x + w c^2 / s^2
//
// requires a form without terms.
LinearForm in_given_columns(const LinearForm& form, const Design& design, const Affine& scaled);

// What w multiplies: columns, or "log age", "[habitat = cliff]", "[sex = male]:age^2".
std::vector<std::string> term_names(const LinearForm& form, const Schema& schema);

}  // namespace craton
