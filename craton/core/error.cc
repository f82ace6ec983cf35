#include "craton/core/error.h"

#include <fmt/core.h>

#include <algorithm>

#include "craton/core/utf8.h"

namespace craton {
namespace {

// "data.csv:12: row 10, column 'waiting': what. Fix."  A row is easily taken for a line, so that
// without a line it says how rows are counted. Names and values may come from anybody's file: none
// of them starts a new line or a terminal's command, or fills the screen.
constexpr std::size_t kLongestName = 300, kLongestText = 3000;

std::string render(const Place& place, const std::string& what, const std::string& fix) {
  std::string text;
  if (!place.file.empty()) text += printable(place.file, kLongestText) + ":";
  if (place.line >= 0) text += fmt::format("{}:", place.line);
  if (!text.empty()) text += " ";
  std::string spot;
  if (place.row >= 0) {
    spot = fmt::format("row {}{}", place.row, place.line < 0 ? " (counted from 0)" : "");
  }
  if (!place.column.empty()) {
    spot += fmt::format("{}column '{}'", spot.empty() ? "" : ", ",
                        printable(place.column, kLongestName));
  }
  if (!spot.empty()) text += spot + ": ";
  text += printable(what, kLongestText);
  if (!fix.empty()) text += "\n  " + printable(fix, kLongestText);
  return text;
}

std::string lower(std::string_view text) {  // of ASCII: enough to find a name in other capitals
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

Index edit_distance(std::string_view a, std::string_view b) {
  std::vector<Index> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<Index>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    Index diagonal = row[0];
    row[0] = static_cast<Index>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const Index substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

InputError::InputError(Code code, const Place& place, const std::string& what,
                       const std::string& fix)
    : InputError(code, place, render(place, what, fix)) {}

InputError::InputError(Code code, const Place& place, const std::string& message)
    : std::runtime_error(message), code_(code), place_(place) {}

InputError InputError::repeated(Code code, const Place& place, const std::string& message) {
  return InputError(code, place, message);
}

std::string listed(std::span<const std::string> names, std::size_t most) {
  std::string text;
  for (const std::string& name : names.first(std::min(most, names.size()))) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return names.size() > most ? text + ", ..." : text;
}

std::string did_you_mean(std::string_view given, std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  const std::string wanted = lower(given);
  const Index length = ssize(wanted);
  Index best_distance = std::min(std::max<Index>(2, length / 3) + 1, length);
  constexpr Index kLeastBeginning = 3;
  for (const std::string& candidate : candidates) {
    const std::string name = lower(candidate);
    const bool begins = length >= kLeastBeginning && name.starts_with(wanted) && name != wanted;
    const Index distance = begins ? 1 : edit_distance(wanted, name);
    if (distance < best_distance) best = &candidate, best_distance = distance;
  }
  return best == nullptr ? "" : fmt::format("did you mean '{}'?", *best);
}

void assertion_failed(const char* condition, const char* file, int line) {
  throw std::logic_error(fmt::format("a bug in craton: {} does not hold at {}:{}; please report it",
                                     condition, file, line));
}

}  // namespace craton
