#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <array>

#include "craton/model/registry.h"
#include "python/values.h"

// The registry as Python's dictionaries.

namespace craton {

inline nb::dict to_python(const Abilities& a) {
  nb::dict result;
  for (const Ability& ability : abilities()) {
    result[nb::str(ability.name.data(), ability.name.size())] = a.*ability.field;
  }
  return result;
}

inline nb::dict to_python(const Option& option) {
  constexpr std::array kTypes{
      "flag", "integer",          "number",          "choice", "array", "choice or array",
      "text", "choice or number", "integer or array"};
  nb::dict result;
  result["name"] = option.name;
  result["help"] = option.help;
  result["type"] = kTypes.at(static_cast<std::size_t>(option.type));
  result["default"] = to_python(option.value);
  result["low"] = option.low;
  result["high"] = option.high;
  result["choices"] = option.choices;
  return result;
}

inline nb::list boundaries(const Fitted& m) {
  nb::list result;
  for (const Boundary& b : m.model->boundaries()) {
    result.append(nb::make_tuple(b.label, b.other, to_python(b.quadratic), to_python(b.linear),
                                 b.constant, b.points, b.shape));
  }
  return result;
}

inline nb::list list_models() {
  nb::list result;
  for (const ModelInfo& model : models()) {
    nb::list options;
    for (const Option& option : model.options()) options.append(to_python(option));
    nb::dict entry;
    entry["name"] = model.name;
    entry["python_name"] = model.python_name;
    entry["help"] = model.help;
    entry["example"] = model.usage.python;
    entry["positional"] = model.usage.positional;
    entry["sklearn"] = model.usage.sklearn;
    entry["abilities"] = to_python(model.abilities);
    entry["options"] = options;
    result.append(entry);
  }
  return result;
}

}  // namespace craton
