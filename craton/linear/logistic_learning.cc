#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "craton/base/error.h"
#include "craton/classes/class_prior.h"
#include "craton/linear/large_likelihood.h"
#include "craton/linear/logistic.h"
#include "craton/linear/logistic_inference.h"
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

// P = alpha C^-1 of a covariance C.
void set_covariance(const LogisticRegression::Options& options, Index columns,
                    LogisticPenalty& penalty) {
  const std::vector<double>& c = options.prior_covariance.values;
  const Ref name = Ref::option("prior_covariance");
  if (!options.feature_alpha.empty()) {
    throw InputError(
        Code::kBadOption, {},
        {"{} and {} both say how sure the prior is", name, Ref::option("feature_alpha")},
        "Leave one of them out.");
  }
  const std::size_t d = usize(columns);
  if (c.size() != d * d) {
    throw InputError(Code::kBadOption, {},
                     {"{} has {} values for {} columns", name, ssize(c), columns},
                     "Give a row and a column for each.");
  }
  for (std::size_t at = 0; at < c.size(); ++at) {
    const double across = c[at % d * d + at / d];
    if (std::isfinite(c[at]) && std::abs(c[at] - across) <= 1e-12 * std::abs(c[at])) continue;
    throw InputError(Code::kBadOption, {},
                     {"{} is not symmetric, or not finite, at row {}, column {}", name,
                      static_cast<Index>(at / d), static_cast<Index>(at % d)},
                     "Give a covariance.");
  }
  const auto inverse = inverse_of_symmetric(c, columns);
  if (!inverse) {
    throw InputError(Code::kBadOption, {}, {"{} is not positive definite", name},
                     "Give a covariance that has an inverse.");
  }
  penalty.precision = *inverse;
  for (double& p : penalty.precision) p *= options.alpha;
  for (std::size_t j = 0; j < d; ++j) penalty.alpha[j] = penalty.precision[j * d + j];
  if (!std::ranges::all_of(penalty.precision, [](double p) { return std::abs(p) < kInfinity; })) {
    throw InputError(Code::kBadOption, {}, {"{} over {} overflows", Ref::option("alpha"), name},
                     "Give a smaller alpha, or a larger covariance.");
  }
  if (options.alpha == 0) penalty.precision.clear();
}

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
  const bool prior = !options.prior_mean.empty() || !options.prior_covariance.empty();
  if (prior && options.penalty != Penalty::kL2) {
    throw InputError(Code::kBadOption, {},
                     {"{} and {} are of a Gaussian prior", Ref::option("prior_mean"),
                      Ref::option("prior_covariance")},
                     {"Give {}.", Ref::option("penalty", "l2")});
  }
  if (!options.prior_covariance.empty()) set_covariance(options, columns, penalty);
  return penalty;
}

// A column that does not vary keeps its prior, which says something of others that depend on it.
void refuse_constant(const LogisticTerms& terms, const Source& x, const LogisticPenalty& penalty) {
  for (Index j = 0; j < terms.columns; ++j) {
    if (terms.unit[usize(j)] > 0) continue;
    bool pulled = !penalty.precision.empty();
    for (std::size_t at = usize(j); at < penalty.mean.size(); at += usize(terms.columns)) {
      pulled = pulled || penalty.mean[at] != 0;
    }
    if (!pulled) continue;
    throw InputError(Code::kBadOption, {.file = x.name(), .column = x.schema().name(j)},
                     {"{} says something of a column that is the same in every row",
                      Ref::option(penalty.precision.empty() ? "prior_mean" : "prior_covariance")},
                     "Leave the column out.");
  }
}

// The mean of the contrasts: of the classes that have rows, less that of the first of them.
void set_mean(const LogisticRegression::Options& options, const LogisticTerms& terms,
              LogisticPenalty& penalty) {
  const Array& mean = options.prior_mean;
  if (mean.empty()) return;
  const std::size_t d = usize(terms.columns);
  const bool two = terms.classes == 2 && mean.values.size() == d;
  if (!two && mean.values.size() != d * terms.class_of.size()) {
    throw InputError(Code::kBadOption, {},
                     {"{} has {} values for {} columns and {} classes", Ref::option("prior_mean"),
                      ssize(mean.values), terms.columns, ssize(terms.class_of)},
                     "Give one for each column, or of more than two classes a row for each.");
  }
  if (two) {
    penalty.mean = mean.values;
  } else {
    std::optional<std::size_t> first;
    for (std::size_t c = 0; c < terms.class_of.size(); ++c) {
      if (terms.class_of[c] < 0) continue;
      if (!first) first = c;
      for (std::size_t j = 0; j < d && c != *first; ++j) {
        penalty.mean.push_back(mean.values[c * d + j] - mean.values[*first * d + j]);
      }
    }
  }
  if (!std::ranges::all_of(penalty.mean, [](double m) { return std::isfinite(m); })) {
    throw InputError(Code::kBadOption, {}, {"{} is not finite", Ref::option("prior_mean")},
                     "Give numbers.");
  }
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
    const double range = columns.range(static_cast<Index>(j));
    const bool square = variance[j] > 1e-290;  // of smaller ones digits are lost, or all
    const double deviation = square ? std::sqrt(variance[j]) : range / 4;
    const double spread = intercept ? deviation : std::hypot(deviation, mean);
    const bool flat = range == 0 && (intercept || mean == 0);
    terms.unit.push_back(flat || !(spread > 0) ? 0 : unit_of(spread));
  }
  terms.words = terms.size();
  if (terms.size() <= kMostNewton) {  // and more rows a chunk than sums need: they are merged
    constexpr Index kSpare = 8;
    terms.words = kSpare * terms.pairs() * terms.terms() * terms.terms();
  }
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
  LogisticPenalty penalty = penalty_of(options, x.shape().cols);
  const Index labels = count_classes(x);
  const ColumnStatistics columns = check_table(x, exec, Takes::kSparseToo);
  const LabelWeights counts = fold(x, LabelWeights(labels), exec);
  FitReport report;
  check_classes(x, counts.weight(), counts.unlabelled(), report.notes);
  LogisticTerms terms = terms_of(columns, counts.weight(), options.fit_intercept);
  if (terms.classes < 2) fail_one_class(x, counts.weight());
  set_mean(options, terms, penalty);
  refuse_constant(terms, x, penalty);

  LogisticRegression model;
  model.class_count_ = {{labels}, counts.weight()};
  model.centre_ = {{terms.columns}, terms.centre};
  model.alpha_ = {{terms.columns}, penalty.alpha};
  if (!penalty.mean.empty()) model.prior_mean_ = {{terms.forms(), terms.columns}, penalty.mean};
  if (!penalty.precision.empty()) {
    model.prior_precision_ = {{terms.columns, terms.columns}, penalty.precision};
  }
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
    const double products = static_cast<double>(x.shape().rows * terms.pairs()) *
                            static_cast<double>(terms.terms() * terms.terms());
    const bool rough = products > kManyProducts && !penalty.firth;
    const NewtonOptions newton{
        .max_iter = options.max_iter,
        .tol = options.tol,
        .at_the_start = rough ? Curvature::kPart : Curvature::kFull,
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

}  // namespace craton
