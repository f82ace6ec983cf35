#pragma once
#include <span>
#include <string>
#include <vector>

#include "craton/report/table_facts.h"

// What to type next at the shell.

namespace craton {

// Between commas, quoted where a shell asks for it.
std::string names_for_shell(std::span<const std::string> names);

// Columns that no model learns anything from.
struct Useless {
  std::vector<std::string> numbers, empty, constant;
  std::vector<std::string> all() const {
    std::vector<std::string> names = numbers;
    names.insert(names.end(), empty.begin(), empty.end());
    names.insert(names.end(), constant.begin(), constant.end());
    return names;
  }
};
Useless useless_columns(const TableFacts& facts);

// Commands that go on from here, with the table in `path`.
std::vector<std::string> next_commands(const TableFacts& facts, const std::string& path);

}  // namespace craton
