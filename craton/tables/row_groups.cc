#include "craton/tables/row_groups.h"

#include <algorithm>
#include <utility>

#include "craton/base/error.h"

namespace craton {
namespace {

constexpr Index kDouble = sizeof(double);

// Pieces follow each other in a block at multiples of the largest value.
Index aligned(Index bytes) { return (bytes + kDouble - 1) / kDouble * kDouble; }

struct TextParts {
  std::span<const std::byte> offsets, bytes;
};
TextParts parts_of(const TextArray& column) {
  return {std::as_bytes(std::span(column.offsets)),
          std::as_bytes(std::span(column.bytes.data(), column.bytes.size()))};
}

double* room_for(std::vector<std::byte>& bytes, Index values) {
  bytes.resize(usize(values * kDouble));
  return reinterpret_cast<double*>(bytes.data());
}

}  // namespace

RowGroups::RowGroups(Index columns, Index texts, Index memory, std::string folder)
    : columns_(columns), texts_(texts), memory_(memory), folder_(std::move(folder)) {}

void RowGroups::add(Index number, RowGroup group, std::span<const double> values,
                    std::span<const TextArray> texts) {
  CRATON_ASSERT(ssize(values) == group.rows * columns_ && ssize(texts) == texts_);
  NarrowestValues packed(values);
  std::vector<TextArray> own(texts.begin(), texts.end());
  std::unique_lock lock(mutex_);
  used_ += ssize(packed.bytes);
  for (const TextArray& column : own) {
    used_ += ssize(column.bytes) + ssize(column.offsets) * Index{sizeof(Index)};
  }
  const bool fits = !file_ && used_ <= memory_;
  if (fits) {
    lock.unlock();
    packed.own();  // beside the work of others, one of whom may open the file
    lock.lock();
  }
  if (number >= ssize(groups_)) groups_.resize(usize(number + 1));
  Stored& stored = groups_[usize(number)];
  static_cast<RowGroup&>(stored) = std::move(group);
  stored.width = packed.width;
  if (fits && !file_) {
    stored.values = std::move(packed.room);
    stored.texts = std::move(own);
    return;
  }
  if (!file_) open_file();
  const Index offset = place(stored);
  stored.text_places = place_texts(own);
  const std::vector<Index> places = stored.text_places;  // others may move the groups
  lock.unlock();
  file_->write_at(offset, packed.bytes);
  write_texts(own, places);
}

// All groups move there, so that the fit that follows has the memory.
void RowGroups::open_file() {
  file_ = std::make_unique<ScratchFile>(folder_);
  for (Stored& group : groups_) {
    if (group.values == nullptr && group.texts.empty()) continue;
    const Index size = group.rows * row_bytes(group);
    file_->write_at(place(group), {group.values.get(), usize(size)});
    group.values = nullptr;
    group.text_places = place_texts(group.texts);
    write_texts(group.texts, group.text_places);
    group.texts = {};
  }
}

std::vector<Index> RowGroups::place_texts(std::span<const TextArray> texts) {
  std::vector<Index> places;
  for (const TextArray& column : texts) {
    const auto [offsets, bytes] = parts_of(column);
    places.push_back(file_end_);
    places.push_back(file_end_ + ssize(offsets));
    file_end_ += ssize(offsets) + ssize(bytes);
  }
  return places;
}

void RowGroups::write_texts(std::span<const TextArray> texts, std::span<const Index> places) {
  for (std::size_t c = 0; c < texts.size(); ++c) {
    const auto [offsets, bytes] = parts_of(texts[c]);
    file_->write_at(places[2 * c], offsets);
    file_->write_at(places[2 * c + 1], bytes);
  }
}

Index RowGroups::place(Stored& group) {
  group.offset = file_end_;
  file_end_ += group.rows * row_bytes(group);
  return group.offset;
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
          .width = group.width,
          .values = file_ ? nullptr : group.values.get() + skip * row_bytes(group),
          .offset = group.offset + skip * row_bytes(group)};
}

void RowGroups::read(const Piece& piece, std::span<std::byte> out) const {
  file_->read_at(piece.offset, out.first(usize(bytes(piece))));
}

Texts RowGroups::texts_of(RowRange range, Index column) const {
  const Stored& group = group_of(range.first);
  const Index first = range.first - group.first_row;
  return group.texts[usize(column)].view().slice({first, first + range.size()});
}

void RowGroups::read_texts(RowRange range, Index column, TextArray& out) const {
  const Stored& group = group_of(range.first);
  if (!file_) return out.add(texts_of(range, column));
  const Index skip = range.first - group.first_row;
  const std::size_t c = usize(column);
  std::vector<Index> offsets(usize(range.size() + 1));
  file_->read_at(group.text_places[2 * c] + skip * Index{sizeof(Index)},
                 std::as_writable_bytes(std::span(offsets)));
  const std::size_t before = out.bytes.size(), size = usize(offsets.back() - offsets.front());
  out.bytes.resize(before + size);
  file_->read_at(group.text_places[2 * c + 1] + offsets.front(),
                 std::as_writable_bytes(std::span(out.bytes.data() + before, size)));
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    out.offsets.push_back(static_cast<Index>(before) + offsets[i] - offsets.front());
  }
}

