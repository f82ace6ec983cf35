#pragma once
#include <span>
#include <vector>

#include "craton/base/source_over.h"

// A table of which one column is in another order. A text is a column like any other.

namespace craton {

// The values of a column, and the order that they are to be in: row i has that of order[i]. Columns
// of texts come behind the others: column shape().cols + t is text t.
class ColumnValues {
 public:
  ColumnValues(Source& x, Index column);

  Index column() const { return column_; }
  bool missing() const { return missing_; }
  double operator[](Index row) const { return values_[usize(row)]; }
  const TextArray& texts() const { return texts_; }

 private:
  Index column_;
  bool missing_ = false;
  std::vector<double> values_;
  TextArray texts_;
};

// Borrows all three.
class ShuffledColumn final : public SourceOver {
 public:
  ShuffledColumn(Source& source, const ColumnValues* values, std::span<const Index> order)
      : SourceOver(source), values_(values), order_(order) {}
  void decode(Block& block, Chunk& chunk) const override;
  void gather(std::span<const Index> rows, std::span<double> out) override;
  std::unique_ptr<Source> reopen() const override {
    return reopen_as<ShuffledColumn>(values_, order_);
  }
  bool may_miss(Index column) const override {
    return column == values_->column() ? values_->missing() : source().may_miss(column);
  }

 private:
  const ColumnValues* values_;
  std::span<const Index> order_;
};

}  // namespace craton
