#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/bytes.h"
#include "craton/base/options.h"
#include "craton/base/parameters.h"
#include "craton/base/report.h"
#include "craton/base/result_table.h"
#include "craton/base/source.h"
#include "craton/engine/exec.h"
#include "craton/model/abilities.h"
#include "craton/model/linear_form.h"
#include "craton/model/row_work.h"
#include "craton/tables/step.h"

// A fitted model whose type is not known: by itself, and behind the steps that its rows go through.

namespace craton {

struct ModelInfo;
class TextStep;

// One figure of how well a model fits a table.
struct Measure {
  std::string name;
  double value;
  ScoreKind kind = ScoreKind::kNone;  // kLogDensity: it moves when columns are scaled
};

// Rows drawn from a model, with the component each came from.
struct Sample {
  Array x;
  std::vector<std::int32_t> labels;
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

// A fitted model of any kind, as it sees rows after all steps. What a model cannot do throws
// InputError (kNotAble).
class PlainModel {
 public:
  virtual ~PlainModel() = default;
  virtual const ModelInfo& info() const = 0;
  virtual void visit_parameters(ParameterVisitor& v) const = 0;
  // As older versions said them, where that was otherwise: the digests of their files are of those.
  virtual void visit_old_parameters(ParameterVisitor& v) const = 0;
  // What was learned, as 'craton describe' shows it, and what is shown only when it is asked for.
  virtual std::vector<ResultTable> tables(const Schema& schema) const = 0;
  virtual std::vector<ResultTable> more_tables(const Schema& schema) const = 0;
  // Those of tables() in the units of rows before they were scaled so, if the model knows how.
  virtual std::optional<std::vector<ResultTable>> tables_before(const Schema& schema,
                                                                const Affine& scaled) const = 0;
  virtual bool asleep() const = 0;          // until it is given the function that its file has not
  virtual Index columns() const = 0;        // features of a row
  virtual Index inner_columns() const = 0;  // codes inside of it, beside those
  virtual Index classes() const = 0;        // labels are 0..classes-1; columns of predict_log_proba
  virtual Index outputs() const = 0;        // columns of transform
  virtual void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const = 0;
  virtual void predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const = 0;
  virtual void predict_numbers(Source& x, std::span<double> out, const Exec& exec) const = 0;
  virtual void intervals(Source& x, double level, ResultTable& rows, const Exec& exec) const = 0;
  virtual void score_samples(Source& x, std::span<double> out, const Exec& exec) const = 0;
  virtual double score(Source& x, const Exec& exec) const = 0;
  virtual std::vector<Measure> measures(Source& x, const Exec& exec) const = 0;
  virtual void transform(Source& x, std::span<double> out, const Exec& exec) const = 0;
  virtual Sample sample(Index rows, std::uint64_t seed) const = 0;
  // Of each: P(at most x); and the x of which that is p. requires numbers, and 0 < p < 1.
  virtual std::vector<double> cdf(std::span<const double> x, const Exec& exec) const = 0;
  virtual std::vector<double> quantile(std::span<const double> p, const Exec& exec) const = 0;
  virtual Bytes statistics(Source& x, const Exec& exec) const = 0;
  virtual Bytes merge_statistics(const Bytes& a, const Bytes& b) const = 0;
  virtual double entropy(Source& x, const Exec& exec) const = 0;  // mean per unit weight
  // Those that a fit with these options estimates; without options, all.
  virtual Index free_parameters(std::span<const NamedOption> options) const = 0;
  virtual bool counts_parameters() const = 0;
  virtual void check_memory(std::span<const Parameter> memory) const = 0;
  // What log p(row, label) is the sum of, up to terms that all labels share: the label's own, then
  // one of each feature and of each code inside; -inf: impossible. requires columns() +
  // inner_columns() + 1 places, and rows that predict() takes. A density of columns without labels
  // has them too, as if it had one: 0.
  virtual void contributions(const Chunk& chunk, Index row, Index label,
                             std::span<double> out) const = 0;
  virtual LinearForm linear_form() const = 0;
  virtual std::vector<Boundary> boundaries() const = 0;
  // Adds columns to a table of rows that has what AnyModel::diagnose() says of them.
  virtual void diagnose(Source& x, ResultTable& rows, const Exec& exec) const = 0;

  // One row by itself (row_work.h), the short way: -1, false and NaN where it is not to be gone.
  virtual Index row_work() const = 0;
  virtual std::int32_t try_predict(const double* row, double* work) const = 0;
  virtual bool try_log_proba(const double* row, double* work, double* out) const = 0;
  virtual double try_score(const double* row, double* work) const = 0;
  virtual double try_number(const double* row, double* work) const = 0;
  // The same by the entries of a sparse row.
  virtual Index entries_work() const = 0;
  virtual std::int32_t try_predict(const Sparse<double>& row, double* work) const = 0;
  virtual bool try_log_proba(const Sparse<double>& row, double* work, double* out) const = 0;
};

// The same with the steps that its rows go through: what it says is said of rows as they are
// given. Samples, linear forms and boundaries come back in the units of the rows, and log densities
// are those of the rows; a step that is not affine (tables/step.h) does not let them.
class AnyModel {
 public:
  AnyModel(Steps steps, std::unique_ptr<PlainModel> model);
  const Steps& steps() const { return steps_; }
  const PlainModel& plain() const { return *model_; }

