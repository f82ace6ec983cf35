#include "craton/classes/counts/count_bayes.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "craton/base/digits.h"
#include "craton/base/distributions.h"
#include "craton/base/error.h"
#include "craton/classes/counts/count_entries.h"
#include "craton/classes/counts/count_estimates.h"
#include "craton/classes/counts/count_leave_one_out.h"
#include "craton/classes/counts/count_likelihoods.h"
#include "craton/classes/counts/sums_by_class.h"
#include "craton/classes/distinctive_cells.h"
#include "craton/engine/em.h"
#include "craton/kernels/linear_scores.h"
#include "craton/kernels/special.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

template <CountModel kModel>
CountScores scores_of(const Array& log_prior, const Array& table, double threshold) {
  if constexpr (kModel == CountModel::kBernoulli) {
    return CountScores::of_presence(log_prior.values, table, threshold);
  }
  const bool prior = kModel != CountModel::kComplement || log_prior.rows() == 1;
  const std::vector<double> none(log_prior.values.size());
  return CountScores::of_counts(prior ? log_prior.values : none, table);
}

}  // namespace

template <CountModel kModel>
CountBayes<kModel>::CountBayes(const Array& class_log_prior, const Lazy<Array>& feature_log_prob,
                               Index columns, double threshold)
    : class_log_prior_(class_log_prior),
      feature_log_prob_(feature_log_prob),
      scores_(Lazy<CountScores>::made_by(
          [=] { return scores_of<kModel>(class_log_prior, feature_log_prob.get(), threshold); })),
      columns_(columns),
      threshold_(threshold) {}

template <CountModel kModel>
template <class F>
auto CountBayes<kModel>::with_rule(Source& x, const F& f) const {
  check_columns(x, columns());
  const auto scores = [&](const Chunk& chunk, std::span<double> out) {
    check_finite(chunk, x);
    joint(chunk, out);
    check_joint(chunk, x, out);
  };
  if (!calibration_) return f(BayesRule(class_log_prior_.values, scores));
  const auto scales = [&](const Chunk& chunk, std::span<double> out) {
    find_lengths(chunk, out);
    for (double& v : out) v = calibration_->calibration.of(v);
  };
  return f(BayesRule(class_log_prior_.values, scores, Scales(scales)));
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
std::int32_t CountBayes<kModel>::predict_row(const double* row, double* work) const {
  const std::span<double> joint(work, usize(classes()));
  return scores_.get().find_row(row, work + classes(), joint) ? best_class(joint) : -1;
}

// What is calibrated depends on the length of the row too: not here.
template <CountModel kModel>
bool CountBayes<kModel>::predict_log_proba_row(const double* row, double* work, double* out) const {
  const std::span<double> joint(out, usize(classes()));
  return !calibration_ && scores_.get().find_row(row, work, joint) && normalise(joint, work);
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
       feature_log_prob()}};
  if constexpr (kModel == CountModel::kBernoulli) {
    result.push_back({"threshold", "values above it count as 1", {{1}, {threshold_}}});
  }
  if constexpr (kModel == CountModel::kMultinomial) {
    result.push_back({"mean_length", "mean sum of the rows of each class", mean_length_});
  }
  if (calibration_) append_calibration(*calibration_, result);
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
    // The logarithm of the least double is -745: beyond that scores might overflow.
    const bool sound = std::abs(v) < 1e4 || (kModel != CountModel::kComplement && v == -INFINITY);
    // That of a feature which has all counts may be above 0 by rounding.
    const double most = kModel == CountModel::kMultinomial ? 1e-9 : 0;
    const bool fine = sound && (kModel == CountModel::kComplement || v <= most);
    if (!fine) fail_parameters("a log probability of a feature is not one");
  }
  double threshold = 0;
  if constexpr (kModel == CountModel::kBernoulli) {
    threshold = get_parameter(parameters, "threshold", std::array<Index, 1>{1}).values[0];
    if (!std::isfinite(threshold)) fail_parameters("the threshold is not finite");
  }
  CountBayes model(prior, Lazy(table), table.cols(), threshold);
  if constexpr (kModel == CountModel::kMultinomial) {
    constexpr double kMost = 9007199254740992;  // 2^53: counts beyond are no integers
    model.mean_length_ =
        get_parameter(parameters, "mean_length", std::array<Index, 1>{prior.rows()});
    for (const double v : model.mean_length_.values) {
      if (!(v >= 0 && v <= kMost)) fail_parameters("the mean length of a row is none");
    }
  }
  model.calibration_ = read_calibration(parameters);
  return model;
}

