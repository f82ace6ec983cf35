#include "craton/linear/logistic.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/base/error.h"
#include "craton/classes/bayes_rule.h"
#include "craton/classes/class_prior.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/linear_scores.h"
#include "craton/kernels/special.h"
#include "craton/linear/large_likelihood.h"
#include "craton/linear/logistic_inference.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

// A fit reads the table once for its columns, once for the classes, and once for each step of
// Newton's method: O(rows x terms^2) a step. Columns are moved to their mean and scaled by a power
// of two, which takes no digits, so that offsets cost nothing.

namespace craton {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Errors are found unasked up to so many parameters: their covariance has the square.
constexpr Index kMostErrors = 1000;
// Of more coefficients the curvature is not written down: L-BFGS has to do, to this tolerance.
constexpr Index kMostNewton = 3000;
constexpr double kLargeTolerance = 1e-6;
// Sums of floats are worth their trouble above so many products.
constexpr double kManyProducts = 2e9;

// The weight of the rows of each label.
class LabelWeights {
 public:
  explicit LabelWeights(Index labels) : weight_(usize(labels)) {}
  void accumulate(const Chunk& chunk) {
    for (Index i = 0; i < chunk.rows(); ++i) {
      const std::int32_t label = chunk.labels.empty() ? -1 : chunk.labels[usize(i)];
      if (label < 0) {
        ++unlabelled_;
      } else {
        weight_[usize(label)] += chunk.weight(i);
      }
    }
  }
  void merge(const LabelWeights& next) {
    for (std::size_t c = 0; c < weight_.size(); ++c) weight_[c] += next.weight_[c];
    unlabelled_ += next.unlabelled_;
  }
  void write(Writer& writer) const {
    writer.put(weight_);
    writer.put(unlabelled_);
  }
  void read(Reader& reader) {
    reader.get(weight_);
    reader.get(unlabelled_);
  }
  Index words() const { return ssize(weight_) + 1; }
  Merge merge_kind() const { return Merge::kTree; }
  const std::vector<double>& weight() const { return weight_; }
  Index unlabelled() const { return unlabelled_; }

