#include "craton/cluster/starts.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "craton/base/error.h"
#include "craton/cluster/parallel_start.h"
#include "craton/cluster/start_rows.h"
#include "craton/kernels/differences.h"
#include "craton/kernels/nearer.h"

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
      add(rows_->hash[row], chunk.weight(i) * rows_->factor[row]);
    }
  }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  StartRows* rows_;
  std::uint64_t drawn_;
};

// The squared distances of rows from a few centres, unless a row can be nearest to none of them:
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
    if (k > 1 && k <= NearerCentres::kMost) nearer_.emplace(few);
    // (1 + margin) covers the roundings of all three distances.
    margin_ = 4 * (1 + static_cast<double>(d + 16) * 0x1p-50);
  }

  Index size() const { return few_.rows(); }
  bool screens() const { return nearer_.has_value(); }
  // requires screens(). Those that may be nearer to rows than `squared`, one bit each.
  template <class T>
  void maybe_nearer(std::span<const T* const> rows, const double* squared,
                    std::uint64_t* bits) const {
    nearer_->find(rows, squared, bits);
  }
  bool all_far(std::int32_t own, double squared) const {
    bool far = count_ > 0;
    for (std::size_t f = 0; far && f < norms_.size(); ++f) {
      far = margin_ * squared < apart_[f * count_ + usize(own)];
    }
    return far;
  }
  template <class T>
  void distances(const T* row, double* out) const {
    squared_distances(row, few_.values.data(), few_.rows(), few_.cols(), out);
  }
  // Of pairs of a row and one of these.
  template <class T>
  void distances(std::span<const T* const> rows, const std::int32_t* which, double* out) const {
    squared_distances(LabelledRows<const T*>{rows, which, few_.values.data(), few_.cols()}, out);
  }
  template <class T>
  void distances(const RowEntries<T>& row, double* out) const {
    for (Index f = 0; f < few_.rows(); ++f) {
      out[f] = squared_distance(row, few_.view().row(f), norms_[usize(f)], few_.cols());
    }
  }

 private:
  Array few_;
  std::vector<double> norms_, apart_;
  std::optional<NearerCentres> nearer_;  // several, but not too many
  std::size_t count_ = 0;
  double margin_ = 0;
};

// The mass that each of some candidates would leave. Its rows remember which would come nearer.
class Trial {
 public:
  Trial(StartRows& rows, const Few& candidates)
      : rows_(&rows), candidates_(&candidates), left_(usize(candidates.size())) {}

  std::size_t best() const {  // the first on ties
    return static_cast<std::size_t>(std::min_element(left_.begin(), left_.end()) - left_.begin());
  }

  void accumulate(const Chunk& chunk) {
    const auto visit = [&]<class View>(const View& x) {
      if constexpr (requires { x.stride; }) {
        if (candidates_->screens()) return add_rows(x, chunk);
      }
      for (Index i = 0; i < x.rows; ++i) {
        if (chunk.weight(i) > 0) add_row(row_of(x, i), usize(chunk.first_row + i), chunk.weight(i));
      }
    };
    std::visit(visit, chunk.x);
  }
  void merge(const Trial& next) {
    for (std::size_t f = 0; f < left_.size(); ++f) left_[f] += next.left_[f];
  }
  void write(Writer& writer) const { writer.put(left_); }
  void read(Reader& reader) { reader.get(left_); }
  Index words() const { return std::ssize(left_); }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  // Float tells which candidates may come nearer to a row: few, once there are some centres. Only
  // their distances are computed; the sums are those of add_row(), to the bit.
  template <class T>
  void add_rows(const Dense<T>& x, const Chunk& chunk) {
    std::vector<const T*> rows, pairs;
    std::vector<std::size_t> numbers;
    std::vector<double> now, distances;
    std::vector<std::int32_t> which;
    for (Index i = 0; i < x.rows; ++i) {
      const std::size_t row = usize(chunk.first_row + i);
      rows_->nearer[row] = 0;
      if (chunk.weight(i) == 0 || candidates_->all_far(rows_->label[row], rows_->factor[row])) {
        continue;
      }
      rows.push_back(x.row(i));
      numbers.push_back(row);
      now.push_back(rows_->factor[row]);
    }
    std::vector<std::uint64_t> bits(rows.size());
    candidates_->maybe_nearer(std::span<const T* const>(rows), now.data(), bits.data());
    for (std::size_t u = 0; u < rows.size(); ++u) {
      rows_->nearer[numbers[u]] = bits[u];
      for (std::uint64_t left = bits[u]; left != 0; left &= left - 1) {
        pairs.push_back(rows[u]);
        which.push_back(std::countr_zero(left));
      }
    }
    distances.resize(pairs.size());
    candidates_->distances(std::span<const T* const>(pairs), which.data(), distances.data());
    const double* next = distances.data();
    for (Index i = 0; i < x.rows; ++i) {
      const std::size_t row = usize(chunk.first_row + i);
      const double weight = chunk.weight(i), known = rows_->factor[row];
      std::uint64_t& nearer = rows_->nearer[row];
      const std::uint64_t asked = nearer;
      nearer = 0;
      for (std::size_t f = 0; f < left_.size() && weight > 0; ++f) {
        const bool is_asked = (asked >> f & 1) != 0;
        const double distance = is_asked ? *next++ : known;
        left_[f] += weight * std::min(known, distance);
        nearer |= std::uint64_t{distance < known} << f;
      }
    }
  }