template class CountBayes<CountModel::kMultinomial>;
template class CountBayes<CountModel::kBernoulli>;
template class CountBayes<CountModel::kComplement>;

// From the rows of each class to a model, at once or bit by bit.

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

// Rows without a label (latent_class.h).

namespace {

// alpha is the prior density prod p^alpha of the estimates, up to a constant.
template <CountModel kModel>
double log_prior_density(const Array& table, const Alphas& alphas) {
  double sum = 0;
  for (Index c = 0; c < table.rows(); ++c) {
    for (Index j = 0; j < table.cols(); ++j) {
      const double log_p = table.view().row(c)[j];
      sum += alphas.there[usize(j)] * log_p;
      if (kModel != CountModel::kBernoulli) continue;
      sum += alphas.absent[usize(j)] * std::log1p(-std::exp(log_p));
    }
  }
  return sum;
}

// A row that is impossible under every class belongs to none.
void check_possible(const Alphas& alphas, bool presence, const ClassPrior& prior) {
  if (alphas.there.least() == 0 || (presence && alphas.absent.least() == 0)) {
    throw InputError(Code::kBadOption, {},
                     "alpha is 0, and unlabelled = em needs what was not seen",
                     "Give alpha above 0 for every feature.");
  }
  const std::vector<double>& given = prior.class_prior.values;
  if (std::find(given.begin(), given.end(), 0) == given.end()) return;
  throw InputError(Code::kBadOption, {},
                   "class_prior has the value 0, and unlabelled = em is given",
                   "Give every class a probability above 0.");
}

}  // namespace

template <CountModel kModel>
void CountBayes<kModel>::learn_unlabelled(Source& x, FeatureSums& sums, const Options& options,
                                          const Exec& exec, Fit<CountBayes>& fit) {
  const Alphas alphas = alphas_of<kModel>(options.smoothing, sums.columns());
  check_possible(alphas, kModel == CountModel::kBernoulli, options.prior);
  const SemiSupervised& semi = options.semi;
  const Summand summand{.binary = kModel == CountModel::kBernoulli, .threshold = options.binarize};
  const std::uint64_t hash = sums.hash() + sums.unlabelled_hash();
  const auto make = [&](const CountBayes& model) {
    return LatentRows(model, FeatureSums(x, sums.classes(), summand, Summing::kNumbers),
                      semi.unlabelled_weight,
                      log_prior_density<kModel>(model.feature_log_prob(), alphas));
  };
  const auto update = [&](CountBayes& model, const auto& shared) {
    sums = shared.sums();
    CountBayes next = estimate(sums.seen(exec), options, {}, exec).model;
    const bool same = next.parameters() == model.parameters();
    model = std::move(next);
    return same ? 0.0 : 1.0;
  };
  EmOptions loop;
  loop.max_iter = semi.max_iter;
  loop.tol = semi.tol;
  auto result = em(x, std::move(fit.model), make, update, loop, exec);
  std::vector<Note> notes = std::move(fit.report.notes);
  std::erase_if(notes, [](const Note& note) { return note.code == "unlabelled"; });
  fit.memory = estimate(sums.seen(exec), options, {}, exec).memory;
  fit.model = std::move(result.model);
  fit.report = std::move(result.report);
  fit.report.data_hash = hash_text(hash);
  fit.report.notes = std::move(notes);
}

template void MultinomialNB::learn_unlabelled(Source&, FeatureSums&, const Options&, const Exec&,
                                              Fit<MultinomialNB>&);
template void BernoulliNB::learn_unlabelled(Source&, FeatureSums&, const Options&, const Exec&,
                                            Fit<BernoulliNB>&);

namespace {

template <CountModel kModel>
std::unique_ptr<LeaveOneOut> leave_one_out(const LeftOut& model, const CountOptions& options) {
  if constexpr (kModel == CountModel::kMultinomial) return leave_one_out_of_counts(model);
  if constexpr (kModel == CountModel::kComplement) {
    return leave_one_out_of_complement(model, options.norm);
  }
  return leave_one_out_of_presence(model, options.binarize);
}

}  // namespace

