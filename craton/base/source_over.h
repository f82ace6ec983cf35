#pragma once
#include <memory>

#include "craton/base/source.h"

namespace craton {

// A table made of another one, row by row: what is not said otherwise is as it is there. Borrows
// that, or owns it.
class SourceOver : public Source {
 public:
  Shape shape() const override { return source_->shape(); }
  const Schema& schema() const override { return source_->schema(); }
  void fetch(RowRange range, Block& block) override { source_->fetch(range, block); }
  void gather(std::span<const Index> rows, std::span<double> out) override {
    source_->gather(rows, out);
  }
  std::string name() const override { return source_->name(); }
  Index row_in_file(Index row) const override { return source_->row_in_file(row); }
  Index line_of(Index row) const override { return source_->line_of(row); }

 protected:
  explicit SourceOver(Source& source) : source_(&source) {}
  Source& source() const { return *source_; }

  void own(std::unique_ptr<Source> source) { owned_ = std::move(source); }

  // Room in the block for so many numbers, made of the rows of the chunk. What lies there stays in
  // `theirs` until that is done; weights, targets and labels come along, behind those numbers.
  static double* make_room(Block& block, Chunk& chunk, Index numbers,
                           std::vector<std::byte>& theirs);

  // T(source, arguments) over the source opened again.
  template <class T, class... Arguments>
  std::unique_ptr<Source> reopen_as(const Arguments&... arguments) const {
    std::unique_ptr<Source> source = source_->reopen();
    auto result = std::make_unique<T>(*source, arguments...);
    result->owned_ = std::move(source);
    return result;
  }

 private:
  std::unique_ptr<Source> owned_;
  Source* source_;
};

}  // namespace craton
