#pragma once
#include <vector>

#include "craton/base/source.h"
#include "craton/engine/exec.h"

// The classes of labelled rows: which values of a column stand for which label. View::label()
// labels rows by them.

namespace craton {

inline constexpr Index kTargets = -1;         // not a column: the targets that the rows have
inline constexpr Index kMostClasses = 10000;  // more are a quantity, or names

struct Classes {
  Column column;                          // its levels are the names of the classes
  Index from = kTargets;                  // where the values are
  std::vector<double> values;             // ascending
  std::vector<std::int32_t> labels = {};  // of each value

  std::int32_t label(double value) const;  // -1: missing, or none of them
};

// The values that occur in a column, in ascending order (of names, when it has levels). One pass.
// InputError (kBadTarget) when there are none, or more than kMostClasses.
Classes find_classes(Source& x, Index from, const Exec& exec);

// The classes of a model in new data. InputError (kBadTarget) for a value that is none of them.
Classes bind_classes(const Column& target, Source& x, Index from, const Exec& exec);

}  // namespace craton
