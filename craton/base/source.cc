#include "craton/base/source.h"

#include <algorithm>
#include <functional>

#include "craton/base/row_of.h"

namespace craton {
namespace {

template <class T>
std::span<const T> part(std::span<const T> all, RowRange range) {
  return all.empty() ? all : all.subspan(usize(range.first), usize(range.size()));
}

bool lies_in(const std::vector<std::byte>& bytes, const void* what) {
  const auto* const at = static_cast<const std::byte*>(what);
  return std::greater_equal<>()(at, bytes.data()) && std::less<>()(at, bytes.data() + bytes.size());
}

template <class T>
const T* values_of(const Dense<T>& x) {
  return x.data;
}
template <class T>
const T* values_of(const Sparse<T>& x) {
  return x.values;
}

}  // namespace

// The parts of sparse rows lie together: where their values do, or in memory of others.
std::byte* Block::room(const Matrix& x, std::size_t bytes) {
  const bool there = std::visit([&](const auto& v) { return lies_in(chosen, values_of(v)); }, x);
  std::vector<std::byte>& free = there ? decoded : chosen;
  if (free.size() < bytes) free.resize(bytes);
  return free.data();
}

double* Block::own(const Matrix& x) {
  const auto find = [&](const auto& view) -> double* {
    const auto* const values = values_of(view);
    if constexpr (std::is_same_v<decltype(values), const double* const>) {
      for (std::vector<std::byte>* part : {&raw, &decoded, &chosen}) {
        if (lies_in(*part, values)) return const_cast<double*>(values);
      }
    }
    return nullptr;
  };
  return std::visit(find, x);
}

Place Source::place_of(Index row, Index column) const {
  return {.file = name(),
          .line = line_of(row),
          .row = row_in_file(row),
          .column = column < 0 ? "" : schema().name(column)};
}

void Source::gather_entries(std::span<const Index> rows, SparseArray& out) {
  Block block;
  Chunk chunk;
  if (out.offsets.empty()) out.offsets.push_back(0);
  const auto append = [&](const auto& x) {
    if constexpr (requires { x.offsets; }) {
      const auto row = row_of(x, 0);
      out.columns.insert(out.columns.end(), row.columns, row.columns + row.count);
      out.values.insert(out.values.end(), row.values, row.values + row.count);
      out.offsets.push_back(ssize(out.columns));
    } else {
      CRATON_ASSERT(false);
    }
  };
  for (const Index row : rows) {
    fetch({row, row + 1}, block);
    decode(block, chunk);
    std::visit(append, chunk.x);
  }
}

bool has_sparse_rows(Source& source) {
  if (source.shape().rows == 0) return false;
  Block block;
  Chunk chunk;
  source.fetch({0, 1}, block);
  source.decode(block, chunk);
  return std::holds_alternative<Sparse<double>>(chunk.x) ||
         std::holds_alternative<Sparse<float>>(chunk.x);
}

bool has_weights(Source& source) {
  Block block;
  Chunk chunk;
  source.fetch({0, std::min<Index>(1, source.shape().rows)}, block);
  source.decode(block, chunk);
  return !chunk.weights.empty();
}

Array read_all(Source& source) {
  constexpr Index kRows = 4096;
  const auto [rows, cols] = source.shape();
  Array result{{rows, cols}, std::vector<double>(usize(rows * cols))};
  double* to = result.values.data();
  Block block;
  Chunk chunk;
  for (Index first = 0; first < rows; first += kRows) {
    source.fetch({first, std::min(first + kRows, rows)}, block);
    source.decode(block, chunk);
    for (Index i = 0; i < chunk.rows(); ++i, to += cols) {
      std::visit([&](const auto& x) { copy_row(x, i, to); }, chunk.x);
    }
  }
  return result;
}

std::vector<TextArray> read_texts(Source& source) {
  constexpr Index kRows = 4096;
  std::vector<TextArray> result(source.schema().texts.size());
  const Index rows = result.empty() ? 0 : source.shape().rows;
  Block block;
  Chunk chunk;
  for (Index first = 0; first < rows; first += kRows) {
    source.fetch({first, std::min(first + kRows, rows)}, block);
    source.decode(block, chunk);
    for (std::size_t c = 0; c < result.size(); ++c) result[c].add(chunk.texts[c]);
  }
  return result;
}

MemorySource::MemorySource(const Memory& memory, Schema schema, std::string name)
    : memory_(memory), schema_(std::move(schema)), name_(std::move(name)) {
  const Index rows = shape().rows;
  if (schema_.size() == 0) schema_.columns = numbered_schema(shape().cols).columns;
  CRATON_ASSERT(schema_.size() == shape().cols);
  CRATON_ASSERT(memory_.labels.empty() || ssize(memory_.labels) == rows);
  CRATON_ASSERT(memory_.targets.empty() || ssize(memory_.targets) == rows);
  CRATON_ASSERT(memory_.weights.empty() || ssize(memory_.weights) == rows);
  CRATON_ASSERT(memory_.texts.size() == schema_.texts.size());
  for (const Texts& texts : memory_.texts) CRATON_ASSERT(texts.rows == rows);
  CRATON_ASSERT(memory_.inner.size() == schema_.inner.size());
  for (const Inner& inner : memory_.inner) CRATON_ASSERT(inner.rows == rows);
}

void MemorySource::decode(Block& block, Chunk& chunk) const {
  chunk.first_row = block.range.first;
  chunk.x = slice(memory_.x, block.range);
  chunk.labels = part(memory_.labels, block.range);
  chunk.targets = part(memory_.targets, block.range);
  chunk.weights = part(memory_.weights, block.range);
  block.texts.clear();
  for (const Texts& texts : memory_.texts) block.texts.push_back(texts.slice(block.range));
  chunk.texts = block.texts;
  block.inner.clear();
  for (const Inner& inner : memory_.inner) block.inner.push_back(inner.slice(block.range));
  chunk.inner = block.inner;
}

void MemorySource::gather(std::span<const Index> rows, std::span<double> out) {
  CRATON_ASSERT(ssize(out) == ssize(rows) * shape().cols);
  double* to = out.data();
  for (const Index row : rows) {
    std::visit([&](const auto& x) { copy_row(x, row, to); }, memory_.x);
    to += shape().cols;
  }
}

std::unique_ptr<Source> MemorySource::reopen() const {
  return std::make_unique<MemorySource>(memory_, schema_, name_);
}

MemorySource Table::source() const {
  Memory memory{.x = x.view(), .targets = targets, .weights = weights};
  if (!sparse.offsets.empty()) {
    memory.x = sparse.view(schema.size());
  }
  for (const TextArray& column : texts) memory.texts.push_back(column.view());
  return MemorySource(memory, schema, name);
}

void TextArray::add(const Texts& texts) {
  if (texts.rows == 0) return;
  const Index shift = static_cast<Index>(bytes.size()) - texts.offsets[0];
  bytes.append(texts.bytes + texts.offsets[0], usize(texts.size()));
  for (Index i = 1; i <= texts.rows; ++i) offsets.push_back(texts.offsets[i] + shift);
}

}  // namespace craton