 private:
  std::vector<double> weight_;
  Index unlabelled_ = 0;
};

LogisticPenalty penalty_of(const LogisticRegression::Options& options, Index columns) {
  using Penalty = LogisticRegression::Penalty;
  LogisticPenalty penalty{std::vector<double>(usize(columns), options.alpha),
                          options.penalty == Penalty::kFirth};
  if (!options.feature_alpha.empty()) {
    const std::vector<double>& given = options.feature_alpha.values;
    if (ssize(given) != columns) {
      throw InputError(
          Code::kBadOption, {},
          {"{} has {} values for {} columns", Ref::option("feature_alpha"), ssize(given), columns},
          "Give one for each column.");
    }
    for (const double alpha : given) {
      if (alpha >= 0 && alpha < kInfinity) continue;
      throw InputError(Code::kBadOption, {},
                       {"{} has the value {}", Ref::option("feature_alpha"), alpha},
                       "Give finite numbers from 0.");
    }
    penalty.alpha = given;
  }
  if (options.penalty != Penalty::kL2) std::ranges::fill(penalty.alpha, 0.0);
  return penalty;
}

// The power of two nearest to 1 / spread.
double unit_of(double spread) { return std::ldexp(1.0, -std::ilogb(spread)); }

LogisticTerms terms_of(const ColumnStatistics& columns, std::span<const double> weights,
                       bool intercept) {
  LogisticTerms terms{.columns = ssize(columns.mean()), .intercept = intercept};
  std::int32_t classes = 0;
  for (const double w : weights) terms.class_of.push_back(w > 0 ? classes++ : -1);
  terms.classes = classes;
  const std::vector<double> variance = columns.variance();
  for (std::size_t j = 0; j < variance.size(); ++j) {
    const double mean = columns.mean()[j];
    terms.centre.push_back(intercept ? mean : 0);
    const double spread =
        intercept ? std::sqrt(variance[j]) : std::hypot(std::sqrt(variance[j]), mean);
    const bool flat = columns.constant(static_cast<Index>(j)) && (intercept || mean == 0);
    terms.unit.push_back(flat || !(spread > 0) ? 0 : unit_of(spread));
  }
  terms.words = terms.size();
  if (terms.size() <= kMostNewton) terms.words = terms.pairs() * terms.terms() * terms.terms();
  return terms;
}

[[noreturn]] void fail_one_class(const Source& x, std::span<const double> weights) {
  const auto only = std::ranges::find_if(weights, [](double w) { return w > 0; });
  throw InputError(Code::kTooFewRows, {.file = x.name(), .column = x.schema().target->name},
                   {"all rows are of one class, '{}': there is nothing to tell apart",
                    label_name(x.schema(), only - weights.begin())},
                   "Give rows of at least two classes.");
}

std::string names_of(const Schema& schema, std::span<const Index> columns) {
  std::vector<std::string> names;
  for (const Index j : columns) names.push_back("'" + schema.name(j) + "'");
  return listed(names);
}

LogisticRegression::Errors errors_of(const LogisticRegression::Options& options,
                                     const LogisticTerms& terms) {
  using Errors = LogisticRegression::Errors;
  const bool firth = options.penalty == LogisticRegression::Penalty::kFirth;
  const bool asked = options.errors == Errors::kModel || options.errors == Errors::kRobust;
  if (terms.size() > kMostNewton && (firth || asked)) {
    throw InputError(Code::kBadOption, {},
                     {"{} is not allowed: the model has {} coefficients, and it takes {} at most",
                      firth ? Ref::option("penalty", "firth") : Ref::option("errors"), terms.size(),
                      kMostNewton},
                     firth ? "Give another penalty, or fewer columns." : "Leave it out.");
  }
  if (options.errors != Errors::kAuto) return options.errors;
  return terms.size() <= kMostErrors ? Errors::kModel : Errors::kNone;
}

void note_constant(const LogisticTerms& terms, const LogisticPenalty& penalty, const Schema& schema,
                   std::vector<Note>& notes) {
  std::vector<Index> constant;
  for (Index j = 0; j < terms.columns; ++j) {
    if (terms.unit[usize(j)] == 0 && penalty.alpha[usize(j)] == 0) constant.push_back(j);
  }
  if (!constant.empty()) {
    notes.push_back({"constant-column",
                     {"{} {} the same in every row: {} 0", names_of(schema, constant),
                      constant.size() == 1 ? "is" : "are",
                      constant.size() == 1 ? "its coefficient is" : "their coefficients are"}});
  }
}

// Takes columns out that others, or the intercept, give.
void leave_out(LogisticTerms& terms, std::span<const double> null_curvature,
               const LogisticPenalty& penalty, const Schema& schema, std::vector<Note>& notes) {
  const std::size_t q = usize(terms.terms()), size = usize(terms.size());
  std::vector<double> block(q * q);
  for (std::size_t i = 0; i < q; ++i) {
    for (std::size_t j = 0; j < q; ++j) block[i * q + j] = null_curvature[i * size + j];
  }
  for (const Dependence& found : find_dependent(block, terms, penalty)) {
    if (found.column == terms.columns) continue;
    terms.unit[usize(found.column)] = 0;
    notes.push_back({"collinear",
                     {"'{}' is a sum of multiples of {}, and of a constant: its coefficient is 0. "
                      "Leave it out, or give {} above 0",
                      schema.name(found.column),
                      found.on.empty() ? "no other column" : names_of(schema, found.on),
                      Ref::option("alpha")}});
  }
}

// The columns that a direction of separation is made of, the greatest first.
std::vector<Index> columns_of(const Separation& separation, const LogisticTerms& terms) {
  constexpr double kPart = 1e-4;
  std::vector<double> size(usize(terms.columns));
  for (Index at = 0; at < terms.size(); ++at) {
    const Index j = at % terms.terms();
    if (j == terms.columns) continue;
    size[usize(j)] = std::max(size[usize(j)], std::abs(separation.direction[usize(at)]));
  }
  const double greatest = *std::ranges::max_element(size);
  std::vector<Index> columns;
  for (Index j = 0; j < terms.columns; ++j) {
    if (size[usize(j)] > kPart * greatest) columns.push_back(j);
  }
  std::ranges::stable_sort(columns,
                           [&](Index a, Index b) { return size[usize(a)] > size[usize(b)]; });
  return columns;
}

Note separation_note(const Separation& separation, const LogisticTerms& terms,
                     const Schema& schema) {
  const bool all = separation.kind == Separation::Kind::kComplete;
  return {"separated",
          {"{}: a sum of multiples of {} never lies on the wrong side{}, so the likelihood "
           "grows for ever along it and has no maximum. Give {}, or {} above 0",
           all ? "the classes are separated" : "the classes are separated in part",
           names_of(schema, columns_of(separation, terms)),
           all ? "" : ", and for some rows on the right one", Ref::option("penalty", "firth"),
           Ref::option("alpha")}};
}

// With the intercepts alone.
double null_log_likelihood(std::span<const double> weights, bool intercept) {
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  const auto classes = std::ranges::count_if(weights, [](double w) { return w > 0; });
  double sum = 0;
  for (const double w : weights) {
    if (w > 0) sum += w * (intercept ? std::log(w / all) : -std::log(static_cast<double>(classes)));
  }
  return sum;
}

}  // namespace

void describe(OptionVisitor& v, LogisticRegression::Options& o) {
  v.choice("penalty", o.penalty, {"l2", "none", "firth"},
           "l2: alpha / 2 times the squares of the coefficients; firth: minus half the log "
           "determinant of the information, for few rows or separated classes");
  v.number("alpha", o.alpha, 0, kInfinity,
           "of l2: the precision of the coefficients' Gaussian prior, 1 / C; 0: no penalty");
  v.array("feature_alpha", o.feature_alpha, "the same for each column; wins over alpha");
  v.flag("fit_intercept", o.fit_intercept, "add a constant for each class, without a penalty");
  v.integer("max_iter", o.max_iter, 0, 1'000'000, "steps, at most");
  v.number("tol", o.tol, 0, kInfinity,
           "stop when the next step is shorter than this, in standard errors");
  v.choice("errors", o.errors, {"auto", "none", "model", "robust"},
           "of the coefficients: from the curvature of the objective, or from that and the "
           "residuals (HC0); auto: model, of up to 1000 coefficients");
}

Fit<LogisticRegression> LogisticRegression::fit(Source& x, const Options& options,
                                                const Exec& exec) {
  return learn(nullptr, x, options, exec);
}

Fit<LogisticRegression> LogisticRegression::fit_from(const LogisticRegression& start, Source& x,
                                                     const Options& options, const Exec& exec) {
  return learn(&start, x, options, exec);
}

