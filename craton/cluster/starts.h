#pragma once
#include <cstdint>

#include "craton/base/source.h"
#include "craton/engine/exec.h"

// Rows of the data to start from, as centres (k x columns).
//
// k-means++ (Arthur and Vassilvitskii, SODA 2007): each next centre is a row drawn with probability
// proportional to weight x squared distance to the nearest centre so far. Greedy k-means++ draws
// several and keeps the one that leaves the least sum of those.
//
// k-means|| (Bahmani, Moseley, Vattani, Kumar, Vassilvitskii, VLDB 2012): a few rounds that draw 2
// k rows each in the same way, and greedy k-means++ among those, each weighted by the rows it is
// nearest to.
//
// A draw walks the rows in the order of a hash of their *values*, by cumulative mass. So neither
// the order of the rows nor writing a row twice instead of giving it weight 2 changes a start.

namespace craton {

enum class StartRule {
  kPlusPlus,
  kRandom,    // distinct rows, by weight alone
  kParallel,  // k-means||
};

struct Start {
  StartRule rule = StartRule::kPlusPlus;
  Index k = 1;
  std::uint64_t seed = 0;
  std::uint32_t trial = 0;            // of n_init
  const char* option = "n_clusters";  // what k is called, for messages
  bool repeat = false;     // fewer than k distinct rows: the first centre again, not an error
  Index local_trials = 1;  // rows drawn for each centre
};

Index default_local_trials(Index k);  // 2 + the whole part of ln k

// requires a table that check_table accepted, of dense or sparse rows; throws InputError
// (kTooFewRows) when it has fewer than k distinct rows, unless they may repeat. Memory: 20 bytes a
// row. Time: k passes of at most n d local_trials, k of at most n d and k that only look at
// weights; for k-means|| 5 passes of 2 n d k and 5 of weights; for random rows 2 k of weights.
Array choose_start(Source& x, const Start& start, const Exec& exec);

// What it throws then.
[[noreturn]] void fail_too_few(const Source& x, const Start& start, Index distinct);

}  // namespace craton
