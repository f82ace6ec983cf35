#include "craton/classes/counts/count_bayes.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "craton/base/distributions.h"
#include "craton/base/error.h"
#include "craton/base/hash.h"
#include "craton/classes/counts/count_entries.h"
#include "craton/classes/counts/count_leave_one_out.h"
#include "craton/classes/counts/count_likelihoods.h"
#include "craton/classes/counts/sums_by_class.h"
#include "craton/classes/distinctive_cells.h"
#include "craton/engine/em.h"
#include "craton/kernels/linear_scores.h"
#include "craton/kernels/special.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

// One pass sums the features of each class: O(nonzeros). The report comes from these sums, of which
// only those that are not 0 are looked at; the table of estimates, O(classes x columns), is made
// when it is first asked for, as is its layout for scoring (count_scores.h), which costs
// O(nonzeros x classes) a row. Sums add up and can be taken back: so models learn on, merge and
// unlearn rows without the rows they were fitted on.

namespace craton {
namespace {

// What the kinds do differently.

Summand summand_of(CountKind kind, const CountOptions& options) {
  if (kind == CountKind::kBernoulli) return {.binary = true, .threshold = options.binarize};
  return {};
}

Alphas alphas_of(CountKind kind, const CountSmoothing& smoothing, Index columns) {
  return kind == CountKind::kBernoulli ? presence_alphas(smoothing, columns)
                                       : count_alphas(smoothing, columns);
}

Array table_of(CountKind kind, const NonzeroSums& sums, const Alphas& alphas, bool norm) {
  switch (kind) {
    case CountKind::kMultinomial:
      return multinomial_estimate(sums, alphas.there);
    case CountKind::kBernoulli:
      return bernoulli_estimate(sums, alphas);
    case CountKind::kComplement:
      break;
  }
  return complement_weights(sums, alphas.there, norm);
}

// Complement weights say nothing of one class alone: there the prior decides, as in other kinds.
bool has_prior(CountKind kind, Index classes) {
  return kind != CountKind::kComplement || classes == 1;
}

CountScores scores_of(CountKind kind, const Array& log_prior, const Array& table,
                      double threshold) {
  if (kind == CountKind::kBernoulli) {
    return CountScores::of_presence(log_prior.values, table, threshold);
  }
  const std::vector<double> none(log_prior.values.size());
  return CountScores::of_counts(has_prior(kind, log_prior.rows()) ? log_prior.values : none, table);
}

// The sum over the rows of the fit of the complement score for their own class.
double sum_complement_scores(const CountBayes& model, const NonzeroSums& sums, const Alphas& alphas,
                             bool norm, const Exec& exec) {
  const bool simple = !norm && alphas.there.least() > 0;
  if (simple) return complement_score(sums, alphas.there, exec);
  double score = 0;  // by the table, which has an answer or refuses
  for (Index c = 0; c < model.classes(); ++c) {
    const NonzeroSums::OfClass& nonzero = sums.of_class[usize(c)];
    const double* const w = model.feature_log_prob().view().row(c);
    for (std::size_t i = 0; i < nonzero.sums.size(); ++i) {
      score += nonzero.sums[i] * w[nonzero.features[i]];
    }
  }
  return score;
}

// The mean over the rows of the fit of log p(row, label), or of the complement score of the label.
double mean_score(const CountBayes& model, const NonzeroSums& sums, const Alphas& alphas, bool norm,
                  const Exec& exec) {
  double weight = 0, prior = 0;
  for (std::size_t c = 0; c < sums.weight.size(); ++c) {
    weight += sums.weight[c];
    if (sums.weight[c] > 0) prior += sums.weight[c] * model.class_log_prior()[c];
  }
  if (!has_prior(model.kind(), model.classes())) prior = 0;
  switch (model.kind()) {
    case CountKind::kMultinomial:
      return (prior + multinomial_log_likelihood(sums, alphas.there, exec)) / weight;
    case CountKind::kBernoulli:
      return (prior + bernoulli_log_likelihood(sums, alphas, exec)) / weight;
    case CountKind::kComplement:
      break;
  }
  return (prior + sum_complement_scores(model, sums, alphas, norm, exec)) / weight;
}

std::unique_ptr<LeaveOneOut> leave_one_out(CountKind kind, const LeftOut& model,
                                           const CountOptions& options) {
  switch (kind) {
    case CountKind::kMultinomial:
      return leave_one_out_of_counts(model);
    case CountKind::kBernoulli:
      return leave_one_out_of_presence(model, options.binarize);
    case CountKind::kComplement:
      break;
  }
  return leave_one_out_of_complement(model, options.norm);
}

// Checks, and the sums that a model remembers.

void check(CountKind kind, CountOptions options) {
  check_options([&](OptionVisitor& v) { describe(v, kind, options); });
}

// EM and calibration look at every row again, so such a model cannot go on from sums.
void check_learns_on(CountKind kind, const CountOptions& options) {
  check(kind, options);
  craton::check_learns_on(options.semi, options.calibrate);
}

FeatureSums remembered(std::span<const Parameter> memory, Index classes, Index columns,
                       std::uint64_t hash = 0) {
  const Array& weight = get_parameter(memory, "class_count", std::array<Index, 1>{classes});
  if (!(std::accumulate(weight.values.begin(), weight.values.end(), 0.0) > 0)) {
    fail_parameters("it remembers rows of no class");
  }
  return FeatureSums::remembered(
      get_parameter(memory, "feature_count", std::array<Index, 2>{classes, columns}), weight, hash);
}

FeatureSums remembered(const FitOf<CountBayes>& so_far) {
  return remembered(so_far.memory.get(), so_far.model.classes(), so_far.model.columns(),
                    hash_number(so_far.report.data_hash));
}

}  // namespace

// From the rows of each class to a model, at once or bit by bit.

Fit<CountBayes> CountBayes::fit(CountKind kind, Source& x, const Options& options,
                                const Exec& exec) {
  check(kind, options);
  const Index classes = count_classes(x);
  const Summand summand = summand_of(kind, options);
  const bool calibrated = options.calibrate == Calibrate::kLeaveOneOut;
  std::vector<Note> notes;
  if (!calibrated) {
    if (auto nonzero = sums_by_class(x, classes, summand, exec)) {
      check_classes(x, nonzero->weight, 0, notes);
      return estimate(kind, checked(std::move(*nonzero), x.schema(), x.name()), options,
                      std::move(notes), exec);
    }
  }
  FeatureSums sums = sum_features(x, classes, summand, exec);
  check_classes(x, sums.weight(), sums.unlabelled(), notes);
  const bool em = kind != CountKind::kComplement && sums.unlabelled() > 0 &&
                  options.semi.unlabelled == Unlabelled::kEm;
  Fit<CountBayes> fit = estimate(kind, checked(sums.nonzero(exec), x.schema(), x.name()), options,
                                 std::move(notes), exec);
  if (em) learn_unlabelled(x, sums, options, exec, fit);
  if (calibrated) calibrate(x, sums, options, exec, fit);
  return fit;
}

Fit<CountBayes> CountBayes::estimate(CountKind kind, NonzeroSums nonzero, const Options& options,
                                     std::vector<Note> notes, const Exec& exec) {
  const auto sums = std::make_shared<const NonzeroSums>(std::move(nonzero));
  const auto alphas =
      std::make_shared<const Alphas>(alphas_of(kind, options.smoothing, sums->columns));
  const Array log_prior{{sums->classes()}, log_class_prior(options.prior, sums->weight)};
  auto table = Lazy<Array>::made_by(
      [=, norm = options.norm] { return table_of(kind, *sums, *alphas, norm); });
  CountBayes model(kind, log_prior, std::move(table), sums->columns, options.binarize);
  if (kind == CountKind::kMultinomial) model.mean_length_ = mean_lengths(*sums);
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

CountBayes::CountBayes(CountKind kind, const Array& class_log_prior,
                       const Lazy<Array>& feature_log_prob, Index columns, double threshold)
    : kind_(kind),
      class_log_prior_(class_log_prior),
      feature_log_prob_(feature_log_prob),
      scores_(Lazy<CountScores>::made_by(
          [=] { return scores_of(kind, class_log_prior, feature_log_prob.get(), threshold); })),
      columns_(columns),
      threshold_(threshold) {}

Fit<CountBayes> CountBayes::partial_fit(FitOf<CountBayes> so_far, Source& x, const Options& options,
                                        const Exec& exec) {
  const CountKind kind = so_far.model.kind();
  check_learns_on(kind, options);
  FeatureSums sums = remembered(so_far);
  const FeatureSums more = sum_features(x, sums.classes(), summand_of(kind, options), exec);
  check_more_weight(x, more.weight());
  sums.add(more, 1);
  return estimate(kind, checked(sums.nonzero(exec), x.schema(), x.name()), options,
                  so_far.report.notes, exec);
}

Fit<CountBayes> CountBayes::unlearn(FitOf<CountBayes> so_far, Source& x, const Options& options,
                                    const Exec& exec) {
  const CountKind kind = so_far.model.kind();
  check_learns_on(kind, options);
  FeatureSums sums = remembered(so_far);
  sums.add(sum_features(x, sums.classes(), summand_of(kind, options), exec), -1);
  sums.check_subtracted(x);
  return estimate(kind, sums.nonzero(exec), options, so_far.report.notes, exec);
}

Fit<CountBayes> CountBayes::merge(FitOf<CountBayes> a, FitOf<CountBayes> b,
                                  const Options& options) {
  const CountKind kind = a.model.kind();
  check_learns_on(kind, options);
  FeatureSums sums = remembered(a);
  sums.add(remembered(b), 1);
  const Exec here{.threads = 1};
  return estimate(kind, checked(sums.nonzero(here), numbered_schema(a.model.columns()), ""),
                  options, a.report.notes, here);
}

Fit<CountBayes> CountBayes::with_columns(FitOf<CountBayes> fit, std::span<const Index> places,
                                         Index columns, const Options& options) {
  const Exec here{.threads = 1};
  NonzeroSums sums = remembered(fit).nonzero(here);
  sums.columns = columns;
  for (NonzeroSums::OfClass& nonzero : sums.of_class) {  // places ascend, as columns did
    for (std::int32_t& feature : nonzero.features) {
      feature = static_cast<std::int32_t>(places[usize(feature)]);
    }
  }
  return estimate(fit.model.kind(), std::move(sums), options, fit.report.notes, here);
}

void CountBayes::check_memory(std::span<const Parameter> memory) const {
  remembered(memory, classes(), columns());
  if (kind_ != CountKind::kBernoulli) return;
  const Array& sums = get_parameter(memory, "feature_count", std::array{classes(), columns()});
  const Array& weight = get_parameter(memory, "class_count", std::array{classes()});
  for (std::size_t i = 0; i < sums.values.size(); ++i) {  // sums of presence count rows
    const double rows = weight.values[i / usize(columns())];
    if (sums.values[i] > rows * (1 + 1e-9)) fail_parameters("it remembers more than its rows");
  }
}

// EM, where some rows have no label (latent_class.h).

namespace {

// alpha is the prior density prod p^alpha of the estimates, up to a constant.
double log_prior_density(CountKind kind, const Array& table, const Alphas& alphas) {
  double sum = 0;
  for (Index c = 0; c < table.rows(); ++c) {
    for (Index j = 0; j < table.cols(); ++j) {
      const double log_p = table.view().row(c)[j];
      sum += alphas.there[usize(j)] * log_p;
      if (kind != CountKind::kBernoulli) continue;
      sum += alphas.absent[usize(j)] * std::log1p(-std::exp(log_p));
    }
  }
  return sum;
}

// A row that is impossible under every class belongs to none.
void check_possible(const Alphas& alphas, bool presence, const ClassPrior& prior) {
  if (alphas.there.least() == 0 || (presence && alphas.absent.least() == 0)) {
    throw InputError(
        Code::kBadOption, {},
        {"alpha is 0, and {} needs what was not seen", Ref::option("unlabelled", "em")},
        "Give alpha above 0 for every feature.");
  }
  const std::vector<double>& given = prior.class_prior.values;
  if (std::find(given.begin(), given.end(), 0) == given.end()) return;
  throw InputError(Code::kBadOption, {},
                   {"{} has the value 0, and {} is given", Ref::option("class_prior"),
                    Ref::option("unlabelled", "em")},
                   "Give every class a probability above 0.");
}

}  // namespace

void CountBayes::learn_unlabelled(Source& x, FeatureSums& sums, const Options& options,
                                  const Exec& exec, Fit<CountBayes>& fit) {
  const CountKind kind = fit.model.kind();
  const Alphas alphas = alphas_of(kind, options.smoothing, sums.columns());
  check_possible(alphas, kind == CountKind::kBernoulli, options.prior);
  const SemiSupervised& semi = options.semi;
  const std::uint64_t hash = sums.hash() + sums.unlabelled_hash();
  const auto make = [&](const CountBayes& model) {
    const Summand summand = summand_of(kind, options);
    return LatentRows(model, FeatureSums(x, sums.classes(), summand, Summing::kNumbers),
                      semi.unlabelled_weight,
                      log_prior_density(kind, model.feature_log_prob(), alphas));
  };
  const auto update = [&](CountBayes& model, const auto& shared) {
    sums = shared.sums();
    CountBayes next = estimate(kind, sums.nonzero(exec), options, {}, exec).model;
    const bool same = parameters_of(next) == parameters_of(model);
    model = std::move(next);
    return same ? 0.0 : 1.0;
  };
  EmOptions loop;
  loop.max_iter = semi.max_iter;
  loop.tol = semi.tol;
  auto result = em(x, std::move(fit.model), make, update, loop, exec);
  std::vector<Note> notes = std::move(fit.report.notes);
  std::erase_if(notes, [](const Note& note) { return note.code == "unlabelled"; });
  fit.memory = estimate(kind, sums.nonzero(exec), options, {}, exec).memory;
  fit.model = std::move(result.model);
  fit.report = std::move(result.report);
  fit.report.data_hash = hash_text(hash);
  fit.report.notes = std::move(notes);
}

// Calibration, by rows left out (calibration.h).

void CountBayes::calibrate(Source& x, const FeatureSums& sums, const Options& options,
                           const Exec& exec, Fit<CountBayes>& fit) {
  const CountBayes& model = fit.model;
  const Alphas alphas = alphas_of(model.kind(), options.smoothing, sums.columns());
  const std::unique_ptr<LeaveOneOut> left_out =
      leave_one_out(model.kind(), {sums, alphas, options.prior, model.scores_.get()}, options);
  const CalibrationFit found = craton::calibrate(
      x, sums.classes(),
      [&](const Chunk& chunk, std::span<double> out) { left_out->find(chunk, out); },
      [&](const Chunk& chunk, std::span<double> out) { model.find_lengths(chunk, out); }, exec);
  note_left_out(found, fit.report.notes);
  fit.model.calibration_ = found;
}

// The length of a row: one more than its words, or than its features that are there.
void CountBayes::find_lengths(const Chunk& chunk, std::span<double> out) const {
  const bool presence = kind_ == CountKind::kBernoulli;
  const auto find = [&](const auto& x) {
    for (Index i = 0; i < x.rows; ++i) {
      double& length = out[usize(i)] = 1;
      for_entries(x, i, [&](Index, double value) {
        length += !presence ? value : value > threshold_ ? 1 : 0;
      });
    }
  };
  std::visit(find, chunk.x);
}

// What a model says of rows.

template <class F>
auto CountBayes::with_rule(Source& x, const F& f) const {
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

void CountBayes::predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict(x, labels, exec); });
}

