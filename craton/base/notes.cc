#include "craton/base/notes.h"

namespace craton {
namespace {

constexpr const char* kOneStart = "one-start";
constexpr const char* kWithoutTerms = "texts-without-terms";

}  // namespace

bool is_remark(const Note& note) { return note.code == kOneStart || note.code == kWithoutTerms; }

Note one_start() {
  return {kOneStart,
          {"from one start: {} tries ten and keeps the best", Ref::option("n_init", 10)}};
}

Note texts_without_terms(Index count, Index of) {
  return {kWithoutTerms,
          {"{} of {} texts hold{} not one term that is counted", count, of, count == 1 ? "s" : ""}};
}

}  // namespace craton
