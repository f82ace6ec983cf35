#pragma once
#include <optional>
#include <span>
#include <vector>

#include "craton/base/function_ref.h"
#include "craton/base/source.h"
#include "craton/engine/exec.h"
#include "craton/model/registry.h"

// What every model of a class z and of features given z does with log p(x, z): the class of a row,
// the posterior, the density, and how well they fit labelled rows.

namespace craton {

// Writes log p(x, z) for the rows of a chunk, row after row; -inf: impossible. Never NaN or +inf.
using Joint = FunctionRef<void(const Chunk&, std::span<double>)>;

// Writes the s of each row in p(z | x) ~ p(x, z)^s: above 0 and finite (calibration.h).
using Scales = FunctionRef<void(const Chunk&, std::span<double>)>;

class BayesRule {
 public:
  // A row that is impossible under every class gets the prior. Borrows all.
  BayesRule(std::span<const double> log_prior, Joint joint, std::optional<Scales> scales = {})
      : log_prior_(log_prior), joint_(joint), scales_(scales) {}

  // The most probable class; of several, the first.
  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const;
  void predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const;  // log p(z | x)
  void score_samples(Source& x, std::span<double> out, const Exec& exec) const;      // log p(x)

  // Of rows with labels; means by weight. A row without one is left out; InputError (kBadTarget)
  // when all are.
  struct Score {
    double weight = 0, accuracy = 0;
    double joint = 0, conditional = 0, marginal = 0;  // log p(x, z), log p(z | x), log p(x)
    Index impossible = 0;                             // rows, under every class

    std::vector<Measure> measures() const;
  };
  Score score(Source& x, const Exec& exec) const;

 private:
  Index classes() const { return ssize(log_prior_); }
  void for_blocks(Source& x, const Exec& exec,
                  FunctionRef<void(const Chunk&, std::span<double>)> use) const;

  std::span<const double> log_prior_;
  Joint joint_;
  std::optional<Scales> scales_;
};

// As Joint has it: InputError (kNotFinite) names the row whose log p(x, z), of values that are far
// too large, is NaN or +inf.
void check_joint(const Chunk& chunk, const Source& x, std::span<const double> joint);

// The same for one row, of which log p(x, z) is known (registry.h): -1 and false where it is
// impossible under every class, or no number. requires k places of work; the probabilities take the
// place of `joint`.
std::int32_t best_class(std::span<const double> joint);
bool normalise(std::span<double> joint, double* work);

// log sum exp of a row; -inf when all are.
double log_sum(std::span<const double> row);
// The place of the largest number; of several, the first.
Index best_of(std::span<const double> row);

}  // namespace craton