void CountBayes::predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict_log_proba(x, out, exec); });
}

std::int32_t CountBayes::predict_row(const double* row, double* work) const {
  const std::span<double> joint(work, usize(classes()));
  return scores_.get().find_row(row, work + classes(), joint) ? best_class(joint) : -1;
}

// The probabilities of a calibrated model depend on the length of the row too: not here.
bool CountBayes::predict_log_proba_row(const double* row, double* work, double* out) const {
  const std::span<double> joint(out, usize(classes()));
  return !calibration_ && scores_.get().find_row(row, work, joint) && normalise(joint, work);
}

std::int32_t CountBayes::predict_entries(const Sparse<double>& row, double* work) const {
  const std::span<double> joint(work, usize(classes()));
  return scores_.get().find_entries(row, work + classes(), joint) ? best_class(joint) : -1;
}

bool CountBayes::predict_log_proba_entries(const Sparse<double>& row, double* work,
                                           double* out) const {
  const std::span<double> joint(out, usize(classes()));
  return !calibration_ && scores_.get().find_entries(row, work, joint) && normalise(joint, work);
}

BayesRule::Score CountBayes::measure(Source& x, const Exec& exec) const {
  return with_rule(x, [&](const BayesRule& rule) { return rule.score(x, exec); });
}

