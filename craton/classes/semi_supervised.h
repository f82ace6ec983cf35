#pragma once
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "craton/classes/bayes_rule.h"
#include "craton/classes/calibration.h"
#include "craton/core/fold.h"
#include "craton/core/options.h"

// Rows without a label join by EM: each belongs to every class, by p(c | x) of the model so far.
// What climbs is the mean, by weight, of log p(x, c) of rows with a label and of log p(x) of those
// without, whose weights may count for less, plus the log-density of the estimates' own prior.
// Nigam, McCallum, Thrun, Mitchell, "Text classification from labeled and unlabeled documents using
// EM", Machine Learning 39, 2000.

namespace craton {

enum class Unlabelled { kSkip, kEm };

struct SemiSupervised {
  Unlabelled unlabelled = Unlabelled::kSkip;
  double unlabelled_weight = 1;  // of a row without a label, beside 1 with one
  Index max_iter = 100;
  double tol = 1e-3;
};
void describe(OptionVisitor& v, SemiSupervised& options);

// Sums over rows do not tell what EM, or calibration, asks of every row: InputError (kNotAble) for
// a model with these options that is to learn on, unlearn or merge.
void check_learns_on(const SemiSupervised& options, Calibrate calibrate);

// InputError (kOutsideSupport): what no class can have belongs to none.
[[noreturn]] void fail_impossible(Index row);

// The E-step, over statistics S of labelled rows. M has joint(chunk, out) and classes(); S is an
// accumulator with share(chunk, weights): of each row, one for each class. Borrows the model.
template <class M, class S>
class SharedRows {
 public:
  // `log_prior`: the log-density of the model's parameters, where the estimates have a prior.
  SharedRows(const M& model, S empty, double unlabelled_weight, double log_prior)
      : model_(&model), sums_(std::move(empty)), share_(unlabelled_weight), log_prior_(log_prior) {}

  const S& sums() const { return sums_; }
  double objective() const { return (log_p_ + log_prior_) / weight_; }

  void accumulate(const Chunk& chunk) {
    const std::size_t k = usize(model_->classes());
    std::vector<double> joint(usize(chunk.rows()) * k), weights(joint.size());
    model_->joint(chunk, joint);
    for (Index i = 0; i < chunk.rows(); ++i) {
      const std::span<const double> row(&joint[usize(i) * k], k);
      const std::int32_t label = chunk.labels.empty() ? -1 : chunk.labels[usize(i)];
      const double w = chunk.weight(i) * (label < 0 ? share_ : 1);
      if (w == 0) continue;
      const double log_p = label < 0 ? log_sum(row) : row[usize(label)];
      if (log_p == -INFINITY) fail_impossible(chunk.first_row + i);
      log_p_ += w * log_p;
      weight_ += w;
      double* const of_row = &weights[usize(i) * k];
      if (label >= 0) of_row[label] = w;
      for (std::size_t c = 0; c < k && label < 0; ++c) of_row[c] = w * std::exp(row[c] - log_p);
    }
    sums_.share(chunk, weights);
  }
  void merge(const SharedRows& next) {
    sums_.merge(next.sums_);
    log_p_ += next.log_p_;
    weight_ += next.weight_;
  }
  void write(Writer& writer) const {
    sums_.write(writer);
    writer.put(log_p_);
    writer.put(weight_);
  }
  void read(Reader& reader) {
    sums_.read(reader);
    reader.get(log_p_);
    reader.get(weight_);
  }
  Index words() const { return sums_.words() + 2; }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  const M* model_;
  S sums_;
  double share_, log_prior_, log_p_ = 0, weight_ = 0;
};

}  // namespace craton
