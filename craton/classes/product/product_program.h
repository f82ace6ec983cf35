#pragma once
#include <optional>
#include <span>
#include <vector>

#include "craton/classes/product/class_statistics.h"
#include "craton/kernels/algebra/block_products.h"
#include "craton/kernels/scratch.h"

// What a class and its features say of a block of rows, and what the rows say of them: a program
// that is made once from the parameters and run on blocks of kProgramRows rows, which lie column by
// column.
//
//   exponential families    log p = T(x) H + c        the sums R'T: two matrix products
//   categories, buckets     log p from a table        the weight of each code
//   other families          their own log-densities   their own statistics
//
// T(x) are the terms of a family's statistics (families/terms.h), H the natural parameters of the
// classes and c what is constant. Columns are moved and scaled to where the classes lie, so that an
// offset of the data costs no digits. Where a class is so narrow beside its distance from the
// others that T H would lose digits all the same, the family's own form is used, which is centred.
//
// T H + c agrees with log_density() to 1e-9 of 1 + its size.

namespace craton {

class ProductProgram {
 public:
  ProductProgram() = default;
  ProductProgram(std::span<const double> log_prior, const FeatureScores& scores);

  std::size_t classes() const { return constant_.size(); }
  std::span<const Feature> features() const { return features_; }

 private:
  friend class ProductBlock;
  friend class ProductSums;

  struct Expanded {                     // T H + c
    std::size_t feature, first, count;  // its terms among all
    Coordinate at;
    Statistics kind;               // empty ones of the family
    std::vector<double> constant;  // of each class: its part of c
    bool varies = false;           // h(x) does
  };
  struct Table {
    std::size_t feature, codes;  // the code after the last stands for a missing value
    std::vector<double> log_p;   // classes x codes
  };
  struct Direct {
    std::size_t feature;
    // Of each class; of kernels the second alone.
    std::vector<Parameters> parameters;
    KernelLines lines;
  };

  bool expand(std::size_t f, std::span<const double> prior, const FeatureScores& scores);

  std::vector<Feature> features_;
  std::size_t terms_ = 0;
  std::vector<double> h_, constant_;  // classes x terms, classes
  std::vector<Expanded> expanded_;
  std::vector<Table> tables_;
  std::vector<Direct> direct_;
};

// A block of rows, and what the program finds in them. Borrows the program.
class ProductBlock {
 public:
  // On memory of its own, or on size(program) doubles that are lent, on a 64-byte boundary.
  explicit ProductBlock(const ProductProgram& program, double* lent = nullptr);
  static std::size_t size(const ProductProgram& program);

  // Rows [first, first + count) of x; requires 0 < count <= kProgramRows.
  void load(const Matrix& x, Index first, Index count);
  // log p(x_b, z) - base()[b] at [z * kProgramRows + b]. Belongs to the block.
  double* find_joint();
  // What all classes share: sum_j log h(x_j); -inf for a row that no class can have.
  const double* base() const { return base_; }
  bool varies() const;                        // base() is not 0 everywhere
  std::size_t rows() const { return rows_; }  // count, up to a multiple of kProgramStep

 private:
  friend class ProductSums;
  struct Hole {  // a missing value: it adds nothing
    std::size_t expanded, row;
  };

  double* column(std::size_t feature) { return x_ + feature * kProgramRows; }
  void find_terms_of(std::size_t e);
  void find_codes(std::size_t t);

  const ProductProgram& program_;
  std::size_t count_ = 0, rows_ = 0;
  std::optional<Scratch> own_;
  double *x_, *t_, *joint_, *base_;  // features, terms, classes and 1, each x kProgramRows
  std::int32_t* codes_;              // tables x kProgramRows
  std::vector<Hole> holes_;
};

// Sums over rows that are shared among the classes: enough to estimate all parameters.
class ProductSums {
 public:
  explicit ProductSums(const ProductProgram& program);           // borrows it for one pass
  void borrow(const ProductProgram& same) { program_ = &same; }  // after it

  // Of each row b, r[z * kProgramRows + b] for class z; 0 beyond the last row.
  void add(ProductBlock& block, const double* r);
  const std::vector<double>& weight() const { return weight_; }
  ClassStatistics statistics() const;
  // sum_b sum_z r_bz (log p(x_b, z) - base_b) under other parameters of the same features.
  double expected(std::span<const double> log_prior, const FeatureScores& scores) const;

  void merge(const ProductSums& next);
  void write(Writer& writer) const;
  void read(Reader& reader);
  Index words() const;

 private:
  const ProductProgram* program_;
  std::vector<double> weight_, sums_;  // classes, classes x terms
  std::vector<double> absent_;         // expanded x classes: weight of missing values
  std::vector<double> counts_;         // of all tables, each classes x codes
  std::vector<Statistics> direct_;     // direct x classes
  double direct_base_ = 0;             // sum of log h(x), where it varies
};

}  // namespace craton
