#pragma once
#include "craton/base/source_over.h"

namespace craton {

// The codes inside the rows of a chunk as its rows, sparse.
inline Chunk inner_chunk(const Chunk& chunk) {
  Chunk inside = chunk;
  inside.x = chunk.inner[0];
  inside.inner = {};
  return inside;
}

// The same of a table, with its labels, targets and weights. requires an inner table; borrows the
// outer one.
class InnerRows final : public SourceOver {
 public:
  explicit InnerRows(Source& x) : SourceOver(x) {
    schema_.unnamed = x.schema().inner[0].codes;
    schema_.target = x.schema().target;
  }
  Shape shape() const override { return {source().shape().rows, schema_.unnamed}; }
  const Schema& schema() const override { return schema_; }
  void decode(Block& block, Chunk& chunk) const override {
    source().decode(block, chunk);
    chunk = inner_chunk(chunk);
  }
  void gather(std::span<const Index> rows, std::span<double> out) override {
    Block block;
    Chunk chunk;
    double* to = out.data();
    for (const Index row : rows) {
      fetch({row, row + 1}, block);
      decode(block, chunk);
      std::visit([&](const auto& x) { copy_row(x, 0, to); }, chunk.x);
      to += schema_.unnamed;
    }
  }
  std::unique_ptr<Source> reopen() const override { return reopen_as<InnerRows>(); }
  bool in_memory() const override { return source().in_memory(); }
  bool may_miss(Index column) const override { return column < 0 && source().may_miss(column); }

 private:
  Schema schema_;
};

}  // namespace craton
