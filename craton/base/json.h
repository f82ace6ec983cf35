#pragma once
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "craton/base/matrix.h"

namespace craton {

// A JSON value. Objects keep the order of their members.
class Json {
 public:
  using List = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;
  using Value = std::variant<std::nullptr_t, bool, Index, double, std::string, List, Object>;

  // Copies and moves are compiled once, in json.cc: inlined, they cost every user a second or two.
  Json();
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();
  Json(std::nullptr_t);                         // NOLINT: implicit, as JSON is
  Json(Value v);                                // NOLINT
  Json(const char* text);                       // NOLINT
  Json(std::string_view text);                  // NOLINT
  Json(std::string text);                       // NOLINT
  Json(int number);                             // NOLINT
  Json(Index number);                           // NOLINT
  Json(double number);                          // NOLINT
  Json(bool flag);                              // NOLINT
  Json(const std::vector<double>& numbers);     // NOLINT
  Json(const std::vector<std::string>& texts);  // NOLINT
  static Json object(std::initializer_list<std::pair<std::string, Json>> members);

  const Json* find(std::string_view name) const;  // a member of an object, or null
  void set(std::string name, Json member);        // appends to an object; requires a new name
  bool operator==(const Json&) const;

  Value value = nullptr;
};

// Lists and objects nest at most this deep, in what is read and in what is written.
inline constexpr int kJsonDepth = 100;

// Numbers are written so that they read back exactly, doubles never look like integers (1.0), NaN
// and infinities become null. Bytes of a text that are not UTF-8 become U+FFFD, and
// what a terminal might obey is escaped.
// indent < 0: one line; otherwise that many spaces a level, lists of plain values on one line.
std::string write_json(const Json& json, int indent = -1);

// One value in UTF-8. Integers that fit an Index become one, all other numbers doubles. Throws
// InputError (kBadFile) that says where; a name given twice in an object is refused.
// `line` is the number of the text's first line in the file.
Json parse_json(std::string_view text, const std::string& file, Index line = 1);

}  // namespace craton
