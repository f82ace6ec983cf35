#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "craton/classes/count_bayes.h"
#include "craton/classes/count_estimates.h"
#include "craton/classes/count_likelihoods.h"
#include "craton/classes/sums_by_class.h"
#include "craton/core/columns.h"
#include "craton/core/error.h"

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

// Products of such sums are finite.
constexpr double kMostSum = 1e150;

FeatureSums remembered(std::span<const Parameter> memory, Index classes, Index columns,
                       std::uint64_t hash = 0) {
  const Array& sums =
      get_parameter(memory, "feature_count", std::array<Index, 2>{classes, columns});
  const Array& weight = get_parameter(memory, "class_count", std::array<Index, 1>{classes});
  for (const Array* array : {&sums, &weight}) {
    for (const double v : array->values) {
      if (!(v >= 0 && v <= kMostSum)) fail_parameters("a count that it remembers is not one");
    }
  }
  if (!(std::accumulate(weight.values.begin(), weight.values.end(), 0.0) > 0)) {
    fail_parameters("it remembers rows of no class");
  }
  return FeatureSums::from(sums.values, weight.values, hash);
}

// The rows that a model was fitted on; the hash is in the report, as hexadecimal digits.
template <class M>
FeatureSums remembered(const Fit<M>& so_far) {
  std::uint64_t hash = 0;
  const std::string& digits = so_far.report.data_hash;
  std::from_chars(digits.data(), digits.data() + digits.size(), hash, 16);
  return remembered(so_far.memory.get(), so_far.model.classes(), so_far.model.columns(), hash);
}

// Sums of which squares and products can be taken; else InputError (kNotFinite) names the column.
SeenSums checked(SeenSums sums, const Schema& schema, const std::string& file) {
  for (const SeenSums::OfClass& seen : sums.of_class) {
    if (seen.total <= kWidest) continue;
    const auto largest = std::max_element(seen.sums.begin(), seen.sums.end());
    const Index j = seen.features[usize(largest - seen.sums.begin())];
    throw InputError(Code::kNotFinite, {.file = file, .column = schema.name(j)},
                     fmt::format("the values sum to {:g} in a class, and products of such sums "
                                 "overflow",
                                 *largest),
                     "Divide the columns, or the weights, by a power of ten.");
  }
  return sums;
}

template <CountModel kModel>
Array table_of(const SeenSums& sums, const Alphas& alphas, bool norm) {
  if constexpr (kModel == CountModel::kMultinomial) return multinomial_estimate(sums, alphas.there);
  if constexpr (kModel == CountModel::kBernoulli) return bernoulli_estimate(sums, alphas);
  return complement_weights(sums, alphas.there, norm);
}

template <CountModel kModel>
FeatureSums sums_of(Source& x, Index classes, const CountOptions& options, const Exec& exec) {
  return sum_features(x, classes, summand_of<kModel>(options.binarize), exec);
}

// What the rows of the fit score for their own classes.
template <CountModel kModel>
double mean_score(const CountBayes<kModel>& model, const SeenSums& sums, const Alphas& alphas,
                  bool norm, const Exec& exec) {
  double weight = 0, prior = 0;
  for (std::size_t c = 0; c < sums.weight.size(); ++c) {
    weight += sums.weight[c];
    if (sums.weight[c] > 0) prior += sums.weight[c] * model.class_log_prior()[c];
  }
  if constexpr (kModel == CountModel::kMultinomial) {
    return (prior + multinomial_log_likelihood(sums, alphas.there, exec)) / weight;
  } else if constexpr (kModel == CountModel::kBernoulli) {
    return (prior + bernoulli_log_likelihood(sums, alphas, exec)) / weight;
  } else {
    prior = model.classes() == 1 ? prior : 0;
    const bool simple = !norm && alphas.there.least() > 0;
    if (simple) return (prior + complement_score(sums, alphas.there, exec)) / weight;
    double score = 0;  // by the table, which has an answer or refuses
    for (Index c = 0; c < model.classes(); ++c) {
      const SeenSums::OfClass& seen = sums.of_class[usize(c)];
      const double* const w = model.feature_log_prob().view().row(c);
      for (std::size_t i = 0; i < seen.sums.size(); ++i)
        score += seen.sums[i] * w[seen.features[i]];
    }
    return (prior + score) / weight;
  }
}

}  // namespace

template <CountModel kModel>
Fit<CountBayes<kModel>> CountBayes<kModel>::estimate(SeenSums seen, const Options& options,
                                                     std::vector<Note> notes, const Exec& exec) {
  const auto sums = std::make_shared<const SeenSums>(std::move(seen));
  const auto alphas =
      std::make_shared<const Alphas>(alphas_of<kModel>(options.smoothing, sums->columns));
  const Array log_prior{{sums->classes()}, log_class_prior(options.prior, sums->weight)};
  auto table = Lazy<Array>::made_by(
      [=, norm = options.norm] { return table_of<kModel>(*sums, *alphas, norm); });
  CountBayes model(log_prior, std::move(table), sums->columns, options.binarize);
  if constexpr (kModel == CountModel::kMultinomial) model.mean_length_ = mean_lengths(*sums);
  FitReport report;
  report.converged = true;
  report.objective = mean_score(model, *sums, *alphas, options.norm, exec);
  report.trace = {report.objective};
  report.notes = std::move(notes);
  report.data_hash = hash_text(sums->hash);
  auto memory = Lazy<std::vector<Parameter>>::made_by([sums] {
    return std::vector<Parameter>{
        {"feature_count",
         "sums of the features over the rows of each class",
         {{sums->classes(), sums->columns}, sums->values()}},
        {"class_count", "weight of the rows of each class", {{sums->classes()}, sums->weight}}};
  });
  return {std::move(model), std::move(report), std::move(memory)};
}

