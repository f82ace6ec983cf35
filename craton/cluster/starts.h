#pragma once
#include <cstdint>

#include "craton/core/exec.h"
#include "craton/core/source.h"

// Rows of the data to start from, as centres (k x columns).
//
// k-means++ (Arthur and Vassilvitskii, SODA 2007): each next centre is a row drawn with probability
// proportional to weight x squared distance to the nearest centre so far.
//
// A draw walks the rows in the order of a hash of their *values*, by cumulative mass. So neither
// the order of the rows nor writing a row twice instead of giving it weight 2 changes a start.

namespace craton {

enum class StartRule {
  kPlusPlus,
  kRandom,  // distinct rows, by weight alone
};

struct Start {
  StartRule rule = StartRule::kPlusPlus;
  Index k = 1;
  std::uint64_t seed = 0;
  std::uint32_t trial = 0;            // of n_init
  const char* option = "n_clusters";  // what k is called, for messages
  bool repeat = false;  // fewer than k distinct rows: the first centre again, not an error
};

// requires a table that check_table accepted; throws InputError (kTooFewRows) when it has fewer
// than k distinct rows, unless they may repeat. Memory: 16 bytes a row. Time: 2 k passes, O(n d)
// each.
Array choose_start(Source& x, const Start& start, const Exec& exec);

}  // namespace craton
