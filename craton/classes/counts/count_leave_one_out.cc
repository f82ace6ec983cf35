#include "craton/classes/counts/count_leave_one_out.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "craton/base/error.h"
#include "craton/classes/counts/count_entries.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

// What is left of a sum when all of it was taken away, within rounding, is nothing.
constexpr double kRoundingOfScores = 1e-12;

double take(double sum, double part) {
  const double left = sum - part;
  return left <= kRoundingOfScores * sum ? 0 : left;
}

double log_or_never(double v) { return v > 0 ? std::log(v) : kNever; }

// The part that does not differ: which class a row is left out of, and the prior.
class Base : public LeaveOneOut {
 public:
  explicit Base(const LeftOut& m)
      : model_(m),
        k_(usize(m.sums.classes())),
        d_(usize(m.sums.columns())),
        total_(std::accumulate(m.sums.weight().begin(), m.sums.weight().end(), 0.0)),
        log_prior_(log_class_prior(m.prior, m.sums.weight())) {}

  void find(const Chunk& chunk, std::span<double> out) const final {
    model_.scores.find(chunk, out);
    std::visit(
        [&](const auto& x) {
          for (Index i = 0; i < x.rows; ++i) {
            const std::int32_t label = chunk.labels.empty() ? -1 : chunk.labels[usize(i)];
            const double part = std::min(chunk.weight(i), 1.0);
            if (label < 0 || part == 0) continue;
            leave_out(entries_of(x, i), usize(label), part, out.subspan(usize(i) * k_, k_));
          }
        },
        chunk.x);
  }

 protected:
  using Entries = std::vector<Entry>;
  virtual void leave_out(const Entries& row, std::size_t label, double part,
                         std::span<double> out) const = 0;

  bool counts_classes() const { return model_.prior.fit_prior && model_.prior.class_prior.empty(); }
  // log p(c) for the label, and what log p(c) of all others grows by.
  double log_prior(std::size_t label, double part) const {
    if (!counts_classes()) return log_prior_[label];
    const double left = take(total_, part), own = take(model_.sums.weight()[label], part);
    return own > 0 ? std::log(own) - std::log(left) : kNever;
  }
  void grow_others(std::size_t label, double part, std::span<double> out) const {
    const double left = take(total_, part);
    if (!counts_classes() || left <= 0) return;
    const double growth = std::log(total_) - std::log(left);
    for (std::size_t c = 0; c < k_; ++c) out[c] += c == label ? 0 : growth;
  }
  double sum(std::size_t label, std::size_t j) const {
    return model_.sums.of(static_cast<Index>(label), static_cast<Index>(j));
  }

  LeftOut model_;
  std::size_t k_, d_;
  double total_;
  std::vector<double> log_prior_;
};

class OfCounts final : public Base {
 public:
  explicit OfCounts(const LeftOut& m) : Base(m), totals_(k_) {
    const double alpha = m.alphas.there.sum();
    for (std::size_t c = 0; c < k_; ++c) {
      totals_[c] = alpha;
      for (std::size_t j = 0; j < d_; ++j) totals_[c] += sum(c, j);
    }
  }

 private:
  void leave_out(const Entries& row, std::size_t label, double part,
                 std::span<double> out) const override {
    double length = 0, score = log_prior(label, part);
    for (const Entry& e : row) length += e.value;
    const double log_total = log_or_never(take(totals_[label], part * length));
    for (const Entry& e : row) {
      const double count = take(sum(label, usize(e.column)), part * e.value);
      const double log_count = log_or_never(count + model_.alphas.there[usize(e.column)]);
      score += e.value == 0 ? 0 : log_count == kNever ? kNever : e.value * (log_count - log_total);
    }
    grow_others(label, part, out);
    out[label] = score;
  }
  std::vector<double> totals_;
};

class OfPresence final : public Base {
 public:
  OfPresence(const LeftOut& m, double threshold) : Base(m), threshold_(threshold) {
    for (std::size_t c = 0; c < k_; ++c) nothing_there_.push_back(nothing_there(c, 1));
  }