Fit<LogisticRegression> LogisticRegression::learn(const LogisticRegression* start, Source& x,
                                                  const Options& options, const Exec& exec) {
  check_options([o = options](OptionVisitor& v) mutable { describe(v, o); });
  const LogisticPenalty penalty = penalty_of(options, x.shape().cols);
  const Index labels = count_classes(x);
  const ColumnStatistics columns = check_table(x, exec, Takes::kSparseToo);
  const LabelWeights counts = fold(x, LabelWeights(labels), exec);
  FitReport report;
  check_classes(x, counts.weight(), counts.unlabelled(), report.notes);
  LogisticTerms terms = terms_of(columns, counts.weight(), options.fit_intercept);
  if (terms.classes < 2) fail_one_class(x, counts.weight());

  LogisticRegression model;
  model.class_count_ = {{labels}, counts.weight()};
  model.centre_ = {{terms.columns}, terms.centre};
  model.alpha_ = {{terms.columns}, penalty.alpha};
  model.how_ = {{kHowNumbers},
                {static_cast<double>(Errors::kNone), penalty.firth ? 1.0 : 0.0,
                 terms.intercept ? 1.0 : 0.0, 0}};
  model.fit_ = {{kFitNumbers}, {0, null_log_likelihood(counts.weight(), terms.intercept), -1}};

  std::vector<double> present;
  std::ranges::copy_if(counts.weight(), std::back_inserter(present),
                       [](double w) { return w > 0; });
  const double weight = std::accumulate(present.begin(), present.end(), 0.0);
  const std::vector<double> null = null_theta(terms, present);
  const bool large = terms.size() > kMostNewton;
  Errors errors = errors_of(options, terms);
  note_constant(terms, penalty, x.schema(), report.notes);
  const bool free = penalty.firth || std::ranges::count(penalty.alpha, 0.0) > 0;
  // Without any column: which of them are needed, and how far that is from the data.
  if (!large && (free || errors != Errors::kNone)) {
    const LogisticSums sums = fold(x, LogisticSums(terms, null, SumsOf::kCurvature), exec);
    leave_out(terms, sums.curvature(), penalty, x.schema(), report.notes);
    if (errors != Errors::kNone) model.set_score(terms, sums);
  }
  std::vector<double> theta = start != nullptr ? start->theta_for(terms)
                              : large          ? null
                                               : start_theta(x, terms, penalty, null, exec);
  NewtonResult found;
  Separation separation;
  if (large) {
    LargeLikelihood likelihood(x, terms, penalty, exec);
    const LbfgsOptions lbfgs{.max_iter = options.max_iter,
                             .tol = std::max(options.tol, kLargeTolerance),
                             .scale = weight};
    found = minimise(likelihood, likelihood.beta_of(theta), lbfgs, exec);
    found.x = likelihood.theta_of(found.x);
    separation = likelihood.separation();
  } else {
    PenalisedLikelihood likelihood(x, terms, penalty, exec);
    const double products = static_cast<double>(x.shape().rows) * static_cast<double>(terms.words);
    const bool rough = products > kManyProducts && !penalty.firth;
    const NewtonOptions newton{
        .max_iter = options.max_iter,
        .tol = options.tol,
        .on_the_way = rough ? Curvature::kRough : Curvature::kFull,
        .at_the_end = errors == Errors::kNone ? Curvature::kNone : Curvature::kFull,
        .scale = weight};
    found = minimise(likelihood, std::move(theta), newton, exec);
    separation = likelihood.separation();
  }
  report.iterations = found.iterations;
  report.converged = found.converged;
  report.trace = std::move(found.trace);
  report.objective = report.trace.back();
  report.data_hash = columns.data_hash();
  if (found.stopped) {
    report.notes.push_back(separation_note(separation, terms, x.schema()));
    model.set_separation(terms, separation);
    errors = Errors::kNone;
  }
  model.fit_.values[kLogLikelihood] = -found.last.loss;
  model.set_theta(terms, found.x);
  if (errors != Errors::kNone) {
    std::vector<double> meat;
    if (errors == Errors::kRobust) {
      meat = fold(x, LogisticSums(terms, found.x, SumsOf::kMeat), exec).curvature();
    }
    if (!model.set_covariance(terms, found.last.curvature, meat)) {
      report.notes.push_back({"no-errors",
                              "the curvature of the likelihood is singular: coefficients have no "
                              "errors. Columns that nearly depend on each other do this"});
    }
  }
  model.prepare();
  return {std::move(model), std::move(report)};
}

// Of the model in the units of terms: where a fit of other rows starts.
std::vector<double> LogisticRegression::theta_for(const LogisticTerms& terms) const {
  std::vector<double> theta(usize(terms.size()));
  std::vector<std::int32_t> class_of;
  for (const double w : class_count_.values) {
    class_of.push_back(w > 0 ? static_cast<std::int32_t>(std::ranges::count_if(
                                   class_of, [](std::int32_t c) { return c >= 0; }))
                             : -1);
  }
  if (class_of != terms.class_of) return theta;  // other classes: nothing to go on from
  const std::size_t d = usize(columns()), q = usize(terms.terms());
  for (std::size_t r = 0; r < usize(forms()); ++r) {
    double moved = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double g = odds_coef_.values[r * d + j];
      moved += g * (terms.centre[j] - centre_.values[j]);
      if (terms.unit[j] > 0) theta[r * q + j] = g / terms.unit[j];
    }
    if (terms.intercept) theta[r * q + d] = odds_intercept_.values[r] + moved;
  }
  return theta;
}

void LogisticRegression::set_theta(const LogisticTerms& terms, std::span<const double> theta) {
  const std::size_t d = usize(terms.columns), q = usize(terms.terms());
  odds_coef_ = {{terms.forms(), terms.columns}, {}};
  odds_intercept_ = {{terms.forms()}, {}};
  used_ = {{terms.columns}, {}};
  for (std::size_t r = 0; r < usize(terms.forms()); ++r) {
    for (std::size_t j = 0; j < d; ++j) {
      odds_coef_.values.push_back(theta[r * q + j] * terms.unit[j]);
    }
    odds_intercept_.values.push_back(terms.intercept ? theta[r * q + d] : 0);
  }
  for (const double unit : terms.unit) used_.values.push_back(unit > 0 ? 1 : 0);
}

