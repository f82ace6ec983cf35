#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "craton/base/large_pages.h"
#include "craton/base/source.h"
#include "craton/tables/labels.h"
#include "craton/tables/row_set.h"

namespace craton {

class Preparation;

// Some columns of a table, in any order; others may be the weights and the targets of its rows.
struct Selection {
  static constexpr Index kNone = -1;

  struct Column {
    Index from = 0;
    std::vector<double> codes = {};        // of a category: what its codes become; none: the same
    std::vector<std::string> levels = {};  // and what they stand for then
  };
  std::vector<Column> columns = {};
  Index weights = kNone, targets = kNone;
  std::vector<Index> texts = {};  // those of Schema::texts
};

// A table through what is chosen of it: columns, texts, rows, and the labels of the rows; filled in
// and scaled, if it is to be.
//
// A view of a view is one of the table below both, so a value is decoded once and copied at most
// once, whatever was chosen; and not at all where the rows of a chunk lie as they are wanted, side
// by side or a stride apart. Values that are copied become doubles. Borrows the table, and what a
// view that it is made of has chosen.
class View final : public Source {
 public:
  explicit View(Source& source);
  explicit View(std::unique_ptr<Source> source);  // the same, and owns it
  View(View& view) : View(static_cast<Source&>(view)) {}
  View(View&&) noexcept = default;
  View& operator=(View&&) noexcept = default;
  ~View() override = default;

  // Each chooses from what is left of the view so far.
  View& select(Selection selection);  // requires its columns. Makes sparse rows dense
  View& rows(RowSet rows);            // in their order; requires a set of its rows
  View& slice(RowRange range);
  View& label(Classes classes);
  View& target(Index from);  // the numbers of a column; kTargets: those that the rows have
  View& unlabel();           // neither
  // The last but one: rows are changed as they are read, in place where they were copied. Borrows
  // the preparation, and no view looks through this one.
  View& prepare(const Preparation& preparation);
  // The last: the rows are copied to memory, for passes that would all have to make them anew. Not
  // sparse rows, which are not made of anything, nor rows with texts or inner tables beside them:
  // these come from the table as ever.
  View& keep(const Exec& exec);

  Shape shape() const override;
  const Schema& schema() const override;
  void fetch(RowRange range, Block& block) override;
  void decode(Block& block, Chunk& chunk) const override;
  void gather(std::span<const Index> rows, std::span<double> out) override;
  std::unique_ptr<Source> reopen() const override;
  std::string name() const override { return source_->name(); }
  bool in_memory() const override {
    return kept_ != nullptr || (choice_.preparation == nullptr && source_->in_memory());
  }
  bool may_miss(Index column) const override;
  Index row_in_file(Index row) const override { return source_->row_in_file(number(row)); }
  Index line_of(Index row) const override { return source_->line_of(number(row)); }

 private:
  // A column of the table below; kTargets: its targets.
  struct Pick {
    Index from = kTargets;
    std::vector<double> codes = {};
    double of(double value) const;
    void recode(std::vector<double> next);  // what comes of them so far
  };
  struct Run {
    Index from, count;
  };
  struct Columns {
    explicit Columns(std::vector<Pick> from);
    std::vector<Pick> picks;
    std::vector<Run> runs;     // columns that lie side by side in both tables
    std::vector<Index> coded;  // those that are coded anew
  };
  struct Labelling {
    Pick pick;
    Classes classes;
  };
  struct Choice {
    std::optional<Schema> schema = {};               // none: that of the table
    std::optional<Columns> columns = {};             // none: all, as they are
    std::optional<Pick> weights = {}, targets = {};  // none: those of the table
    std::optional<std::vector<Index>> texts = {};    // the same
    bool labelled = true;                            // if the table is, or by:
    std::optional<Labelling> labels = {};
    const RowSet* set = nullptr;  // null: all
    RowRange range;               // of the set, or of the table
    const Preparation* preparation = nullptr;
  };
  struct Kept {
    LargePageTable<double> values;
    std::vector<std::int32_t> labels;
    std::vector<double> targets, weights;
  };
  struct Rows;   // those of a chunk of the table below that the view has
  struct Roles;  // where their labels, targets and weights go
  class Below;   // the table, read by rows of the view

  Schema& own_schema();
  Pick through(Index column) const;
  Index number(Index row) const;
  Rows rows_of(const Chunk& theirs) const;
  void copy_roles(const Chunk& theirs, const Rows& rows, const Roles& to) const;
  void copy_values(const Matrix& x, const Rows& rows, double* to) const;
  void choose_roles(const Rows& rows, Block& block, Chunk& chunk) const;
  void choose_values(const Rows& rows, Block& block, Chunk& chunk) const;
  void choose_texts(const Rows& rows, Block& block, Chunk& chunk) const;
  void choose_inner(const Rows& rows, Block& block, Chunk& chunk) const;
  void prepare_rows(Block& block, Chunk& chunk) const;
  void prepare_values(double* values, Index rows) const;
  Dense<double> kept_values() const;

  std::unique_ptr<Source> owned_;
  std::unique_ptr<const RowSet> own_set_;
  std::unique_ptr<const Kept> own_kept_;
  Source* source_;
  Choice choice_;
  const Kept* kept_ = nullptr;
};

}  // namespace craton