double CountBayes::score(Source& x, const Exec& exec) const { return measure(x, exec).accuracy; }

std::vector<Measure> CountBayes::measures(Source& x, const Exec& exec) const {
  std::vector<Measure> all = measure(x, exec).measures();
  if (kind_ == CountKind::kComplement) all.resize(1);  // its scores are no probabilities
  return all;
}

Index CountBayes::free_parameters(const Options& options) const {
  const Index d = columns() - (kind_ == CountKind::kMultinomial ? 1 : 0);
  const bool prior = options.prior.fit_prior && options.prior.class_prior.empty();
  return classes() * d + (prior ? classes() - 1 : 0);
}

void CountBayes::contributions(const Chunk& chunk, Index row, Index label,
                               std::span<double> out) const {
  const bool presence = kind_ == CountKind::kBernoulli;
  const auto absent = [](double log_p) {
    return log_p == 0 ? kNever : std::log1p(-std::exp(log_p));
  };
  const double* const table = feature_log_prob().view().row(label);
  out[0] = has_prior(kind_, classes()) ? class_log_prior_.values[usize(label)] : 0;
  const std::span<double> terms = out.subspan(1);
  for (std::size_t j = 0; j < terms.size(); ++j) terms[j] = presence ? absent(table[j]) : 0;
  const auto add = [&](Index j, double value) {
    if (presence) {
      if (value > threshold_) terms[usize(j)] = table[j];
    } else if (value != 0) {
      terms[usize(j)] = std::isinf(table[j]) ? table[j] : value * table[j];  // -inf: impossible
    }
  };
  std::visit([&](const auto& x) { for_entries(x, row, add); }, chunk.x);
}

