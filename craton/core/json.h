#pragma once
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "craton/core/table.h"

namespace craton {

// A JSON value. Objects keep the order of their members.
class Json {
 public:
  using List = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;
  using Value = std::variant<std::nullptr_t, bool, Index, double, std::string, List, Object>;

  Json() = default;
  Json(Value v) : value(std::move(v)) {}                     // NOLINT: implicit, as JSON is
  Json(const char* text) : value(std::string(text)) {}       // NOLINT
  Json(std::string_view text) : value(std::string(text)) {}  // NOLINT
  Json(std::string text) : value(std::move(text)) {}         // NOLINT
  Json(int number) : value(static_cast<Index>(number)) {}    // NOLINT
  Json(Index number) : value(number) {}                      // NOLINT
  Json(double number) : value(number) {}                     // NOLINT
  Json(bool flag) : value(flag) {}                           // NOLINT
  Json(const std::vector<double>& numbers);                  // NOLINT
  Json(const std::vector<std::string>& texts);               // NOLINT
  static Json object(std::initializer_list<std::pair<std::string, Json>> members);

  const Json* find(std::string_view name) const;  // a member of an object, or null
  void set(std::string name, Json member);        // appends to an object
  bool operator==(const Json&) const = default;

  Value value = nullptr;
};

// Numbers are written so that they read back exactly; NaN and infinities become null.
// indent < 0: one line.
std::string write_json(const Json& json, int indent = -1);

// Throws InputError (kBadFile) that says where; nesting is at most 100 deep.
Json parse_json(std::string_view text, const std::string& file);

}  // namespace craton
