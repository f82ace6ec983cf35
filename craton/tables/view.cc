#include "craton/tables/view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "craton/base/error.h"
#include "craton/base/row_of.h"
#include "craton/base/source_over.h"
#include "craton/engine/for_each.h"
#include "craton/tables/preparation.h"

namespace craton {
namespace {

template <class T>
std::span<const T> part(const std::vector<T>& all, RowRange range) {
  if (all.empty()) return {};
  return std::span(all).subspan(usize(range.first), usize(range.size()));
}

// Room for so many values: it may hold what is copied now, which then has as many or more.
template <class T>
T* at_least(std::vector<T>& room, Index count) {
  if (ssize(room) < count) room.resize(usize(count));
  return room.data();
}

}  // namespace

struct View::Rows {
  const RowSet* set;
  RowRange range;      // in the table below
  Index first, count;  // in the set

  bool all() const { return count == range.size(); }
  template <class F>
  void each(const F& f) const {  // with numbers in the chunk
    if (!all()) return set->each(range, [&](Index row) { f(row - range.first); });
    for (Index i = 0; i < count; ++i) f(i);
  }
};

struct View::Roles {  // null: is as it is in the table, or is not there
  std::int32_t* labels;
  double *targets, *weights;
};

double View::Pick::of(double value) const {
  if (codes.empty() || std::isnan(value)) return value;
  return codes[static_cast<std::size_t>(value)];
}

void View::Pick::recode(std::vector<double> next) {
  const Pick then{.codes = std::move(next)};
  for (double& code : codes) code = then.of(code);
  if (codes.empty()) codes = then.codes;
}

View::Columns::Columns(std::vector<Pick> from) : picks(std::move(from)) {
  for (Index j = 0; j < ssize(picks); ++j) {
    const Pick& pick = picks[usize(j)];
    if (!pick.codes.empty()) coded.push_back(j);
    const bool next = !runs.empty() && runs.back().from + runs.back().count == pick.from;
    if (next) {
      ++runs.back().count;
    } else {
      runs.push_back({pick.from, 1});
    }
  }
}

View::View(Source& source) : source_(&source) {
  choice_.range = {0, source.shape().rows};
  const auto* const below = dynamic_cast<const View*>(&source);
  if (below == nullptr || below->kept_ != nullptr) return;
  if (below->choice_.preparation != nullptr) return;  // its columns are not those below
  source_ = below->source_;
  choice_ = below->choice_;
}

View::View(std::unique_ptr<Source> source) : View(*source) { owned_ = std::move(source); }

std::unique_ptr<Source> View::reopen() const {
  auto again = std::make_unique<View>(source_->reopen());
  again->choice_ = choice_;
  again->kept_ = kept_;
  return again;
}

Schema& View::own_schema() {
  CRATON_ASSERT(kept_ == nullptr && choice_.preparation == nullptr);
  if (!choice_.schema) choice_.schema = source_->schema();
  return *choice_.schema;
}

const Schema& View::schema() const { return choice_.schema ? *choice_.schema : source_->schema(); }

Shape View::shape() const {
  const auto& columns = choice_.columns;
  return {choice_.range.size(), columns ? ssize(columns->picks) : source_->shape().cols};
}

Index View::number(Index row) const {
  const Index at = choice_.range.first + row;
  return choice_.set != nullptr ? (*choice_.set)[at] : at;
}

View::Pick View::through(Index column) const {
  CRATON_ASSERT(column >= 0 && column < shape().cols);
  if (choice_.columns) return choice_.columns->picks[usize(column)];
  return {.from = column};
}

View& View::select(Selection selection) {
  Schema schema;
  std::vector<Pick> picks;
  for (Selection::Column& column : selection.columns) {
    Pick pick = through(column.from);
    schema.columns.push_back(this->schema().column(column.from));
    if (!column.codes.empty()) schema.columns.back().levels = std::move(column.levels);
    pick.recode(std::move(column.codes));
    picks.push_back(std::move(pick));
  }
  const auto role = [&](Index column, std::optional<Pick>& of) {
    if (column != Selection::kNone) of = through(column);
  };
  role(selection.weights, choice_.weights);
  role(selection.targets, choice_.targets);
  std::vector<Index> texts;
  for (const Index column : selection.texts) {
    schema.texts.push_back(this->schema().texts[usize(column)]);
    texts.push_back(choice_.texts ? (*choice_.texts)[usize(column)] : column);
  }
  schema.target = this->schema().target;
  schema.inner = this->schema().inner;
  own_schema() = std::move(schema);
  choice_.columns.emplace(std::move(picks));
  choice_.texts = std::move(texts);
  return *this;
}

View& View::rows(RowSet rows) {
  CRATON_ASSERT(kept_ == nullptr && rows.rows() == shape().rows);
  const RowRange range = choice_.range;
  if (choice_.set != nullptr || rows.rows() < source_->shape().rows) {
    Index number = -range.first;
    rows = RowSet::where(source_->shape().rows, [&](Index row) {
      if (choice_.set != nullptr && !choice_.set->contains(row)) return false;
      const Index own = number++;
      return own >= 0 && own < range.size() && rows.contains(own);
    });
  }
  own_set_ = std::make_unique<const RowSet>(std::move(rows));
  choice_.set = own_set_.get();
  choice_.range = {0, choice_.set->size()};
  return *this;
}

View& View::slice(RowRange range) {
  CRATON_ASSERT(kept_ == nullptr && range.first >= 0 && range.last <= shape().rows);
  choice_.range = {choice_.range.first + range.first, choice_.range.first + range.last};
  return *this;
}

View& View::label(Classes classes) {
  Pick pick = choice_.targets.value_or(Pick{});
  if (classes.from != kTargets) pick = through(classes.from);
  own_schema().target = classes.column;
  choice_.labelled = true;
  choice_.labels = {std::move(pick), std::move(classes)};
  return *this;
}

View& View::target(Index from) {
  Column column = from == kTargets ? Column{"target"} : schema().column(from);
  CRATON_ASSERT(column.kind == ColumnKind::kNumber);
  unlabel();
  if (from != kTargets) choice_.targets = through(from);
  own_schema().target = std::move(column);
  return *this;
}

View& View::unlabel() {
  own_schema().target.reset();
  choice_.labelled = false;
  choice_.labels.reset();
  return *this;
}

View& View::prepare(const Preparation& preparation) {
  CRATON_ASSERT(kept_ == nullptr && choice_.preparation == nullptr);
  choice_.preparation = &preparation;
  return *this;
}

bool View::may_miss(Index column) const {
  if (choice_.preparation != nullptr) return true;  // what overflows, too
  const auto may = [&](const Pick& pick) {
    const auto is_nan = [](double code) { return std::isnan(code); };
    return std::any_of(pick.codes.begin(), pick.codes.end(), is_nan) ||
           source_->may_miss(pick.from);
  };
  if (column >= 0) return may(through(column));
  const std::optional<Pick>& role = column == kWeights ? choice_.weights : choice_.targets;
  return role ? may(*role) : source_->may_miss(column);
}

void View::fetch(RowRange range, Block& block) {
  if (kept_ != nullptr) {
    block.range = range;
  } else if (range.size() == 0) {
    source_->fetch({}, block);
  } else {
    source_->fetch({number(range.first), number(range.last - 1) + 1}, block);
  }
}

View::Rows View::rows_of(const Chunk& theirs) const {
  const RowRange range{theirs.first_row, theirs.first_row + theirs.rows()};
  if (choice_.set == nullptr) return {nullptr, range, range.first, range.size()};
  const Index first = choice_.set->rank(range.first);
  return {choice_.set, range, first, choice_.set->rank(range.last) - first};
}

void View::decode(Block& block, Chunk& chunk) const {
  if (kept_ != nullptr) {
    const RowRange range = block.range;
    chunk = {range.first,
             kept_values().slice(range),
             part(kept_->labels, range),
             part(kept_->targets, range),
             part(kept_->weights, range),
             {}};
    return;
  }
  source_->decode(block, chunk);
  const Rows rows = rows_of(chunk);
  chunk.first_row = std::max<Index>(0, rows.first - choice_.range.first);  // of no rows: any
  choose_roles(rows, block, chunk);
  choose_texts(rows, block, chunk);
  choose_inner(rows, block, chunk);
  choose_values(rows, block, chunk);
  if (choice_.preparation != nullptr) prepare_rows(block, chunk);
}

void View::prepare_rows(Block& block, Chunk& chunk) const {
  const Preparation& preparation = *choice_.preparation;
  change_rows(block, chunk, [&](Index, const RowValues& row) {
    if (row.columns == nullptr) return preparation.prepare(row.values, row.count, row.values);
    if (!preparation.keeps_zeros()) refuse_moving(*this);
    preparation.prepare(row.values, row.columns, row.count, row.values);
  });
}

void View::prepare_values(double* values, Index rows) const {
  if (choice_.preparation == nullptr) return;
  const Index cols = shape().cols;
  for (double* row = values; row != values + rows * cols; row += cols) {
    choice_.preparation->prepare(row, cols, row);
  }
}

void View::copy_roles(const Chunk& theirs, const Rows& rows, const Roles& to) const {
  // Those of a column, or of the table.
  const auto copy = [&](const std::optional<Pick>& pick, std::span<const double> given,
                        const auto& put) {
    if (!pick || pick->from == kTargets) return rows.each([&](Index i) { put(given[usize(i)]); });
    const auto from = [&](const auto& x) {
      rows.each([&](Index i) { put(pick->of(value_at(x, i, pick->from))); });
    };
    std::visit(from, theirs.x);
  };
  if (std::int32_t* label = to.labels; label != nullptr && choice_.labels) {
    const Classes& classes = choice_.labels->classes;
    copy(choice_.labels->pick, theirs.targets, [&](double v) { *label++ = classes.label(v); });
  } else if (label != nullptr) {
    rows.each([&](Index i) { *label++ = theirs.labels[usize(i)]; });
  }
  if (double* target = to.targets; target != nullptr) {
    copy(choice_.targets, theirs.targets, [&](double v) { *target++ = v; });
  }
  if (double* weight = to.weights; weight != nullptr) {
    copy(choice_.weights, theirs.weights, [&](double v) { *weight++ = v; });
  }
}

// What belongs to the rows of a table below may lie in the same memory of the block (a step over a
// view): rows only move to the front there.
void View::choose_roles(const Rows& rows, Block& block, Chunk& chunk) const {
  if (!choice_.labelled) chunk.labels = {};
  const auto moves = [&](bool chosen, bool there) { return chosen || (there && !rows.all()); };
  const auto room = [&](bool moved, auto& memory) {
    return moved ? at_least(memory, rows.count) : nullptr;
  };
  const bool labels = moves(choice_.labels.has_value(), !chunk.labels.empty());
  const bool targets = moves(choice_.targets.has_value(), !chunk.targets.empty());
  const bool weights = moves(choice_.weights.has_value(), !chunk.weights.empty());
  const Roles to{room(labels, block.labels), room(targets, block.targets),
                 room(weights, block.weights)};
  copy_roles(chunk, rows, to);
  const std::size_t count = usize(rows.count);
  if (labels) chunk.labels = {to.labels, count};
  if (targets) chunk.targets = {to.targets, count};
  if (weights) chunk.weights = {to.weights, count};
}

// What is copied may lie in memory of the block, which is let go after that.
void View::choose_texts(const Rows& rows, Block& block, Chunk& chunk) const {
  if (chunk.texts.empty() || (!choice_.texts && rows.all())) return;
  std::vector<Texts> chosen(chunk.texts.begin(), chunk.texts.end());
  if (choice_.texts) {
    chosen.clear();
    for (const Index column : *choice_.texts) chosen.push_back(chunk.texts[usize(column)]);
  }
  if (!rows.all()) {
    std::vector<TextArray> room(chosen.size());
    for (std::size_t c = 0; c < chosen.size(); ++c) {
      rows.each([&](Index i) { room[c].add(chosen[c][i]); });
      chosen[c] = room[c].view();
    }
    block.text_room.swap(room);
  }
  block.texts.swap(chosen);
  chunk.texts = block.texts;
}

void View::choose_inner(const Rows& rows, Block& block, Chunk& chunk) const {
  if (chunk.inner.empty() || rows.all()) return;
  std::vector<SparseArray> room(chunk.inner.size());
  std::vector<Inner> chosen;
  for (std::size_t t = 0; t < room.size(); ++t) {
    const Inner& from = chunk.inner[t];
    room[t].offsets.push_back(0);
    rows.each([&](Index i) {
      const RowEntries<double> row = row_of(from, i);
      room[t].add(row.columns, row.values, row.count);
    });
    chosen.push_back(room[t].view(from.cols));
  }
  block.inner_room.swap(room);
  block.inner.swap(chosen);
  chunk.inner = block.inner;
}

void View::copy_values(const Matrix& x, const Rows& rows, double* to) const {
  const Index cols = shape().cols;
  const Run all{0, cols};
  const std::span<const Run> runs =
      choice_.columns ? std::span<const Run>(choice_.columns->runs) : std::span(&all, 1);
  double* out = to;
  const auto copy_runs = [&](const auto* row) {
    for (const Run& run : runs) {
      const auto* const from = row + run.from;
      for (Index j = 0; j < run.count; ++j) out[j] = static_cast<double>(from[j]);
      out += run.count;
    }
  };
  const auto copy = [&](const auto& view) {
    if constexpr (requires { view.stride; }) {
      rows.each([&](Index i) { copy_runs(view.row(i)); });
    } else {
      std::vector<double> row(usize(view.cols));
      rows.each([&](Index i) {
        const auto entries = row_of(view, i);
        for (Index e = 0; e < entries.count; ++e) {
          row[usize(entries.columns[e])] = static_cast<double>(entries.values[e]);
        }
        copy_runs(row.data());
        for (Index e = 0; e < entries.count; ++e) row[usize(entries.columns[e])] = 0;
      });
    }
  };
  std::visit(copy, x);
  if (!choice_.columns) return;
  for (const Index j : choice_.columns->coded) {
    const Pick& pick = choice_.columns->picks[usize(j)];
    for (Index i = 0; i < rows.count; ++i) to[i * cols + j] = pick.of(to[i * cols + j]);
  }
}

namespace {

// Room for `count` values of a type, and where the next ones go.
template <class T>
T* take(std::byte*& at, Index count) {
  T* const result = reinterpret_cast<T*>(at);
  at += usize(count) * sizeof(T);
  return result;
}

template <class T, class Rows>
Matrix sparse_rows(const Sparse<T>& x, const Rows& rows, Block& block) {
  Index count = 0, entries = 0;
  rows.each([&](Index i) { entries += row_of(x, i).count; });
  std::byte* at = block.room(Matrix(x), usize(entries) * (sizeof(double) + sizeof(std::int32_t)) +
                                            usize(rows.count + 1) * sizeof(Index));
  double* const values = take<double>(at, entries);
  Index* const offsets = take<Index>(at, rows.count + 1);
  std::int32_t* const columns = take<std::int32_t>(at, entries);
  offsets[0] = 0;
  rows.each([&](Index i) {
    const RowEntries<T> row = row_of(x, i);
    const Index first = offsets[count];
    std::copy_n(row.columns, row.count, columns + first);
    for (Index e = 0; e < row.count; ++e) values[first + e] = static_cast<double>(row.values[e]);
    offsets[++count] = first + row.count;
  });
  return Sparse<double>{offsets, columns, values, count, x.cols};
}

}  // namespace

void View::choose_values(const Rows& rows, Block& block, Chunk& chunk) const {
  const std::optional<Columns>& columns = choice_.columns;
  if (!columns && rows.all()) return;
  const auto choose = [&]<class Of>(const Of& x) -> Matrix {
    constexpr bool kDense = requires { x.stride; };
    if constexpr (!kDense) {
      if (!columns) return sparse_rows(x, rows, block);
    }
    const Index cols = shape().cols;
    const bool run = rows.all() && columns->runs.size() == 1 && columns->coded.empty();
    if constexpr (kDense) {
      if (run && cols == x.cols) return x;
    }
    if constexpr (std::is_same_v<Of, Dense<double>>) {
      if (run) return Dense<double>{x.data + columns->runs[0].from, x.rows, cols, x.stride};
    }
    auto* const to =
        reinterpret_cast<double*>(block.room(chunk.x, usize(rows.count * cols) * sizeof(double)));
    copy_values(chunk.x, rows, to);
    return Dense<double>{to, rows.count, cols, cols};
  };
  chunk.x = std::visit(choose, Matrix(chunk.x));
}

void View::gather(std::span<const Index> rows, std::span<double> out) {
  const Index cols = shape().cols, width = source_->shape().cols;
  CRATON_ASSERT(ssize(out) == ssize(rows) * cols);
  if (kept_ != nullptr) {
    double* to = out.data();
    for (const Index row : rows) to = std::copy_n(kept_values().row(row), cols, to);
    return;
  }
  std::vector<Index> theirs;
  for (const Index row : rows) theirs.push_back(number(row));
  if (!choice_.columns) source_->gather(theirs, out);
  std::vector<double> row(choice_.columns ? usize(width) : 0);
  for (Index i = 0; choice_.columns && i < ssize(rows); ++i) {
    source_->gather(std::span(theirs).subspan(usize(i), 1), row);
    copy_values(Dense<double>{row.data(), 1, width, width}, {nullptr, {0, 1}, 0, 1},
                &out[usize(i * cols)]);
  }
  prepare_values(out.data(), ssize(rows));
}

Dense<double> View::kept_values() const {
  return {kept_->values.data(), shape().rows, shape().cols, shape().cols};
}

class View::Below final : public Source {
 public:
  explicit Below(View& view) : view_(view) {}
  Shape shape() const override { return view_.shape(); }
  const Schema& schema() const override { return view_.schema(); }
  void fetch(RowRange range, Block& block) override { view_.fetch(range, block); }
  void decode(Block& block, Chunk& chunk) const override { view_.source_->decode(block, chunk); }
  void gather(std::span<const Index>, std::span<double>) override {}
  std::unique_ptr<Source> reopen() const override { return nullptr; }