// In the units of the rows, the greatest of it 1.
void LogisticRegression::set_separation(const LogisticTerms& terms, const Separation& separation) {
  how_.values[kSeparated] = static_cast<double>(separation.kind);
  separation_ = {{terms.forms(), terms.terms()}, separation.direction};
  double greatest = 0;
  for (std::size_t at = 0; at < separation_.values.size(); ++at) {
    const std::size_t j = at % usize(terms.terms());
    if (j < usize(terms.columns)) separation_.values[at] *= terms.unit[j];
    greatest = std::max(greatest, std::abs(separation_.values[at]));
  }
  for (double& v : separation_.values) v /= greatest;
}

namespace {

// The places of theta that are fitted; `slopes`: without intercepts.
std::vector<std::size_t> places_of(const LogisticTerms& terms, bool slopes) {
  std::vector<std::size_t> places;
  for (Index at = 0; at < terms.size(); ++at) {
    const Index j = at % terms.terms();
    if (j == terms.columns ? !slopes : terms.unit[usize(j)] > 0) places.push_back(usize(at));
  }
  return places;
}

std::vector<double> part_of(std::span<const double> matrix, std::size_t size,
                            std::span<const std::size_t> places) {
  std::vector<double> part;
  for (const std::size_t i : places) {
    for (const std::size_t j : places) part.push_back(matrix[i * size + j]);
  }
  return part;
}

}  // namespace

// Rao's score test that no column matters: g' C^-1 g where they do not.
void LogisticRegression::set_score(const LogisticTerms& terms, const LogisticSums& at_null) {
  const std::vector<std::size_t> places = places_of(terms, false);
  const std::vector<double> gradient = at_null.gradient();
  std::vector<double> g;
  for (const std::size_t i : places) g.push_back(gradient[i]);
  const auto found = quadratic_form(part_of(at_null.curvature(), usize(terms.size()), places), g);
  if (found && std::isfinite(*found)) fit_.values[kScoreStatistic] = *found;
}

// False: there is none.
bool LogisticRegression::set_covariance(const LogisticTerms& terms,
                                        std::span<const double> curvature,
                                        std::span<const double> meat) {
  const std::size_t size = usize(terms.size());
  const std::vector<std::size_t> places = places_of(terms, false);
  auto inverse = inverse_of_symmetric(part_of(curvature, size, places), ssize(places));
  if (!inverse) return false;
  if (!meat.empty()) inverse = sandwich(*inverse, part_of(meat, size, places), ssize(places));
  Array covariance{{terms.size(), terms.size()}, std::vector<double>(size * size)};
  const auto unit = [&](std::size_t at) {
    const Index j = static_cast<Index>(at) % terms.terms();
    return j == terms.columns ? 1 : terms.unit[usize(j)];
  };
  for (std::size_t a = 0; a < places.size(); ++a) {
    for (std::size_t b = 0; b < places.size(); ++b) {
      covariance.values[places[a] * size + places[b]] =
          (*inverse)[a * places.size() + b] * unit(places[a]) * unit(places[b]);
    }
  }
  if (!std::ranges::all_of(covariance.values, [](double v) { return std::isfinite(v); })) {
    return false;
  }
  covariance_ = std::move(covariance);
  how_.values[kErrorsOf] = static_cast<double>(meat.empty() ? Errors::kModel : Errors::kRobust);
  return true;
}

// Predictions.

void LogisticRegression::prepare() {
  const std::size_t k = usize(classes()), d = usize(columns());
  const std::size_t stride = usize(padded_classes(classes()));
  log_prior_.clear();
  weights_.assign(d * stride, 0.0);
  start_.assign(stride, 0.0);
  std::size_t form = 0;
  for (std::size_t c = 0; c < k; ++c) {
    const double share = class_count_.values[c] / weight();
    log_prior_.push_back(share > 0 ? std::log(share) : kNever);
    if (share > 0 && form++ > 0) {
      start_[c] = odds_intercept_.values[form - 2];
      for (std::size_t j = 0; j < d; ++j) {
        weights_[j * stride + c] = odds_coef_.values[(form - 2) * d + j];
      }
    } else if (share == 0) {
      start_[c] = kNever;
    }
  }
  sparse_start_ = start_;
  for (std::size_t at = 0; at < d * stride; ++at) {
    sparse_start_[at % stride] -= weights_[at] * centre_.values[at / stride];
  }
}

// log p(class | row), up to a term that all classes share.
void LogisticRegression::scores(const Chunk& chunk, const Source& x, std::span<double> out) const {
  check_finite(chunk, x);
  const std::size_t k = usize(classes()), stride = usize(padded_classes(classes()));
  const auto of_sparse = [&](const auto& rows) {
    std::vector<double> row(stride);
    const Index last = rows.offsets[rows.rows];
    for (Index i = 0; i < rows.rows; ++i) {
      row = sparse_start_;
      const Index first = rows.offsets[i];
      add_scores(rows.values + first, rows.columns + first, rows.offsets[i + 1] - first,
                 last - first, weights_.data(), static_cast<Index>(stride), row.data());
      std::copy_n(row.begin(), k, out.begin() + i * classes());
    }
  };
  std::visit(
      [&](const auto& rows) {
        if constexpr (requires { rows.stride; }) {
          centred_scores(rows, centre_.values.data(), weights_.data(), start_.data(), classes(),
                         out.data());
        } else {
          of_sparse(rows);
        }
      },
      chunk.x);
  check_joint(chunk, x, out);
}

