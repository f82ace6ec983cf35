#include "craton/density/density_passes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/engine/fold.h"
#include "craton/engine/for_each.h"
#include "craton/families/kde.h"
#include "craton/tables/columns.h"

namespace craton {

Index levels_of(const Candidate& c) {
  const bool category = c.family->info().support == Support::kCategory;
  return category ? std::ssize(c.parameters) : 0;
}

void copy_column(const Matrix& x, Index column, std::vector<double>& out) {
  visit_dense(x, [&](const auto& view) {
    out.resize(usize(view.rows));
    for (Index i = 0; i < view.rows; ++i) out[usize(i)] = static_cast<double>(view.row(i)[column]);
  });
}

namespace {

// Where the values of each column lie, those of weight 0 aside.
class Extents {
 public:
  explicit Extents(const Source& x) : extents(usize(x.shape().cols)), x_(&x) {}
  void accumulate(const Chunk& chunk) {
    check_weights(chunk, *x_);
    for (Index i = 0; i < chunk.rows(); ++i) weight += chunk.weight(i);
    for (std::size_t j = 0; j < extents.size(); ++j) {
      copy_column(chunk.x, static_cast<Index>(j), column_);
      for (Index i = 0; i < chunk.rows(); ++i) {
        if (chunk.weight(i) == 0) column_[usize(i)] = NAN;
      }
      extents[j].add(column_);
    }
  }
  void merge(const Extents& next) {
    weight += next.weight;
    for (std::size_t j = 0; j < extents.size(); ++j) extents[j].merge(next.extents[j]);
  }
  void write(Writer& writer) const {
    writer.put(weight);
    writer.put(extents);
  }
  void read(Reader& reader) {
    reader.get(weight);
    reader.get(extents);
  }
  Index words() const { return 1 + 3 * std::ssize(extents); }
  Merge merge_kind() const { return Merge::kTree; }

  double weight = 0;
  std::vector<Extent> extents;

 private:
  const Source* x_;  // for messages, during the pass
  std::vector<double> column_;
};

// The statistics of each column for each of its candidates.
class Seen {
 public:
  explicit Seen(const Columns& columns) : columns_(&columns) {
    for (const auto& candidates : columns) {
      for (const Candidate& c : candidates) statistics.push_back(c.family->empty(levels_of(c)));
    }
  }
  void accumulate(const Chunk& chunk) {
    auto to = statistics.begin();
    for (std::size_t j = 0; j < columns_->size(); ++j) {
      copy_column(chunk.x, static_cast<Index>(j), column_);
      for (const Candidate& c : (*columns_)[j]) {
        c.family->accumulate(column_, chunk.weights, *to++);
      }
    }
  }
  void merge(const Seen& next) {
    for (std::size_t i = 0; i < statistics.size(); ++i) {
      craton::merge(statistics[i], next.statistics[i]);
    }
  }
  void write(Writer& writer) const {
    for (const Statistics& s : statistics) craton::write(writer, s);
  }
  void read(Reader& reader) {
    for (Statistics& s : statistics) craton::read(reader, s);
  }
  Index words() const { return 5 * std::ssize(statistics); }
  Merge merge_kind() const { return Merge::kTree; }

  std::vector<Statistics> statistics;

 private:
  const Columns* columns_;  // the caller's, for one pass
  std::vector<double> column_;
};

// The log-likelihood of each candidate.
class Likelihoods {
 public:
  explicit Likelihoods(const Columns& columns) : columns_(&columns) {
    for (const auto& candidates : columns) {
      for (const Candidate& c : candidates) lines_.push_back(kernel_line(*c.family, c.parameters));
    }
    sums.resize(lines_.size());
  }
  void accumulate(const Chunk& chunk) {
    auto to = sums.begin();
    auto line = lines_.begin();
    for (std::size_t j = 0; j < columns_->size(); ++j) {
      copy_column(chunk.x, static_cast<Index>(j), column_);
      log_density_.resize(column_.size());
      for (const Candidate& c : (*columns_)[j]) {
        log_density(*c.family, (line++)->get(), c.parameters, column_, log_density_);
        for (std::size_t i = 0; i < column_.size(); ++i) {
          const double w = chunk.weight(static_cast<Index>(i));
          if (w > 0) *to += w * log_density_[i];
        }
        ++to;
      }
    }
  }
  void merge(const Likelihoods& next) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += next.sums[i];
  }
  void write(Writer& writer) const { writer.put(sums); }
  void read(Reader& reader) { reader.get(sums); }
  Index words() const { return std::ssize(sums); }
  Merge merge_kind() const { return Merge::kTree; }

  std::vector<double> sums;

 private:
  const Columns* columns_;
  KernelLines lines_;
  std::vector<double> column_, log_density_;
};

}  // namespace

std::vector<Extent> find_extents(Source& x, const Exec& exec) {
  const Extents found = fold(x, Extents(x), exec);
  if (x.shape().rows > 0) check_total_weight(found.weight, x);
  const std::vector<Extent>& extents = found.extents;
  for (std::size_t j = 0; j < extents.size(); ++j) {
    const double low = extents[j].low, high = extents[j].high, width = high - low;
    if (!(low <= high) || std::isinf(low) || std::isinf(high)) continue;
    const Place place{.file = x.name(), .column = x.schema().name(static_cast<Index>(j))};
    const double largest = std::max(std::abs(low), std::abs(high));
    if (largest > kWidest) {
      throw InputError(Code::kNotFinite, place,
                       fmt::format("there are values of {:g}, whose squares overflow", largest),
                       "Divide the column by a power of ten.");
    }
    if (width > 0 && width < kNarrowest) {
      throw InputError(
          Code::kNoSpread, place,
          fmt::format("the values spread over {:g} only, so their squares vanish", width),
          "Multiply the column by a power of ten.");
    }
  }
  return extents;
}

void fail_outside(Source& x, const Exec& exec, Index column, const Family& family, double most,
                  const Extent& extent) {
  std::vector<double> values(usize(x.shape().rows));
  for_rows(x, exec, [&](const Chunk& chunk) {
    check_not_infinite(chunk, x);
    std::vector<double> part;
    copy_column(chunk.x, column, part);
    for (Index i = 0; i < chunk.rows(); ++i) {
      values[usize(chunk.first_row + i)] = chunk.weight(i) == 0 ? NAN : part[usize(i)];
    }
  });
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double v = values[i];
    if (std::isnan(v) || (holds(family.info().support, v) && v <= most)) continue;
    fail_support(family, v, x.place_of(static_cast<Index>(i), column), extent);
  }
  assertion_failed("a value outside", __FILE__, __LINE__);
}

std::vector<Statistics> find_statistics(const Columns& columns, Source& x, const Exec& exec) {
  return fold(x, Seen(columns), exec).statistics;
}

std::vector<double> find_likelihoods(const Columns& columns, Source& x, const Exec& exec) {
  return fold(x, Likelihoods(columns), exec).sums;
}

}  // namespace craton
