#pragma once
#include "craton/base/matrix.h"
#include "craton/engine/comm.h"

// How to run, never what to compute: no formula reads it.

namespace craton {

// Told how a fit goes, on the calling thread only.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void start(Index number, Index of);   // of n_init above 1, from 0; before it begins
  virtual void bytes(Index done, Index total);  // of a file that is read; total -1: not known
  virtual void rows(Index done, Index total);   // parts of the current pass over the data
  virtual void iteration(Index done, Index at_most, double objective);
  virtual bool keep_going();  // false stops the fit: Interrupted is thrown
};

struct Exec {
  int threads = 0;       // 0: all cores
  Comm* comm = nullptr;  // null: this process alone
  Progress* progress = nullptr;
};

int worker_count(const Exec& exec);  // at least 1
bool single_rank(const Exec& exec);  // nobody shares the rows of a fold

}  // namespace craton
