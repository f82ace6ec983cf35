#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/matrix.h"

// What the columns of a table are: it travels with every Source and every model file.

namespace craton {

enum class ColumnKind { kNumber, kCategory, kText, kIgnore };

struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::kNumber;
  std::vector<std::string> levels = {};  // of a category: code i stands for levels[i]

  bool operator==(const Column&) const = default;
};

// What is inside of each row: codes, so many times each (Chunk::inner).
struct InnerTable {
  std::string name;
  Index codes = 0;                       // 0 up to this
  std::vector<std::string> levels = {};  // code i stands for levels[i]; none: for i + 1

  std::string level(Index code) const {
    return levels.empty() ? std::to_string(code + 1) : levels[usize(code)];
  }
  bool operator==(const InnerTable&) const = default;
};

struct Schema {
  std::vector<Column> columns;  // the features, in the order of the matrix's columns
  // What rows are labelled by: label i stands for its levels[i]. A column of numbers without levels
  // is the number that each row has (Chunk::targets).
  std::optional<Column> target = {};

  Index unnamed = 0;  // so many numbers called 1..d, when `columns` is empty: a wide table's list
                      // of names would take longer to make than a fit
  std::vector<Column> texts = {};  // beside the matrix: Chunk::texts
  std::vector<InnerTable> inner = {};

  Index size() const { return columns.empty() ? unnamed : ssize(columns); }
  Column column(Index j) const;
  std::string name(Index column) const;
  std::vector<std::string> names() const;
  Index find(std::string_view name) const;  // -1: no such column
  Index find_text(std::string_view name) const;
  bool number_target() const {
    return target && target->kind == ColumnKind::kNumber && target->levels.empty();
  }
  bool labelled() const { return target && !number_target(); }
  bool operator==(const Schema&) const = default;
};

// What a label stands for: a level of the target, or the number of a cluster.
std::string label_name(const Schema& schema, Index label);

// The columns of a table without a header are called 1..d.
Schema numbered_schema(Index columns);

}  // namespace craton
