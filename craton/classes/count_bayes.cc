#include "craton/classes/count_bayes.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "craton/classes/count_estimates.h"
#include "craton/core/columns.h"
#include "craton/core/error.h"
#include "craton/kernels/linear_scores.h"

namespace craton {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// Calls f(values, columns, count) with the entries of each row that are not 0; of Bernoulli with
// 1 for each value above the threshold.
class Entries {
 public:
  template <class T, class F>
  static void visit(const Sparse<T>& x, Index row, const F& f) {
    const Index first = x.offsets[row];
    f(x.values + first, x.columns + first, x.offsets[row + 1] - first);
  }
  template <class T, class F>
  void visit(const Dense<T>& x, Index row, const F& f) {
    values_.clear();
    columns_.clear();
    for (Index j = 0; j < x.cols; ++j) {
      const double value = static_cast<double>(x.row(row)[j]);
      if (value != 0) add(value, static_cast<std::int32_t>(j));
    }
    f(values_.data(), columns_.data(), ssize(values_));
  }
  template <class T, class F>
  void visit_above(const Sparse<T>& x, Index row, double threshold, const F& f) {
    if (threshold < 0) fail_threshold();
    values_.clear();
    columns_.clear();
    for (Index e = x.offsets[row]; e < x.offsets[row + 1]; ++e) {
      if (static_cast<double>(x.values[e]) > threshold) add(1, x.columns[e]);
    }
    f(values_.data(), columns_.data(), ssize(values_));
  }
  template <class T, class F>
  void visit_above(const Dense<T>& x, Index row, double threshold, const F& f) {
    values_.clear();
    columns_.clear();
    for (Index j = 0; j < x.cols; ++j) {
      if (static_cast<double>(x.row(row)[j]) > threshold) add(1, static_cast<std::int32_t>(j));
    }
    f(values_.data(), columns_.data(), ssize(values_));
  }

 private:
  void add(double value, std::int32_t column) {
    values_.push_back(value);
    columns_.push_back(column);
  }
  std::vector<double> values_;
  std::vector<std::int32_t> columns_;
};

template <CountModel kModel>
Summand summand_of(double threshold) {
  if constexpr (kModel == CountModel::kBernoulli) return {.binary = true, .threshold = threshold};
  return {};
}

}  // namespace

template <CountModel kModel>
CountBayes<kModel>::CountBayes(Array class_log_prior, Array feature_log_prob, double threshold)
    : class_log_prior_(std::move(class_log_prior)),
      feature_log_prob_(std::move(feature_log_prob)),
      threshold_(threshold) {
  prepare();
}

template <CountModel kModel>
void CountBayes<kModel>::prepare() {
  const std::size_t k = usize(classes()), d = usize(columns()),
                    stride = usize(padded_classes(classes()));
  weights_.assign(d * stride, 0);
  intercepts_.assign(stride, 0);
  must_.assign(stride, 0);
  const bool one_class = k == 1;
  const bool prior = kModel != CountModel::kComplement || one_class;
  const bool impossible =
      std::find(feature_log_prob_.values.begin(), feature_log_prob_.values.end(), kNever) !=
          feature_log_prob_.values.end() ||
      (kModel == CountModel::kBernoulli &&
       std::find(feature_log_prob_.values.begin(), feature_log_prob_.values.end(), 0.0) !=
           feature_log_prob_.values.end());
  never_.assign(impossible ? d * stride : 0, 0);
  for (std::size_t c = 0; c < k; ++c) {
    intercepts_[c] = prior ? class_log_prior_.values[c] : 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double log_p = feature_log_prob_.values[c * d + j];
      double weight = log_p;
      if constexpr (kModel == CountModel::kBernoulli) {
        const double log_q = log_p == 0 ? kNever : std::log1p(-std::exp(log_p));
        if (log_q == kNever) {  // it must be there
          weight = 0;
          never_[j * stride + c] = -1;
          must_[c] += 1;
        } else {
          intercepts_[c] += log_q;
          weight = log_p - log_q;
        }
      }
      if (log_p == kNever) {
        weight = 0;
        never_[j * stride + c] = 1;
      }
      weights_[j * stride + c] = weight;
    }
  }
}

