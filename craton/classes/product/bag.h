#pragma once
#include <memory>
#include <span>

#include "craton/base/lazy.h"
#include "craton/base/parameters.h"
#include "craton/base/result_table.h"
#include "craton/base/schema.h"
#include "craton/classes/counts/count_scores.h"
#include "craton/classes/counts/feature_sums.h"

// The terms inside a row (Chunk::inner: the words of a text, and how often each is there), which
// are independent given its class:
//
//   log p(terms | z) = sum_t n_t log p_zt,    p_zt = (N_zt + alpha) / sum_s (N_zs + alpha),
//
// where N_zt is what the rows of class z have of term t. That is the multinomial model of
// count_bayes.h: the probability of the terms in their order, given how many they are.

namespace craton {

class Bag {
 public:
  // Of what the rows of each class have. Borrows nothing.
  Bag(std::shared_ptr<const NonzeroSums> sums, double alpha);

  Index classes() const { return classes_; }
  Index terms() const { return terms_; }
  const Array& log_p() const { return log_p_.get(); }  // classes x terms
  // log p(terms | z) of the rows of a chunk, row after row.
  void find(const Chunk& chunk, std::span<double> out) const;
  // The same of one row, added. requires work() places.
  Index work() const { return scores_.get().entries_work() + classes_; }
  bool add_row(const Inner& row, double* work, std::span<double> out) const;
  // What each term of a row adds to log p(terms | z).
  void contributions(const Chunk& chunk, Index row, Index z, std::span<double> out) const;
  // sum_zt N_zt log p_zt.
  double expected(const FeatureSums& sums) const;
  // The log-density of the parameters, whose prior is prod p^alpha, beside that of its mode.
  double log_prior(double alpha) const;

  void visit_parameters(ParameterVisitor& v) const;
  static Bag from_parameters(const ParameterList& parameters, Index classes);
  static bool is_in(const ParameterList& parameters);
  // Each class with the terms that speak for it.
  ResultTable table(const Schema& schema, std::string_view word) const;
  bool operator==(const Bag& other) const { return log_p() == other.log_p(); }

 private:
  Bag(Lazy<Array> log_p, Index classes, Index terms);

  Index classes_, terms_;
  Lazy<Array> log_p_;
  Lazy<CountScores> scores_;
};

// What the rows of each label have of each term inside of them. One pass.
NonzeroSums find_terms(Source& x, Index classes, const Exec& exec);

}  // namespace craton
