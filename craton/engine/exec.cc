#include "craton/engine/exec.h"

#include "craton/engine/workers.h"

namespace craton {

void Progress::start(Index, Index) {}
void Progress::bytes(Index, Index) {}
void Progress::rows(Index, Index) {}
void Progress::iteration(Index, Index, double) {}
bool Progress::keep_going() { return true; }

int worker_count(const Exec& exec) { return exec.threads > 0 ? exec.threads : hardware_threads(); }

bool single_rank(const Exec& exec) { return exec.comm == nullptr || exec.comm->size() == 1; }

}  // namespace craton