 private:
  // A sum of logarithms, of which some are -inf.
  struct LogSum {
    double finite = 0;
    Index never = 0;
    void add(double v, int sign) {
      if (v == kNever) never += sign;
      if (v != kNever) finite += sign * v;
    }
  };
  double rows(std::size_t c, std::size_t j, double part) const {
    return take(model_.sums.weight()[c], part) + (model_.alphas.there[j] + model_.alphas.absent[j]);
  }
  double there(std::size_t c, std::size_t j, double part) const {
    const double all = rows(c, j, part);
    if (all <= 0) return std::log(0.5);
    return log_or_never(take(sum(c, j), part) + model_.alphas.there[j]) - std::log(all);
  }
  // Below 0 is where the row left out must have had the feature: there it is never asked for.
  double absent(std::size_t c, std::size_t j, double part) const {
    const double all = rows(c, j, part);
    if (all <= 0) return std::log(0.5);
    const double weight = model_.sums.weight()[c], without = weight - sum(c, j) - part;
    const double count = std::abs(without) <= kRoundingOfScores * weight ? 0 : without;
    return count < 0 ? 0 : log_or_never(count + model_.alphas.absent[j]) - std::log(all);
  }
  LogSum nothing_there(std::size_t c, double part) const {
    LogSum sum;
    for (std::size_t j = 0; j < d_; ++j) sum.add(absent(c, j, part), 1);
    return sum;
  }
  void leave_out(const Entries& row, std::size_t label, double part,
                 std::span<double> out) const override {
    LogSum sum = part == 1 ? nothing_there_[label] : nothing_there(label, part);
    for (const Entry& e : row) {
      if (!(e.value > threshold_)) continue;
      sum.add(absent(label, usize(e.column), part), -1);
      sum.add(there(label, usize(e.column), part), 1);
    }
    grow_others(label, part, out);
    out[label] = sum.never > 0 ? kNever : log_prior(label, part) + sum.finite;
  }
  double threshold_;
  std::vector<LogSum> nothing_there_;  // of each class, when one row is left out
};

class OfComplement final : public Base {
 public:
  OfComplement(const LeftOut& m, bool norm)
      : Base(m), norm_(norm), all_(d_), totals_(k_), logs_(k_) {
    if (m.alphas.there.least() == 0) {
      throw InputError(Code::kBadOption, {}, "alpha is 0, and calibrate leaves rows out",
                       "Give alpha above 0.");
    }
    for (std::size_t c = 0; c < k_; ++c) {
      for (std::size_t j = 0; j < d_; ++j) all_[j] += sum(c, j);
    }
    for (std::size_t c = 0; c < k_; ++c) {
      for (std::size_t j = 0; j < d_; ++j) {
        const double count = all_[j] - sum(c, j) + m.alphas.there[j];
        totals_[c] += count;
        if (norm) logs_[c] += std::log(count);
      }
    }
  }

 private:
  void leave_out(const Entries& row, std::size_t label, double part,
                 std::span<double> out) const override {
    if (k_ == 1) return;
    double length = 0;
    for (const Entry& e : row) length += e.value;
    for (std::size_t c = 0; c < k_; ++c) {
      if (c == label) continue;
      const double log_total = std::log(totals_[c] - part * length);
      double score = 0, logs = logs_[c];
      for (const Entry& e : row) {
        const std::size_t j = usize(e.column);
        const double others = all_[j] - sum(c, j);
        const double log_count = std::log(take(others, part * e.value) + model_.alphas.there[j]);
        score += e.value * (log_count - log_total);
        if (norm_) logs += log_count - std::log(others + model_.alphas.there[j]);
      }
      out[c] = score / (norm_ ? logs - static_cast<double>(d_) * log_total : -1);
    }
  }
  bool norm_;
  std::vector<double> all_, totals_, logs_;  // counts of all; of all classes but c, sum and log
};

}  // namespace

std::unique_ptr<LeaveOneOut> leave_one_out_of_counts(const LeftOut& model) {
  return std::make_unique<OfCounts>(model);
}
std::unique_ptr<LeaveOneOut> leave_one_out_of_presence(const LeftOut& model, double threshold) {
  return std::make_unique<OfPresence>(model, threshold);
}
std::unique_ptr<LeaveOneOut> leave_one_out_of_complement(const LeftOut& model, bool norm) {
  return std::make_unique<OfComplement>(model, norm);
}

}  // namespace craton
