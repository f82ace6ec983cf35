#include "craton/text/spooled_rows.h"

#include <algorithm>
#include <mutex>

#include "craton/base/narrowest.h"
#include "craton/base/random_access.h"
#include "craton/base/source_over.h"
#include "craton/engine/for_each.h"

namespace craton {
namespace {

// Sparse rows in a file, in parts of kRows: where each row ends, then columns, then values at the
// least width that keeps them. The parts lie in the order in which they came.
class SparseSpool {
 public:
  static constexpr Index kRows = 256;  // the chunks of for_rows are whole parts

  SparseSpool(Index rows, const std::string& folder)
      : rows_(rows), parts_(usize((rows + kRows - 1) / kRows)), file_(folder) {}

  // From any thread; each row once. requires a first row that begins a part, and whole parts, but
  // for the last of all.
  void write(Index first_row, const Sparse<double>& x) {
    CRATON_ASSERT(first_row % kRows == 0 && (x.rows % kRows == 0 || first_row + x.rows == rows_));
    for (Index row = 0; row < x.rows; row += kRows) {
      write_part((first_row + row) / kRows, x.slice({row, std::min(row + kRows, x.rows)}));
    }
  }

  // From any thread.
  void read(RowRange range, SparseArray& out) const {
    out.clear();
    out.offsets.push_back(0);
    while (range.first < range.last) {
      const Index end = std::min(range.last, (range.first / kRows + 1) * kRows);
      read_part(range.first / kRows, {range.first % kRows, range.first % kRows + end - range.first},
                out);
      range.first = end;
    }
  }

 private:
  struct Part {
    Index place = 0, rows = 0, entries = 0;
    Width width = Width::kDouble;
  };

  void write_part(Index number, const Sparse<double>& x) {
    const Index from = x.offsets[0];
    std::vector<Index> ends;
    for (Index i = 1; i <= x.rows; ++i) ends.push_back(x.offsets[i] - from);
    const Index entries = ends.back();
    const NarrowestValues values({x.values + from, usize(entries)});
    const auto of_ends = std::as_bytes(std::span(ends));
    const auto of_columns = std::as_bytes(std::span(x.columns + from, usize(entries)));
    Part part{.rows = x.rows, .entries = entries, .width = values.width};
    {
      const std::lock_guard lock(mutex_);
      part.place = end_;
      end_ += ssize(of_ends) + ssize(of_columns) + ssize(values.bytes);
    }
    parts_[usize(number)] = part;
    file_.write_at(part.place, of_ends);
    file_.write_at(part.place + ssize(of_ends), of_columns);
    file_.write_at(part.place + ssize(of_ends) + ssize(of_columns), values.bytes);
  }

  void read_part(Index number, RowRange rows, SparseArray& out) const {
    const Part& part = parts_[usize(number)];
    Index ends[kRows + 1] = {0};
    file_.read_at(part.place, std::as_writable_bytes(std::span(ends + 1, usize(part.rows))));
    const Index first = ends[rows.first], count = ends[rows.last] - first;
    const std::size_t had = out.columns.size();
    for (Index i = rows.first; i < rows.last; ++i) {
      out.offsets.push_back(Index(had) + ends[i + 1] - first);
    }
    const Index columns = part.place + part.rows * Index(sizeof(Index));
    out.columns.resize(had + usize(count));
    file_.read_at(columns + first * Index(sizeof(std::int32_t)),
                  std::as_writable_bytes(std::span(out.columns).subspan(had)));
    const Index values = columns + part.entries * Index(sizeof(std::int32_t));
    const auto read_as = [&]<class T>(T) {
      std::vector<T> narrow(usize(count));
      file_.read_at(values + first * Index(sizeof(T)), std::as_writable_bytes(std::span(narrow)));
      for (const T v : narrow) out.values.push_back(widened(v));
    };
    switch (part.width) {
      case Width::kInt16:
        return read_as(std::int16_t());
      case Width::kFloat:
        return read_as(float());
      case Width::kDouble:
        return read_as(double());
    }
  }

