// A data race on purpose: two workers add to one int. ThreadSanitizer must report it, or it does
// not see our workers and the silence of the other tests under it means nothing.
#include <cstdio>

#include "craton/engine/workers.h"

int main() {
  int shared = 0;
  craton::run_workers(2, [&](int) { ++shared; });
  std::printf("%d\n", shared);
}
