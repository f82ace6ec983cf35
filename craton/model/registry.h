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
#include "craton/engine/fold.h"
#include "craton/model/row_work.h"

// Every model, once. A model M is a value type with
//
//   static constexpr std::string_view kName, kPythonName, kHelp, kObjective;
//   struct Options;  void describe(OptionVisitor&, Options&);
//   static Fit<M> fit(Source&, const Options&, const Exec&);
//   Index columns() const;                               // features of a row
//   std::vector<Parameter> parameters() const;           // what is learned, under its public names
//   static M from_parameters(std::span<const Parameter>); // the only way back: checks everything
//   std::vector<SummaryTable> summary(const Schema&) const;
//
// and any of the abilities below, each a method of the same name (sparse, labels, some_labels,
// categories and missing: constants kTakesSparse, ...; with some_labels, labelled() says whether
// there were any). The command line, the Python classes, the reference pages
// and the laws are made from craton/models.cc, which lists them.
//
// A model that learns on does so from what was fitted so far, a value like the result:
//
//   static Fit<M> fit_from(const M& start, Source&, const Options&, const Exec&);  // warm start
//   static Fit<M> partial_fit(const Fit<M>& so_far, Source&, const Options&, const Exec&);
//   static Fit<M> unlearn(const Fit<M>& so_far, Source&, const Options&, const Exec&);
//   static Fit<M> merge(const Fit<M>& a, const Fit<M>& b, const Options&);  // the rows of both
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
//
// the last two if it has predict_log_proba and score_samples. What they leave, such as missing
// values, goes the long way: predict() deals with it, or says why not.

namespace craton {

// One figure of how well a model fits a table.
struct Measure {
  std::string name;
  double value;
};

// Rows drawn from a model, with the component each came from.
struct Sample {
  Array x;
  std::vector<std::int32_t> labels;
};

// A number made of one column of a row: "log {}" stands for the logarithm of its value, "[{} = 2]"
// for 1 where it is the category 2, and 0 elsewhere.
struct LinearTerm {
  Index column = 0;
  std::string of;
};

// The scores w t + b of the labels of a row, whose softmax is p(label | row); t are its columns, or
// its terms.
struct LinearForm {
  Array coef;                          // labels x columns, or terms
  Array intercept;                     // labels
  std::vector<LinearTerm> terms = {};  // none: the columns
};

// Where two labels are as probable as each other: x' Q x + l . x + c = 0, which is
// log p(row, label) - log p(row, other).
struct Boundary {
  Index label = 0, other = 0;
  Array quadratic;  // Q, columns x columns
  Array linear;     // l
  double constant = 0;
  std::vector<double> points;  // of one column: where, ascending
  std::string shape;           // points, line, ellipse, parabola, hyperbola or nowhere
};

struct Abilities {
  bool predict = false;            // a label for each row
  bool predict_log_proba = false;  // log p(label | row)
  bool score_samples = false;      // log p(row)
  bool score = false;              // one number for a table: higher is better
  bool measures = false;           // all figures for a table
  bool transform = false;          // new columns for each row
  bool sample = false;
  bool statistics = false;       // sufficient statistics of rows at the model's parameters
  bool entropy = false;          // of the labels of rows, for ICL
  bool free_parameters = false;  // their number, for AIC and BIC
  bool sparse = false;           // takes sparse rows as they are
  bool fit_from = false;         // a fit that starts where another ended
  bool partial_fit = false;      // learns on from more rows
  bool unlearn = false;          // as if rows had not been there
  bool merge = false;            // with a model of other rows
  bool memory = false;           // keeps sums over the rows, beside its parameters
  bool labels = false;           // learns from labelled rows; labels stand for Schema::target
  bool some_labels = false;      // the same where rows have labels; they need not
  bool categories = false;       // takes columns of categories, as codes
  bool missing = false;          // takes missing values, as NaN
  bool contributions = false;    // what each feature says for a label
  bool linear_form = false;      // scores of the labels that are linear in the row
  bool boundaries = false;       // between its labels, in closed form
  bool rows = false;             // predicts a row by itself without allocating
};

struct ModelInfo;

// A fitted model of any kind. What a model cannot do throws InputError (kNotAble).
class AnyModel {
 public:
  virtual ~AnyModel() = default;
  virtual const ModelInfo& info() const = 0;
  virtual std::vector<Parameter> parameters() const = 0;
  virtual std::vector<SummaryTable> summary(const Schema& schema) const = 0;
  virtual Index columns() const = 0;  // features of a row
  virtual Index classes() const = 0;  // labels are 0..classes-1; columns of predict_log_proba
  virtual Index outputs() const = 0;  // columns of transform
  virtual void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const = 0;
  virtual void predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const = 0;
  virtual void score_samples(Source& x, std::span<double> out, const Exec& exec) const = 0;
  virtual double score(Source& x, const Exec& exec) const = 0;
  virtual std::vector<Measure> measures(Source& x, const Exec& exec) const = 0;
  virtual void transform(Source& x, std::span<double> out, const Exec& exec) const = 0;
  virtual Sample sample(Index rows, std::uint64_t seed) const = 0;
  virtual Bytes statistics(Source& x, const Exec& exec) const = 0;
  virtual Bytes merge_statistics(const Bytes& a, const Bytes& b) const = 0;
  virtual double entropy(Source& x, const Exec& exec) const = 0;  // mean per unit weight
  // Those that a fit with these options estimates; without options, all.
  virtual Index free_parameters(std::span<const NamedOption> options) const = 0;
  virtual void check_memory(std::span<const Parameter> memory) const = 0;
  // What log p(row, label) is the sum of, up to terms that all labels share: the label's own, then
  // one of each feature; -inf: impossible. requires columns() + 1 places, and rows that predict()
  // takes. A density of columns without labels has them too, as if it had one: 0.
  virtual void contributions(const Chunk& chunk, Index row, Index label,
                             std::span<double> out) const = 0;
  virtual LinearForm linear_form() const = 0;
  virtual std::vector<Boundary> boundaries() const = 0;

