#include "craton/engine/for_each.h"

#include <algorithm>

#include "craton/engine/tasks.h"

namespace craton {
namespace {

constexpr Index kRowsOfTask = 1024;

}  // namespace

void for_each(Index count, const Exec& exec, FunctionRef<void(Index)> task) {
  rethrow(run_tasks(
      0, count, exec, [](Task) {}, [&](Task t) { task(t.number); }));
}

void for_rows(Source& x, const Exec& exec, FunctionRef<void(const Chunk&)> task) {
  const Index rows = x.shape().rows;
  std::vector<Block> blocks(usize(worker_count(exec)));
  rethrow(run_tasks(
      0, (rows + kRowsOfTask - 1) / kRowsOfTask, exec,
      [&](Task t) {
        const Index first = t.number * kRowsOfTask;
        x.fetch({first, std::min(first + kRowsOfTask, rows)}, blocks[usize(t.worker)]);
      },
      [&](Task t) {
        Chunk chunk;
        x.decode(blocks[usize(t.worker)], chunk);
        task(chunk);
      }));
}

}  // namespace craton
