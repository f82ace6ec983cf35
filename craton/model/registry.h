#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/options.h"
#include "craton/base/parameters.h"
#include "craton/base/report.h"
#include "craton/base/source.h"
#include "craton/engine/exec.h"
#include "craton/model/any_model.h"

// Every model, once. A model M is a value type with
//
//   static constexpr std::string_view kName, kPythonName, kHelp, kObjective;
//   static constexpr TargetKind kTarget;  static constexpr ScoreKind kScore;    // abilities.h
//   static const Usage kUsage;                                          // how people use it
//   struct Options;  void describe(OptionVisitor&, Options&);
//   static Fit<M> fit(Source&, const Options&, const Exec&);
//   Index columns() const;                               // features of a row
//   void visit_parameters(ParameterVisitor&) const;      // what is learned, under its public names
//   static M from_parameters(const ParameterList&);      // the only way back: checks everything
//   std::vector<ResultTable> tables(const Schema&) const;  // what it learned, for people; and
//                         // more_tables(), if those name only some parameters, or as words
//
// and any of the abilities of abilities.h, each a method of the same name (sparse, categories and
// missing: constants kTakesSparse, ...; with some_labels, labelled() says whether there were any;
// what predicts numbers has score and measures from number_errors.h). A model whose tables are not
// values of features says tables_before(const Schema&, const Affine&) too: the same tables of the
// rows before they were scaled.
// A model that is linear in terms of columns, and takes categories as such (tables/design.h), has a
// constant kCodesCategories; if its Options have fit_intercept, they know of that.
// The command line, the Python classes, the reference pages and the laws are made from
// craton/models.cc, which lists them. Rows may be filled in and scaled first, or go through other
// steps (tables/step.h): M sees them after that, and need not know.
//
// A model that learns on does so from what was fitted so far, a value like the result:
//
//   static Fit<M> fit_from(const M& start, Source&, const Options&, const Exec&);  // warm start
//   static Fit<M> partial_fit(const Fit<M>& so_far, Source&, const Options&, const Exec&);
//   static Fit<M> unlearn(const Fit<M>& so_far, Source&, const Options&, const Exec&);
//   static Fit<M> merge(const Fit<M>& a, const Fit<M>& b, const Options&);  // the rows of both
//
// Of texts, words may be new. A model whose sums are of columns by themselves learns them, and
// merges with models of other words, if it can be one of more columns, with nothing in those:
//
//   static Fit<M> with_columns(const Fit<M>& fit, std::span<const Index> places, Index columns,
//                              const Options& options);
//
// What it needs for that beside the parameters is its memory, sums over the rows as named arrays:
// fit() leaves it in Fit::memory, model files keep it, digests leave it out, and
//
//   void check_memory(std::span<const Parameter> memory) const;  // as from_parameters() does
//
// judges what a file has. It is empty when the parameters are enough, or an old file had none.
// That `so_far` is of the same model and `x` has its columns is checked before M is asked.
//
// A model that predicts a row without allocating (row_work.h) has
//
//   Index row_work() const;                                               // doubles to work on
//   std::int32_t predict_row(const double* row, double* work) const;      // -1: not this way
//   bool predict_log_proba_row(const double* row, double* work, double* out) const;  // or false
//   double score_row(const double* row, double* work) const;              // log p(row), or NaN
//   double predict_number_row(const double* row, double* work) const;     // or NaN
//
// and, of the one sparse row that a text is,
//
//   Index entries_work() const;
//   std::int32_t predict_entries(const Sparse<double>& row, double* work) const;
//   bool predict_log_proba_entries(const Sparse<double>& row, double* work, double* out) const;
//
// those that are abilities of tables too. What they leave, such as missing values, goes the long
// way: predict() deals with it, or says why not.

