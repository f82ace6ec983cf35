#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "craton/classes/count_bayes.h"
#include "craton/classes/count_estimates.h"
#include "craton/core/error.h"
#include "craton/kernels/linear_scores.h"

// From the rows of each class to a model, at once or bit by bit.

namespace craton {
namespace {

template <CountModel kModel>
Summand summand_of(double threshold) {
  if constexpr (kModel == CountModel::kBernoulli) return {.binary = true, .threshold = threshold};
  return {};
}

template <class Options>
void check(Options options) {
  check_options([&](OptionVisitor& v) { describe(v, options); });
}

// What looks at every row again cannot go on from sums.
template <class Options>
void check_learns_on(const Options& options) {
  check(options);
  craton::check_learns_on(options.semi, options.calibrate);
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
Fit<CountBayes<kModel>> CountBayes<kModel>::estimate(FeatureSums sums, const Options& options,
                                                     std::vector<Note> notes) {
  const Alphas alphas = alphas_of<kModel>(options.smoothing, sums.columns());
  Array log_prior{{sums.classes()}, log_class_prior(options.prior, sums.weight())};
  Array table = kModel == CountModel::kMultinomial ? multinomial_estimate(sums, alphas.there)
                : kModel == CountModel::kBernoulli
                    ? bernoulli_estimate(sums, alphas)
                    : complement_weights(sums, alphas.there, options.norm);
  // The mean of log p(x, c) over the rows is linear in what was summed; of counts the weights are
  // the table, which lies in the same order.
  double objective = 0, weight = 0;
  const std::size_t k = usize(sums.classes()), d = usize(sums.columns());
  const std::size_t stride = usize(padded_classes(sums.classes()));
  const auto add_sums = [&](std::size_t c, const double* w, std::size_t step) {
    const double* const of_class = &sums.sums()[c * d];
    for (std::size_t j = 0; j < d; ++j) {
      if (of_class[j] != 0) objective += of_class[j] * w[j * step];
    }
  };
  for (std::size_t c = 0; c < k && kModel != CountModel::kBernoulli; ++c) {
    add_sums(c, &table.values[c * d], 1);
  }
  CountBayes model(std::move(log_prior), std::move(table), options.binarize);
  if constexpr (kModel == CountModel::kMultinomial) model.mean_length_ = mean_lengths(sums);
  for (std::size_t c = 0; c < k; ++c) {
    weight += sums.weight()[c];
    if (sums.weight()[c] == 0) continue;
    objective += sums.weight()[c] * model.intercepts()[c];
    if (kModel == CountModel::kBernoulli) add_sums(c, &model.weights()[c], stride);
  }
  FitReport report;
  report.converged = true;
  report.objective = objective / weight;
  report.trace = {report.objective};
  report.notes = std::move(notes);
  report.data_hash = hash_text(sums.hash());
  std::vector<Parameter> memory(2);  // the table is large: it moves
  memory[0] = {"feature_count",
               "sums of the features over the rows of each class",
               {{sums.classes(), sums.columns()}, sums.take_sums()}};
  memory[1] = {
      "class_count", "weight of the rows of each class", {{sums.classes()}, sums.weight()}};
  return {std::move(model), std::move(report), std::move(memory)};
}

template <CountModel kModel>
Fit<CountBayes<kModel>> CountBayes<kModel>::fit(Source& x, const Options& options,
                                                const Exec& exec) {
  check(options);
  FeatureSums sums = sums_of<kModel>(x, count_classes(x), options, exec);
  std::vector<Note> notes;
  check_classes(x, sums.weight(), sums.unlabelled(), notes);
  const bool em = kModel != CountModel::kComplement && sums.unlabelled() > 0 &&
                  options.semi.unlabelled == Unlabelled::kEm;
  const bool calibrated = options.calibrate == Calibrate::kLeaveOneOut;
  Fit<CountBayes> fit =
      estimate(em || calibrated ? FeatureSums(sums) : std::move(sums), options, std::move(notes));
  if constexpr (kModel != CountModel::kComplement) {
    if (em) learn_unlabelled(x, sums, options, exec, fit);
  }
  if (calibrated) calibrate(x, sums, options, exec, fit);
  return fit;
}

template <CountModel kModel>
Fit<CountBayes<kModel>> CountBayes<kModel>::partial_fit(const Fit<CountBayes>& so_far, Source& x,
                                                        const Options& options, const Exec& exec) {
  check_learns_on(options);
  const Index k = so_far.model.classes();
  FeatureSums sums = remembered(so_far);
  sums.add(sums_of<kModel>(x, k, options, exec), 1);
  return estimate(std::move(sums), options, so_far.report.notes);
}

template <CountModel kModel>
Fit<CountBayes<kModel>> CountBayes<kModel>::unlearn(const Fit<CountBayes>& so_far, Source& x,
                                                    const Options& options, const Exec& exec) {
  check_learns_on(options);
  const Index k = so_far.model.classes();
  FeatureSums sums = remembered(so_far);
  sums.add(sums_of<kModel>(x, k, options, exec), -1);
  sums.check_subtracted(x);
  return estimate(std::move(sums), options, so_far.report.notes);
}

template <CountModel kModel>
Fit<CountBayes<kModel>> CountBayes<kModel>::merge(const Fit<CountBayes>& a,
                                                  const Fit<CountBayes>& b,
                                                  const Options& options) {
  check_learns_on(options);
  FeatureSums sums = remembered(a);
  sums.add(remembered(b), 1);
  return estimate(std::move(sums), options, a.report.notes);
}

template <CountModel kModel>
void CountBayes<kModel>::check_memory(std::span<const Parameter> memory) const {
  remembered(memory, classes(), columns());
}

template Fit<MultinomialNB> MultinomialNB::estimate(FeatureSums, const Options&, std::vector<Note>);
template Fit<MultinomialNB> MultinomialNB::fit(Source&, const Options&, const Exec&);
template Fit<MultinomialNB> MultinomialNB::partial_fit(const Fit<MultinomialNB>&, Source&,
                                                       const Options&, const Exec&);
template Fit<MultinomialNB> MultinomialNB::unlearn(const Fit<MultinomialNB>&, Source&,
                                                   const Options&, const Exec&);
template Fit<MultinomialNB> MultinomialNB::merge(const Fit<MultinomialNB>&,
                                                 const Fit<MultinomialNB>&, const Options&);
template void MultinomialNB::check_memory(std::span<const Parameter>) const;
template Fit<BernoulliNB> BernoulliNB::estimate(FeatureSums, const Options&, std::vector<Note>);
template Fit<BernoulliNB> BernoulliNB::fit(Source&, const Options&, const Exec&);
template Fit<BernoulliNB> BernoulliNB::partial_fit(const Fit<BernoulliNB>&, Source&, const Options&,
                                                   const Exec&);
template Fit<BernoulliNB> BernoulliNB::unlearn(const Fit<BernoulliNB>&, Source&, const Options&,
                                               const Exec&);
template Fit<BernoulliNB> BernoulliNB::merge(const Fit<BernoulliNB>&, const Fit<BernoulliNB>&,
                                             const Options&);
template void BernoulliNB::check_memory(std::span<const Parameter>) const;
template Fit<ComplementNB> ComplementNB::estimate(FeatureSums, const Options&, std::vector<Note>);
template Fit<ComplementNB> ComplementNB::fit(Source&, const Options&, const Exec&);
template Fit<ComplementNB> ComplementNB::partial_fit(const Fit<ComplementNB>&, Source&,
                                                     const Options&, const Exec&);
template Fit<ComplementNB> ComplementNB::unlearn(const Fit<ComplementNB>&, Source&, const Options&,
                                                 const Exec&);
template Fit<ComplementNB> ComplementNB::merge(const Fit<ComplementNB>&, const Fit<ComplementNB>&,
                                               const Options&);
template void ComplementNB::check_memory(std::span<const Parameter>) const;

}  // namespace craton