LinearForm CountBayes::linear_form() const {
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

Sample CountBayes::sample(Index rows, std::uint64_t seed) const {
  CRATON_ASSERT(kind_ != CountKind::kComplement);
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
    if (kind_ == CountKind::kBernoulli) {
      for (std::size_t j = 0; j < d; ++j) row[j] = random.uniform() < p[j] ? above : below;
    } else {
      const double mean = mean_length_.values[c],
                   length = mean > 0 ? draw_poisson(random, mean) : 0;
      if (length > 0) draw_multinomial(random, length, p, row);
    }
  }
  return result;
}

// Model files, tables for people, options.

void CountBayes::visit_parameters(ParameterVisitor& v) const {
  v.doubles("class_log_prior", "log probability of each class", class_log_prior_);
  v.doubles("feature_log_prob",
            kind_ == CountKind::kComplement ? "weight of each feature for each class"
                                            : "log probability of each feature in each class",
            feature_log_prob());
  if (kind_ == CountKind::kBernoulli) {
    v.number("threshold", "values above it count as 1", threshold_);
  }
  if (kind_ == CountKind::kMultinomial) {
    v.doubles("mean_length", "mean sum of the rows of each class", mean_length_);
  }
  if (calibration_) visit_calibration(v, *calibration_);
}

