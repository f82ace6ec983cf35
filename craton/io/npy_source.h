#pragma once
#include <memory>
#include <string>

#include "craton/base/random_access.h"
#include "craton/base/source.h"
#include "craton/io/npy.h"

// An .npy file read by row ranges, whatever its size; one that fits into the memory given is read
// once. Values that this machine has as float or double are used as they lie there; others become
// double.

namespace craton {

class NpySource final : public Source {
 public:
  // requires rows first: see NpyLayout::fortran_order. InputError as parse_npy.
  explicit NpySource(const std::string& path, Index memory = 0);
  Shape shape() const override { return layout_.shape; }
  const Schema& schema() const override { return schema_; }
  void fetch(RowRange range, Block& block) override;
  void decode(Block& block, Chunk& chunk) const override;
  void gather(std::span<const Index> rows, std::span<double> out) override;
  std::unique_ptr<Source> reopen() const override;
  std::string name() const override { return file_->name(); }
  bool in_memory() const override { return kept_ != nullptr; }
  const NpyLayout& layout() const { return layout_; }

 private:
  Index row_bytes() const { return layout_.shape.cols * layout_.element; }
  const std::byte* kept_row(Index row) const { return kept_->data() + row * row_bytes(); }

  std::shared_ptr<const RandomAccessFile> file_;
  std::shared_ptr<const Bytes> kept_ = {};  // all values, or null
  NpyLayout layout_;
  Schema schema_;
};

}  // namespace craton
