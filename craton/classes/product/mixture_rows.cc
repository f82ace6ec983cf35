#include "craton/classes/product/mixture_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

constexpr double kSameOptimum = 1e-6;  // of the objective's size

class Seen {
 public:
  Seen(const Source& x, Index labels) : x_(&x) { seen.weight_of.resize(usize(labels)); }

  void accumulate(const Chunk& chunk) {
    check_weights(chunk, *x_);
    check_not_infinite(chunk, *x_);
    check_terms(chunk);
    for (Index i = 0; i < chunk.rows(); ++i) {
      const double w = chunk.weight(i);
      if (w == 0) continue;
      const std::int32_t label = chunk.labels.empty() ? -1 : chunk.labels[usize(i)];
      const std::uint64_t row = row_hash(chunk, i);
      seen.hash +=
          mix(row, mix(std::bit_cast<std::uint64_t>(w), static_cast<std::uint64_t>(label + 1)));
      ++seen.rows;
      seen.weight += w;
      if (label >= 0 && usize(label) < seen.weight_of.size()) {
        seen.weight_of[usize(label)] += w;
        ++seen.labelled;
      }
    }
  }
  void merge(const Seen& next) {
    seen.rows += next.seen.rows;
    seen.weight += next.seen.weight;
    seen.labelled += next.seen.labelled;
    seen.hash += next.seen.hash;
    for (std::size_t c = 0; c < seen.weight_of.size(); ++c)
      seen.weight_of[c] += next.seen.weight_of[c];
  }
  void write(Writer& writer) const {
    writer.put(seen.rows);
    writer.put(seen.weight);
    writer.put(seen.labelled);
    writer.put(seen.hash);
    writer.put(seen.weight_of);
  }
  void read(Reader& reader) {
    reader.get(seen.rows);
    reader.get(seen.weight);
    reader.get(seen.labelled);
    reader.get(seen.hash);
    reader.get(seen.weight_of);
  }
  Index words() const { return 4 + ssize(seen.weight_of); }
  Merge merge_kind() const { return Merge::kTree; }

  RowsSeen seen;

 private:
  // Counts, or weights of at least 0.
  void check_terms(const Chunk& chunk) const {
    for (const Inner& inner : chunk.inner) {
      const double* const first = inner.values + inner.offsets[0];
      const double* const last = inner.values + inner.offsets[inner.rows];
      const double* const bad = std::find_if(first, last, [](double v) { return !(v >= 0); });
      if (bad == last) continue;
      Index row = 0;
      while (inner.values + inner.offsets[row + 1] <= bad) ++row;
      throw InputError(Code::kOutsideSupport, x_->place_of(chunk.first_row + row),
                       fmt::format("a term of its text has the weight {}, which is no count", *bad),
                       {"Give other weights, such as {}; of hashed terms, {}.",
                        Ref::option("idf", "smooth"), Ref::option("alternate_sign", "false")});
    }
  }

  const Source* x_;
};

}  // namespace

RowsSeen check_rows(Source& x, const Exec& exec) {
  if (x.shape().rows == 0) {
    throw InputError(Code::kNoRows, {.file = x.name()}, "there are no rows to learn from",
                     "Give a table with rows.");
  }
  const Index labels = x.schema().target ? ssize(x.schema().target->levels) : 0;
  RowsSeen seen = fold(x, Seen(x, labels), exec).seen;
  check_total_weight(seen.weight, x);
  return seen;
}

Index check_labels(const Source& x, const RowsSeen& seen, Index n_components,
                   std::vector<Note>& notes) {
  const Index labels = ssize(seen.weight_of);
  for (Index c = 0; c < labels; ++c) {
    if (seen.weight_of[usize(c)] > 0) continue;
    throw InputError(Code::kBadTarget, {.file = x.name(), .column = x.schema().target->name},
                     fmt::format("no row has the label '{}'", label_name(x.schema(), c)),
                     "Give some row that label, or leave the label out.");
  }
  if (n_components > 1 && n_components != labels) {
    notes.push_back({"n-components",
                     {"{}, but there are {} labels: there is one component for each",
                      Ref::option("n_components", n_components), labels}});
  }
  return labels;
}

void check_size(const Source& x, const RowsSeen& seen, Index n_components) {
  if (seen.rows >= n_components) return;
  throw InputError(Code::kTooFewRows, {.file = x.name()},
                   {"{}, but there are only {} rows (n_samples = {})",
                    Ref::option("n_components", n_components), seen.rows, seen.rows},
                   {"Give {} of at most {}.", Ref::option("n_components"), seen.rows});
}

void note_optima(const std::vector<double>& found, double best, std::vector<Note>& notes) {
  std::vector<double> sorted = found;
  std::ranges::sort(sorted, std::greater());
  const double same = kSameOptimum * (1 + std::abs(best));
  Index optima = 1, times = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && sorted[i - 1] - sorted[i] > same) ++optima;
    if (best - sorted[i] <= same) ++times;
  }
  if (optima == 1) return;
  notes.push_back(
      {"optima", fmt::format("{} starts gave {} different optima (the best, {:.6g}, was "
                             "found {} time{})",
                             found.size(), optima, best, times, times == 1 ? "" : "s")});
}

}  // namespace craton
