#include "cli/parsing/values.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "cli/showing/output.h"
#include "craton/base/error.h"

namespace craton::cli {

void refuse(const Message& what, const Message& fix) {
  throw InputError(Code::kBadOption, {}, what, fix);
}

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

std::vector<Index> counts_of(const std::string& flag, const std::string& text) {
  constexpr Index kMost = 1000000;
  std::vector<Index> counts;
  for (const std::string& part : names_of(flag, text)) {
    counts.push_back(whole_number(flag, part, 0, kMost));
  }
  std::sort(counts.begin(), counts.end());
  return counts;
}

Index whole_number(const std::string& flag, const std::string& text, Index low, Index high) {
  Index number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end && number >= low && number <= high) return number;
  throw InputError(Code::kBadOption, {}, fmt::format("{} {} is not allowed", flag, text),
                   fmt::format("Give a whole number, from {} to {}.", low, high));
}

void read_schema(const std::string& flag, const std::string& text, ReadOptions& how) {
  constexpr std::size_t kKinds = 4;  // the words before those are kinds, the others forms
  static constexpr std::array<const char*, 11> kWords{
      "number",   "category", "text",          "ignore",        "date",  "date-ymd",
      "date-dmy", "date-mdy", "decimal-point", "decimal-comma", "yes-no"};
  for (const std::string& part : names_of(flag, text)) {
    const std::size_t equals = part.rfind('=');
    if (equals == part.npos || equals == 0) {
      throw InputError(Code::kBadOption, {}, fmt::format("{} {} names no column", flag, part),
                       fmt::format("Give columns and kinds: {} 'age=number,id=ignore'.", flag));
    }
    const std::string name = part.substr(0, equals), word = part.substr(equals + 1);
    const auto at = std::find(kWords.begin(), kWords.end(), word);
    if (at == kWords.end())
      refuse_choice(flag, word, std::vector<std::string>(kWords.begin(), kWords.end()));
    const auto which = static_cast<std::size_t>(at - kWords.begin());
    if (which < kKinds) {
      how.kinds.emplace_back(name, static_cast<ColumnKind>(which));
    } else {
      how.forms.emplace_back(name, word);
    }
  }
}

std::vector<DatePart> date_parts_of(const std::string& flag, const std::string& text) {
  std::vector<DatePart> parts;
  for (const std::string& word : names_of(flag, text)) {
    const std::optional<DatePart> part = date_part_of(word);
    if (!part)
      refuse_choice(flag, word,
                    std::vector<std::string>{"year", "month", "day", "weekday", "hour"});
    parts.push_back(*part);
  }
  return parts;
}

char delimiter_of(const std::string& flag, const std::string& text) {
  if (text.empty()) return 0;
  if (text == "tab" || text == "\\t") return '\t';
  if (text == "space") return ' ';
  const bool one = text.size() == 1 && static_cast<unsigned char>(text[0]) < 128;
  const bool used = one && (std::isalnum(static_cast<unsigned char>(text[0])) != 0 ||
                            std::string_view("\"\r\n.+-_").find(text[0]) != std::string_view::npos);
  if (one && !used) return text[0];
  throw InputError(
      Code::kBadOption, {}, fmt::format("{} '{}' is not allowed", flag, text),
      "Give one character that is neither a letter, a digit nor part of a number, such "
      "as ';' or '|', or one of the words tab and space.");
}

std::optional<Array> numbers_of(const std::string& text) {
  Array result;
  Index rows = 0, cols = 0;
  std::string row;
  const auto add_row = [&] {
    const std::vector<std::string> parts = split(row);
    if (rows > 0 && ssize(parts) != cols) return false;
    cols = ssize(parts);
    ++rows;
    for (const std::string& part : parts) {
      double value = 0;
      const char* const end = part.data() + part.size();
      const auto [stop, error] = std::from_chars(part.data(), end, value);
      if (error != std::errc() || stop != end || part.empty()) return false;
      result.values.push_back(value);
    }
    row.clear();
    return true;
  };
  for (const char c : text) {
    if (c != ';') {
      row += c;
    } else if (!add_row()) {
      return std::nullopt;
    }
  }
  const bool one_row = rows == 0;
  if ((!row.empty() || one_row) && !add_row()) return std::nullopt;
  result.shape = {rows, cols};
  if (one_row) result.shape = {cols, 1};
  return result;
}

double share_of(const std::string& flag, const std::string& text) {
  double share = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, share);
  if (error == std::errc() && stop == end && share > 0 && share < 1) return share;
  throw InputError(Code::kBadOption, {}, fmt::format("{} {} is not allowed", flag, text),
                   "Give a number between 0 and 1, such as 0.25.");
}

Index bytes_of(const std::string& flag, const std::string& text) {
  constexpr Index kMost = Index{1} << 50;
  constexpr std::string_view kUnits = "kMGT";
  std::string number = text;
  Index unit = 1;
  if (const std::size_t at = text.empty() ? kUnits.npos : kUnits.find(text.back());
      at != kUnits.npos) {
    number.pop_back();
    unit = Index{1} << (10 * (at + 1));
  }
  Index count = 0;
  const char* end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, count);
  if (error == std::errc() && stop == end && count >= 0 && count <= kMost / unit) {
    return count * unit;
  }
  throw InputError(Code::kBadOption, {}, fmt::format("{} {} is not a size", flag, text),
                   "Give a whole number of bytes, or of k, M, G or T: 500M, 2G.");
}

void refuse_choice(const std::string& flag, const std::string& text,
                   std::span<const std::string> choices) {
  const std::string near = did_you_mean(text, choices);
  throw InputError(
      Code::kBadOption, {}, fmt::format("{} {} is not allowed", flag, text),
      fmt::format("Give one of {}.{}{}", join(choices), near.empty() ? "" : " ", near));
}

}  // namespace craton::cli
