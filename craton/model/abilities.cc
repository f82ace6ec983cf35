#include "craton/model/abilities.h"

namespace craton {
namespace {

struct NoModel {
  struct Options {};
  static constexpr TargetKind kTarget = TargetKind::kNone;
};

}  // namespace

std::span<const Ability> abilities() {
  static constexpr auto kTable = abilities_in<NoModel>();
  return kTable;
}

}  // namespace craton
