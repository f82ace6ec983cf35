#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "craton/classes/product/product_program.h"
#include "craton/model/registry.h"

// A class z, and columns that are independent given it, each of its own family:
//
//   log p(x, z) = log p(z) + sum_j log p_j(x_j | theta_zj).
//
// Where z is seen this is naive Bayes (product_bayes.h), where it is hidden a mixture (mixture.h):
// latent_class.h. A missing value, or a category that was never seen, leaves its term out.

namespace craton {

class ClassProduct {
 public:
  // parameters[j * classes + z]: of feature j in class z.
  ClassProduct(Array class_log_prior, std::vector<Feature> features,
               std::vector<Parameters> parameters);

  Index columns() const { return std::ssize(scores_.features()); }
  Index classes() const { return class_log_prior_.rows(); }
  const std::vector<Feature>& features() const { return scores_.features(); }
  const std::vector<double>& class_log_prior() const { return class_log_prior_.values; }
  const Parameters& of(Index column, Index z) const { return scores_.of(usize(column), usize(z)); }
  const FeatureScores& scores() const { return scores_; }
  const ProductProgram& program() const { return program_; }

  // log p(x, z) of the rows of a chunk, row after row.
  void joint(const Chunk& chunk, std::span<double> out) const;
  // One row (registry.h), if every value of it is a number.
  Index row_work() const { return classes() + static_cast<Index>(ProductBlock::size(program_)); }
  std::int32_t predict_row(const double* row, double* work) const;
  bool predict_log_proba_row(const double* row, double* work, double* out) const;
  double score_row(const double* row, double* work) const;
  // Of a row and a class: log p(z), then log p_j(x_j | theta_zj).
  void contributions(const Chunk& chunk, Index row, Index label, std::span<double> out) const;
  Sample sample(Index rows, std::uint64_t seed) const;
  Index free_parameters() const;  // of the columns; not those of p(z)

  // As model files have it, and back.
  void visit_parameters(ParameterVisitor& v) const;
  static ClassProduct from_parameters(const ParameterList& parameters);
  // For people; `word` is what a class is called.
  std::vector<ResultTable> tables(const Schema& schema, std::string_view word = "class") const;
  std::vector<ResultTable> more_tables(const Schema& schema, std::string_view word = "class") const;
  bool operator==(const ClassProduct& other) const;

 private:
  bool joint_row(const double* row, double* work, std::span<double> out) const;

  Array class_log_prior_;
  FeatureScores scores_;
  ProductProgram program_;
};

}  // namespace craton