// One more than the words of a row, or than its features that are there.
template <CountModel kModel>
void CountBayes<kModel>::find_lengths(const Chunk& chunk, std::span<double> out) const {
  const auto find = [&](const auto& x) {
    for (Index i = 0; i < x.rows; ++i) {
      double& length = out[usize(i)] = 1;
      for_entries(x, i, [&](Index, double value) {
        length += kModel != CountModel::kBernoulli ? value : value > threshold_ ? 1 : 0;
      });
    }
  };
  std::visit(find, chunk.x);
}

template <CountModel kModel>
void CountBayes<kModel>::calibrate(Source& x, const FeatureSums& sums, const Options& options,
                                   const Exec& exec, Fit<CountBayes>& fit) {
  const CountBayes& model = fit.model;
  const Alphas alphas = alphas_of<kModel>(options.smoothing, sums.columns());
  const std::unique_ptr<LeaveOneOut> left_out =
      leave_one_out<kModel>({sums, alphas, options.prior, model.scores_.get()}, options);
  const CalibrationFit found = craton::calibrate(
      x, sums.classes(),
      [&](const Chunk& chunk, std::span<double> out) { left_out->find(chunk, out); },
      [&](const Chunk& chunk, std::span<double> out) { model.find_lengths(chunk, out); }, exec);
  note_left_out(found, fit.report.notes);
  fit.model.calibration_ = found;
}

template void MultinomialNB::find_lengths(const Chunk&, std::span<double>) const;
template void BernoulliNB::find_lengths(const Chunk&, std::span<double>) const;
template void ComplementNB::find_lengths(const Chunk&, std::span<double>) const;
template void MultinomialNB::calibrate(Source&, const FeatureSums&, const Options&, const Exec&,
                                       Fit<MultinomialNB>&);
template void BernoulliNB::calibrate(Source&, const FeatureSums&, const Options&, const Exec&,
                                     Fit<BernoulliNB>&);
template void ComplementNB::calibrate(Source&, const FeatureSums&, const Options&, const Exec&,
                                      Fit<ComplementNB>&);

// What a score is made of: the say of each feature, and the linear form that they are.

namespace {

double absent(double log_p) { return log_p == 0 ? kNever : std::log1p(-std::exp(log_p)); }

}  // namespace

template <CountModel kModel>
void CountBayes<kModel>::contributions(const Chunk& chunk, Index row, Index label,
                                       std::span<double> out) const {
  constexpr bool kPresence = kModel == CountModel::kBernoulli;
  const bool prior = kModel != CountModel::kComplement || classes() == 1;
  const double* const table = feature_log_prob().view().row(label);
  out[0] = prior ? class_log_prior_.values[usize(label)] : 0;
  const std::span<double> terms = out.subspan(1);
  for (std::size_t j = 0; j < terms.size(); ++j) terms[j] = kPresence ? absent(table[j]) : 0;
  const auto add = [&](Index j, double value) {
    if (kPresence) {
      if (value > threshold_) terms[usize(j)] = table[j];
    } else if (value != 0) {
      terms[usize(j)] = std::isinf(table[j]) ? table[j] : value * table[j];  // -inf: impossible
    }
  };
  std::visit([&](const auto& x) { for_entries(x, row, add); }, chunk.x);
}

template <CountModel kModel>
LinearForm CountBayes<kModel>::linear_form() const {
  if (scores_.get().has_impossible()) {
    throw InputError(Code::kNotAble, {}, "a linear form has no weight for what is impossible",
                     "Fit with alpha above 0.");
  }
  const Index k = classes(), d = columns(), stride = padded_classes(k);
  LinearForm form{{{k, d}, std::vector<double>(usize(k * d))}, {{k}, {}}};
  form.intercept.values.assign(intercepts().begin(), intercepts().begin() + k);
  for (Index c = 0; c < k; ++c) {
    for (Index j = 0; j < d; ++j) {
      form.coef.values[usize(c * d + j)] = weights()[usize(j * stride + c)];
    }
  }
  return form;
}

