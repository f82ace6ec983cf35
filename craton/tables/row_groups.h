#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "craton/base/narrowest.h"
#include "craton/base/random_access.h"
#include "craton/base/source.h"

// A table that was parsed piece by piece: row groups, kept in memory up to a limit and in one file
// of scratch space beyond it, and the Source that reads them as doubles. The values of a group are
// as narrow as they may be without losing a bit.

namespace craton {

// What a reader says of one group of rows.
struct RowGroup {
  Index rows = 0;
  Index lines = 0;  // of text the rows were read from; a row is one line, but for:
  struct LongRow {
    std::int32_t row, lines_more;
  };
  std::vector<LongRow> long_rows = {};  // ascending
  int coder = 0;                        // whose category codes the values are
};

class RowGroups {
 public:
  // requires columns >= 0. `memory` is in bytes, for the values and texts of all groups.
  RowGroups(Index columns, Index texts, Index memory, std::string folder);

  // Group `number` of the table, from any thread and in any order; each number once.
  void add(Index number, RowGroup group, std::span<const double> values,
           std::span<const TextArray> texts = {});
  // When all are there: the rows lie in the order of the numbers, less `drop` at the end.
  void finish(Index first_line, Index drop);

  Index columns() const { return columns_; }
  Index rows() const { return rows_; }
  Index line_of(Index row) const;
  bool in_memory() const { return !file_; }
  const std::string& folder() const { return folder_; }

  // Rows of one group, one after another.
  struct Piece {
    int coder;
    Index rows;
    Width width;
    const std::byte* values;  // when in memory
    Index offset;             // when in the file
  };
  Piece piece(RowRange range) const;  // as much of the front of the range as lies in one group
  Index bytes(const Piece& piece) const { return piece.rows * columns_ * Index(piece.width); }
  void read(const Piece& piece, std::span<std::byte> out) const;  // in the file

  // A column of text in those rows: as it lies in memory, or, if there is a file, as nothing.
  Index texts() const { return texts_; }
  Texts texts_of(RowRange range, Index column) const;  // requires rows of one group
  void read_texts(RowRange range, Index column, TextArray& out) const;  // adds to it

 private:
  struct Stored : RowGroup {
    Index first_row = 0, first_line = 0, offset = -1;
    Width width = Width::kDouble;
    std::unique_ptr<std::byte[]> values;  // unless they are in the file
    std::vector<TextArray> texts = {};    // the same
    std::vector<Index> text_places = {};  // there: of the offsets, then of the bytes, by column
  };
  void open_file();
  Index row_bytes(const Stored& group) const { return columns_ * Index(group.width); }
  Index place(Stored& group);
  std::vector<Index> place_texts(std::span<const TextArray> texts);
  void write_texts(std::span<const TextArray> texts, std::span<const Index> places);
  const Stored& group_of(Index row) const;

  Index columns_, texts_, memory_, used_ = 0, rows_ = 0;
  std::string folder_;
  std::mutex mutex_;  // of what follows
  std::vector<Stored> groups_;
  std::unique_ptr<ScratchFile> file_;
  Index file_end_ = 0;
};

// Which columns of the groups are those of the table, and what their codes stand for.
struct GroupColumn {
  Index from = 0;
  std::vector<std::vector<double>> codes = {};  // by coder: the code of the table; none: a number
  bool may_miss = true;                         // a value, in some row
};

// Where tables of text begin: it lies over no other source. What codes stand for is known when all
// of the text is, so that decoding is the time to say it; rows of doubles are lent as they lie.
class GroupedSource final : public Source {
 public:
  // requires one of `columns` for each column of the schema, and all texts of the groups there.
  GroupedSource(std::unique_ptr<RowGroups> groups, std::vector<GroupColumn> columns, Schema schema,
                std::string name);
  GroupedSource(const GroupedSource& other);  // borrows the groups of the other
  Shape shape() const override { return {groups_->rows(), schema_.size()}; }
  const Schema& schema() const override { return schema_; }
  void fetch(RowRange range, Block& block) override;
  void decode(Block& block, Chunk& chunk) const override;
  void gather(std::span<const Index> rows, std::span<double> out) override;
  std::unique_ptr<Source> reopen() const override;  // borrows, too
  std::string name() const override { return name_; }
  Index line_of(Index row) const override { return groups_->line_of(row); }
  bool in_memory() const override { return groups_->in_memory(); }
  std::string scratch_folder() const override { return groups_->folder(); }
  bool may_miss(Index column) const override {
    return column >= 0 && columns_[usize(column)].may_miss;
  }

 private:
  bool lies_as_wanted(RowRange range) const;
  template <class T>
  void convert(const T* from, int coder, Index rows, double* to) const;
  void convert(const std::byte* from, const RowGroups::Piece& piece, double* to) const;
  void fetch_texts(RowRange range, Block& block) const;
  void lend_texts(RowRange range, Block& block) const;

  std::unique_ptr<RowGroups> owned_;
  const RowGroups* groups_;
  std::vector<GroupColumn> columns_;
  bool as_stored_ = true;  // columns that lie side by side in the groups, none of them codes
  Schema schema_;
  std::string name_;
};

}  // namespace craton