  // One row by itself: row_work.h. requires a `work` made for this model.
  virtual Index row_work() const = 0;
  std::int32_t predict_row(std::span<const double> row, RowWork& work) const;
  void predict_log_proba_row(std::span<const double> row, RowWork& work,
                             std::span<double> out) const;             // classes() numbers
  double score_row(std::span<const double> row, RowWork& work) const;  // log p(row)

 private:
  friend class PreparedModel;  // which asks another model

  // The short way of those: -1, false and NaN where it is not to be gone.
  virtual std::int32_t try_predict(const double* row, double* work) const = 0;
  virtual bool try_log_proba(const double* row, double* work, double* out) const = 0;
  virtual double try_score(const double* row, double* work) const = 0;
  double* work_for(std::span<const double> row, RowWork& work) const;  // null: not of that width
};

// Who fitted a model, kept when another version saves it again. What an old file does not tell is
// "".
struct Origin {
  std::string library_version = {};
  std::string target = {};  // dispatch_target(): bits repeat on the same one
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

struct ModelInfo {
  std::string_view name, python_name, help;
  std::string_view objective;  // what report.objective and score() are: higher is better
  Abilities abilities;
  std::vector<Option> (*options)();
  void (*check)(std::span<const NamedOption> options);  // as fit() does, before there is a table
  Fitted (*fit)(Source& x, std::span<const NamedOption> options, const Exec& exec);
  std::unique_ptr<AnyModel> (*from_parameters)(std::span<const Parameter> parameters);
  using GoOn = Fitted (*)(const Fitted& so_far, Source& x, std::span<const NamedOption> options,
                          const Exec& exec);
  GoOn fit_from, partial_fit, unlearn;
  Fitted (*merge)(const Fitted& a, const Fitted& b);  // with the options of a
};

std::span<const ModelInfo> models();  // craton/models.cc
template <class M>
ModelInfo registered();  // the line of one; instantiated by the registered.cc of its folder
const ModelInfo& find_model(
    std::string_view name);  // by either name; else InputError, did-you-mean

// 32 hex digits over the model's name, its parameters and the options that change them.
std::string digest(const Fitted& fitted);

// `so_far` is of the model called `name`: InputError (kBadOption) otherwise.
void check_model(const Fitted& so_far, std::string_view name);

// What learning on, or merging, has led to is a model that a file may have: InputError (kNotFinite)
// otherwise. After unlearning it had not seen these rows: InputError (kBadTarget).
void check_learned(const Fitted& next);
void check_unlearned(const Fitted& next);

// The columns of two models to merge, by number and name: InputError (kWrongColumns) otherwise.
// Labels stand for the same classes: InputError (kBadTarget) otherwise.
void check_same_columns(const Schema& a, const Schema& b);
void check_same_labels(const Schema& model, const Schema& x);

// A fit whose objective is not finite has gone where doubles end: InputError (kNotFinite).
void check_objective(const FitReport& report, std::string_view model);

// requires the count of columns the model was fitted on; InputError (kWrongColumns) otherwise.
void check_columns(const Source& x, Index columns);

}  // namespace craton