  void add_row(const auto& row, std::size_t i, double weight) {
    const double now = rows_->factor[i];
    std::uint64_t nearer = left_.size() > 64 ? ~std::uint64_t{0} : 0;
    distances_.assign(left_.size(), now);
    if (!candidates_->all_far(rows_->label[i], now)) {
      candidates_->distances(row, distances_.data());
    }
    for (std::size_t f = 0; f < left_.size(); ++f) {
      left_[f] += weight * std::min(now, distances_[f]);
      if (distances_[f] < now) nearer |= std::uint64_t{1} << f % 64;
    }
    rows_->nearer[i] = nearer;
  }

  StartRows* rows_;
  const Few* candidates_;
  std::vector<double> left_, distances_;  // of the candidates; of a row from them
};

// The masses that a new centre leaves, candidate `place` of the trial before: its rows know it.
class Choice : public BucketMasses {
 public:
  Choice(StartRows& rows, const Few& chosen, Index number, std::size_t place)
      : rows_(&rows),
        chosen_(&chosen),
        number_(static_cast<std::int32_t>(number)),
        bit_(place % 64) {}

  void accumulate(const Chunk& chunk) {
    const auto visit = [&](const auto& x) {
      for (Index i = 0; i < x.rows; ++i) {
        if (chunk.weight(i) == 0) continue;
        const std::size_t row = usize(chunk.first_row + i);
        if ((rows_->nearer[row] >> bit_ & 1) != 0) compare(row_of(x, i), row);
        add(rows_->hash[row], chunk.weight(i) * rows_->factor[row]);
      }
    };
    std::visit(visit, chunk.x);
  }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  void compare(const auto& row, std::size_t i) {
    if (chosen_->all_far(rows_->label[i], rows_->factor[i])) return;
    double distance = 0;
    chosen_->distances(row, &distance);
    if (!(distance < rows_->factor[i])) return;
    rows_->factor[i] = distance;
    rows_->label[i] = number_;
  }

  StartRows* rows_;
  const Few* chosen_;
  std::int32_t number_;
  std::size_t bit_;
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
    if (!(masses.total() > 0)) return fill_up(x, start, std::move(centres), c);
    const std::vector<DrawnRow> drawn = draw_rows(x, rows, masses.table(), 1, random, exec);
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
    if (!(masses.total() > 0)) return fill_up(x, start, std::move(centres), c);
    const Index trials = c == 0 ? 1 : start.local_trials;
    const Array drawn = gathered(x, draw_rows(x, rows, masses.table(), trials, random, exec));
    if (c == 0) std::fill(rows.factor.begin(), rows.factor.end(), INFINITY);
    const std::size_t best =
        trials > 1 ? fold(x, Trial(rows, Few(drawn, centres, c)), exec).best() : 0;
    put_row(drawn, static_cast<Index>(best), centres, c);
    if (c + 1 == start.k) break;
    masses = fold(x, Choice(rows, Few(one_row(centres, c), centres, c), c, best), exec);
  }
  return centres;
}

}  // namespace

void fail_too_few(const Source& x, const Start& start, Index distinct) {
  throw InputError(
      Code::kTooFewRows, {.file = x.name()},
      {"{}, but the data (n_samples = {}) have only {} distinct row{} of positive weight",
       Ref::option(start.option, start.k), x.shape().rows, distinct, distinct == 1 ? "" : "s"},
      {"Give {} of at most {}.", Ref::option(start.option), distinct});
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
