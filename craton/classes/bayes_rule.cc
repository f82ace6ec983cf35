#include "craton/classes/bayes_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "craton/base/error.h"
#include "craton/engine/fold.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/exp_log.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

bool is_log_p(double v) { return v < std::numeric_limits<double>::infinity(); }  // nor NaN

std::vector<double> scales_of(const std::optional<Scales>& scales, const Chunk& chunk) {
  std::vector<double> result(usize(chunk.rows()), 1);
  if (scales) (*scales)(chunk, result);
  return result;
}

// s (row - top): far from everything row is so large that what follows would be lost beside it.
void sharpen(std::span<double> row, double scale) {
  const double top = *std::max_element(row.begin(), row.end());
  for (double& v : row) v = v == kNever || v == top ? v - top : (v - top) * scale;
}

Chunk rows_of(const Chunk& chunk, RowRange range) {
  const auto part = [&](auto all) {
    return all.empty() ? all : all.subspan(usize(range.first), usize(range.size()));
  };
  return {chunk.first_row + range.first, slice(chunk.x, range), part(chunk.labels),
          part(chunk.targets), part(chunk.weights)};
}

// Sums over labelled rows.
class Sums {
 public:
  Sums(std::span<const double> log_prior, Joint joint, std::optional<Scales> scales)
      : log_prior_(log_prior), joint_(joint), scales_(scales) {}

  void accumulate(const Chunk& chunk) {
    const std::size_t k = log_prior_.size();
    std::vector<double> joint(usize(chunk.rows()) * k);
    joint_(chunk, joint);
    const std::vector<double> scales = scales_of(scales_, chunk);
    for (Index i = 0; i < chunk.rows(); ++i) {
      const std::int32_t label = chunk.labels.empty() ? -1 : chunk.labels[usize(i)];
      if (label < 0) continue;
      const double w = chunk.weight(i);
      if (w == 0) continue;
      const std::span<double> of_row(&joint[usize(i) * k], k);
      std::span<const double> row = of_row;
      const double marginal = log_sum(row), of_label = row[usize(label)];
      const bool impossible = marginal == kNever;
      if (impossible) row = log_prior_;
      sum_.impossible += impossible ? 1 : 0;
      sum_.weight += w;
      sum_.accuracy += best_of(row) == label ? w : 0;
      sum_.joint += w * of_label;
      sum_.marginal += w * marginal;
      if (!impossible) sharpen(of_row, scales[usize(i)]);
      sum_.conditional += w * (row[usize(label)] - log_sum(row));
    }
  }
  void merge(const Sums& next) {
    sum_.weight += next.sum_.weight;
    sum_.accuracy += next.sum_.accuracy;
    sum_.joint += next.sum_.joint;
    sum_.conditional += next.sum_.conditional;
    sum_.marginal += next.sum_.marginal;
    sum_.impossible += next.sum_.impossible;
  }
  void write(Writer& writer) const { writer.put(sum_); }
  void read(Reader& reader) { reader.get(sum_); }
  Index words() const { return sizeof(sum_) / sizeof(double); }
  Merge merge_kind() const { return Merge::kTree; }
  const BayesRule::Score& sum() const { return sum_; }

 private:
  std::span<const double> log_prior_;
  Joint joint_;
  std::optional<Scales> scales_;
  BayesRule::Score sum_;
};

}  // namespace

double log_sum(std::span<const double> row) {
  const double top = *std::max_element(row.begin(), row.end());
  if (top == kNever) return kNever;
  double sum = 0;
  for (const double v : row) sum += std::exp(v - top);
  return top + std::log(sum);
}

Index best_of(std::span<const double> row) {
  return std::max_element(row.begin(), row.end()) - row.begin();
}

void BayesRule::for_blocks(Source& x, const Exec& exec,
                           FunctionRef<void(const Chunk&, std::span<double>)> use) const {
  constexpr Index kBlock = 512;  // rows whose scores stay near
  const std::size_t k = log_prior_.size();
  for_rows(x, exec, [&](const Chunk& chunk) {
    std::vector<double> joint(usize(std::min(kBlock, chunk.rows())) * k);
    std::vector<Inner> inside(chunk.inner.size());
    for (Index first = 0; first < chunk.rows(); first += kBlock) {
      const RowRange range{first, std::min(first + kBlock, chunk.rows())};
      for (std::size_t t = 0; t < inside.size(); ++t) inside[t] = chunk.inner[t].slice(range);
      Chunk block = rows_of(chunk, range);
      block.inner = inside;
      const std::span<double> scores = std::span(joint).first(usize(block.rows()) * k);
      joint_(block, scores);
      use(block, scores);
    }
  });
}

