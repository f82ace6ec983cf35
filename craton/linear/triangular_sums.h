#pragma once
#include <vector>

#include "craton/linear/regression_rows.h"

// All that a linear model needs of its rows z = [1, (x - c) f, (y - t) g] of weight w
// (regression_rows.h), as a triangular factor:
//
//   R'R = sum_i w_i z_i z_i'.
//
// R has all digits of the rows where the matrix of normal equations, R'R, has half of them. Sums of
// two tables are put together as the factor of one R above the other. Fewer rows than columns are
// kept as they are: R is any matrix with that product, of at most as many rows as columns.

namespace craton {

class TriangularSums {
 public:
  TriangularSums() = default;
  explicit TriangularSums(RowFrame frame) : frame_(std::move(frame)) {}
  // Of a triangle (or rows) that somebody has summed.
  TriangularSums(RowFrame frame, std::vector<double> factor, double weight, Index rows,
                 double log_weight);

  const RowFrame& frame() const { return frame_; }
  Index columns() const { return frame_.columns(); }
  Index width() const { return frame_.width(); }
  Index height() const { return std::ssize(factor_) / width(); }  // at most the width
  const std::vector<double>& factor() const { return factor_; }   // height x width
  double weight() const { return weight_; }
  Index rows() const { return rows_; }               // those of positive weight
  double log_weight() const { return log_weight_; }  // the sum of their log w

  // What a model remembers of its rows (registry.h): the five numbers above, the frame, R. And
  // back: InputError (kDamagedModel) for what is none.
  Array to_array() const;
  static TriangularSums from_array(const Array& array, Index columns);

  void accumulate(const Chunk& chunk);
  void merge(const TriangularSums& next);
  void write(Writer& writer) const;
  void read(Reader& reader);
  Index words() const { return width() * width(); }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  RowFrame frame_;
  std::vector<double> factor_;
  double weight_ = 0, log_weight_ = 0;
  Index rows_ = 0;
};

// The sums of a whole table, as accurate as reflections and at the speed of a product of matrices:
// the Gram matrix of z first, with R its Cholesky factor; then, where that would cost digits
// (the condition number of the columns, at length 1, is above 100), the Gram matrix of z R^-1,
// which is nearly the identity, so that its factor S loses nothing, and R := S R. (CholeskyQR2:
// Yamamoto, Nakatsukasa, Yanagisawa, Fukaya, "Roundoff error analysis of the CholeskyQR2
// algorithm", ETNA 44, 2015.) Where no second Gram matrix is needed, its last column is, the
// residuals by the columns: one cheap look at all rows, for the last digits of the coefficients.
// Tables of few rows are reflected.
enum class SumBy { kProducts, kReflections };
TriangularSums sum_triangles(Source& x, const RegressionColumns& columns, const Exec& exec);
// One of the two ways: for tests. Products need more rows than columns.
TriangularSums sum_triangles(Source& x, const RegressionColumns& columns, const Exec& exec,
                             SumBy by);

}  // namespace craton
