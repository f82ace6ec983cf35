#include "craton/core/row_groups.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "craton/core/error.h"

namespace craton {
namespace {

constexpr Index kDouble = sizeof(double);

double* room_for(std::vector<std::byte>& bytes, Index values) {
  bytes.resize(usize(values * kDouble));
  return reinterpret_cast<double*>(bytes.data());
}

}  // namespace

RowGroups::RowGroups(Index columns, Index memory, std::string folder)
    : columns_(columns), memory_(memory), folder_(std::move(folder)) {}

void RowGroups::add(Index number, RowGroup group, std::span<const double> values) {
  CRATON_ASSERT(ssize(values) == group.rows * columns_);
  std::unique_lock lock(mutex_);
  if (number >= ssize(groups_)) groups_.resize(usize(number + 1));
  static_cast<RowGroup&>(groups_[usize(number)]) = std::move(group);
  used_ += ssize(values) * kDouble;
  if (!file_ && used_ <= memory_) {
    groups_[usize(number)].values.assign(values.begin(), values.end());
    return;
  }
  if (!file_) {  // all of them move, so that the fit that follows has the memory
    file_ = std::make_unique<ScratchFile>(folder_);
    for (Stored& stored : groups_) spool(stored, stored.values), stored.values = {};
  }
  const Index offset = std::exchange(file_end_, file_end_ + ssize(values) * kDouble);
  groups_[usize(number)].offset = offset;
  lock.unlock();
  file_->write_at(offset, std::as_bytes(values));
}

void RowGroups::spool(Stored& group, std::span<const double> values) {
  group.offset = std::exchange(file_end_, file_end_ + ssize(values) * kDouble);
  file_->write_at(group.offset, std::as_bytes(values));
}

void RowGroups::finish(Index first_line, Index drop) {
  std::erase_if(groups_, [](const Stored& group) { return group.rows == 0 && group.lines == 0; });
  for (Stored& group : groups_) {
    group.first_row = rows_;
    group.first_line = first_line;
    rows_ += group.rows;
    first_line += group.lines;
  }
  rows_ -= drop;
}

const RowGroups::Stored& RowGroups::group_of(Index row) const {
  CRATON_ASSERT(row >= 0 && row < rows_);
  // The last group that starts at or before the row: groups of no rows come before it.
  const auto after = std::upper_bound(groups_.begin(), groups_.end(), row,
                                      [](Index r, const Stored& g) { return r < g.first_row; });
  return *std::prev(after);
}

Index RowGroups::line_of(Index row) const {
  if (row < 0 || row >= rows_) return -1;
  const Stored& group = group_of(row);
  Index line = group.first_line + row - group.first_row;
  for (const auto& [long_row, lines_more] : group.long_rows) {
    if (group.first_row + long_row < row) line += lines_more;
  }
  return line;
}

RowGroups::Piece RowGroups::piece(RowRange range) const {
  const Stored& group = group_of(range.first);
  const Index skip = range.first - group.first_row;
  return {.coder = group.coder,
          .rows = std::min(range.size(), group.rows - skip),
          .values = file_ ? nullptr : group.values.data() + skip * columns_,
          .offset = group.offset + skip * columns_ * kDouble};
}

void RowGroups::read(const Piece& piece, std::span<std::byte> out) const {
  if (file_) return file_->read_at(piece.offset, out);
  if (!out.empty()) std::memcpy(out.data(), piece.values, out.size());
}

GroupedSource::GroupedSource(std::unique_ptr<RowGroups> groups, std::vector<GroupColumn> columns,
                             Schema schema, std::string name)
    : owned_(std::move(groups)),
      groups_(owned_.get()),
      columns_(std::move(columns)),
      schema_(std::move(schema)),
      name_(std::move(name)) {
  CRATON_ASSERT(ssize(columns_) == schema_.size());
  as_stored_ = ssize(columns_) == groups_->columns();
  for (Index j = 0; j < ssize(columns_); ++j) {
    as_stored_ &= columns_[usize(j)].from == j && columns_[usize(j)].codes.empty();
  }
}

GroupedSource::GroupedSource(const GroupedSource& other)
    : groups_(other.groups_),
      columns_(other.columns_),
      as_stored_(other.as_stored_),
      schema_(other.schema_),
      name_(other.name_) {}

void GroupedSource::fetch(RowRange range, Block& block) {
  block.range = range;
  if (groups_->in_memory()) return;  // decode, which runs in parallel, finds it there
  const Index row_bytes = groups_->columns() * kDouble;
  block.raw.resize(usize(range.size() * row_bytes));
  for (Index done = 0; done < range.size();) {
    const RowGroups::Piece piece = groups_->piece({range.first + done, range.last});
    groups_->read(piece, std::span(block.raw).subspan(usize(done * row_bytes),
                                                      usize(piece.rows * row_bytes)));
    done += piece.rows;
  }
}

void GroupedSource::decode(Block& block, Chunk& chunk) const {
  const Index rows = block.range.size(), cols = schema_.size(), width = groups_->columns();
  const auto* raw = reinterpret_cast<const double*>(block.raw.data());
  chunk = {};
  chunk.first_row = block.range.first;
  chunk.x = Dense<double>{nullptr, rows, cols, cols};
  if (rows == 0) return;
  Dense<double>& x = std::get<Dense<double>>(chunk.x);
  const RowGroups::Piece front = groups_->piece(block.range);
  if (as_stored_ && (!groups_->in_memory() || front.rows == rows)) {
    x.data = groups_->in_memory() ? front.values : raw;
    return;
  }
  double* const out = room_for(block.decoded, rows * cols);
  for (Index done = 0; done < rows;) {
    const auto piece = groups_->piece({block.range.first + done, block.range.last});
    const double* from = groups_->in_memory() ? piece.values : raw + done * width;
    convert(from, piece.coder, piece.rows, out + done * cols);
    done += piece.rows;
  }
  x.data = out;
}

void GroupedSource::convert(const double* from, int coder, Index rows, double* to) const {
  const Index cols = schema_.size(), width = groups_->columns();
  if (as_stored_) {
    std::copy(from, from + rows * cols, to);
    return;
  }
  for (Index j = 0; j < cols; ++j) {
    const GroupColumn& column = columns_[usize(j)];
    const double* source = from + column.from;
    if (column.codes.empty()) {
      for (Index i = 0; i < rows; ++i) to[i * cols + j] = source[i * width];
      continue;
    }
    const std::vector<double>& codes = column.codes[usize(coder)];
    for (Index i = 0; i < rows; ++i) {
      const double code = source[i * width];
      to[i * cols + j] =
          code == code ? codes[static_cast<std::size_t>(code)] : code;  // NaN: missing
    }
  }
}

void GroupedSource::gather(std::span<const Index> rows, std::span<double> out) {
  const Index cols = schema_.size();
  CRATON_ASSERT(ssize(out) == ssize(rows) * cols);
  std::vector<double> row(usize(groups_->columns()));
  double* to = out.data();
  for (const Index r : rows) {
    const RowGroups::Piece piece = groups_->piece({r, r + 1});
    groups_->read(piece, std::as_writable_bytes(std::span(row)));
    convert(row.data(), piece.coder, 1, to);
    to += cols;
  }
}

std::unique_ptr<Source> GroupedSource::reopen() const {
  return std::make_unique<GroupedSource>(*this);
}

}  // namespace craton
