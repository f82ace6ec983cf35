#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "craton/base/bytes.h"
#include "craton/base/function_ref.h"

// Processes that fit together. Every rank runs the same program on the same Source; `fold` gives
// each a range of chunks and exchanges what they found, and agree() (agree.h) makes them end
// together. Nothing else communicates, and nothing outside engine/ asks for a rank.

namespace craton {

class Comm {
 public:
  virtual ~Comm() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Both are collective calls: every rank makes the same ones, in the same order.
  //
  // The bytes of every rank, in rank order, on every rank.
  virtual std::vector<Bytes> allgather(std::span<const std::byte> mine) = 0;
  // The bytes of all ranks merged into one, on every rank. `merge` takes in those of later ranks;
  // which of them meet first is not said, so it is one whose order does not matter. It must not
  // throw: others wait for its result.
  using MergeBytes = FunctionRef<void(Bytes& into, std::span<const std::byte> later)>;
  virtual Bytes reduce(Bytes mine, MergeBytes merge);

 private:
  friend class Agreement;
  int depth_ = 0;  // how many agree() calls this rank is inside of
};

// Runs f once per rank, each on a thread of its own, as if they were processes. When one rank ends,
// the collective calls that others still make fail; the lowest rank's own error is thrown here.
void run_in_process_ranks(int size, FunctionRef<void(Comm&)> f);

}  // namespace craton
