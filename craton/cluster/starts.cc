#include "craton/cluster/starts.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/cluster/parallel_start.h"
#include "craton/cluster/start_rows.h"
#include "craton/core/error.h"
#include "craton/kernels/differences.h"

namespace craton {
namespace {

// Leaves out the rows that equal one drawn before.
class Unlike : public BucketMasses {
 public:
  Unlike(StartRows& rows, std::uint64_t drawn) : rows_(&rows), drawn_(drawn) {}
  void accumulate(const Chunk& chunk) {
    for (Index i = 0; i < chunk.rows(); ++i) {
      const std::size_t row = usize(chunk.first_row + i);
      if (rows_->hash[row] == drawn_) rows_->factor[row] = 0;
      add(0, rows_->hash[row], chunk.weight(i) * rows_->factor[row]);
    }
  }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  StartRows* rows_;
  std::uint64_t drawn_;
};

// The squared distances of rows from a few centres, without those that a row cannot be nearest to:
// from a centre farther from a row's own than twice the row is, the row is farther than from its
// own. (Raff, "Exact acceleration of k-means++ and k-means||", IJCAI 2021.)
class Few {
 public:
  Few(const Array& few, const Array& chosen, Index count) : few_(few) {
    const Index k = few.rows(), d = few.cols();
    norms_.resize(usize(k));
    const std::vector<double> zero(usize(d));
    squared_distances(zero.data(), few.values.data(), k, d, norms_.data());
    apart_.resize(usize(k * count));
    for (Index f = 0; f < k; ++f) {
      squared_distances(few.view().row(f), chosen.values.data(), count, d,
                        apart_.data() + f * count);
    }
    count_ = usize(count);
    // (1 + margin) covers the roundings of all three distances.
    margin_ = 4 * (1 + static_cast<double>(d + 16) * 0x1p-50);
  }

  Index size() const { return few_.rows(); }
  bool far(std::size_t f, std::int32_t own, double squared) const {
    return count_ > 0 && margin_ * squared < apart_[f * count_ + usize(own)];
  }
  template <class T>
  double distance(std::size_t f, const T* row) const {
    return squared_distance(row, few_.view().row(static_cast<Index>(f)), few_.cols());
  }
  template <class T>
  double distance(std::size_t f, const RowEntries<T>& row) const {
    return squared_distance(row, few_.view().row(static_cast<Index>(f)), norms_[f], few_.cols());
  }

 private:
  Array few_;
  std::vector<double> norms_, apart_;
  std::size_t count_ = 0;
  double margin_ = 0;
};

// The masses that each of some candidates would leave; a single one is chosen, and its rows know
// it.
class PlusPlusRound : public BucketMasses {
 public:
  PlusPlusRound(StartRows& rows, const Few& candidates, Index number)
      : BucketMasses(usize(candidates.size())),
        rows_(&rows),
        candidates_(&candidates),
        number_(static_cast<std::int32_t>(number)) {}

  void accumulate(const Chunk& chunk) {
    const auto visit = [&](const auto& x) {
      for (Index i = 0; i < x.rows; ++i) {
        if (chunk.weight(i) > 0) add_row(row_of(x, i), usize(chunk.first_row + i), chunk.weight(i));
      }
    };
    std::visit(visit, chunk.x);
  }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  void add_row(const auto& row, std::size_t i, double weight) {
    const double now = rows_->factor[i];
    const std::size_t count = usize(candidates_->size());
    for (std::size_t f = 0; f < count; ++f) {
      const bool far = candidates_->far(f, rows_->label[i], now);
      const double left = far ? now : std::min(now, candidates_->distance(f, row));
      add(f, rows_->hash[i], weight * left);
      if (count > 1 || !(left < now)) continue;
      rows_->factor[i] = left;
      rows_->label[i] = number_;
    }
  }

  StartRows* rows_;
  const Few* candidates_;
  std::int32_t number_;
};

// The centres chosen so far; when the data have no more distinct rows, the first one again.
Array fill_up(const Source& x, const Start& start, Array centres, Index chosen) {
  if (!start.repeat || chosen == 0) fail_too_few(x, start, chosen);
  const Index d = centres.cols();
  for (Index i = chosen * d; i < start.k * d; ++i) {
    centres.values[usize(i)] = centres.values[usize(i % d)];
  }
  return centres;
}

void put_row(const Array& from, Index row, Array& to, Index at) {
  std::copy_n(from.view().row(row), from.cols(), to.values.begin() + at * to.cols());
}

Array one_row(const Array& from, Index row) {
  return {{1, from.cols()}, {from.view().row(row), from.view().row(row) + from.cols()}};
}

Array random_rows(Source& x, const Start& start, const Exec& exec) {
  StartRows rows(x.shape().rows);
  Random random(start.seed, Purpose::kStart, start.trial);
  Array centres{{start.k, x.shape().cols}, std::vector<double>(usize(start.k * x.shape().cols))};
  BucketMasses masses = hash_rows(x, rows, exec);
  for (Index c = 0; c < start.k; ++c) {
    if (!(masses.total(0) > 0)) return fill_up(x, start, std::move(centres), c);
    const std::vector<DrawnRow> drawn = draw_rows(x, rows, masses.table(0), 1, random, exec);
    put_row(gathered(x, drawn), 0, centres, c);
    if (c + 1 < start.k) masses = fold(x, Unlike(rows, drawn[0].hash), exec);
  }
  return centres;
}

Array plus_plus(Source& x, const Start& start, const Exec& exec) {
  StartRows rows(x.shape().rows);
  Random random(start.seed, Purpose::kStart, start.trial);
  Array centres{{start.k, x.shape().cols}, std::vector<double>(usize(start.k * x.shape().cols))};
  BucketMasses masses = hash_rows(x, rows, exec);
  for (Index c = 0; c < start.k; ++c) {
    if (!(masses.total(0) > 0)) return fill_up(x, start, std::move(centres), c);
    const Index trials = c == 0 ? 1 : start.local_trials;
    const Array drawn = gathered(x, draw_rows(x, rows, masses.table(0), trials, random, exec));
    if (c == 0) std::fill(rows.factor.begin(), rows.factor.end(), INFINITY);
    std::size_t best = 0;
    if (trials > 1) {
      const BucketMasses left = fold(x, PlusPlusRound(rows, Few(drawn, centres, c), c), exec);
      for (std::size_t t = 1; t < usize(trials); ++t) {
        if (left.total(t) < left.total(best)) best = t;  // the first on ties
      }
    }
    put_row(drawn, static_cast<Index>(best), centres, c);
    if (c + 1 == start.k) break;
    masses = fold(x, PlusPlusRound(rows, Few(one_row(centres, c), centres, c), c), exec);
  }
  return centres;
}

}  // namespace

void fail_too_few(const Source& x, const Start& start, Index distinct) {
  throw InputError(
      Code::kTooFewRows, {.file = x.name()},
      fmt::format("{} = {}, but the data (n_samples = {}) have only {} distinct "
                  "row{} of positive weight",
                  start.option, start.k, x.shape().rows, distinct, distinct == 1 ? "" : "s"),
      fmt::format("Give {} of at most {}.", start.option, distinct));
}

Index default_local_trials(Index k) {
  return 2 + static_cast<Index>(std::log(static_cast<double>(k)));
}

Array choose_start(Source& x, const Start& start, const Exec& exec) {
  if (start.rule == StartRule::kRandom) return random_rows(x, start, exec);
  if (start.rule == StartRule::kParallel) return parallel_start(x, start, exec);
  return plus_plus(x, start, exec);
}

}  // namespace craton
