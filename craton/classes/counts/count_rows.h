#pragma once
#include <cstdint>

#include "craton/base/matrix.h"
#include "craton/kernels/counts.h"

// Rows whose entries are counts, added to the sums of a class.

namespace craton {

// What of a value is summed: itself, a count that is not negative; or whether it is above a number.
struct Summand {
  bool binary = false;
  double threshold = 0;
};

inline constexpr double kMostCount = 4294967296.0;  // sums of counts are below 2^32

struct CountedRow {
  bool fine = false;       // all entries are counts, or finite numbers if it is binary; otherwise
  std::uint64_t hash = 0;  // nothing was added
  std::uint64_t sum = 0;   // of the terms
};

namespace count_rows_detail {

// Adds the term of each value to the cell of its column.
template <class T, class Term, class ColumnOf>
std::uint64_t add_terms(const T* values, Index count, const Term& term, const ColumnOf& column_of,
                        std::uint32_t times, std::uint32_t* cells) {
  std::uint64_t sum = 0;
  for (Index e = 0; e < count; ++e) {
    const std::uint32_t one = term(static_cast<double>(values[e]));
    cells[column_of(e)] += times * one;
    sum += one;
  }
  return sum;
}

template <class T, class ColumnOf>
CountedRow add_entries(const T* values, const std::int32_t* columns, Index count,
                       const ColumnOf& column_of, const Summand& summand, std::uint32_t times,
                       std::uint32_t* cells) {
  const CountedEntries seen = look_at_entries(values, columns, count);
  if (!(summand.binary ? seen.finite : seen.counts)) return {};
  const auto above = [&](double v) { return v > summand.threshold ? 1u : 0u; };
  const auto itself = [](double v) { return static_cast<std::uint32_t>(v); };
  return {true, seen.hash,
          summand.binary ? add_terms(values, count, above, column_of, times, cells)
                         : add_terms(values, count, itself, column_of, times, cells)};
}

}  // namespace count_rows_detail

// `times` a row, to the cells of its columns.
template <class T>
CountedRow add_counts(const Dense<T>& x, Index row, const Summand& summand, std::uint32_t times,
                      std::uint32_t* cells) {
  return count_rows_detail::add_entries(
      x.row(row), nullptr, x.cols, [](Index e) { return e; }, summand, times, cells);
}
template <class T>
CountedRow add_counts(const Sparse<T>& x, Index row, const Summand& summand, std::uint32_t times,
                      std::uint32_t* cells) {
  const Index first = x.offsets[row];
  const std::int32_t* const columns = x.columns + first;
  return count_rows_detail::add_entries(
      x.values + first, columns, x.offsets[row + 1] - first,
      [columns](Index e) { return columns[e]; }, summand, times, cells);
}

}  // namespace craton
