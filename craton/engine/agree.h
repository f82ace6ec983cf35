#pragma once
#include <optional>
#include <type_traits>

#include "craton/base/function_ref.h"
#include "craton/engine/exec.h"
#include "craton/engine/tasks.h"

// How ranks end together.
//
// Ranks run the same program, so they come to the same folds in the same order, and wait there for
// each other. A rank that fails anywhere else (a file that cannot be read, memory, an option, a
// stop) would keep the others waiting. So whatever folds runs inside an agree():
//
//   agree(exec, [&] { return M::fit(x, options, exec); })
//
// which all ranks leave together: with their results, or with one error, the same on all.
//
// Before ranks exchange anything, and at the end of every agree(), they meet: each says how it
// fared and where it stands, at a fold or at the end of an agree(), inside of so many others.
//
// - All stand at a fold: they go on, or throw the lowest failing chunk's error.
// - All stand at the end of an agree(): they return, or throw the lowest failing rank's error.
// - Else a rank has left its work early, and waits at the end of an agree() that others are still
//   inside of. Those at the outermost end meet again; the others throw its failure where they
//   stand. Should they catch it and go on, their next meeting tells them the same, until all stand
//   at that end.
//
// To meet is always an allgather of a few bytes, so a rank need not know what the others are about
// to exchange in order to stop them.
//
// Who catches an error of a part and goes on puts an agree() around the part: then all ranks catch
// it. A task of for_each or fold runs beside others, and so is given an Exec without ranks. Ranks
// whose programs part ways in spite of this are a bug, and all throw std::logic_error.

namespace craton {

class Agreement {
 public:
  // f() and then the end of an agree().
  static void run(Comm& comm, FunctionRef<void()> f);
  // At a fold of statistics of so many words. Throws on all ranks, or on none.
  static void meet(Comm& comm, const Failure& mine, Index words);

 private:
  struct Stand;
  static bool all_here(Comm& comm, const Stand& mine);
};

template <class F>
auto agree(const Exec& exec, const F& f) {
  using Result = std::invoke_result_t<const F&>;
  if (single_rank(exec)) return f();
  if constexpr (std::is_void_v<Result>) {
    Agreement::run(*exec.comm, f);
  } else {
    std::optional<Result> result;
    Agreement::run(*exec.comm, [&] { result.emplace(f()); });
    return *std::move(result);
  }
}

}  // namespace craton
