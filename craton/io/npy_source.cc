#include "craton/io/npy_source.h"

#include <algorithm>

#include "craton/base/error.h"

namespace craton {
namespace {

// NumPy itself refuses longer headers; those of tables have 128 bytes.
constexpr Index kLongestHeader = Index{1} << 16;

NpyLayout read_layout(const RandomAccessFile& file) {
  Bytes front(usize(std::min(std::max<Index>(0, file.size()), kLongestHeader)));
  file.read_at(0, front);
  const NpyLayout layout = parse_npy_layout(front, file.name());
  check_npy_size(layout, file.size(), file.name());
  return layout;
}

}  // namespace

NpySource::NpySource(const std::string& path, Index memory)
    : file_(std::make_shared<RandomAccessFile>(path)),
      layout_(read_layout(*file_)),
      schema_(numbered_schema(layout_.shape.cols)) {
  const Index size = file_->size() - layout_.offset;
  if (size > memory) return;
  Bytes values(usize(size));
  file_->read_at(layout_.offset, values);
  kept_ = std::make_shared<const Bytes>(std::move(values));
}

void NpySource::fetch(RowRange range, Block& block) {
  block.range = range;
  if (kept_) return;
  block.raw.resize(usize(range.size() * row_bytes()));
  file_->read_at(layout_.offset + range.first * row_bytes(), block.raw);
}

void NpySource::decode(Block& block, Chunk& chunk) const {
  const Index rows = block.range.size(), cols = layout_.shape.cols;
  chunk = {};
  chunk.first_row = block.range.first;
  const std::byte* const values = kept_ ? kept_row(block.range.first) : block.raw.data();
  if (layout_.is_double) {
    chunk.x = Dense<double>{reinterpret_cast<const double*>(values), rows, cols, cols};
  } else if (layout_.is_float) {
    chunk.x = Dense<float>{reinterpret_cast<const float*>(values), rows, cols, cols};
  } else {
    block.decoded.resize(usize(rows * cols) * sizeof(double));
    auto* const out = reinterpret_cast<double*>(block.decoded.data());
    layout_.decode(values, layout_.swap, {out, usize(rows * cols)});
    chunk.x = Dense<double>{out, rows, cols, cols};
  }
}

void NpySource::gather(std::span<const Index> rows, std::span<double> out) {
  const Index cols = layout_.shape.cols;
  CRATON_ASSERT(ssize(out) == ssize(rows) * cols);
  Bytes raw(usize(row_bytes()));
  for (Index i = 0; i < ssize(rows); ++i) {
    const Index row = rows[usize(i)];
    if (!kept_) file_->read_at(layout_.offset + row * row_bytes(), raw);
    layout_.decode(kept_ ? kept_row(row) : raw.data(), layout_.swap,
                   out.subspan(usize(i * cols), usize(cols)));
  }
}

std::unique_ptr<Source> NpySource::reopen() const { return std::make_unique<NpySource>(*this); }

}  // namespace craton