template void MultinomialNB::contributions(const Chunk&, Index, Index, std::span<double>) const;
template void BernoulliNB::contributions(const Chunk&, Index, Index, std::span<double>) const;
template void ComplementNB::contributions(const Chunk&, Index, Index, std::span<double>) const;
template LinearForm MultinomialNB::linear_form() const;
template LinearForm BernoulliNB::linear_form() const;
template LinearForm ComplementNB::linear_form() const;

template <CountModel kModel>
Sample CountBayes<kModel>::sample(Index rows, std::uint64_t seed) const
    requires(kModel != CountModel::kComplement) {
  const std::size_t d = usize(columns());
  const auto exps = [](const std::vector<double>& logs) {
    std::vector<double> result(logs);
    for (double& v : result) v = std::exp(v);
    return result;
  };
  const std::vector<double> prior = exps(class_log_prior_.values);
  const std::vector<double> table = exps(feature_log_prob().values);
  // On either side of the threshold, and 1 and 0 where these are.
  const double above = std::max(
      {1.0, threshold_ + 1, std::nextafter(threshold_, std::numeric_limits<double>::max())});
  const double below = std::min(0.0, threshold_);
  Sample result{{{rows, columns()}, std::vector<double>(usize(rows) * d)}, {}};
  for (Index i = 0; i < rows; ++i) {
    Random random(seed, Purpose::kSample, 0, static_cast<std::uint64_t>(i));
    const std::size_t c = usize(random.categorical(prior));
    result.labels.push_back(static_cast<std::int32_t>(c));
    const std::span<const double> p(&table[c * d], d);
    const std::span<double> row(&result.x.values[usize(i) * d], d);
    if constexpr (kModel == CountModel::kBernoulli) {
      for (std::size_t j = 0; j < d; ++j) row[j] = random.uniform() < p[j] ? above : below;
    } else {
      const double mean = mean_length_.values[c],
                   length = mean > 0 ? draw_poisson(random, mean) : 0;
      if (length > 0) draw_multinomial(random, length, p, row);
    }
  }
  return result;
}

template Sample MultinomialNB::sample(Index, std::uint64_t) const;
template Sample BernoulliNB::sample(Index, std::uint64_t) const;

namespace {

void describe_shared(OptionVisitor& v, CountOptions& o) {
  describe(v, o.smoothing);
  describe(v, o.prior);
  v.choice("calibrate", o.calibrate, {"none", "leave-one-out"},
           "make the probabilities honest, by rows left out; labels stay");
}

}  // namespace

void describe(OptionVisitor& v, MultinomialNB::Options& o) {
  describe_shared(v, o);
  describe(v, o.semi);
}

void describe(OptionVisitor& v, BernoulliNB::Options& o) {
  describe_shared(v, o);
  v.number("binarize", o.binarize, -kInfinite, kInfinite,
           "values above this count as 1, others as 0");
  describe(v, o.semi);
}

void describe(OptionVisitor& v, ComplementNB::Options& o) {
  describe_shared(v, o);
  v.flag("norm", o.norm, "divide the weights of each class by their sum");
}

// Each class with its probability and the features that speak for it most, against the mean of
// all classes.
template <CountModel kModel>
std::vector<SummaryTable> CountBayes<kModel>::summary(const Schema& schema) const {
  const auto telling = most_telling(feature_log_prob().values, classes());
  SummaryTable table{"classes", {"class", "probability", "features that speak for it"}, {}};
  for (std::size_t c = 0; c < telling.size(); ++c) {
    std::string names;
    for (const std::size_t j : telling[c]) {
      names += (names.empty() ? "" : ", ") + schema.name(static_cast<Index>(j));
    }
    table.rows.push_back({label_name(schema, static_cast<Index>(c)),
                          shown_beside(std::exp(class_log_prior_.values[c]), 0, 4), names});
  }
  if (!calibration_) return {table};
  return {table, calibration_table(*calibration_)};
}

template std::vector<SummaryTable> MultinomialNB::summary(const Schema&) const;
template std::vector<SummaryTable> BernoulliNB::summary(const Schema&) const;
template std::vector<SummaryTable> ComplementNB::summary(const Schema&) const;

template ModelInfo registered<MultinomialNB>();
template ModelInfo registered<BernoulliNB>();
template ModelInfo registered<ComplementNB>();

}  // namespace craton
