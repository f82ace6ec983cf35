#pragma once
#include <vector>

#include "craton/classes/gaussian_mixture/gaussian_block.h"
#include "craton/tables/columns.h"

namespace craton {

// What a mixture remembers of its rows: the sums of their responsibilities, about its means, and
// the moments of the columns, which are the units of the floor and of the prior.
struct GaussianMemory {
  ColumnStatistics columns;
  GaussianMixture::Statistics statistics;

  std::vector<Parameter> arrays() const;
  // Borrows the model. InputError (kDamagedModel) for what is no memory of it.
  static GaussianMemory read(const GaussianMixture& model, std::span<const Parameter> arrays);
};

}  // namespace craton
