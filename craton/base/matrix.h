#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

// Views of tables, and the array that owns. Rows are samples, row-major, 0-based.

namespace craton {

using Index = std::int64_t;

constexpr std::size_t usize(Index i) { return static_cast<std::size_t>(i); }

struct Shape {
  Index rows = 0, cols = 0;
};

struct RowRange {
  Index first = 0, last = 0;  // [first, last)
  Index size() const { return last - first; }
};

// A row-major matrix in somebody else's memory; stride is the distance between rows, in elements.
template <class T>
struct Dense {
  const T* data = nullptr;
  Index rows = 0, cols = 0, stride = 0;

  const T* row(Index i) const { return data + i * stride; }
  Dense slice(RowRange r) const { return {data + r.first * stride, r.size(), cols, stride}; }
};

// Compressed sparse rows in somebody else's memory: columns ascend within a row, none is repeated.
template <class T>
struct Sparse {
  const Index* offsets = nullptr;
  const std::int32_t* columns = nullptr;
  const T* values = nullptr;
  Index rows = 0, cols = 0;

  Sparse slice(RowRange r) const { return {offsets + r.first, columns, values, r.size(), cols}; }
};

using Matrix = std::variant<Dense<float>, Dense<double>, Sparse<float>, Sparse<double>>;

// A row as doubles.
template <class T>
void copy_row(const Dense<T>& x, Index row, double* out) {
  for (Index j = 0; j < x.cols; ++j) out[j] = static_cast<double>(x.row(row)[j]);
}
template <class T>
void copy_row(const Sparse<T>& x, Index row, double* out) {
  for (Index j = 0; j < x.cols; ++j) out[j] = 0;
  for (Index e = x.offsets[row]; e < x.offsets[row + 1]; ++e) {
    out[x.columns[e]] = static_cast<double>(x.values[e]);
  }
}

inline Shape shape_of(const Matrix& x) {
  return std::visit([](const auto& view) { return Shape{view.rows, view.cols}; }, x);
}
inline Matrix slice(const Matrix& x, RowRange range) {
  return std::visit([&](const auto& view) -> Matrix { return view.slice(range); }, x);
}

// A column of text, UTF-8, in somebody else's memory: text i is bytes[offsets[i]] up to
// bytes[offsets[i + 1]].
struct Texts {
  const char* bytes = nullptr;
  const Index* offsets = nullptr;
  Index rows = 0;

  std::string_view operator[](Index i) const {
    return {bytes + offsets[i], usize(offsets[i + 1] - offsets[i])};
  }
  Index size() const { return rows == 0 ? 0 : offsets[rows] - offsets[0]; }  // in bytes
  Texts slice(RowRange r) const { return {bytes, offsets + r.first, r.size()}; }
};

// Rows of an inner table, of which every row of a table has some: row i has those from offsets[i]
// up to offsets[i + 1]. An inner row is a code, and how often it is there: of a text, a term and
// its count. So it is a sparse matrix, whose columns are the codes.
using Inner = Sparse<double>;

// Some consecutive rows, borrowed for one call. An empty span means "absent"; label -1 "not seen".
struct Chunk {
  Index first_row = 0;  // in the whole table: the key of random numbers and of row state
  Matrix x;
  std::span<const std::int32_t> labels;
  std::span<const double> targets, weights;
  std::span<const Texts> texts = {};  // a column each, as in Schema::texts
  std::span<const Inner> inner = {};  // a table each, as in Schema::inner

  Index rows() const { return shape_of(x).rows; }
  double weight(Index i) const { return weights.empty() ? 1.0 : weights[usize(i)]; }
};

// An array that owns its values: parameters of models, options, samples.
struct Array {
  std::vector<Index> shape;
  std::vector<double> values;

  bool empty() const { return values.empty(); }
  Index rows() const { return shape.empty() ? 0 : shape[0]; }
  Index cols() const { return shape.size() < 2 ? 1 : shape[1]; }
  Dense<double> view() const { return {values.data(), rows(), cols(), cols()}; }
  bool operator==(const Array&) const = default;
};

}  // namespace craton