 private:
  View& view_;
};

View& View::keep(const Exec& exec) {
  const auto [rows, cols] = shape();
  const bool beside = !schema().texts.empty() || !schema().inner.empty();
  if (kept_ != nullptr || rows == 0 || cols == 0 || beside || has_sparse_rows(*this)) return *this;
  Block block;
  Chunk first;
  fetch({0, 1}, block);
  decode(block, first);
  auto kept = std::make_unique<Kept>();
  kept->values = LargePageTable<double>(usize(rows * cols));
  kept->labels.resize(first.labels.empty() ? 0 : usize(rows));
  kept->targets.resize(first.targets.empty() ? 0 : usize(rows));
  kept->weights.resize(first.weights.empty() ? 0 : usize(rows));
  Below below(*this);
  for_rows(below, exec, [&](const Chunk& theirs) {
    const Rows chosen = rows_of(theirs);
    const Index at = chosen.first - choice_.range.first;
    const auto place = [&](auto& of) { return of.empty() ? nullptr : of.data() + at; };
    copy_roles(theirs, chosen, {place(kept->labels), place(kept->targets), place(kept->weights)});
    double* const values = kept->values.data() + at * cols;
    copy_values(theirs.x, chosen, values);
    prepare_values(values, chosen.count);
  });
  own_kept_ = std::move(kept);
  kept_ = own_kept_.get();
  return *this;
}

}  // namespace craton
