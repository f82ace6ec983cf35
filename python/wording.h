#pragma once
#include <algorithm>
#include <string>
#include <string_view>

#include "craton/base/message.h"

// Messages as they are read in Python: flags of the shell are parameters there, and verbs methods.

namespace craton {

class PythonWording final : public Wording {
 public:
  // `by_index`: a column of a table without names is called by its index, from 0.
  explicit PythonWording(bool by_index = false) : by_index_(by_index) {}

  std::string of(const Ref& ref) const override {
    switch (ref.kind) {
      case Ref::Kind::kFlag:
        return parameter(ref);
      case Ref::Kind::kVerb:
        return ref.name == "describe" ? "describe()" : Wording::of(ref);
      case Ref::Kind::kColumn:
        return by_index_ && is_number(ref.name)
                   ? "column " + std::to_string(std::stoll(ref.name) - 1)
                   : Wording::of(ref);
      case Ref::Kind::kEither:
        return ref.value;
      case Ref::Kind::kOption:
      case Ref::Kind::kTextColumn:
        break;
    }
    return Wording::of(ref);
  }

 private:
  static bool is_number(const std::string& name) {
    constexpr std::size_t kMostDigits = 18;
    return !name.empty() && name.size() <= kMostDigits &&
           name.find_first_not_of("0123456789") == name.npos;
  }

  // Flags of other names here, or of which one value is a thing of its own.
  static std::string parameter(const Ref& flag) {
    struct Other {
      std::string_view flag, value, here;
    };
    constexpr Other kOthers[] = {
        {"folds", "", "n_splits"},   {"random", "", "n_iter"},
        {"target", "", "y"},         {"target", "COLUMN", "y"},
        {"split", "plain", "KFold"}, {"split", "stratified", "StratifiedKFold"}};
    std::string name = flag.name;
    std::replace(name.begin(), name.end(), '-', '_');
    for (const auto& [other, value, here] : kOthers) {
      if (other != flag.name) continue;
      if (value == flag.value) return std::string(here);
      if (value.empty()) name = here;
    }
    return flag.value.empty() ? name : name + "=" + flag.value;
  }

  bool by_index_;
};

}  // namespace craton
