#include "cli/values.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "cli/output.h"
#include "craton/core/error.h"

namespace craton::cli {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::vector<std::string> names_of(const std::string& flag, const std::string& text) {
  std::vector<std::string> parts = split(text);
  std::erase(parts, "");
  if (parts.empty() && !text.empty()) {
    throw InputError(Code::kBadOption, {}, flag + " needs a value",
                     "Give names of columns: " + flag + " a,b");
  }
  std::vector<std::string> sorted = parts;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    throw InputError(Code::kBadOption, {}, fmt::format("{} names '{}' twice", flag, *twice),
                     "Name each column once.");
  }
  return parts;
}

Index whole_number(const std::string& flag, const std::string& text, Index low, Index high) {
  Index number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end && number >= low && number <= high) return number;
  throw InputError(Code::kBadOption, {}, fmt::format("{} {} is not allowed", flag, text),
                   fmt::format("Give a whole number, from {} to {}.", low, high));
}

void refuse_choice(const std::string& flag, const std::string& text,
                   std::span<const std::string> choices) {
  const std::string near = did_you_mean(text, choices);
  throw InputError(
      Code::kBadOption, {}, fmt::format("{} {} is not allowed", flag, text),
      fmt::format("Give one of {}.{}{}", join(choices), near.empty() ? "" : " ", near));
}

}  // namespace craton::cli
