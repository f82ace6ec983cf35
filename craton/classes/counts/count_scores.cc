#include "craton/classes/counts/count_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/classes/counts/feature_sums.h"
#include "craton/kernels/linear_scores.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

// Calls f(values, columns, count, known) with the entries of each row that are not 0; of Bernoulli
// with 1 for each value above the threshold.
class Entries {
 public:
  template <class T, class F>
  static void visit(const Sparse<T>& x, Index row, const F& f) {
    const Index first = x.offsets[row];
    f(x.values + first, x.columns + first, x.offsets[row + 1] - first, x.offsets[x.rows] - first);
  }
  template <class T, class F>
  void visit(const Dense<T>& x, Index row, const F& f) {
    values_.clear();
    columns_.clear();
    for (Index j = 0; j < x.cols; ++j) {
      const double value = static_cast<double>(x.row(row)[j]);
      if (value != 0) add(value, static_cast<std::int32_t>(j));
    }
    f(values_.data(), columns_.data(), ssize(values_), ssize(values_));
  }
  template <class T, class F>
  void visit_above(const Sparse<T>& x, Index row, double threshold, const F& f) {
    if (threshold < 0) fail_threshold();
    values_.clear();
    columns_.clear();
    for (Index e = x.offsets[row]; e < x.offsets[row + 1]; ++e) {
      if (static_cast<double>(x.values[e]) > threshold) add(1, x.columns[e]);
    }
    f(values_.data(), columns_.data(), ssize(values_), ssize(values_));
  }
  template <class T, class F>
  void visit_above(const Dense<T>& x, Index row, double threshold, const F& f) {
    values_.clear();
    columns_.clear();
    for (Index j = 0; j < x.cols; ++j) {
      if (static_cast<double>(x.row(row)[j]) > threshold) add(1, static_cast<std::int32_t>(j));
    }
    f(values_.data(), columns_.data(), ssize(values_), ssize(values_));
  }

 private:
  void add(double value, std::int32_t column) {
    values_.push_back(value);
    columns_.push_back(column);
  }
  std::vector<double> values_;
  std::vector<std::int32_t> columns_;
};

}  // namespace

CountScores::CountScores(Index classes, Index columns)
    : classes_(classes),
      columns_(columns),
      stride_(padded_classes(classes)),
      weights_(usize(columns * stride_)),
      intercepts_(usize(stride_)),
      must_(usize(stride_)) {}

void CountScores::never(Index feature, Index label, double events) {
  never_.resize(weights_.size());
  never_[usize(feature * stride_ + label)] = events;
  if (events < 0) must_[usize(label)] -= events;
}

// Calls f(class, feature) for all, some features at a time: their weights lie side by side.
template <class F>
void CountScores::for_all(const F& f) const {
  constexpr Index kSome = 32;
  for (Index first = 0; first < columns_; first += kSome) {
    const Index last = std::min(first + kSome, columns_);
    for (Index c = 0; c < classes_; ++c) {
      for (Index j = first; j < last; ++j) f(c, j);
    }
  }
}

CountScores CountScores::of_counts(std::span<const double> intercepts, const Array& weights) {
  CountScores scores(weights.rows(), weights.cols());
  std::copy(intercepts.begin(), intercepts.end(), scores.intercepts_.begin());
  const double* const from = weights.values.data();
  scores.for_all([&](Index c, Index j) {
    const double w = from[c * scores.columns_ + j];
    if (w == kNever) {
      scores.never(j, c, 1);
    } else {
      scores.weights_.data()[j * scores.stride_ + c] = w;
    }
  });
  return scores;
}

CountScores CountScores::of_presence(std::span<const double> log_prior, const Array& log_p,
                                     double threshold) {
  CountScores scores(log_p.rows(), log_p.cols());
  scores.presence_ = true;
  scores.threshold_ = threshold;
  std::copy(log_prior.begin(), log_prior.end(), scores.intercepts_.begin());
  // Most features of a class are as rare as the one before: as rare as can be.
  struct Pair {
    double there = 0, absent = kNever;
  };
  std::vector<Pair> last(log_prior.size());
  scores.for_all([&](Index c, Index j) {
    const double there = log_p.values[usize(c * scores.columns_ + j)];
    Pair& pair = last[usize(c)];
    if (there != pair.there) pair = {there, std::log1p(-std::exp(there))};
    if (pair.absent == kNever) return scores.never(j, c, -1);
    scores.intercepts_[usize(c)] += pair.absent;
    if (there == kNever) return scores.never(j, c, 1);
    scores.weights_.data()[j * scores.stride_ + c] = there - pair.absent;
  });
  return scores;
}

template <class T>
void CountScores::add_entries(const T* values, const std::int32_t* columns, Index count,
                              Index known, double* scores, double* events) const {
  add_scores(values, columns, count, known, weights_.data(), stride_, scores);
  if (!never_.empty()) add_scores(values, columns, count, known, never_.data(), stride_, events);
}

void CountScores::begin(double* scores, double* events) const {
  std::ranges::copy(intercepts_, scores);
  std::ranges::copy(must_, events);
}

void CountScores::end(const double* scores, const double* events, double* out) const {
  for (Index c = 0; c < classes_; ++c) {
    out[c] = !never_.empty() && events[c] > 0 ? kNever : scores[c];
  }
}

bool CountScores::find_row(const double* row, double* work, std::span<double> out) const {
  double *const scores = work, *const events = scores + stride_, *const values = events + stride_;
  auto* const columns = reinterpret_cast<std::int32_t*>(values + columns_);
  Index count = 0;
  for (Index j = 0; j < columns_; ++j) {
    if (!std::isfinite(row[j])) return false;
    if (presence_ ? !(row[j] > threshold_) : row[j] == 0) continue;
    values[count] = presence_ ? 1 : row[j];
    columns[count++] = static_cast<std::int32_t>(j);
  }
  begin(scores, events);
  add_entries(static_cast<const double*>(values), columns, count, count, scores, events);
  end(scores, events, out.data());
  return true;
}

bool CountScores::find_entries(const Sparse<double>& row, double* work,
                               std::span<double> out) const {
  if (presence_ && threshold_ < 0) return false;
  double *const scores = work, *const events = scores + stride_;
  begin(scores, events);
  const Index first = row.offsets[0], count = row.offsets[1] - first;
  if (!presence_) {
    add_entries(row.values + first, row.columns + first, count, count, scores, events);
  }
  constexpr double kThere = 1;
  for (Index e = first; presence_ && e < first + count; ++e) {
    if (row.values[e] > threshold_) add_entries(&kThere, row.columns + e, 1, 1, scores, events);
  }
  end(scores, events, out.data());
  return true;
}

void CountScores::find(const Chunk& chunk, std::span<double> out) const {
  const std::size_t k = usize(classes_);
  std::vector<double> scores(usize(stride_)), events(usize(stride_));
  Entries entries;
  const auto find_rows = [&](const auto& x) {
    for (Index i = 0; i < x.rows; ++i) {
      begin(scores.data(), events.data());
      const auto add = [&](const auto* values, const std::int32_t* columns, Index count,
                           Index known) {
        add_entries(values, columns, count, known, scores.data(), events.data());
      };
      if (presence_) {
        entries.visit_above(x, i, threshold_, add);
      } else {
        entries.visit(x, i, add);
      }
      end(scores.data(), events.data(), &out[usize(i) * k]);
    }
  };
  std::visit(find_rows, chunk.x);
}

}  // namespace craton
