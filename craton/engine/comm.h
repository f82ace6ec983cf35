#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "craton/base/bytes.h"
#include "craton/base/function_ref.h"

// Processes that fit together. Every rank runs the same program on the same Source; `fold` gives
// each a range of chunks and exchanges what they found. Nothing else communicates.

namespace craton {

class Comm {
 public:
  virtual ~Comm() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // The bytes of every rank, in rank order, on every rank. A collective call.
  virtual std::vector<Bytes> allgather(std::span<const std::byte> mine) = 0;
};

// One process: what a null Exec::comm stands for.
class SingleComm final : public Comm {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::vector<Bytes> allgather(std::span<const std::byte> mine) override;
};

// Runs f once per rank, each on a thread of its own, as if they were processes. When one rank
// throws, the others' collective calls fail, and the lowest rank's own error is thrown here.
void run_in_process_ranks(int size, FunctionRef<void(Comm&)> f);

}  // namespace craton
