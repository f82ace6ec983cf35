#include "craton/engine/fold.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>

#include "craton/base/error.h"
#include "craton/engine/tasks.h"

namespace craton {

namespace {
constexpr Index kLeastRows = 256, kMostRows = 4096;
}

Index grid_rows(Index columns, Index words) {
  Index rows = kLeastRows;
  while (rows < kMostRows && rows * std::max<Index>(1, columns) < words) rows *= 2;
  return rows;
}

namespace {

using Owned = std::unique_ptr<AnyAccumulator>;

struct Node {
  int level;
  Index index;
  Owned value;
  Index first_chunk() const { return index << level; }
};

// The unmerged nodes of the tree, and a pool of accumulators to reuse.
class Tree {
 public:
  explicit Tree(const AnyAccumulator& empty) : empty_(empty) {}

  Owned borrow() {
    {
      const std::lock_guard lock(mutex_);
      if (!pool_.empty()) {
        Owned taken = std::move(pool_.back());
        pool_.pop_back();
        return taken;
      }
    }
    return empty_.fresh();
  }

  // Merges upwards while the sibling is there. Merging itself runs outside the lock.
  void put(Node node) {
    for (;;) {
      Owned sibling;
      {
        const std::lock_guard lock(mutex_);
        const auto at = open_.find({node.level, node.index ^ 1});
        if (at == open_.end()) {
          open_.emplace(std::pair{node.level, node.index}, std::move(node.value));
          return;
        }
        sibling = std::move(at->second);
        open_.erase(at);
      }
      if (node.index % 2 == 1) std::swap(node.value, sibling);
      node.value->merge(*sibling);
      give_back(std::move(sibling));
      node = {node.level + 1, node.index / 2, std::move(node.value)};
    }
  }

  std::vector<Node> take() {  // from left to right
    std::vector<Node> nodes;
    for (auto& [key, value] : open_) nodes.push_back({key.first, key.second, std::move(value)});
    open_.clear();
    std::sort(nodes.begin(), nodes.end(),
              [](const Node& a, const Node& b) { return a.first_chunk() < b.first_chunk(); });
    return nodes;
  }

 private:
  void give_back(Owned value) {
    value->reset();
    const std::lock_guard lock(mutex_);
    pool_.push_back(std::move(value));
  }

