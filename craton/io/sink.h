#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/function_ref.h"
#include "craton/base/source.h"

// What the writers share: where bytes go, and the rows of a Source one after the other. A target is
// written as a column behind the others, called 'target', and weights as one called 'weight'.

namespace craton {

using Sink = FunctionRef<void(std::string_view)>;

// Gathers text for a sink, so that it is called with pieces worth a system call.
struct SinkBuffer {
  explicit SinkBuffer(Sink to) : sink(to) {}
  void flush_if_long() {
    constexpr std::size_t kLong = std::size_t{1} << 16;
    if (text.size() >= kLong) flush();
  }
  void flush() {
    sink(text);
    text.clear();
  }
  Sink sink;
  std::string text = {};
};

// The columns of the schema, then 'target' and 'weight' if there are any.
std::vector<Column> written_columns(Source& source);

// The name of a category's code; null for a number and for a missing value.
const std::string* level_of(const Column& column, double value);

// The values of written_columns(), row by row. Fetches chunks in order, on this thread.
void read_dense_rows(Source& source, FunctionRef<void(Index, std::span<const double>)> use);

struct SparseRow {
  Index number;
  std::span<const std::int32_t> columns;  // of what is not zero; target and weight are not in them
  std::span<const double> values;
  bool has_target;
  double target;  // 0 without
};
void read_sparse_rows(Source& source, FunctionRef<void(const SparseRow&)> use);

}  // namespace craton
