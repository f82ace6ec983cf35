#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "craton/classes/product/bag.h"
#include "craton/classes/product/product_program.h"
#include "craton/model/registry.h"

// A class z, and columns that are independent given it, each of its own family:
//
//   log p(x, z) = log p(z) + sum_j log p_j(x_j | theta_zj) + log p(terms of x | z).
//
// The last is of rows that have a text beside their columns, or nothing else (bag.h). Where z is
// seen this is naive Bayes (product_bayes.h), where it is hidden a mixture (mixture.h):
// latent_class.h. A missing value, or a category that was never seen, leaves its term out.

namespace craton {

class ClassProduct {
 public:
  // parameters[j * classes + z]: of feature j in class z.
  ClassProduct(Array class_log_prior, std::vector<Feature> features,
               std::vector<Parameters> parameters, std::optional<Bag> bag = {});

  Index columns() const { return std::ssize(scores_.features()); }
  Index classes() const { return class_log_prior_.rows(); }
  const std::vector<Feature>& features() const { return scores_.features(); }
  const std::vector<double>& class_log_prior() const { return class_log_prior_.values; }
  const Parameters& of(Index column, Index z) const { return scores_.of(usize(column), usize(z)); }
  const FeatureScores& scores() const { return scores_; }
  const std::optional<Bag>& bag() const { return bag_; }
  Index inner_columns() const { return bag_ ? bag_->terms() : 0; }
  const ProductProgram& program() const { return program_; }

  // log p(x, z) of the rows of a chunk, row after row.
  void joint(const Chunk& chunk, std::span<double> out) const;
  void joint_of_columns(const Chunk& chunk, std::span<double> out) const;  // without their terms
  // One row (registry.h), if every value of it is a number.
  Index row_work() const { return classes() + static_cast<Index>(ProductBlock::size(program_)); }
  std::int32_t predict_row(const double* row, double* work) const;
  bool predict_log_proba_row(const double* row, double* work, double* out) const;
  double score_row(const double* row, double* work) const;
  // The same of a row that is a text alone.
  Index entries_work() const { return row_work() + (bag_ ? bag_->work() : 0); }
  std::int32_t predict_entries(const Inner& row, double* work) const;
  bool predict_log_proba_entries(const Inner& row, double* work, double* out) const;
  // Of a row and a class: log p(z), then log p_j(x_j | theta_zj), then what each term adds.
  void contributions(const Chunk& chunk, Index row, Index label, std::span<double> out) const;
  Sample sample(Index rows, std::uint64_t seed) const;
  Index free_parameters() const;  // of the columns; not those of p(z)
  bool counts_parameters() const;

  // As model files have it, and back.
  void visit_parameters(ParameterVisitor& v) const;
  static ClassProduct from_parameters(const ParameterList& parameters);
  // For people; `word` is what a class is called.
  std::vector<ResultTable> tables(const Schema& schema, std::string_view word = "class") const;
  std::vector<ResultTable> more_tables(const Schema& schema, std::string_view word = "class") const;
  bool operator==(const ClassProduct& other) const;

 private:
  bool joint_row(const double* row, double* work, std::span<double> out) const;
  bool joint_entries(const Inner& row, double* work, std::span<double> out) const;

  Array class_log_prior_;
  FeatureScores scores_;
  ProductProgram program_;
  std::optional<Bag> bag_;
};

}  // namespace craton