  const AnyAccumulator& empty_;
  std::mutex mutex_;
  std::map<std::pair<int, Index>, Owned> open_;
  std::vector<Owned> pool_;
};

// This rank's chunks of the table, on the grid.
struct Part {
  Index chunk_rows, rows, first, last;
  RowRange rows_of(Index chunk) const {
    return {chunk * chunk_rows, std::min((chunk + 1) * chunk_rows, rows)};
  }
};

// A rank's rows are the same in every fold of a fit, whatever the grid: row state stays with the
// rank that owns it. So the table is shared out in units of the largest chunk.
Part part_of(Shape shape, Index words, const Comm& comm) {
  const Index chunk_rows = grid_rows(shape.cols, words);
  const Index units = (shape.rows + kMostRows - 1) / kMostRows;
  const Index chunks = (shape.rows + chunk_rows - 1) / chunk_rows;
  const auto first_chunk = [&](Index rank) {
    return std::min(chunks, units * rank / comm.size() * (kMostRows / chunk_rows));
  };
  return {chunk_rows, shape.rows, first_chunk(comm.rank()), first_chunk(comm.rank() + 1)};
}

Failure for_each_chunk(Source& x, const Part& part, const Exec& exec,
                       FunctionRef<void(Task, const Chunk&)> run) {
  std::vector<Block> blocks(usize(worker_count(exec)));
  return run_tasks(
      part.first, part.last, exec,
      [&](Task t) { x.fetch(part.rows_of(t.number), blocks[usize(t.worker)]); },
      [&](Task t) {
        Chunk chunk;
        x.decode(blocks[usize(t.worker)], chunk);
        run(t, chunk);
      });
}

Failure fold_tree(Source& x, const Part& part, Tree& tree, const Exec& exec) {
  return for_each_chunk(x, part, exec, [&](Task t, const Chunk& chunk) {
    Owned value = tree.borrow();
    value->accumulate(chunk);
    tree.put({0, t.number, std::move(value)});
  });
}

// One accumulator a worker: the order does not matter.
Failure fold_exact(Source& x, const Part& part, std::vector<Owned>& of_worker,
                   const AnyAccumulator& empty, const Exec& exec) {
  of_worker.resize(usize(worker_count(exec)));
  return for_each_chunk(x, part, exec, [&](Task t, const Chunk& chunk) {
    Owned& mine = of_worker[usize(t.worker)];
    if (!mine) mine = empty.fresh();
    mine->accumulate(chunk);
  });
}

enum class Status : int { kFine, kInput, kInterrupted, kMemory, kOther };

void write_failure(const Failure& failure, Writer& message) {
  const auto put = [&](Status status, const std::string& text) {
    message.put(status);
    message.put(failure.task);
    message.put(text);
  };
  if (!failure.error) return put(Status::kFine, "");
  try {
    std::rethrow_exception(failure.error);
  } catch (const InputError& error) {
    put(Status::kInput, error.what());
    message.put(error.code());
    message.put(error.place().file);
    message.put(error.place().line);
    message.put(error.place().row);
    message.put(error.place().column);
  } catch (const Interrupted&) {
    put(Status::kInterrupted, "");
  } catch (const std::bad_alloc&) {
    put(Status::kMemory, "");
  } catch (const std::exception& error) {
    put(Status::kOther, error.what());
  }
}

Failure read_failure(Reader& message) {
  Status status{};
  Failure failure;
  std::string text;
  message.get(status);
  message.get(failure.task);
  message.get(text);
  if (status == Status::kInput) {
    Code code{};
    Place place;
    message.get(code);
    message.get(place.file);
    message.get(place.line);
    message.get(place.row);
    message.get(place.column);
    failure.error = std::make_exception_ptr(InputError::repeated(code, place, text));
  }
  if (status == Status::kInterrupted) failure.error = std::make_exception_ptr(Interrupted());
  if (status == Status::kMemory) failure.error = std::make_exception_ptr(std::bad_alloc());
  if (status == Status::kOther) failure.error = std::make_exception_ptr(std::runtime_error(text));
  return failure;
}

// Every rank sends its status and nodes, and gets everybody's; the lowest failing chunk's error is
// thrown on all.
std::vector<Node> exchange(std::vector<Node> mine, const Failure& failure,
                           const AnyAccumulator& empty, Comm& comm) {
  if (comm.size() == 1) {  // statistics may be large: nobody needs a copy
    if (failure.error) std::rethrow_exception(failure.error);
    return mine;
  }
  Writer message;
  write_failure(failure, message);
  if (!failure.error) {
    for (const Node& node : mine) {
      message.put(node.level);
      message.put(node.index);
      node.value->write(message);
    }
  }
  std::vector<Node> all;
  Failure lowest;
  for (const Bytes& bytes : comm.allgather(message.bytes())) {
    Reader reader(bytes);
    const Failure theirs = read_failure(reader);
    if (theirs.error && (!lowest.error || theirs.task < lowest.task)) lowest = theirs;
    while (!reader.done()) {
      Node node{0, 0, empty.fresh()};
      reader.get(node.level);
      reader.get(node.index);
      node.value->read(reader);
      all.push_back(std::move(node));
    }
  }
  if (lowest.error) std::rethrow_exception(lowest.error);
  return all;
}

Owned merge_from_the_right(std::vector<Node> nodes, const AnyAccumulator& empty) {
  if (nodes.empty()) return empty.fresh();
  while (nodes.size() > 1) {
    const Owned last = std::move(nodes.back().value);
    nodes.pop_back();
    nodes.back().value->merge(*last);
  }
  return std::move(nodes[0].value);
}

}  // namespace

Owned fold_any(Source& x, const AnyAccumulator& empty, const Exec& exec) {
  SingleComm single;
  Comm& comm = exec.comm != nullptr ? *exec.comm : single;
  const Part part = part_of(x.shape(), empty.words(), comm);

  if (empty.merge_kind() == Merge::kExact) {
    std::vector<Owned> of_worker;
    const Failure failure = fold_exact(x, part, of_worker, empty, exec);
    std::vector<Node> nodes;
    for (Owned& value : of_worker) {
      if (value) nodes.push_back({0, 0, std::move(value)});
    }
    return merge_from_the_right(exchange(std::move(nodes), failure, empty, comm), empty);
  }

  Tree tree(empty);
  const Failure failure = fold_tree(x, part, tree, exec);
  for (Node& node : exchange(tree.take(), failure, empty, comm)) tree.put(std::move(node));
  return merge_from_the_right(tree.take(), empty);
}

}  // namespace craton