template <CountModel kModel>
void CountBayes<kModel>::joint(const Chunk& chunk, std::span<double> out) const {
  const std::size_t k = usize(classes());
  const Index stride = padded_classes(classes());
  std::vector<double> scores(usize(stride)), events(usize(stride));
  Entries entries;
  std::visit(
      [&](const auto& x) {
        for (Index i = 0; i < x.rows; ++i) {
          std::copy(intercepts_.begin(), intercepts_.end(), scores.begin());
          std::copy(must_.begin(), must_.end(), events.begin());
          const auto add = [&](const auto* values, const std::int32_t* columns, Index count) {
            add_scores(values, columns, count, weights_.data(), stride, scores.data());
            if (!never_.empty()) {
              add_scores(values, columns, count, never_.data(), stride, events.data());
            }
          };
          if constexpr (kModel == CountModel::kBernoulli) {
            entries.visit_above(x, i, threshold_, add);
          } else {
            entries.visit(x, i, add);
          }
          double* const row = &out[usize(i) * k];
          std::copy_n(scores.begin(), k, row);
          for (std::size_t c = 0; c < k && !never_.empty(); ++c) {
            if (events[c] > 0) row[c] = kNever;
          }
        }
      },
      chunk.x);
}

template <CountModel kModel>
Fit<CountBayes<kModel>> CountBayes<kModel>::estimate(const FeatureSums& sums,
                                                     const Options& options,
                                                     std::vector<Note> notes) {
  const std::vector<double> alpha =
      feature_alphas(options.alpha, options.feature_alpha, sums.columns());
  Array log_prior{{sums.classes()}, log_class_prior(options.prior, sums.weight())};
  Array table = kModel == CountModel::kMultinomial ? multinomial_estimate(sums, alpha)
                : kModel == CountModel::kBernoulli ? bernoulli_estimate(sums, alpha)
                                                   : complement_weights(sums, alpha, options.norm);
  CountBayes model(std::move(log_prior), std::move(table), options.binarize);
  // The mean of log p(x, c) over the rows is linear in what was summed.
  double objective = 0, weight = 0;
  const std::size_t k = usize(sums.classes()), d = usize(sums.columns());
  const std::size_t stride = usize(padded_classes(sums.classes()));
  for (std::size_t c = 0; c < k; ++c) {
    weight += sums.weight()[c];
    if (sums.weight()[c] == 0) continue;
    objective += sums.weight()[c] * model.intercepts_[c];
    for (std::size_t j = 0; j < d; ++j) {
      objective += sums.sums()[c * d + j] * model.weights_[j * stride + c];
    }
  }
  FitReport report;
  report.converged = true;
  report.objective = objective / weight;
  report.trace = {report.objective};
  report.notes = std::move(notes);
  report.data_hash = fmt::format("{:016x}", sums.hash());
  return {std::move(model),
          std::move(report),
          {{"feature_count",
            "sums of the features over the rows of each class",
            {{sums.classes(), sums.columns()}, sums.sums()}},
           {"class_count", "weight of the rows of each class", {{sums.classes()}, sums.weight()}}}};
}

namespace {

template <class Options>
void check(Options options) {
  check_options([&](OptionVisitor& v) { describe(v, options); });
}

FeatureSums remembered(std::span<const Parameter> memory, Index classes, Index columns,
                       std::uint64_t hash = 0) {
  const Array& sums =
      get_parameter(memory, "feature_count", std::array<Index, 2>{classes, columns});
  const Array& weight = get_parameter(memory, "class_count", std::array<Index, 1>{classes});
  for (const Array* array : {&sums, &weight}) {
    for (const double v : array->values) {
      if (!(v >= 0 && std::isfinite(v))) fail_parameters("a count that it remembers is not one");
    }
  }
  return FeatureSums::from(sums.values, weight.values, hash);
}

// The rows that a model was fitted on; the hash is in the report, as hexadecimal digits.
template <class M>
FeatureSums remembered(const Fit<M>& so_far) {
  std::uint64_t hash = 0;
  const std::string& digits = so_far.report.data_hash;
  std::from_chars(digits.data(), digits.data() + digits.size(), hash, 16);
  return remembered(so_far.memory, so_far.model.classes(), so_far.model.columns(), hash);
}

template <CountModel kModel>
FeatureSums sums_of(Source& x, Index classes, const CountOptions& options, const Exec& exec) {
  return sum_features(x, classes, summand_of<kModel>(options.binarize), exec);
}

}  // namespace

template <CountModel kModel>
Fit<CountBayes<kModel>> CountBayes<kModel>::fit(Source& x, const Options& options,
                                                const Exec& exec) {
  check(options);
  const FeatureSums sums = sums_of<kModel>(x, count_classes(x), options, exec);
  std::vector<Note> notes;
  check_classes(x, sums.weight(), sums.unlabelled(), notes);
  return estimate(sums, options, std::move(notes));
}