namespace craton {

// Who fitted a model, kept when another version saves it again. What an old file does not tell is
// "".
struct Origin {
  std::string library_version = {};
  std::string cpu = {};  // dispatch_target(): bits repeat on the same one
  Index grid_version = 0;
  bool operator==(const Origin&) const = default;
};

// A fit with all that a model file keeps beside the parameters.
struct Fitted {
  std::unique_ptr<AnyModel> model;
  FitReport report;
  std::vector<NamedOption> options;  // all of them, defaults included
  Schema schema;
  Origin origin = {};
  Lazy<std::vector<Parameter>> memory = {};
  std::vector<std::int32_t> labels = {};  // what predict() gives the rows fitted on; or none

  const ModelInfo& info() const { return model->info(); }
};

class GivenKernel;  // kernels/smoothing/given_kernel.h

struct ModelInfo {
  std::string_view name, python_name, help;
  std::string_view objective;  // what report.objective is: higher is better
  TargetKind target = TargetKind::kNone;
  ScoreKind score = ScoreKind::kNone;
  Usage usage;
  Abilities abilities;
  const std::vector<Option>& (*options)();
  void (*check)(std::span<const NamedOption> options);  // as fit() does, before there is a table
  Fitted (*fit)(Source& x, std::span<const NamedOption> options, const Exec& exec);
  std::unique_ptr<AnyModel> (*from_parameters)(const ParameterList& parameters);
  using GoOn = Fitted (*)(const Fitted& so_far, Source& x, std::span<const NamedOption> options,
                          const Exec& exec);
  GoOn fit_from, partial_fit, unlearn;
  Fitted (*merge)(const Fitted& a, const Fitted& b);  // with the options of a
  // The density of some columns by themselves, or of those that are not given, at values of the
  // others. InputError for columns that there are not, or twice, or none or all of them.
  Fitted (*marginal)(const Fitted& of, std::span<const Index> kept);
  Fitted (*condition)(const Fitted& of, std::span<const Index> given,
                      std::span<const double> values);
  // With a function beside the options, in place of a kernel: that of a fit, or of a model that was
  // read from a file, which has none. InputError (kNotAble) of models that take none.
  using Function = std::shared_ptr<const GivenKernel>;
  Fitted (*fit_by)(Source& x, std::span<const NamedOption> options, const Exec& exec,
                   Function kernel);
  Fitted (*with_kernel)(const Fitted& of, Function kernel);
};

std::span<const ModelInfo> models();  // craton/models.cc
// Its options, and those of texts, if it takes what is counted in them.
std::vector<Option> all_options(const ModelInfo& model);
template <class M>
ModelInfo registered();  // the line of one; instantiated at the end of its .cc
const ModelInfo& find_model(
    std::string_view name);  // by either name; else InputError, did-you-mean

// The models with an ability, to be proposed: "linear, ridge", in Python "LinearRegression, Ridge".
Ref models_that(bool Abilities::*able);

// Rows have what the model learns from, labels or numbers: InputError (kBadTarget) otherwise, with
// the models that learn from what there is.
void check_target(const ModelInfo& model, const Source& x);

// AnyModel::tables(), then more_tables(), and of models of texts class_words().
std::vector<ResultTable> all_tables(const Fitted& fitted);

// 32 hex digits over the model's name, its parameters and the options that change them.
std::string digest(const Fitted& fitted);
std::string old_digest(const Fitted& fitted);  // as older versions had it (visit_old_parameters)

// `so_far` is of the model called `name`: InputError (kBadOption) otherwise.
void check_model(const Fitted& so_far, std::string_view name);

// What learning on, or merging, has led to is a model that a file may have: InputError (kNotFinite)
// otherwise. After unlearning it had not seen these rows: InputError (kBadTarget).
void check_learned(const Fitted& next);
void check_unlearned(const Fitted& next);

// A choice of columns of a model that rows are given to as they are: InputError otherwise.
void check_choice(const Fitted& of, std::span<const Index> columns, bool may_be_all);
// The columns of two models to merge, by number and name: InputError (kWrongColumns) otherwise.
// Labels stand for the same classes: InputError (kBadTarget) otherwise.
void check_same_columns(const Schema& a, const Schema& b);
void check_same_labels(const Schema& model, const Schema& x);

// A fit whose objective is not finite has gone where doubles end: InputError (kNotFinite).
void check_objective(const FitReport& report, std::string_view model);

}  // namespace craton