void BayesRule::predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const {
  const std::size_t k = log_prior_.size();
  for_blocks(x, exec, [&](const Chunk& chunk, std::span<double> joint) {
    for (std::size_t i = 0; i < usize(chunk.rows()); ++i) {
      const std::span<const double> row = joint.subspan(i * k, k);
      const Index best = best_of(row);
      const bool impossible = row[usize(best)] == kNever;
      labels[usize(chunk.first_row) + i] =
          static_cast<std::int32_t>(impossible ? best_of(log_prior_) : best);
    }
  });
}

void BayesRule::predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const {
  const std::size_t k = log_prior_.size();
  for_blocks(x, exec, [&](const Chunk& chunk, std::span<double> joint) {
    const std::vector<double> scales = scales_of(scales_, chunk);
    const std::size_t rows = usize(chunk.rows());
    for (std::size_t i = 0; i < rows; ++i) {
      const std::span<double> row = joint.subspan(i * k, k);
      if (*std::max_element(row.begin(), row.end()) == kNever) {
        std::copy(log_prior_.begin(), log_prior_.end(), row.begin());
      } else {
        sharpen(row, scales[i]);
      }
    }
    std::vector<double> p(joint.begin(), joint.end());
    exp_all(p);
    for (std::size_t i = 0; i < rows; ++i) {
      double* const log_p = &out[(usize(chunk.first_row) + i) * k];
      const double log_total = std::log(std::accumulate(&p[i * k], &p[i * k] + k, 0.0));
      for (std::size_t c = 0; c < k; ++c) log_p[c] = joint[i * k + c] - log_total;
    }
  });
}

void BayesRule::score_samples(Source& x, std::span<double> out, const Exec& exec) const {
  const std::size_t k = log_prior_.size();
  for_blocks(x, exec, [&](const Chunk& chunk, std::span<double> joint) {
    for (std::size_t i = 0; i < usize(chunk.rows()); ++i) {
      out[usize(chunk.first_row) + i] = log_sum(joint.subspan(i * k, k));
    }
  });
}

void check_joint(const Chunk& chunk, const Source& x, std::span<const double> joint) {
  const auto odd = std::find_if_not(joint.begin(), joint.end(), is_log_p);
  if (odd == joint.end()) return;
  const Index k = ssize(joint) / chunk.rows();
  throw InputError(Code::kNotFinite, x.place_of(chunk.first_row + (odd - joint.begin()) / k),
                   "the values are so large that log-probabilities overflow",
                   "Check the units of the row.");
}

std::int32_t best_class(std::span<const double> joint) {
  if (!std::all_of(joint.begin(), joint.end(), is_log_p)) return -1;
  const Index best = best_of(joint);
  return joint[usize(best)] == kNever ? -1 : static_cast<std::int32_t>(best);
}

bool normalise(std::span<double> joint, double* work) {
  if (best_class(joint) < 0) return false;
  sharpen(joint, 1);
  const std::span<double> p(work, joint.size());
  std::copy(joint.begin(), joint.end(), p.begin());
  exp_all(p);
  const double log_total = std::log(std::accumulate(p.begin(), p.end(), 0.0));
  for (double& v : joint) v -= log_total;
  return true;
}

std::vector<Measure> BayesRule::Score::measures() const {
  return {{"accuracy", accuracy},
          {"mean log p(row, label)", joint, ScoreKind::kLogDensity},
          {"mean log p(label | row)", conditional},
          {"mean log p(row)", marginal, ScoreKind::kLogDensity},
          {"rows impossible under every class", static_cast<double>(impossible)}};
}

BayesRule::Score BayesRule::score(Source& x, const Exec& exec) const {
  Score score = fold(x, Sums(log_prior_, joint_, scales_), exec).sum();
  if (score.weight == 0) {
    throw InputError(
        Code::kBadTarget, {.file = x.name()}, "no row has a label",
        Ref::either("Name the column that has them with --target.", "Give them as y."));
  }
  for (double* sum : {&score.accuracy, &score.joint, &score.conditional, &score.marginal}) {
    *sum /= score.weight;
  }
  return score;
}

}  // namespace craton
