#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Words that are so common that they say little, by name of their list. Model files name the list
// alone, so one that was released never changes: a later version gets another name.

namespace craton {

struct StopList {
  std::string_view name;     // what the option says: "english"
  std::string_view version;  // where it comes from
  std::string_view words;    // between blanks, in ascending order
};

// All lists that there are, by name.
std::span<const StopList> stop_lists();
// Those of other languages than English, by name: generated.
std::span<const StopList> other_stop_lists();

// The words that an option means: "" none, the name of a list, or, where there is any white space,
// the words themselves. A single word that is no list is an InputError that names the lists.
std::vector<std::string> stop_words(std::string_view option);

}  // namespace craton