namespace {

template <class F>
auto with_scores(Source& x, Index columns, std::span<const double> log_prior, const F& scores,
                 const auto& use) {
  check_columns(x, columns);
  return use(BayesRule(log_prior, scores));
}

}  // namespace

void LogisticRegression::predict(Source& x, std::span<std::int32_t> labels,
                                 const Exec& exec) const {
  const auto joint = [&](const Chunk& chunk, std::span<double> out) { scores(chunk, x, out); };
  with_scores(x, columns(), log_prior_, joint,
              [&](const BayesRule& rule) { rule.predict(x, labels, exec); });
}

void LogisticRegression::predict_log_proba(Source& x, std::span<double> out,
                                           const Exec& exec) const {
  const auto joint = [&](const Chunk& chunk, std::span<double> of) { scores(chunk, x, of); };
  with_scores(x, columns(), log_prior_, joint,
              [&](const BayesRule& rule) { rule.predict_log_proba(x, out, exec); });
}

double LogisticRegression::score(Source& x, const Exec& exec) const {
  const auto joint = [&](const Chunk& chunk, std::span<double> out) { scores(chunk, x, out); };
  return with_scores(x, columns(), log_prior_, joint,
                     [&](const BayesRule& rule) { return rule.score(x, exec).accuracy; });
}

std::vector<Measure> LogisticRegression::measures(Source& x, const Exec& exec) const {
  const auto joint = [&](const Chunk& chunk, std::span<double> out) { scores(chunk, x, out); };
  return with_scores(x, columns(), log_prior_, joint, [&](const BayesRule& rule) {
    const BayesRule::Score score = rule.score(x, exec);
    return std::vector<Measure>{{"accuracy", score.accuracy},
                                {"mean log p(label | row)", score.conditional}};
  });
}

Index LogisticRegression::row_work() const { return classes() + centred_room(columns()); }

namespace {

bool all_finite(const double* row, Index size) {
  return std::all_of(row, row + size, [](double v) { return std::isfinite(v); });
}

}  // namespace

std::int32_t LogisticRegression::predict_row(const double* row, double* work) const {
  if (!all_finite(row, columns())) return -1;
  const Dense<double> one{row, 1, columns(), columns()};
  centred_scores(one, centre_.values.data(), weights_.data(), start_.data(), classes(), work,
                 work + classes());
  return best_class({work, usize(classes())});
}

bool LogisticRegression::predict_log_proba_row(const double* row, double* work, double* out) const {
  if (!all_finite(row, columns())) return false;
  const Dense<double> one{row, 1, columns(), columns()};
  centred_scores(one, centre_.values.data(), weights_.data(), start_.data(), classes(), out,
                 work + classes());
  return normalise({out, usize(classes())}, work);
}

void LogisticRegression::contributions(const Chunk& chunk, Index row, Index label,
                                       std::span<double> out) const {
  const std::size_t d = usize(columns()), stride = usize(padded_classes(classes()));
  std::vector<double> x(d);
  std::visit([&](const auto& rows) { copy_row(rows, row, x.data()); }, chunk.x);
  out[0] = start_[usize(label)];
  for (std::size_t j = 0; j < d; ++j) {
    out[j + 1] = weights_[j * stride + usize(label)] * (x[j] - centre_.values[j]);
  }
}

LinearForm LogisticRegression::linear_form() const {
  const std::size_t k = usize(classes()), d = usize(columns());
  const std::size_t stride = usize(padded_classes(classes()));
  const double present = static_cast<double>(forms() + 1);
  LinearForm form{{{classes(), columns()}, std::vector<double>(k * d)},
                  {{classes()}, std::vector<double>(k)}};
  const double middle =
      std::accumulate(odds_intercept_.values.begin(), odds_intercept_.values.end(), 0.0) / present;
  std::vector<double> mean(d);
  for (std::size_t at = 0; at < odds_coef_.values.size(); ++at) {
    mean[at % d] += odds_coef_.values[at] / present;
  }
  for (std::size_t c = 0; c < k; ++c) {
    double& intercept = form.intercept.values[c];
    intercept = start_[c] - middle;
    if (start_[c] == kNever) continue;
    for (std::size_t j = 0; j < d; ++j) {
      const double beta = weights_[j * stride + c] - mean[j];
      form.coef.values[c * d + j] = beta;
      intercept -= beta * centre_.values[j];
    }
  }
  return form;
}

std::vector<Boundary> LogisticRegression::boundaries() const {
  if (columns() > 2) {
    throw InputError(
        Code::kNotAble, {},
        fmt::format("boundaries are given of one or two features, and the model has {}", columns()),
        {"Fit it on one or two of the columns{}.", Ref::either(": --features a,b", "")});
  }
  const std::size_t d = usize(columns()), stride = usize(padded_classes(classes()));
  std::vector<Boundary> result;
  for (Index a = 0; a < classes(); ++a) {
    for (Index b = a + 1; b < classes(); ++b) {
      if (start_[usize(a)] == kNever || start_[usize(b)] == kNever) continue;
      Boundary line{.label = a,
                    .other = b,
                    .quadratic = {{columns(), columns()}, std::vector<double>(d * d)},
                    .linear = {{columns()}, {}},
                    .constant = start_[usize(a)] - start_[usize(b)],
                    .points = {},
                    .shape = "nowhere"};
      const double at_centre = line.constant;
      for (std::size_t j = 0; j < d; ++j) {
        const double slope = weights_[j * stride + usize(a)] - weights_[j * stride + usize(b)];
        line.linear.values.push_back(slope);
        line.constant -= slope * centre_.values[j];
        if (slope != 0) line.shape = d == 1 ? "points" : "line";
        if (d == 1 && slope != 0) line.points = {centre_.values[0] - at_centre / slope};
      }
      result.push_back(std::move(line));
    }
  }
  return result;
}

