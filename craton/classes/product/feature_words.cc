#include "craton/classes/product/feature_words.h"

#include <fmt/core.h>

#include <algorithm>

#include "craton/base/error.h"
#include "craton/families/family.h"

namespace craton {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& fix) {
  throw InputError(Code::kBadOption, {}, "family: " + what, fix);
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

void check_word(const std::string& word) {
  std::vector<std::string> words;
  for (const std::string_view own : {kAutoWord, kEqualWidth, kEqualFrequency, kByLabels}) {
    words.emplace_back(own);
  }
  for (const Family* family : families()) {
    if (family->info().told == 0) words.emplace_back(family->name());
  }
  if (std::find(words.begin(), words.end(), word) != words.end()) return;
  const std::string near = did_you_mean(word, words);
  refuse(fmt::format("'{}' is not allowed", word),
         near.empty() ? fmt::format("Give one of {}, or COLUMN=ONE,...", listed(words, 99)) : near);
}

Index find_column(const std::string& name, const Schema& schema) {
  const Index column = schema.find(name);
  if (column >= 0) return column;
  const std::string near = did_you_mean(name, schema.names());
  throw InputError(Code::kUnknownName, {}, fmt::format("family: there is no column '{}'", name),
                   near.empty() ? "The columns are " + listed(schema.names()) + "." : near);
}

}  // namespace

std::vector<std::string> words_of(const std::string& text, const Schema& schema) {
  std::vector<std::string> words(usize(schema.size()), std::string(kAutoWord));
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string item = trimmed(std::string_view(text).substr(from, comma - from));
    from = comma + 1;
    const std::size_t equals = item.rfind('=');
    const std::string word = trimmed(equals == item.npos ? item : item.substr(equals + 1));
    check_word(word);
    if (equals == item.npos) {
      std::fill(words.begin(), words.end(), word);
      continue;
    }
    const Index column = find_column(trimmed(item.substr(0, equals)), schema);
    const bool category = schema.column(column).kind == ColumnKind::kCategory;
    if (category && word != "categorical" && word != kAutoWord) {
      refuse(fmt::format("the column '{}' has categories, which cannot be {}", schema.name(column),
                         word),
             "Leave it out: it is categorical.");
    }
    words[usize(column)] = word;
  }
  return words;
}

}  // namespace craton
