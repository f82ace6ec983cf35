#pragma once
#include <concepts>
#include <memory>

#include "craton/base/bytes.h"
#include "craton/base/source.h"
#include "craton/engine/exec.h"

// Statistics over rows: the only place that knows threads, files and ranks.
//
// Chunk c holds rows [cG, (c+1)G) of the table, where G depends on the number of columns and the
// size of the statistics alone. Each chunk is accumulated by itself, and the results are merged in
// a tree whose shape depends on the number of chunks alone: node (level, 2i) takes in node
// (level, 2i+1) and becomes (level+1, i); what is left over at the right edge merges from the
// right. So neither timing nor the number of threads or ranks can change a bit of the result.
//
// Every rank returns the same result, or throws the lowest failing chunk's error (agree.h: how
// ranks end together when one fails elsewhere).

namespace craton {

enum class Merge {
  kTree,   // sums of floats: the order of merging matters in the last bits
  kExact,  // integers and sets: any order gives the same result, so no tree is needed
};

template <class A>
concept Accumulator = std::copyable<A> &&
    requires(A a, const A& b, const Chunk& c, Writer& w, Reader& r) {
  a.accumulate(c);  // the rows of c, in order
  a.merge(b);       // b holds rows that follow a's
  b.write(w);       // the whole state, and back
  a.read(r);
  { b.words() } -> std::same_as<Index>;  // its size in doubles: the grid needs it
  { b.merge_kind() } -> std::same_as<Merge>;
};

// The version of the grid and tree below; a model file records it.
inline constexpr int kGridVersion = 1;

// The rows of a chunk: the least power of two in [256, 4096] with rows x columns >= words.
Index grid_rows(Index columns, Index words);

// One virtual call a chunk.
class AnyAccumulator {
 public:
  virtual ~AnyAccumulator() = default;
  virtual std::unique_ptr<AnyAccumulator> fresh() const = 0;  // a new empty one
  virtual void reset() = 0;                                   // empty again, memory kept
  virtual void accumulate(const Chunk&) = 0;
  virtual void merge(const AnyAccumulator&) = 0;
  virtual void write(Writer&) const = 0;
  virtual void read(Reader&) = 0;
  virtual Index words() const = 0;
  virtual Merge merge_kind() const = 0;
};

std::unique_ptr<AnyAccumulator> fold_any(Source& x, const AnyAccumulator& empty, const Exec& exec);

template <Accumulator A>
class ErasedAccumulator final : public AnyAccumulator {
 public:
  explicit ErasedAccumulator(const A& empty) : empty_(&empty), state(empty) {}
  std::unique_ptr<AnyAccumulator> fresh() const override {
    return std::make_unique<ErasedAccumulator>(*empty_);
  }
  void reset() override { state = *empty_; }
  void accumulate(const Chunk& chunk) override { state.accumulate(chunk); }
  void merge(const AnyAccumulator& next) override {
    state.merge(static_cast<const ErasedAccumulator&>(next).state);
  }
  void write(Writer& writer) const override { state.write(writer); }
  void read(Reader& reader) override { state.read(reader); }
  Index words() const override { return state.words(); }
  Merge merge_kind() const override { return state.merge_kind(); }

 private:
  const A* empty_;  // the caller's, for the duration of one fold

 public:
  A state;
};

template <Accumulator A>
A fold(Source& x, const A& empty, const Exec& exec) {
  const auto result = fold_any(x, ErasedAccumulator<A>(empty), exec);
  return std::move(static_cast<ErasedAccumulator<A>&>(*result).state);
}

}  // namespace craton