  const ModelInfo& info() const { return model_->info(); }
  // Of the steps, then of the model.
  void visit_parameters(ParameterVisitor& v) const;
  void visit_old_parameters(ParameterVisitor& v) const;
  std::vector<Parameter> parameters() const { return parameters_of(*this); }  // copies of all
  // Of the steps, then of the model, whose columns are those that the steps make: values of
  // features in the units of the rows.
  std::vector<ResultTable> tables(const Schema& schema) const;
  std::vector<ResultTable> more_tables(const Schema& schema) const;
  Index columns() const { return steps_.inputs(model_->columns()); }
  Index classes() const { return model_->classes(); }
  Index outputs() const { return model_->outputs(); }
  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const;
  void predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const;
  void predict_numbers(Source& x, std::span<double> out, const Exec& exec) const;
  // A row for each of x. Of numbers: the prediction, between what one more such row lies (low,
  // high), and between what the mean of such rows does (mean_low, mean_high), with probability
  // `level`. Of labels: the label, p(label | row), and between what that lies (low, high). Of
  // densities: log p(row), and between what that lies.
  ResultTable intervals(Source& x, double level, const Exec& exec) const;
  void score_samples(Source& x, std::span<double> out, const Exec& exec) const;
  double score(Source& x, const Exec& exec) const;
  std::vector<Measure> measures(Source& x, const Exec& exec) const;
  void transform(Source& x, std::span<double> out, const Exec& exec) const;
  Sample sample(Index rows, std::uint64_t seed) const;
  // Of a model of one column. InputError for what is no number, or no probability.
  std::vector<double> cdf(std::span<const double> x, const Exec& exec) const;
  std::vector<double> quantile(std::span<const double> p, const Exec& exec) const;
  Bytes statistics(Source& x, const Exec& exec) const;
  Bytes merge_statistics(const Bytes& a, const Bytes& b) const;
  double entropy(Source& x, const Exec& exec) const;
  Index free_parameters(std::span<const NamedOption> options) const;
  // Whether this one can: some have columns, or densities, whose parameters nothing counts.
  bool counts_parameters() const { return model_->counts_parameters(); }
  void check_memory(std::span<const Parameter> memory) const { model_->check_memory(memory); }
  // Of the columns as given: what a term says is shared by those that it is made of. Of texts the
  // words are such columns, behind the others: told_rows() has them, and the rows of `chunk` are of
  // those; tell_row() gives their values.
  void contributions(const Chunk& chunk, Index row, Index label, std::span<double> out) const;
  static void tell_row(const Chunk& chunk, Index row, double* out);
  SteppedRows told_rows(Source& x) const;
  Schema told_schema(const Schema& schema) const;
  Index told_columns() const;
  LinearForm linear_form() const;
  std::vector<Boundary> boundaries() const;
  // A row for each of x: the label, p(label | row), the number predicted and log p(row), of those
  // that it can give, and what the model adds.
  ResultTable diagnose(Source& x, const Exec& exec) const;
  // What is to be added to log densities of rows after the steps; 0 if the model has none.
  double log_volume() const { return log_volume_; }

  // One row by itself: row_work.h. requires a `work` made for this model.
  Index row_work() const;
  std::int32_t predict_row(std::span<const double> row, RowWork& work) const;
  void predict_log_proba_row(std::span<const double> row, RowWork& work,
                             std::span<double> out) const;             // classes() numbers
  double score_row(std::span<const double> row, RowWork& work) const;  // log p(row)
  double predict_number_row(std::span<const double> row, RowWork& work) const;
  // One text by itself, of a model of texts; InputError (kNotAble) from others.
  std::int32_t predict_text(std::string_view text, RowWork& work) const;
  void predict_log_proba_text(std::string_view text, RowWork& work, std::span<double> out) const;

 private:
  SteppedRows rows_of(Source& x) const;
  void add_volume(ResultTable& rows) const;
  const Affine& need_affine(std::string_view what, bool back) const;
  std::vector<ResultTable> of_given_rows(std::vector<ResultTable> tables) const;
  struct OneRow;
  OneRow one_row(std::span<const double> row, RowWork& work) const;
  const TextStep& need_text() const;
  std::optional<Sparse<double>> row_of(std::string_view text, RowWork& work) const;

  Steps steps_;
  std::unique_ptr<PlainModel> model_;
  double log_volume_ = 0;
};

// Rows that were drawn, and forms of a model, as numbers: InputError (kNotFinite) where they
// overflow. A point beyond all numbers is none; the coefficient of what is impossible may be -inf.
Sample checked(Sample sample);
LinearForm checked(LinearForm form);
std::vector<Boundary> checked(std::vector<Boundary> boundaries);

// In a diagnosis, labels become what they stand for; without a target they stay numbers.
void name_labels(ResultTable& rows, const Schema& schema);

// requires the count of columns the model was fitted on; InputError (kWrongColumns) otherwise.
void check_columns(const Source& x, Index columns);

}  // namespace craton
