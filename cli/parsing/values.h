#pragma once
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "craton/base/message.h"
#include "craton/io/open.h"

// Values of flags, from the words typed. What cannot be one is an InputError (kBadOption) that
// names the flag, the word and what is allowed.

namespace craton::cli {

// InputError (kBadOption): the words typed do not go together.
[[noreturn]] void refuse(const Message& what, const Message& fix);

std::vector<std::string> split(const std::string& text);  // at commas; "" is one empty part

// The names between commas, each once; none for "".
std::vector<std::string> names_of(const std::string& flag, const std::string& text);

// Whole numbers between commas, from 0, sorted and each once; none for "".
std::vector<Index> counts_of(const std::string& flag, const std::string& text);

Index whole_number(const std::string& flag, const std::string& text, Index low, Index high);

// "age=number,id=ignore,born=date-dmy" as ReadOptions::kinds and forms; a name may hold '='.
void read_schema(const std::string& flag, const std::string& text, ReadOptions& how);

// "month,hour"
std::vector<DatePart> date_parts_of(const std::string& flag, const std::string& text);

char delimiter_of(const std::string& flag, const std::string& text);  // 0 for ""

// Numbers as typed: "0.5,0.5" is a column of two, "1,0;0,1" two rows, "4,9;" one row; none: words.
std::optional<Array> numbers_of(const std::string& text);

double share_of(const std::string& flag, const std::string& text);  // between 0 and 1

Index bytes_of(const std::string& flag, const std::string& text);  // "500M", "2G", "64k", "1000"

[[noreturn]] void refuse_choice(const std::string& flag, const std::string& text,
                                std::span<const std::string> choices);

template <class E>
E choice_of(const std::string& flag, const std::string& text,
            std::initializer_list<std::pair<const char*, E>> choices) {
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) {
    if (text == name) return value;
    names.emplace_back(name);
  }
  refuse_choice(flag, text, names);
}

}  // namespace craton::cli