  Index rows_;
  std::vector<Part> parts_;
  std::mutex mutex_;  // of end_
  Index end_ = 0;
  ScratchFile file_;
};

// What was counted of a table, and what else its rows have.
struct Spooled {
  Spooled(Index rows, const std::string& folder) : terms(rows, folder) {}
  SparseSpool terms;
  std::vector<std::int32_t> labels = {};
  std::vector<double> targets = {}, weights = {};
};

template <class T>
std::span<const T> rows_of(const std::vector<T>& all, RowRange range) {
  return all.empty() ? std::span<const T>()
                     : std::span(all).subspan(usize(range.first), usize(range.size()));
}

template <class T>
void keep(std::span<const T> values, Index first_row, std::vector<T>& all) {
  if (!all.empty()) std::ranges::copy(values, all.begin() + first_row);
}

class SpooledRows final : public SourceOver {
 public:
  SpooledRows(Source& x, std::shared_ptr<const Spooled> spooled, const Schema& schema, Shape shape)
      : SourceOver(x), spooled_(std::move(spooled)), schema_(schema), shape_(shape) {}

  Shape shape() const override { return shape_; }
  const Schema& schema() const override { return schema_; }
  void fetch(RowRange range, Block& block) override {
    if (beside()) return source().fetch(range, block);
    block.range = range;
  }
  void decode(Block& block, Chunk& chunk) const override {
    const RowRange range = block.range;
    if (beside()) source().decode(block, chunk);
    block.inner_room.resize(1);
    spooled_->terms.read(range, block.inner_room[0]);
    if (beside()) {
      block.inner.assign(1, block.inner_room[0].view(schema_.inner[0].codes));
      chunk.texts = {};
      chunk.inner = block.inner;
      return;
    }
    chunk = {range.first,
             block.inner_room[0].view(shape_.cols),
             rows_of(spooled_->labels, range),
             rows_of(spooled_->targets, range),
             rows_of(spooled_->weights, range),
             {}};
  }
  void gather(std::span<const Index> rows, std::span<double> out) override {
    if (beside()) return source().gather(rows, out);
    SparseArray row;
    double* to = out.data();
    for (const Index i : rows) {
      spooled_->terms.read({i, i + 1}, row);
      copy_row(row.view(shape_.cols), 0, to);
      to += shape_.cols;
    }
  }
  std::unique_ptr<Source> reopen() const override {
    return reopen_as<SpooledRows>(spooled_, schema_, shape_);
  }
  bool may_miss(Index column) const override {
    return (column < 0 || beside()) && source().may_miss(column);
  }

 private:
  bool beside() const { return !schema_.inner.empty(); }

  std::shared_ptr<const Spooled> spooled_;
  Schema schema_;
  Shape shape_;
};

}  // namespace

std::unique_ptr<Source> spooled_rows(const TextStep& step, Source& x, const Exec& exec) {
  const Index n = x.shape().rows;
  const std::unique_ptr<Source> rows = step.over(x);
  const bool beside = !rows->schema().inner.empty();
  auto spooled = std::make_shared<Spooled>(n, x.scratch_folder());
  if (!beside && n > 0) {
    Block block;
    Chunk first;
    x.fetch({0, 1}, block);
    x.decode(block, first);
    spooled->labels.resize(first.labels.empty() ? 0 : usize(n));
    spooled->targets.resize(first.targets.empty() ? 0 : usize(n));
    spooled->weights.resize(first.weights.empty() ? 0 : usize(n));
  }
  for_rows(*rows, exec, [&](const Chunk& chunk) {
    spooled->terms.write(chunk.first_row,
                         beside ? chunk.inner[0] : std::get<Sparse<double>>(chunk.x));
    keep(chunk.labels, chunk.first_row, spooled->labels);
    keep(chunk.targets, chunk.first_row, spooled->targets);
    keep(chunk.weights, chunk.first_row, spooled->weights);
  });
  return std::make_unique<SpooledRows>(x, std::move(spooled), rows->schema(), rows->shape());
}

}  // namespace craton
