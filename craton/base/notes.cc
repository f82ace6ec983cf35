#include "craton/base/notes.h"

namespace craton {
namespace {

constexpr const char* kOneStart = "one-start";

}  // namespace

bool is_remark(const Note& note) { return note.code == kOneStart; }

Note one_start() {
  return {kOneStart,
          {"from one start: {} tries ten and keeps the best", Ref::option("n_init", 10)}};
}

}  // namespace craton
