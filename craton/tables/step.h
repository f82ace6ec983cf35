#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "craton/base/parameters.h"
#include "craton/base/result_table.h"
#include "craton/base/source.h"
#include "craton/engine/exec.h"

// What is done to rows before a model sees them. A step is learned from the rows of a fit, kept in
// the model file, and done again to every row that the model is given later; it may change columns
// and schema. Filling in and scaling are one (preparation.h), terms another (design.h), and counts
// of the words of a text a third (text/text_step.h).
//
// Of an affine step, y_j = (x_j - centre_j) / scale_j, all that a model says of y is said of x:
//
//   log p(x) = log p(y) - sum_j log scale_j      (log_volume)
//   w . y + b = (w / scale) . x + b - (w / scale) . centre

namespace craton {

// y = (x - centre) / scale by column; an empty vector stands for zeros, or for ones.
struct Affine {
  std::vector<double> centre = {}, scale = {};

  double centre_of(Index column) const { return centre.empty() ? 0 : centre[usize(column)]; }
  double scale_of(Index column) const { return scale.empty() ? 1 : scale[usize(column)]; }
  bool is_identity() const { return centre.empty() && scale.empty(); }
  void restore(double* row, Index columns) const;  // x of y
  double log_volume() const;
  bool operator==(const Affine&) const = default;
};

class Step {
 public:
  virtual ~Step() = default;
  virtual std::unique_ptr<Step> copy() const = 0;
  virtual std::string_view prefix() const = 0;  // of the names of its parameters: "prepare."
  // How many columns it is given, if it gives so many.
  virtual Index inputs(Index outputs) const { return outputs; }
  // The rows of a table after this step. Borrows the table and this.
  virtual std::unique_ptr<Source> over(Source& x) const = 0;
  // One row of `inputs` values; allocates nothing.
  virtual void do_row(const double* row, Index inputs, double* out) const = 0;
  virtual const Affine* affine() const = 0;  // null: it is not
  // What log densities of its rows lack to be those of the rows it was given.
  virtual double log_volume() const = 0;
  // Of a step that is not affine: the option that makes it so, what is done to rows, and why they
  // cannot be had back.
  struct Cause {
    std::string_view option, deed, loss;
  };
  virtual Cause not_affine() const { return {}; }
  // The columns that it makes of these, if they are others.
  virtual std::optional<Schema> schema(const Schema&) const { return std::nullopt; }
  // Was it learned from such columns? Asked of what a file has.
  virtual bool fits(const Schema&) const { return true; }
  // What numbers of its columns, which add up, are of those that it was given.
  virtual void add_up(std::span<const double> of_outputs, std::span<double> of_inputs) const;
  virtual void visit_parameters(ParameterVisitor& v) const;
  virtual std::vector<Parameter> parameters() const = 0;
  virtual std::vector<ResultTable> tables(const Schema& schema) const = 0;  // of rows given
};

// The rows of a table after some steps: the table itself, if there are none.
class SteppedRows {
 public:
  explicit SteppedRows(Source& x) : last_(&x) {}
  void add(std::unique_ptr<Source> source);
  Source& operator*() const { return *last_; }
  Source* operator->() const { return last_; }

 private:
  std::vector<std::unique_ptr<Source>> sources_;
  Source* last_;
};

// All steps of a model, in their order: a value.
class Steps {
 public:
  Steps() = default;
  Steps(const Steps& other);
  Steps(Steps&&) = default;
  Steps& operator=(Steps other) noexcept;

  void add(std::unique_ptr<Step> step);
  bool empty() const { return steps_.empty(); }
  std::span<const std::unique_ptr<Step>> all() const { return steps_; }
  Index inputs(Index outputs) const;
  SteppedRows over(Source& x) const;  // borrows both
  // One row after all steps, in `work`, which has room for row_room(outputs) doubles.
  Index row_room(Index outputs) const;
  const double* do_row(const double* row, Index outputs, double* work) const;

  Schema schema(Schema given) const;  // after all steps
  bool fit(const Schema& given) const;
  // As Step::add_up, of all steps: from the last one's columns to the first one's.
  void add_up(std::span<const double> of_outputs, std::span<double> of_inputs) const;

  const Affine* affine() const { return affine_ ? &*affine_ : nullptr; }  // of all together
  double log_volume() const { return log_volume_; }
  Step::Cause not_affine() const;  // of the first that is not

  void visit_parameters(ParameterVisitor& v) const;
  std::vector<Parameter> parameters() const { return parameters_of(*this); }
  bool operator==(const Steps& other) const { return parameters() == other.parameters(); }

 private:
  std::vector<std::unique_ptr<Step>> steps_;
  std::optional<Affine> affine_ = Affine{};
  double log_volume_ = 0;
};

}  // namespace craton