template <CountModel kModel>
Fit<CountBayes<kModel>> CountBayes<kModel>::fit(Source& x, const Options& options,
                                                const Exec& exec) {
  check(options);
  const Index classes = count_classes(x);
  const bool calibrated = options.calibrate == Calibrate::kLeaveOneOut;
  std::vector<Note> notes;
  if (!calibrated) {
    if (auto seen = sums_by_class(x, classes, summand_of<kModel>(options.binarize), exec)) {
      check_classes(x, seen->weight, 0, notes);
      return estimate(checked(std::move(*seen), x.schema(), x.name()), options, std::move(notes),
                      exec);
    }
  }
  FeatureSums sums = sums_of<kModel>(x, classes, options, exec);
  check_classes(x, sums.weight(), sums.unlabelled(), notes);
  const bool em = kModel != CountModel::kComplement && sums.unlabelled() > 0 &&
                  options.semi.unlabelled == Unlabelled::kEm;
  Fit<CountBayes> fit =
      estimate(checked(sums.seen(exec), x.schema(), x.name()), options, std::move(notes), exec);
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
  const FeatureSums more = sums_of<kModel>(x, k, options, exec);
  check_more_weight(x, more.weight());
  sums.add(more, 1);
  return estimate(checked(sums.seen(exec), x.schema(), x.name()), options, so_far.report.notes,
                  exec);
}

template <CountModel kModel>
Fit<CountBayes<kModel>> CountBayes<kModel>::unlearn(const Fit<CountBayes>& so_far, Source& x,
                                                    const Options& options, const Exec& exec) {
  check_learns_on(options);
  const Index k = so_far.model.classes();
  FeatureSums sums = remembered(so_far);
  sums.add(sums_of<kModel>(x, k, options, exec), -1);
  sums.check_subtracted(x);
  return estimate(sums.seen(exec), options, so_far.report.notes, exec);
}

template <CountModel kModel>
Fit<CountBayes<kModel>> CountBayes<kModel>::merge(const Fit<CountBayes>& a,
                                                  const Fit<CountBayes>& b,
                                                  const Options& options) {
  check_learns_on(options);
  FeatureSums sums = remembered(a);
  sums.add(remembered(b), 1);
  const Exec here{.threads = 1};
  return estimate(checked(sums.seen(here), numbered_schema(a.model.columns()), ""), options,
                  a.report.notes, here);
}

template <CountModel kModel>
void CountBayes<kModel>::check_memory(std::span<const Parameter> memory) const {
  remembered(memory, classes(), columns());
  if constexpr (kModel == CountModel::kBernoulli) {  // counts are of rows
    const Array& sums = get_parameter(memory, "feature_count", std::array{classes(), columns()});
    const Array& weight = get_parameter(memory, "class_count", std::array{classes()});
    for (std::size_t i = 0; i < sums.values.size(); ++i) {
      const double rows = weight.values[i / usize(columns())];
      if (sums.values[i] > rows * (1 + 1e-9)) fail_parameters("it remembers more than its rows");
    }
  }
}

template Fit<MultinomialNB> MultinomialNB::estimate(SeenSums, const Options&, std::vector<Note>,
                                                    const Exec&);
template Fit<MultinomialNB> MultinomialNB::fit(Source&, const Options&, const Exec&);
template Fit<MultinomialNB> MultinomialNB::partial_fit(const Fit<MultinomialNB>&, Source&,
                                                       const Options&, const Exec&);
template Fit<MultinomialNB> MultinomialNB::unlearn(const Fit<MultinomialNB>&, Source&,
                                                   const Options&, const Exec&);
template Fit<MultinomialNB> MultinomialNB::merge(const Fit<MultinomialNB>&,
                                                 const Fit<MultinomialNB>&, const Options&);
template void MultinomialNB::check_memory(std::span<const Parameter>) const;
template Fit<BernoulliNB> BernoulliNB::estimate(SeenSums, const Options&, std::vector<Note>,
                                                const Exec&);
template Fit<BernoulliNB> BernoulliNB::fit(Source&, const Options&, const Exec&);
template Fit<BernoulliNB> BernoulliNB::partial_fit(const Fit<BernoulliNB>&, Source&, const Options&,
                                                   const Exec&);
template Fit<BernoulliNB> BernoulliNB::unlearn(const Fit<BernoulliNB>&, Source&, const Options&,
                                               const Exec&);
template Fit<BernoulliNB> BernoulliNB::merge(const Fit<BernoulliNB>&, const Fit<BernoulliNB>&,
                                             const Options&);
template void BernoulliNB::check_memory(std::span<const Parameter>) const;
template Fit<ComplementNB> ComplementNB::estimate(SeenSums, const Options&, std::vector<Note>,
                                                  const Exec&);
template Fit<ComplementNB> ComplementNB::fit(Source&, const Options&, const Exec&);
template Fit<ComplementNB> ComplementNB::partial_fit(const Fit<ComplementNB>&, Source&,
                                                     const Options&, const Exec&);
template Fit<ComplementNB> ComplementNB::unlearn(const Fit<ComplementNB>&, Source&, const Options&,
                                                 const Exec&);
template Fit<ComplementNB> ComplementNB::merge(const Fit<ComplementNB>&, const Fit<ComplementNB>&,
                                               const Options&);
template void ComplementNB::check_memory(std::span<const Parameter>) const;

}  // namespace craton
