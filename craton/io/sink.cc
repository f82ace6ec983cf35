#include "craton/io/sink.h"

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"

namespace craton {
namespace {

constexpr Index kStepRows = 4096;  // rows fetched at a time

void read_chunks(Source& source, FunctionRef<void(const Chunk&)> use) {
  const Index rows = source.shape().rows;
  Block block;
  for (Index first = 0; first < rows; first += kStepRows) {
    Chunk chunk;
    source.fetch({first, std::min(rows, first + kStepRows)}, block);
    source.decode(block, chunk);
    use(chunk);
  }
}

struct Entries {
  std::vector<std::int32_t> columns;
  std::vector<double> values;

  void add(Index column, double value) {
    if (value == 0) return;
    columns.push_back(static_cast<std::int32_t>(column));
    values.push_back(value);
  }
  template <class T>
  void fill(const Dense<T>& x, Index row) {
    for (Index j = 0; j < x.cols; ++j) add(j, static_cast<double>(x.row(row)[j]));
  }
  template <class T>
  void fill(const Sparse<T>& x, Index row) {
    for (Index e = x.offsets[row]; e < x.offsets[row + 1]; ++e) {
      add(x.columns[e], static_cast<double>(x.values[e]));
    }
  }
};

std::string free_name(const Schema& schema, std::string name) {
  while (schema.find(name) >= 0) name += '_';
  return name;
}

}  // namespace

std::vector<Column> written_columns(Source& source) {
  std::vector<Column> columns = source.schema().columns;
  const Index rows = source.shape().rows;
  if (rows == 0) return columns;
  Block block;
  Chunk chunk;
  source.fetch({0, std::min(rows, kStepRows)}, block);
  source.decode(block, chunk);
  if (!chunk.targets.empty()) {
    columns.emplace_back().name = free_name(source.schema(), "target");
  }
  if (!chunk.weights.empty()) {
    columns.emplace_back().name = free_name(source.schema(), "weight");
  }
  return columns;
}

const std::string* level_of(const Column& column, double value) {
  if (column.kind != ColumnKind::kCategory || std::isnan(value)) return nullptr;
  const Index code = static_cast<Index>(value);
  CRATON_ASSERT(code >= 0 && code < ssize(column.levels));
  return &column.levels[usize(code)];
}

void read_dense_rows(Source& source, FunctionRef<void(Index, std::span<const double>)> use) {
  std::vector<double> row;
  read_chunks(source, [&](const Chunk& chunk) {
    for (Index i = 0; i < chunk.rows(); ++i) {
      row.resize(usize(shape_of(chunk.x).cols));
      std::visit([&](const auto& x) { copy_row(x, i, row.data()); }, chunk.x);
      if (!chunk.targets.empty()) row.push_back(chunk.targets[usize(i)]);
      if (!chunk.weights.empty()) row.push_back(chunk.weights[usize(i)]);
      use(chunk.first_row + i, row);
    }
  });
}

void read_sparse_rows(Source& source, FunctionRef<void(const SparseRow&)> use) {
  Entries entries;
  read_chunks(source, [&](const Chunk& chunk) {
    const bool has_target = !chunk.targets.empty();
    for (Index i = 0; i < chunk.rows(); ++i) {
      entries.columns.clear();
      entries.values.clear();
      std::visit([&](const auto& x) { entries.fill(x, i); }, chunk.x);
      use({chunk.first_row + i, entries.columns, entries.values, has_target,
           has_target ? chunk.targets[usize(i)] : 0});
    }
  });
}

}  // namespace craton
