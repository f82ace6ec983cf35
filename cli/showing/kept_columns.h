#pragma once
#include "cli/parsing/data.h"
#include "craton/base/json.h"

namespace craton::cli {

// The columns of the data file that --keep names, to stand before each row's label; with --missing
// skip the number of the row in the file is the first of them. Borrows the data.
class KeptColumns {
 public:
  KeptColumns(const Command& command, const Data& data);

  std::string header() const;          // "row,id,name,"
  void load(Index first, Index rows);  // those that are asked for next
  std::string fields(Index row) const;
  Json value(std::size_t column, Index row) const;
  const std::vector<Column>& columns() const { return columns_; }

 private:
  std::string_view text_of(std::size_t column, Index row) const;

  const Data& data_;
  std::vector<Column> columns_;
  std::vector<Index> text_of_;    // by column: where in texts_; -1: it has none
  std::unique_ptr<View> chosen_;  // null: none are kept
  Index first_ = 0;
  Array loaded_ = {};
  std::vector<TextArray> texts_ = {};
};

}  // namespace craton::cli
