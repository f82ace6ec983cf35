#pragma once
#include <vector>

#include "craton/classes/gaussian_mixture/gaussian_exchange.h"
#include "craton/classes/labelled_sample.h"
#include "craton/classes/product/mixture.h"

// Where EM for a mixture starts: rows are put into groups in coordinates that suit columns of any
// kind, and the groups are estimated as if they were the components.
//
//   numbers       in standard deviations; of counts the root, of wide ranges of positive numbers
//                 the logarithm. Or as they are, in one unit for all
//   categories    an indicator of each, all together of variance 1
//   angles        their directions
//   missing       the mean
//   terms         log(1 + n) log(rows / rows that have the term), all together of length 1
//
// A category that no row of a group has would have no probability there, and EM would never change
// that: of counts and categories each group has a tenth of all rows besides.
//
// By default starts of several kinds make a few steps of EM, the likeliest goes on, and components
// are exchanged where two share a group of rows and one holds two (gaussian_start.h).

namespace craton {

class MixtureStarts {
 public:
  // Borrows all. The rows are a sample, or all.
  MixtureStarts(const LabelledSample& rows, const Schema& schema, const Mixture::Options& options,
                const Exec& exec);

  // The group of each row by k-means, in the coordinates of these features.
  std::vector<std::int32_t> groups(std::span<const Feature> features) const;
  ClassProduct choose(const std::vector<Feature>& features, Index trial) const;

 private:
  enum class Kind { kUnits, kOwn, kCuts, kDraws, kSomeRows, kShares };
  struct Run {
    ClassProduct model;
    double objective;
  };
  struct Coordinates {
    Index columns;
    std::vector<float> values;  // rows x columns; none: `sparse` has the rows
    SparseArray sparse = {};
    Array numbers;  // rows x those of numbers, as double
  };
  // Rows that differ, for as many groups.
  bool too_few() const { return rows_.rows() < options_.n_components; }
  std::vector<Kind> kinds(Index trial, bool numbers) const;
  Coordinates coordinates(std::span<const Feature> features, bool own) const;
  void add_terms(Coordinates& z) const;  // behind those of the columns
  std::vector<std::int32_t> nearest(const Coordinates& z, Kind kind, Index number) const;
  Shares shares(std::span<const Feature> features, Kind kind, Index number) const;
  Shares posteriors(const ClassProduct& model) const;
  ClassProduct estimate(const ProductEstimator& estimator, const Shares& shares,
                        double softness) const;
  Run run(const ProductEstimator& estimator, const Shares& shares, double softness) const;
  Run exchanged(const ProductEstimator& estimator, Run best) const;

  const LabelledSample& rows_;
  const Schema& schema_;
  const Mixture::Options& options_;
  Exec exec_;
};

}  // namespace craton
