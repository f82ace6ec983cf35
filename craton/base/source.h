#pragma once
#include <memory>
#include <span>
#include <vector>

#include "craton/base/error.h"
#include "craton/base/matrix.h"
#include "craton/base/report.h"
#include "craton/base/schema.h"
#include "craton/base/texts.h"

// A table that is read by row ranges, wherever it lies.

namespace craton {

// Compressed sparse rows that own their values (see Sparse for the rules).
struct SparseArray {
  std::vector<Index> offsets;
  std::vector<std::int32_t> columns;
  std::vector<double> values;

  void clear() {
    offsets.clear();
    columns.clear();
    values.clear();
  }
  // Another row, of these entries.
  void add(const std::int32_t* row_columns, const double* row_values, Index count) {
    if (offsets.empty()) offsets.push_back(0);
    columns.insert(columns.end(), row_columns, row_columns + count);
    values.insert(values.end(), row_values, row_values + count);
    offsets.push_back(static_cast<Index>(columns.size()));
  }
  Sparse<double> view(Index cols) const {
    return {offsets.data(), columns.data(), values.data(), static_cast<Index>(offsets.size()) - 1,
            cols};
  }
};

// Memory for some rows on their way to a model, used again for the next: bytes of a file, the
// values that they stand for, and what was chosen or made of these.
struct Block {
  RowRange range;
  std::vector<std::byte> raw, decoded, chosen = {};
  std::vector<double> weights = {}, targets = {};
  std::vector<std::int32_t> labels = {};
  std::vector<TextArray> text_room = {};  // a column each, where they do not lie in one piece
  std::vector<Texts> texts = {};
  std::vector<SparseArray> inner_room = {};  // of inner tables that are made, or chosen
  std::vector<Inner> inner = {};

  // Room for values that are made of x, where x itself does not lie.
  std::byte* room(const Matrix& x, std::size_t bytes);
  // The values of x, to be changed in place: if they are doubles, in this memory. Else null.
  double* own(const Matrix& x);
};

class Source {
 public:
  virtual ~Source() = default;
  virtual Shape shape() const = 0;
  virtual const Schema& schema() const = 0;
  // The bytes of some rows. One caller at a time, in ascending order within a pass.
  virtual void fetch(RowRange range, Block& block) = 0;
  // The rows of a fetched block, once; the chunk borrows from both. Runs on many threads at once.
  virtual void decode(Block& block, Chunk& chunk) const = 0;
  // The features of the given rows, dense, row after row. Texts have none.
  virtual void gather(std::span<const Index> rows, std::span<double> out) = 0;
  // The same of sparse rows, appended: with many columns there is no room for dense ones. requires
  // sparse rows.
  virtual void gather_entries(std::span<const Index> rows, SparseArray& out);
  virtual std::unique_ptr<Source> reopen() const = 0;  // one per rank
  virtual std::string name() const { return {}; }      // a file, for messages
  // The values lie in memory, so that a copy of all of them may, too.
  virtual bool in_memory() const { return false; }
  // Where more of it may be kept on disk; "" : in the system's folder (random_access.h).
  virtual std::string scratch_folder() const { return {}; }
  // False: no value of the column is missing, nor any weight or target of the rows, for certain.
  static constexpr Index kWeights = -1, kTargetNumbers = -2;  // instead of a column
  virtual bool may_miss(Index) const { return true; }
  // Where a row lies in the file, for messages: its number there, as rows may have been left out,
  // and its line in a text, 1-based; -1: not known.
  virtual Index row_in_file(Index row) const { return row; }
  virtual Index line_of(Index) const { return -1; }

  // A row, or one value of it.
  Place place_of(Index row, Index column = -1) const;
};

bool has_sparse_rows(Source& source);  // false when there is none
bool has_weights(Source& source);

// Every value of a table, dense; and every text.
Array read_all(Source& source);
std::vector<TextArray> read_texts(Source& source);

// A table in memory. Borrows everything but the schema.
struct Memory {
  Matrix x;
  std::span<const std::int32_t> labels = {};
  std::span<const double> targets = {}, weights = {};
  std::vector<Texts> texts = {};
  std::vector<Inner> inner = {};
};

class MemorySource final : public Source {
 public:
  explicit MemorySource(const Memory& memory, Schema schema = {}, std::string name = {});
  Shape shape() const override { return shape_of(memory_.x); }
  const Schema& schema() const override { return schema_; }
  void fetch(RowRange range, Block& block) override { block.range = range; }
  void decode(Block& block, Chunk& chunk) const override;
  void gather(std::span<const Index> rows, std::span<double> out) override;
  std::unique_ptr<Source> reopen() const override;
  std::string name() const override { return name_; }
  bool in_memory() const override { return true; }

 private:
  Memory memory_;
  Schema schema_;
  std::string name_;
};

// A table in memory that owns its values.
struct Table {
  Schema schema;
  Array x;  // dense, or empty when `sparse` has the rows
  std::vector<double> weights = {};
  std::string name = {};
  std::vector<Note> notes = {};  // what the reader left out, and why
  SparseArray sparse = {};
  std::vector<double> targets = {};  // as LIBSVM files have them
  std::vector<TextArray> texts = {};

  MemorySource source() const;  // borrows this table
};

}  // namespace craton