CountBayes CountBayes::from_parameters(CountKind kind, const ParameterList& parameters) {
  const ArrayView prior = parameters.doubles("class_log_prior", {-1});
  const ArrayView table = parameters.doubles("feature_log_prob", {prior.rows(), -1});
  check_log_prior(prior.values);
  if (table.empty()) fail_parameters("there are no features");
  if (kind != CountKind::kComplement) {
    check_feature_log_prob(table.values, kind == CountKind::kMultinomial ? 1e-9 : 0);
  } else if (!std::ranges::all_of(table.values, [](double v) { return std::abs(v) < 1e4; })) {
    fail_parameters("a weight of a feature is not one");
  }
  double threshold = 0;
  if (kind == CountKind::kBernoulli) {
    threshold = parameters.number("threshold");
    if (!std::isfinite(threshold)) fail_parameters("the threshold is not finite");
  }
  CountBayes model(kind, prior.copy(), Lazy(table.copy()), table.cols(), threshold);
  if (kind == CountKind::kMultinomial) {
    constexpr double kMost = 9007199254740992;  // 2^53: counts beyond are no integers
    model.mean_length_ = parameters.doubles("mean_length", {prior.rows()}).copy();
    for (const double v : model.mean_length_.values) {
      if (!(v >= 0 && v <= kMost)) fail_parameters("the mean length of a row is none");
    }
  }
  model.calibration_ = read_calibration(parameters);
  return model;
}