GroupedSource::GroupedSource(std::unique_ptr<RowGroups> groups, std::vector<GroupColumn> columns,
                             Schema schema, std::string name)
    : owned_(std::move(groups)),
      groups_(owned_.get()),
      columns_(std::move(columns)),
      schema_(std::move(schema)),
      name_(std::move(name)) {
  CRATON_ASSERT(ssize(columns_) == schema_.size() && ssize(schema_.texts) == groups_->texts());
  for (Index j = 0; j < ssize(columns_); ++j) {
    const auto& [from, codes, may_miss] = columns_[usize(j)];
    as_stored_ &= from == columns_[0].from + j && codes.empty();
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
  fetch_texts(range, block);
  block.raw.resize(usize(range.size() * groups_->columns() * kDouble));
  std::span<std::byte> room(block.raw);
  for (Index done = 0; done < range.size();) {
    const RowGroups::Piece piece = groups_->piece({range.first + done, range.last});
    groups_->read(piece, room);
    room = room.subspan(usize(aligned(groups_->bytes(piece))));
    done += piece.rows;
  }
}

void GroupedSource::fetch_texts(RowRange range, Block& block) const {
  block.text_room.resize(usize(groups_->texts()));
  for (Index c = 0; c < groups_->texts(); ++c) {
    TextArray& room = block.text_room[usize(c)];
    room.clear();
    for (RowRange left = range; left.size() > 0;) {
      const Index rows = groups_->piece(left).rows;
      groups_->read_texts({left.first, left.first + rows}, c, room);
      left.first += rows;
    }
  }
}

// Those of one group in memory as they lie.
void GroupedSource::lend_texts(RowRange range, Block& block) const {
  block.texts.clear();
  const bool of_one = range.size() > 0 && groups_->texts() > 0 && groups_->in_memory() &&
                      groups_->piece(range).rows == range.size();
  for (Index c = 0; c < groups_->texts() && of_one; ++c) {
    block.texts.push_back(groups_->texts_of(range, c));
  }
  if (of_one) return;
  if (groups_->in_memory()) fetch_texts(range, block);
  for (const TextArray& room : block.text_room) block.texts.push_back(room.view());
}

// Doubles, one after another: of one group in memory, or of any groups once they were fetched.
bool GroupedSource::lies_as_wanted(RowRange range) const {
  const RowGroups::Piece front = groups_->piece(range);
  if (groups_->in_memory()) return front.width == Width::kDouble && front.rows == range.size();
  while (range.size() > 0) {
    const RowGroups::Piece piece = groups_->piece(range);
    if (piece.width != Width::kDouble) return false;
    range.first += piece.rows;
  }
  return true;
}

void GroupedSource::decode(Block& block, Chunk& chunk) const {
  const Index rows = block.range.size(), cols = schema_.size();
  chunk = {};
  chunk.first_row = block.range.first;
  chunk.x = Dense<double>{nullptr, rows, cols, cols};
  lend_texts(block.range, block);
  chunk.texts = block.texts;
  if (rows == 0 || cols == 0) return;
  Dense<double>& x = std::get<Dense<double>>(chunk.x);
  const std::byte* raw = block.raw.data();
  if (as_stored_ && lies_as_wanted(block.range)) {
    const bool in_memory = groups_->in_memory();
    if (in_memory) raw = groups_->piece(block.range).values;
    x.data = reinterpret_cast<const double*>(raw) + columns_[0].from;
    x.stride = groups_->columns();
    return;
  }
  double* out = room_for(block.decoded, rows * cols);
  x.data = out;
  for (Index done = 0; done < rows;) {
    const auto piece = groups_->piece({block.range.first + done, block.range.last});
    if (groups_->in_memory()) {
      convert(piece.values, piece, out);
    } else {
      convert(raw, piece, out);
      raw += aligned(groups_->bytes(piece));
    }
    out += piece.rows * cols;
    done += piece.rows;
  }
}

void GroupedSource::convert(const std::byte* from, const RowGroups::Piece& piece,
                            double* to) const {
  const auto as = [&]<class T>(T) {
    convert(reinterpret_cast<const T*>(from), piece.coder, piece.rows, to);
  };
  switch (piece.width) {
    case Width::kInt16:
      return as(std::int16_t{});
    case Width::kFloat:
      return as(float{});
    case Width::kDouble:
      return as(double{});
  }
}

template <class T>
void GroupedSource::convert(const T* from, int coder, Index rows, double* to) const {
  const Index cols = schema_.size(), width = groups_->columns();
  if (as_stored_ && cols == width) {
    for (Index i = 0; i < rows * cols; ++i) to[i] = widened(from[i]);
    return;
  }
  for (Index j = 0; j < cols; ++j) {
    const GroupColumn& column = columns_[usize(j)];
    const T* source = from + column.from;
    if (column.codes.empty()) {
      for (Index i = 0; i < rows; ++i) to[i * cols + j] = widened(source[i * width]);
      continue;
    }
    const std::vector<double>& codes = column.codes[usize(coder)];
    for (Index i = 0; i < rows; ++i) {
      const double code = widened(source[i * width]);
      to[i * cols + j] =
          code == code ? codes[static_cast<std::size_t>(code)] : code;  // NaN: missing
    }
  }
}

void GroupedSource::gather(std::span<const Index> rows, std::span<double> out) {
  const Index cols = schema_.size();
  CRATON_ASSERT(ssize(out) == ssize(rows) * cols);
  std::vector<double> row(usize(groups_->columns()));
  const auto room = std::as_writable_bytes(std::span(row));
  double* to = out.data();
  for (const Index r : rows) {
    const RowGroups::Piece piece = groups_->piece({r, r + 1});
    if (!groups_->in_memory()) groups_->read(piece, room);
    convert(groups_->in_memory() ? piece.values : room.data(), piece, to);
    to += cols;
  }
}

std::unique_ptr<Source> GroupedSource::reopen() const {
  return std::make_unique<GroupedSource>(*this);
}

}  // namespace craton