Index LogisticRegression::free_parameters(const Options&) const {
  const auto used = std::ranges::count(used_.values, 1.0);
  return forms() * (used + (intercept() ? 1 : 0));
}

// Model files.

void LogisticRegression::visit_parameters(ParameterVisitor& v) const {
  v.doubles("odds_coef",
            "by how much a unit of each column changes log p(class) / p(first class), for each "
            "class but the first",
            odds_coef_);
  v.doubles("odds_intercept", "the same log-odds of a row at the centre", odds_intercept_);
  v.doubles("centre", "of the columns: their means, or 0 without an intercept", centre_);
  v.doubles("used", "1 for each column, and 0 for those that others give or that do not vary",
            used_);
  v.doubles("feature_alpha", "the precision of the prior of the coefficients of each column",
            alpha_);
  v.doubles("class_count", "the summed weight of the rows of each class", class_count_);
  v.doubles(
      "likelihood",
      "the log-likelihood, that of intercepts alone, and the statistic of the score test that "
      "no column matters, or -1",
      fit_);
  v.doubles(
      "kind",
      "errors: 1 none, 2 of the curvature, 3 robust; 1 for Firth's penalty; 1 with intercepts",
      how_);
  if (!covariance_.empty()) {
    v.doubles("covariance", "of odds_coef and odds_intercept, class after class", covariance_);
  }
  if (!separation_.empty()) {
    v.doubles("separation",
              "a direction of odds_coef and odds_intercept, for each class but the first, along "
              "which the likelihood never falls",
              separation_);
  }
}

LogisticRegression LogisticRegression::from_parameters(const ParameterList& parameters) {
  const ArrayView coef = parameters.doubles("odds_coef", {-1, -1});
  const Index forms = coef.rows(), d = coef.cols();
  LogisticRegression model;
  model.odds_coef_ = coef.copy();
  model.odds_intercept_ = parameters.doubles("odds_intercept", {forms}).copy();
  model.centre_ = parameters.doubles("centre", {d}).copy();
  model.used_ = parameters.doubles("used", {d}).copy();
  model.alpha_ = parameters.doubles("feature_alpha", {d}).copy();
  model.class_count_ = parameters.doubles("class_count", {-1}).copy();
  model.fit_ = parameters.doubles("likelihood", {kFitNumbers}).copy();
  model.how_ = parameters.doubles("kind", {kHowNumbers}).copy();
  if (coef.empty()) fail_parameters("there are no coefficients");
  const auto finite = [](double v) { return std::isfinite(v); };
  const auto valid = [](double v) { return std::isfinite(v) && v >= 0; };
  const auto flag = [](double v) { return v == 0 || v == 1; };
  for (const Array* array : {&model.odds_coef_, &model.odds_intercept_, &model.centre_}) {
    if (!std::ranges::all_of(array->values, finite)) {
      fail_parameters("the coefficients are not finite numbers");
    }
  }
  if (!std::ranges::all_of(model.used_.values, flag)) {
    fail_parameters("a column is neither used nor left out");
  }
  if (!std::ranges::all_of(model.alpha_.values, valid)) {
    fail_parameters("the precisions of the prior are not finite and positive");
  }
  if (!std::ranges::all_of(model.class_count_.values, valid) ||
      std::ranges::count_if(model.class_count_.values, [](double w) { return w > 0; }) !=
          forms + 1 ||
      !(model.weight() <= kHeaviest)) {
    fail_parameters(
        "the weights of the classes are not those of as many classes as there are "
        "coefficients");
  }
  if (!std::ranges::all_of(model.fit_.values, finite)) {
    fail_parameters("the likelihood is not a finite number");
  }
  const double errors = model.how_.values[kErrorsOf];
  if (!(errors == 1 || errors == 2 || errors == 3) || !flag(model.how_.values[kFirth]) ||
      !flag(model.how_.values[kIntercept])) {
    fail_parameters("the kind is none");
  }
  if (errors != 1) {
    const Index size = forms * model.terms();
    model.covariance_ = parameters.doubles("covariance", {size, size}).copy();
    const Dense<double> covariance = model.covariance_.view();
    for (Index i = 0; i < size; ++i) {
      if (!(covariance.row(i)[i] >= 0)) fail_parameters("a variance is negative");
      for (Index j = 0; j < size; ++j) {
        if (!finite(covariance.row(i)[j]) || covariance.row(i)[j] != covariance.row(j)[i]) {
          fail_parameters("the covariance is not finite and symmetric");
        }
      }
    }
  }
  const double separated = model.how_.values[kSeparated];
  if (!(separated == 0 || separated == 1 || separated == 2)) fail_parameters("the kind is none");
  if (separated != 0) {
    model.separation_ = parameters.doubles("separation", {forms, model.terms()}).copy();
    if (!std::ranges::all_of(model.separation_.values, finite)) {
      fail_parameters("the direction of separation is not finite");
    }
  }
  model.prepare();
  for (std::size_t c = 0; c < usize(model.classes()); ++c) {
    if (model.class_count_.values[c] > 0 && !std::isfinite(model.sparse_start_[c])) {
      fail_parameters("the coefficients are too large");
    }
  }
  return model;
}

double LogisticRegression::weight() const {
  return std::accumulate(class_count_.values.begin(), class_count_.values.end(), 0.0);
}

bool LogisticRegression::penalised() const {
  return firth() || std::ranges::any_of(alpha_.values, [](double alpha) { return alpha > 0; });
}

