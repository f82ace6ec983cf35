#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "craton/base/options.h"

// Arrays and options, to Python and from it.

namespace craton {

namespace nb = nanobind;

using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

// A NumPy array that takes the values over.
template <class T>
nb::object to_numpy(std::vector<T> values, const std::vector<Index>& shape) {
  auto owner = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owner->data();
  const nb::capsule capsule(owner.release(), [](void* pointer) noexcept {
    std::unique_ptr<std::vector<T>>(static_cast<std::vector<T>*>(pointer));
  });
  const std::vector<std::size_t> sizes(shape.begin(), shape.end());
  return nb::cast(
      nb::ndarray<nb::numpy, T, nb::c_contig>(data, sizes.size(), sizes.data(), capsule));
}

inline nb::object to_python(const Array& array) { return to_numpy(array.values, array.shape); }

inline nb::object to_python(const OptionValue& value) {
  return std::visit(
      [](const auto& v) -> nb::object {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return nb::none();
        } else if constexpr (std::is_same_v<T, Array>) {
          return to_python(v);
        } else {
          return nb::cast(v);
        }
      },
      value);
}

inline OptionValue to_option(nb::handle value) {
  if (value.is_none()) return std::monostate{};
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value);
  if (nb::isinstance<nb::int_>(value)) return nb::cast<Index>(value);
  if (nb::isinstance<nb::float_>(value)) return nb::cast<double>(value);
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  const auto array = nb::cast<Numbers>(value);
  Array result;
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) {
    result.shape.push_back(static_cast<Index>(array.shape(axis)));
  }
  result.values.assign(array.data(), array.data() + array.size());
  return result;
}

inline std::vector<NamedOption> to_options(const nb::dict& values) {
  std::vector<NamedOption> options;
  for (const auto& [name, value] : values) {
    options.emplace_back(nb::cast<std::string>(name), to_option(value));
  }
  return options;
}

}  // namespace craton
