#pragma once
#include <span>
#include <vector>

#include "craton/tables/row_set.h"

// Rows of a table to test a model on, once: the others are learned from.

namespace craton {

// What is known of the rows; none: nothing.
struct RowsToPart {
  Index count = 0;
  std::span<const std::int32_t> labels = {};        // every class is parted alike; -1: none
  std::span<const double> groups = {}, times = {};  // rows of one group, or time, stay together
};

// About `share` of the rows, 0 < share < 1, by seed:
//
//   plain       round(share n) rows, drawn
//   labels      as many, and of each class its share, within a row
//   groups      whole groups, the share as near as parts of a twentieth allow (splits.h); with
//               labels, classes as even as that allows
//   times       the latest rows
//
// InputError (kTooFewRows) when that would be no row, or all; (kBadOption) for times beside others.
RowSet choose_test_rows(const RowsToPart& rows, double share, std::uint64_t seed);

}  // namespace craton
