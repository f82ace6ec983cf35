#pragma once
#include <string>
#include <vector>

#include "craton/base/source.h"
#include "craton/engine/exec.h"

namespace craton {

// The rows that pictures are made of, in memory: all, or an even choice of very many.
struct DrawnRows {
  Table table;                            // dense values, weights and targets; without texts
  std::vector<std::int32_t> labels = {};  // empty: the rows have none
  Index of = 0;                           // so many rows there were

  Index rows() const { return table.x.rows(); }
  MemorySource source() const;
  std::vector<double> column(Index j) const;
  // "300 rows", or "20,000 of 2,000,000 rows".
  std::string told() const;
};

DrawnRows read_drawn_rows(Source& x, const Exec& exec);

}  // namespace craton
