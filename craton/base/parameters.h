#pragma once
#include <span>
#include <string>
#include <string_view>

#include "craton/base/matrix.h"

// What a model learned, or remembers of its rows, as named arrays: model files keep them.

namespace craton {

// A named array of a model: what it learned, or what it remembers of its rows.
struct Parameter {
  std::string name, help;
  Array value;
  bool operator==(const Parameter&) const = default;
};

// For from_parameters(): throws InputError (kDamagedModel).
[[noreturn]] void fail_parameters(const std::string& what);

// A parameter by name; InputError (kDamagedModel) when it is missing or has another shape.
// In `shape`, -1 stands for any size.
const Array& get_parameter(std::span<const Parameter> parameters, std::string_view name,
                           std::span<const Index> shape);

}  // namespace craton