// Tables for people.

Index LogisticRegression::label_of(Index form) const {
  Index left = form + 1;
  for (Index c = 0;; ++c) {
    if (class_count_.values[usize(c)] > 0 && left-- == 0) return c;
  }
}

// Of a coefficient, or of the intercept in the units of the rows: b - g . centre.
double LogisticRegression::variance(Index form, Index term) const {
  const Index q = terms(), size = forms() * q;
  const double* const block = &covariance_.values[usize(form * q * size + form * q)];
  if (term < columns()) return block[term * size + term];
  double sum = 0;
  for (Index i = 0; i < q; ++i) {
    const double a = i == columns() ? 1 : -centre_.values[usize(i)];
    for (Index j = 0; j < q; ++j) {
      const double b = j == columns() ? 1 : -centre_.values[usize(j)];
      sum += a * b * block[i * size + j];
    }
  }
  return std::max(sum, 0.0);
}

// Every coefficient, or the `most` that are the surest to differ from 0.
ResultTable LogisticRegression::coefficient_table(const Schema& schema, Index most) const {
  constexpr double kOutside = 0.05;  // of the intervals
  struct Line {
    Index form, term;
    double value, error;
  };
  std::vector<Line> lines;
  const bool known = !covariance_.empty();
  for (Index r = 0; r < forms(); ++r) {
    for (Index at = 0; at < terms(); ++at) {
      const Index j = intercept() ? (at + columns()) % terms() : at;  // the intercept comes first
      double value = 0;
      if (j < columns()) {
        value = odds_coef_.view().row(r)[j];
      } else {
        value = odds_intercept_.values[usize(r)];
        for (Index i = 0; i < columns(); ++i) {
          value -= odds_coef_.view().row(r)[i] * centre_.values[usize(i)];
        }
      }
      const bool fitted = j == columns() || used_.values[usize(j)] != 0;
      lines.push_back({r, j, value, known && fitted ? std::sqrt(variance(r, j)) : NAN});
    }
  }
  const auto size_of = [](const Line& line) {
    return std::isnan(line.error) ? std::abs(line.value) : std::abs(line.value / line.error);
  };
  const Index all = ssize(lines);
  if (all > most) {
    std::ranges::stable_sort(lines,
                             [&](const Line& a, const Line& b) { return size_of(a) > size_of(b); });
    lines.resize(usize(most));
  }
  const bool one = forms() == 1;
  const std::string first = label_name(schema, label_of(-1));
  ResultTable table{
      "coefficients",
      one ? fmt::format("log-odds of '{}' against '{}'", label_name(schema, label_of(0)), first)
          : fmt::format("log-odds of each class against '{}'", first)};
  if (all > most) table.title += fmt::format(", the {} of {} that say most", most, all);
  const bool prior = penalised() && !firth(), robust = errors() == Errors::kRobust;
  if (known) {
    table.title += robust  ? "; robust errors (sandwich, HC0)"
                   : prior ? "; posterior of the Gaussian prior (Laplace)"
                           : "; errors from the information";
  }
  ResultColumn::Words classes_of, names;
  ResultColumn::Numbers values, odds, error, z, p, low, high;
  const double width = normal_quantile_of_tails(kOutside);
  for (const Line& line : lines) {
    classes_of.push_back(label_name(schema, label_of(line.form)));
    names.push_back(line.term == columns() ? "(intercept)" : schema.name(line.term));
    values.push_back(line.value);
    odds.push_back(line.term == columns() ? NAN : std::exp(line.value));
    error.push_back(line.error);
    z.push_back(line.value / line.error);
    p.push_back(normal_tails(z.back()));
    low.push_back(line.value - width * line.error);
    high.push_back(line.value + width * line.error);
  }
  for (ResultColumn::Numbers* column : {&values, &odds, &error, &z, &p, &low, &high}) {
    for (double& v : *column) v = std::isfinite(v) ? v : NAN;
  }
  if (!one) table.add_words("class", std::move(classes_of));
  table.add_words("term", std::move(names));
  table.add_numbers("coefficient", std::move(values));
  if (known) {
    const bool tests = !prior;  // a prior has taken part in the estimate: its errors test nothing
    table.add_numbers(prior && !robust ? "posterior sd" : "error", std::move(error)).lacks = true;
    if (tests) table.add_numbers("z", std::move(z), {3, Digits::Form::kSignificant}).lacks = true;
    if (tests) table.add_numbers("p", std::move(p), {3, Digits::Form::kSignificant}).lacks = true;
    table.add_numbers("from 95%", std::move(low)).lacks = true;
    table.add_numbers("to", std::move(high)).lacks = true;
  }
  table.add_numbers("odds ratio", std::move(odds), {4, Digits::Form::kSignificant}).lacks = true;
  return table;
}

