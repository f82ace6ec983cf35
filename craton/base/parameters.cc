#include "craton/base/parameters.h"

#include <fmt/core.h>

#include <algorithm>

#include "craton/base/error.h"

namespace craton {

void fail_parameters(const std::string& what) {
  throw InputError(Code::kDamagedModel, {}, what.substr(0, what.find('\n')),
                   "The file was written by another program or is damaged: fit again.");
}

const Array& get_parameter(std::span<const Parameter> parameters, std::string_view name,
                           std::span<const Index> shape) {
  const auto at = std::find_if(parameters.begin(), parameters.end(),
                               [&](const Parameter& p) { return p.name == name; });
  if (at == parameters.end()) fail_parameters(fmt::format("parameter '{}' is missing", name));
  const Array& value = at->value;
  const bool fits = std::equal(value.shape.begin(), value.shape.end(), shape.begin(), shape.end(),
                               [](Index has, Index wants) { return wants == -1 || has == wants; });
  if (!fits) fail_parameters(fmt::format("parameter '{}' has the wrong shape", name));
  return value;
}

}  // namespace craton