template <CountModel kModel>
Fit<CountBayes<kModel>> CountBayes<kModel>::partial_fit(const Fit<CountBayes>& so_far, Source& x,
                                                        const Options& options, const Exec& exec) {
  check(options);
  const Index k = so_far.model.classes();
  FeatureSums sums = remembered(so_far);
  sums.add(sums_of<kModel>(x, k, options, exec), 1);
  return estimate(sums, options, so_far.report.notes);
}

template <CountModel kModel>
Fit<CountBayes<kModel>> CountBayes<kModel>::unlearn(const Fit<CountBayes>& so_far, Source& x,
                                                    const Options& options, const Exec& exec) {
  check(options);
  const Index k = so_far.model.classes();
  FeatureSums sums = remembered(so_far);
  sums.add(sums_of<kModel>(x, k, options, exec), -1);
  sums.check_subtracted(x);
  return estimate(sums, options, so_far.report.notes);
}

template <CountModel kModel>
Fit<CountBayes<kModel>> CountBayes<kModel>::merge(const Fit<CountBayes>& a,
                                                  const Fit<CountBayes>& b,
                                                  const Options& options) {
  FeatureSums sums = remembered(a);
  sums.add(remembered(b), 1);
  return estimate(sums, options, a.report.notes);
}

template <CountModel kModel>
template <class F>
auto CountBayes<kModel>::with_rule(Source& x, const F& f) const {
  check_columns(x, columns());
  const auto scores = [&](const Chunk& chunk, std::span<double> out) {
    check_finite(chunk, x);
    joint(chunk, out);
  };
  return f(BayesRule(class_log_prior_.values, scores));
}

template <CountModel kModel>
void CountBayes<kModel>::predict(Source& x, std::span<std::int32_t> labels,
                                 const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict(x, labels, exec); });
}

template <CountModel kModel>
void CountBayes<kModel>::predict_log_proba(Source& x, std::span<double> out,
                                           const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict_log_proba(x, out, exec); });
}

template <CountModel kModel>
BayesRule::Score CountBayes<kModel>::measure(Source& x, const Exec& exec) const {
  return with_rule(x, [&](const BayesRule& rule) { return rule.score(x, exec); });
}

template <CountModel kModel>
double CountBayes<kModel>::score(Source& x, const Exec& exec) const {
  return measure(x, exec).accuracy;
}

template <CountModel kModel>
std::vector<Measure> CountBayes<kModel>::measures(Source& x, const Exec& exec) const {
  std::vector<Measure> all = measure(x, exec).measures();
  if (kModel == CountModel::kComplement) all.resize(1);  // its scores are no probabilities
  return all;
}

template <CountModel kModel>
Index CountBayes<kModel>::free_parameters(const Options& options) const {
  const Index d = columns() - (kModel == CountModel::kMultinomial ? 1 : 0);
  const bool prior = options.prior.fit_prior && options.prior.class_prior.empty();
  return classes() * d + (prior ? classes() - 1 : 0);
}

template <CountModel kModel>
std::vector<Parameter> CountBayes<kModel>::parameters() const {
  std::vector<Parameter> result{
      {"class_log_prior", "log probability of each class", class_log_prior_},
      {"feature_log_prob",
       kModel == CountModel::kComplement ? "weight of each feature for each class"
                                         : "log probability of each feature in each class",
       feature_log_prob_}};
  if constexpr (kModel == CountModel::kBernoulli) {
    result.push_back({"threshold", "values above it count as 1", {{1}, {threshold_}}});
  }
  return result;
}

template <CountModel kModel>
CountBayes<kModel> CountBayes<kModel>::from_parameters(std::span<const Parameter> parameters) {
  const Array& prior = get_parameter(parameters, "class_log_prior", std::array<Index, 1>{-1});
  const Array& table =
      get_parameter(parameters, "feature_log_prob", std::array<Index, 2>{prior.rows(), -1});
  check_log_prior(prior.values);
  if (table.empty()) fail_parameters("there are no features");
  for (const double v : table.values) {
    const bool fine = kModel == CountModel::kComplement ? std::isfinite(v) : v <= 0;
    if (!fine) fail_parameters("a log probability of a feature is not one");
  }
  double threshold = 0;
  if constexpr (kModel == CountModel::kBernoulli) {
    threshold = get_parameter(parameters, "threshold", std::array<Index, 1>{1}).values[0];
    if (!std::isfinite(threshold)) fail_parameters("the threshold is not finite");
  }
  return CountBayes(prior, table, threshold);
}

template <CountModel kModel>
void CountBayes<kModel>::check_memory(std::span<const Parameter> memory) const {
  remembered(memory, classes(), columns());
}

template class CountBayes<CountModel::kMultinomial>;
template class CountBayes<CountModel::kBernoulli>;
template class CountBayes<CountModel::kComplement>;

}  // namespace craton