// Each class with its probability and the features that speak for it most, against the mean of
// all classes.
std::vector<ResultTable> CountBayes::tables(const Schema& schema) const {
  ResultColumn::Words speaking;
  for (const std::vector<std::size_t>& features :
       distinctive_cells(feature_log_prob().values, classes())) {
    std::string names;
    for (const std::size_t j : features) {
      names += (names.empty() ? "" : ", ") + schema.name(static_cast<Index>(j));
    }
    speaking.push_back(std::move(names));
  }
  ResultTable table{"classes", "classes"};
  table.add_labels("class", schema, classes());
  table.add_probabilities("probability", class_log_prior_.values);
  table.add_words("features that speak for it", std::move(speaking));
  if (!calibration_) return {table};
  return {table, calibration_table(*calibration_)};
}

void describe(OptionVisitor& v, CountKind kind, CountOptions& o) {
  describe(v, o.smoothing);
  describe(v, o.prior);
  v.choice("calibrate", o.calibrate, {"none", "leave-one-out"},
           "make the probabilities honest, by rows left out; labels stay");
  if (kind == CountKind::kBernoulli) {
    v.number("binarize", o.binarize, -kInfinite, kInfinite,
             "values above this count as 1, others as 0");
  }
  if (kind == CountKind::kComplement) {
    v.flag("norm", o.norm, "divide the weights of each class by their sum");
  } else {
    describe(v, o.semi);
  }
}

const Usage MultinomialNB::kUsage{
    .example = "examples/data/letters.csv --target kind -o letters.craton",
    .python = R"(
>>> from craton import MultinomialNB
>>> counts = [[3, 0, 1], [2, 0, 0], [0, 4, 1], [0, 2, 2]]
>>> model = MultinomialNB().fit(counts, ["cats", "cats", "dogs", "dogs"])
>>> model.predict([[1, 0, 0], [0, 1, 0]]).tolist()
['cats', 'dogs']
)",
    .small = "max_iter=12",
    .sklearn = "naive_bayes.MultinomialNB"};

const Usage BernoulliNB::kUsage{
    .example = "examples/data/letters.csv --target kind -o letters.craton",
    .python = R"(
>>> from craton import BernoulliNB
>>> there = [[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 1]]
>>> model = BernoulliNB().fit(there, ["cats", "cats", "dogs", "dogs"])
>>> model.predict([[1, 0, 0], [0, 1, 1]]).tolist()
['cats', 'dogs']
)",
    .small = "max_iter=12",
    .sklearn = "naive_bayes.BernoulliNB"};

const Usage ComplementNB::kUsage{
    .example = "examples/data/letters.csv --target kind -o letters.craton",
    .python = R"(
>>> from craton import ComplementNB
>>> counts = [[3, 0, 1], [2, 0, 0], [0, 4, 1], [0, 2, 2]]
>>> model = ComplementNB().fit(counts, ["cats", "cats", "dogs", "dogs"])
>>> model.predict([[1, 0, 0], [0, 1, 0]]).tolist()
['cats', 'dogs']
)",
    .sklearn = "naive_bayes.ComplementNB"};

template ModelInfo registered<MultinomialNB>();
template ModelInfo registered<BernoulliNB>();
template ModelInfo registered<ComplementNB>();

}  // namespace craton
