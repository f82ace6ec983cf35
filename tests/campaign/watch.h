#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "craton/base/function_ref.h"
#include "tests/campaign/ask.h"

// Does runs in processes of their own, so that one that crashes or never ends is known by name and
// costs no other.

namespace craton::campaign {

struct Fault {
  std::int64_t run = 0;
  std::string verb, what;
};

struct Outcome {
  std::int64_t runs = 0, asked = 0, refused = 0;
  std::vector<Fault> faults;
  double slowest = 0;  // seconds, of one verb
  std::string slowest_verb;
  std::int64_t slowest_run = 0;
};

struct Patience {
  int jobs = 1;
  double seconds = 60;  // for one verb: more is a hang
};

// do_run(i, listener) for i in [0, count).
Outcome watch(std::int64_t count, const Patience& patience,
              FunctionRef<void(std::int64_t, Listener&)> do_run);

}  // namespace craton::campaign
