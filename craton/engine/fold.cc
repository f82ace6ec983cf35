#include "craton/engine/fold.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>

#include "craton/engine/agree.h"
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
Part part_of(Shape shape, Index words, const Exec& exec) {
  const Index rank = single_rank(exec) ? 0 : exec.comm->rank();
  const Index ranks = single_rank(exec) ? 1 : exec.comm->size();
  const Index chunk_rows = grid_rows(shape.cols, words);
  const Index units = (shape.rows + kMostRows - 1) / kMostRows;
  const Index chunks = (shape.rows + chunk_rows - 1) / chunk_rows;
  const auto first_chunk = [&](Index of_rank) {
    return std::min(chunks, units * of_rank / ranks * (kMostRows / chunk_rows));
  };
  return {chunk_rows, shape.rows, first_chunk(rank), first_chunk(rank + 1)};
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

Owned merge_from_the_right(std::vector<Owned> values, const AnyAccumulator& empty) {
  if (values.empty()) return empty.fresh();
  while (values.size() > 1) {
    const Owned last = std::move(values.back());
    values.pop_back();
    values.back()->merge(*last);
  }
  return std::move(values[0]);
}

// What is done to statistics after the chunks may fail too, for want of memory.
template <class F>
void go_on(Failure& failure, const F& f) {
  if (failure.error) return;
  try {
    f();
  } catch (...) {
    failure = {std::numeric_limits<Index>::max(), std::current_exception()};
  }
}

// The nodes of all ranks, on every rank.
std::vector<Node> gather_nodes(std::vector<Node> mine, Failure failure, const AnyAccumulator& empty,
                               Comm& comm) {
  Writer message;
  go_on(failure, [&] {
    for (const Node& node : mine) {
      message.put(node.level);
      message.put(node.index);
      node.value->write(message);
    }
  });
  Agreement::meet(comm, failure, empty.words());
  std::vector<Node> all;
  for (const Bytes& bytes : comm.allgather(message.bytes())) {
    Reader reader(bytes);
    while (!reader.done()) {
      Node node{0, 0, empty.fresh()};
      reader.get(node.level);
      reader.get(node.index);
      node.value->read(reader);
      all.push_back(std::move(node));
    }
  }
  return all;
}

Owned fold_tree(Source& x, const Part& part, const AnyAccumulator& empty, const Exec& exec) {
  Tree tree(empty);
  const Failure failure = for_each_chunk(x, part, exec, [&](Task t, const Chunk& chunk) {
    Owned value = tree.borrow();
    value->accumulate(chunk);
    tree.put({0, t.number, std::move(value)});
  });
  if (single_rank(exec)) {
    rethrow(failure);
  } else {
    for (Node& node : gather_nodes(tree.take(), failure, empty, *exec.comm)) {
      tree.put(std::move(node));
    }
  }
  std::vector<Owned> left_over;
  for (Node& node : tree.take()) left_over.push_back(std::move(node.value));
  return merge_from_the_right(std::move(left_over), empty);
}

Bytes written(const AnyAccumulator& value) {
  Writer writer;
  value.write(writer);
  return writer.take();
}

Owned value_of(std::span<const std::byte> bytes, const AnyAccumulator& empty) {
  Owned value = empty.fresh();
  Reader reader(bytes);
  value->read(reader);
  return value;
}

// Merges the statistics of this rank, then those of all; those of no rows are sent as no bytes.
Owned reduce_ranks(std::vector<Owned> of_worker, Failure failure, const AnyAccumulator& empty,
                   Comm& comm) {
  Bytes mine;
  go_on(failure, [&] {
    if (of_worker.empty()) return;
    mine = written(*merge_from_the_right(std::move(of_worker), empty));
  });
  Agreement::meet(comm, failure, empty.words());
  const auto merge = [&](Bytes& into, std::span<const std::byte> later) {
    go_on(failure, [&] {
      if (later.empty()) return;
      if (into.empty()) return into.assign(later.begin(), later.end());
      const Owned value = value_of(into, empty);
      value->merge(*value_of(later, empty));
      into = written(*value);
    });
  };
  const Bytes all = comm.reduce(std::move(mine), merge);
  Agreement::meet(comm, failure, empty.words());  // who could not merge tells the others
  return all.empty() ? empty.fresh() : value_of(all, empty);
}

// One accumulator a worker: the order does not matter.
Owned fold_exact(Source& x, const Part& part, const AnyAccumulator& empty, const Exec& exec) {
  std::vector<Owned> of_worker(usize(worker_count(exec)));
  const Failure failure = for_each_chunk(x, part, exec, [&](Task t, const Chunk& chunk) {
    Owned& mine = of_worker[usize(t.worker)];
    if (!mine) mine = empty.fresh();
    mine->accumulate(chunk);
  });
  std::erase(of_worker, nullptr);
  if (!single_rank(exec)) return reduce_ranks(std::move(of_worker), failure, empty, *exec.comm);
  rethrow(failure);
  return merge_from_the_right(std::move(of_worker), empty);
}

}  // namespace

Owned fold_any(Source& x, const AnyAccumulator& empty, const Exec& exec) {
  const Part part = part_of(x.shape(), empty.words(), exec);
  const bool exact = empty.merge_kind() == Merge::kExact;
  return exact ? fold_exact(x, part, empty, exec) : fold_tree(x, part, empty, exec);
}

}  // namespace craton
