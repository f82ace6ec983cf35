#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "craton/base/options.h"
#include "craton/base/report.h"
#include "craton/base/result_table.h"
#include "craton/base/source.h"
#include "craton/engine/exec.h"

// What models can do. An ability is declared here, once: a field, and a row of the table that says
// its name, what people read of it, and how it is found in a model type. Every list of abilities
// (craton models, JSON, Python, the reference, the laws) is a loop over that table.

namespace craton {

// What a model learns from beside the features of a row.
enum class TargetKind : std::int8_t {
  kNone,
  kLabels,      // Schema::target stands for them
  kSomeLabels,  // the same where rows have them; they need not
  kNumber,      // Chunk::targets
};

// What score() is of a table, higher being better.
enum class ScoreKind : std::int8_t {
  kNone,
  kLogDensity,  // mean log p(row): in units of the rows, so it moves when they are scaled
  kAccuracy,    // the share of rows whose label is right
  kDistance,    // minus the sum of distances, in the units that the model sees
  kR2,          // the share of the variance of the targets that is explained
};

// How people use a model: for help, reference pages, generated classes and tests.
struct Usage {
  std::string_view example;       // the rest of `craton fit NAME`, on a file of examples/
  std::string_view python;        // lines of an interactive session, with what they print
  std::string_view small = {};    // "option=value ..." that make a small, quick fit on any table
  int positional = 0;             // parameters of the Python class that may be given by position
  std::string_view sklearn = {};  // scikit-learn's class: "cluster.KMeans"
};

struct Abilities {
  bool predict = false;
  bool predict_log_proba = false;
  bool predict_numbers = false;
  bool intervals = false;
  bool score_samples = false;
  bool score = false;
  bool measures = false;
  bool transform = false;
  bool sample = false;
  bool distribution = false;
  bool statistics = false;
  bool entropy = false;
  bool free_parameters = false;
  bool sparse = false;
  bool texts = false;
  bool texts_beside = false;
  bool fit_from = false;
  bool partial_fit = false;
  bool unlearn = false;
  bool merge = false;
  bool condition = false;
  bool memory = false;
  bool labels = false;
  bool some_labels = false;
  bool numbers = false;
  bool categories = false;
  bool terms = false;
  bool missing = false;
  bool contributions = false;
  bool linear_form = false;
  bool boundaries = false;
  bool rows = false;
  bool diagnose = false;
};

struct Ability {
  std::string_view name;
  bool Abilities::*field;
  std::string_view verb;  // of the command line that has it, or its flag; "": none alone
  std::string_view help;
  bool found = false;  // in a model type
};

// How abilities are found in a model type M: by methods of their names, which take these.
namespace ability {

using Out = std::span<double>;
using Labels = std::span<std::int32_t>;

template <class M>
concept Predicts = requires(const M m, Source& x, Labels out, const Exec& e) {
  m.predict(x, out, e);
};
template <class M>
concept PredictsLogProba = requires(const M m, Source& x, Out out, const Exec& e) {
  m.predict_log_proba(x, out, e);
};
template <class M>
concept PredictsNumbers = requires(const M m, Source& x, Out out, const Exec& e) {
  m.predict_numbers(x, out, e);
};
template <class M>
concept GivesIntervals = requires(const M m, Source& x, ResultTable& t, const Exec& e) {
  m.intervals(x, double{}, t, e);
};
template <class M>
concept Contributes = Predicts<M> && requires(const M m, const Chunk& c, Out out) {
  m.contributions(c, Index{}, Index{}, out);
};
template <class M>
concept ScoresSamples = requires(const M m, Source& x, Out out, const Exec& e) {
  m.score_samples(x, out, e);
};
template <class M>
concept Scores = PredictsNumbers<M> || requires(const M m, Source& x, const Exec& e) {
  m.score(x, e);
};
template <class M>
concept Measures = PredictsNumbers<M> || requires(const M m, Source& x, const Exec& e) {
  m.measures(x, e);
};
template <class M>
concept Transforms = requires(const M m, Source& x, Out out, const Exec& e) {
  m.transform(x, out, e);
};
template <class M>
concept Samples = requires(const M m) {
  m.sample(Index{}, std::uint64_t{});
};
template <class M>
concept GivesDistribution = requires(const M m, std::span<const double> v, const Exec& e) {
  m.cdf(v, e);
  m.quantile(v, e);
};
template <class M>
concept GivesStatistics = requires(const M m) {
  m.statistics();
};
template <class M>
concept GivesEntropy = requires(const M m, Source& x, const Exec& e) {
  m.entropy(x, e);
};
template <class M>
concept CountsParameters = requires(const M m, const typename M::Options o) {
  m.free_parameters(o);
};
template <class M>
concept TakesSparse = requires {
  M::kTakesSparse;
};
template <class M>
concept TakesTextsBeside = requires {
  M::kTakesTexts;
};
template <class M>
concept TakesPositions = requires {
  M::kTakesPositions;
};
template <class M>
concept TakesTexts = TakesSparse<M> || TakesTextsBeside<M> || TakesPositions<M>;
template <class M>
concept FitsFrom = requires(const M m, const typename M::Options o, Source& x, const Exec& e) {
  M::fit_from(m, x, o, e);
};
template <class M>
concept LearnsOn = requires(const Fit<M> f, const typename M::Options o, Source& x, const Exec& e) {
  M::partial_fit(f, x, o, e);
};
template <class M>
concept Unlearns = requires(const Fit<M> f, const typename M::Options o, Source& x, const Exec& e) {
  M::unlearn(f, x, o, e);
};
template <class M>
concept Merges = requires(const Fit<M> f, const typename M::Options o) {
  M::merge(f, f, o);
};
template <class M>
concept HasParts = requires(const Fit<M> f, typename M::Options o, const Schema& s,
                            std::span<const Index> c, std::span<const double> v) {
  M::marginal(f, c, s, o);
  M::condition(f, c, v, s, o);
};
template <class M>
concept Remembers = requires(const M m, std::span<const Parameter> p) {
  m.check_memory(p);
};
template <class M>
concept MakesTerms = requires {
  M::kCodesCategories;
};
template <class M>
concept TakesCategories = MakesTerms<M> || requires {
  M::kTakesCategories;
};
template <class M>
concept TakesMissing = requires {
  M::kTakesMissing;
};
template <class M>
concept IsLinear = requires(const M m) {
  m.linear_form();
};
template <class M>
concept Bounds = requires(const M m) {
  m.boundaries();
};
template <class M>
concept TakesOneRow = requires(const M m) {
  m.row_work();
};
template <class M>
concept Diagnoses = Predicts<M> || PredictsNumbers<M> || ScoresSamples<M> ||
    requires(const M m, Source& x, ResultTable& t, const Exec& e) {
  m.diagnose(x, t, e);
};
template <class M, TargetKind kKind>
concept Learns = M::kTarget == kKind;

}  // namespace ability

// The table, for a model type M.
template <class M>
constexpr auto abilities_in() {
  using namespace ability;
  using A = Abilities;
  using T = TargetKind;
  return std::array{
      Ability{"predict", &A::predict, "predict", "a label for each row", Predicts<M>},
      Ability{"predict_log_proba", &A::predict_log_proba, "predict --proba", "log p(label | row)",
              PredictsLogProba<M>},
      Ability{"predict_numbers", &A::predict_numbers, "predict", "a number for each row",
              PredictsNumbers<M>},
      Ability{"intervals", &A::intervals, "predict --interval",
              "between what the number, p(label | row) or log p(row) of each row lies",
              GivesIntervals<M>},
      Ability{"contributions", &A::contributions, "predict --explain",
              "what each feature says for a label", Contributes<M>},
      Ability{"score_samples", &A::score_samples, "", "log p(row)", ScoresSamples<M>},
      Ability{"score", &A::score, "score", "one number for a table: higher is better", Scores<M>},
      Ability{"measures", &A::measures, "", "all figures for a table", Measures<M>},
      Ability{"transform", &A::transform, "", "new columns for each row", Transforms<M>},
      Ability{"sample", &A::sample, "sample", "rows drawn from the model", Samples<M>},
      Ability{"distribution", &A::distribution, "quantile",
              "of one column: P(at most x), and its inverse", GivesDistribution<M>},
      Ability{"statistics", &A::statistics, "",
              "sufficient statistics of rows at the model's parameters", GivesStatistics<M>},
      Ability{"entropy", &A::entropy, "", "of the labels of rows, for ICL", GivesEntropy<M>},
      Ability{"free_parameters", &A::free_parameters, "", "their number, for AIC and BIC",
              CountsParameters<M>},
      Ability{"sparse", &A::sparse, "", "takes sparse rows as they are", TakesSparse<M>},
      Ability{"texts", &A::texts, "fit --text", "takes a column of text, by its words",
              TakesTexts<M>},
      Ability{"texts_beside", &A::texts_beside, "", "takes a text beside other columns",
              TakesTextsBeside<M>},
      Ability{"fit_from", &A::fit_from, "", "a fit that starts where another ended", FitsFrom<M>},
      Ability{"partial_fit", &A::partial_fit, "learn", "learns on from more rows", LearnsOn<M>},
      Ability{"unlearn", &A::unlearn, "unlearn", "as if rows had not been there", Unlearns<M>},
      Ability{"merge", &A::merge, "merge", "with a model of other rows", Merges<M>},
      Ability{"condition", &A::condition, "condition",
              "of some columns, by themselves or given others", HasParts<M>},
      Ability{"memory", &A::memory, "", "keeps sums over the rows, beside its parameters",
              Remembers<M>},
      Ability{"labels", &A::labels, "", "learns from labelled rows", Learns<M, T::kLabels>},
      Ability{"some_labels", &A::some_labels, "", "learns from labels where rows have them",
              Learns<M, T::kSomeLabels>},
      Ability{"numbers", &A::numbers, "", "learns from a number of each row",
              Learns<M, T::kNumber>},
      Ability{"categories", &A::categories, "", "takes columns of categories, as codes",
              TakesCategories<M>},
      Ability{"terms", &A::terms, "fit --terms", "makes columns of categories, products and powers",
              MakesTerms<M>},
      Ability{"missing", &A::missing, "", "takes missing values, as NaN", TakesMissing<M>},
      Ability{"linear_form", &A::linear_form, "",
              "scores of the labels, or the number, that are linear in the row", IsLinear<M>},
      Ability{"boundaries", &A::boundaries, "", "between its labels, in closed form", Bounds<M>},
      Ability{"rows", &A::rows, "", "predicts a row by itself without allocating", TakesOneRow<M>},
      Ability{"diagnose", &A::diagnose, "", "what it says of each row, as a table", Diagnoses<M>},
  };
}

// The table without a model.
std::span<const Ability> abilities();

template <class M>
constexpr Abilities abilities_of() {
  constexpr auto kTable = abilities_in<M>();
  static_assert(kTable.size() * sizeof(bool) == sizeof(Abilities), "a row for each field");
  Abilities able;
  for (const Ability& ability : kTable) able.*ability.field = ability.found;
  return able;
}

}  // namespace craton