// How well the model fits, and tests that no column matters.
ResultTable LogisticRegression::fit_table() const {
  ResultTable table{"fit", "fit"};
  ResultColumn::Words names;
  ResultColumn::Numbers values, df, p;
  const auto add = [&](const char* name, double value, double degrees = NAN) {
    names.push_back(name);
    values.push_back(value);
    df.push_back(degrees);
    p.push_back(std::isnan(degrees) ? NAN : chi_square_tail(value, degrees));
  };
  const double log_likelihood = fit_.values[kLogLikelihood];
  const double null = fit_.values[kNullLogLikelihood];
  const auto used = std::ranges::count(used_.values, 1.0);
  const double slopes = static_cast<double>(forms() * used);
  add("weight of the rows", weight());
  add("log-likelihood", log_likelihood);
  add("log-likelihood of intercepts alone", null);
  add("deviance", -2 * log_likelihood);
  add("deviance of intercepts alone", -2 * null);
  if (null < 0) add("R2 (McFadden)", 1 - log_likelihood / null);
  if (!penalised()) {
    const double free = static_cast<double>(free_parameters({}));
    add("AIC", 2 * free - 2 * log_likelihood);
    add("BIC", free * std::log(weight()) - 2 * log_likelihood);
    if (slopes > 0) add("likelihood ratio", 2 * (log_likelihood - null), slopes);
  }
  if (slopes > 0 && fit_.values[kScoreStatistic] >= 0) {
    add("score (Rao)", fit_.values[kScoreStatistic], slopes);
  }
  if (slopes > 0 && !covariance_.empty() && (!penalised() || firth())) {
    const std::size_t q = usize(terms()), size = usize(forms()) * q;
    std::vector<std::size_t> places;
    std::vector<double> g;
    for (std::size_t at = 0; at < size; ++at) {
      if (at % q == usize(columns()) || used_.values[at % q] == 0) continue;
      places.push_back(at);
      g.push_back(odds_coef_.values[at / q * usize(columns()) + at % q]);
    }
    const auto wald = quadratic_form(part_of(covariance_.values, size, places), g);
    if (wald && std::isfinite(*wald)) add("Wald", *wald, slopes);
  }
  table.add_words("statistic", std::move(names));
  table.add_numbers("value", std::move(values)).lacks = true;
  if (std::ranges::any_of(df, [](double v) { return !std::isnan(v); })) {
    table.add_numbers("df", std::move(df)).lacks = true;
    table.add_numbers("p", std::move(p), {3, Digits::Form::kSignificant}).lacks = true;
  }
  return table;
}

// What was minimised, and how other programs call it.
ResultTable LogisticRegression::objective_table() const {
  ResultTable table{"objective", "objective: what was minimised, and the same elsewhere"};
  ResultColumn::Words where, what;
  const auto add = [&](const char* name, std::string words) {
    where.push_back(name);
    what.push_back(std::move(words));
  };
  const double alpha = alpha_.values[0];
  const bool uniform = std::ranges::all_of(alpha_.values, [&](double a) { return a == alpha; });
  if (firth()) {
    add("craton", "sum w_i loss_i - 1/2 log det(information)");
    add("R", "logistf::logistf (two classes)");
  } else if (!penalised()) {
    add("craton", "sum w_i loss_i");
    add("scikit-learn", "C = inf");
    add("R", forms() == 1 ? "glm(family = binomial)" : "nnet::multinom");
  } else if (!uniform) {
    add("craton", "sum w_i loss_i + 1/2 sum_j alpha_j |coef_j|^2");
    add("glmnet", "alpha = 0, penalty.factor = alpha_j, standardize = FALSE");
  } else {
    const std::string c = shortest_text(1 / alpha);
    add("craton", "sum w_i loss_i + alpha / 2 |coef|^2, alpha = " + shortest_text(alpha));
    add("scikit-learn", "C = " + c);
    add("liblinear", forms() == 1 ? "-s 0 -c " + c + ", without intercept (-B penalises it)"
                                  : std::string("none: it has no softmax"));
    add("glmnet", "alpha = 0, standardize = FALSE, lambda = alpha / n = " +
                      fmt::format("{:.6g}", alpha / weight()));
  }
  table.add_words("in", std::move(where));
  table.add_words("as", std::move(what));
  return table;
}

// Along it no row comes nearer to another class, and some go away from one.
ResultTable LogisticRegression::separation_table(const Schema& schema) const {
  constexpr double kPart = 1e-4;  // of the greatest
  ResultTable table{"separation", how_.values[kSeparated] == 1
                                      ? "separation: a direction that parts the classes"
                                      : "separation: a direction that parts some rows"};
  ResultColumn::Words classes_of, names;
  ResultColumn::Numbers values;
  const Index q = terms();
  for (Index at = 0; at < forms() * q; ++at) {
    const double v = separation_.values[usize(at)];
    if (std::abs(v) < kPart && at % q < columns()) continue;
    classes_of.push_back(label_name(schema, label_of(at / q)));
    names.push_back(at % q == columns() ? "(at the means)" : schema.name(at % q));
    values.push_back(v);
  }
  if (forms() > 1) table.add_words("class", std::move(classes_of));
  table.add_words("term", std::move(names));
  table.add_numbers("direction", std::move(values));
  return table;
}

namespace {

constexpr Index kMostLines = 40;

}  // namespace

std::vector<ResultTable> LogisticRegression::tables(const Schema& schema) const {
  std::vector<ResultTable> all{coefficient_table(schema, kMostLines), fit_table(),
                               objective_table()};
  if (!separation_.empty()) all.push_back(separation_table(schema));
  return all;
}

std::vector<ResultTable> LogisticRegression::more_tables(const Schema& schema) const {
  if (forms() * terms() <= kMostLines) return {};
  ResultTable all = coefficient_table(schema, forms() * terms());
  all.name = "all_coefficients";
  return {all};
}

const Usage LogisticRegression::kUsage{
    .example = "examples/data/letters.csv --target kind -o letters.craton",
    .python = R"(
>>> from craton import LogisticRegression
>>> X = [[1, 2], [2, 1], [3, 3], [5, 4], [6, 6], [4, 5]]
>>> model = LogisticRegression().fit(X, ["low", "low", "high", "low", "high", "high"])
>>> model.predict([[2, 2], [6, 5]]).tolist()
['low', 'high']
>>> model.coef_.shape
(1, 2)
)",
    .sklearn = "linear_model.LogisticRegression"};

template ModelInfo registered<LogisticRegression>();

}  // namespace craton
