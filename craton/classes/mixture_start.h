#pragma once
#include <vector>

#include "craton/classes/labelled_sample.h"
#include "craton/classes/mixture.h"

// Where EM for a mixture starts: rows are put into groups in coordinates that suit columns of any
// kind, and the groups are estimated as if they were the components.
//
//   numbers       in standard deviations; of counts the root, of wide ranges of positive numbers
//                 the logarithm
//   categories    an indicator of each, all together of variance 1
//   angles        their directions
//   missing       the mean
//
// With k-means several such starts make a few steps of EM, and the likeliest goes on: the "em-EM"
// of Biernacki, Celeux and Govaert (gaussian_start.h).

namespace craton {

class MixtureStarts {
 public:
  // Borrows all. The rows are a sample, or all.
  MixtureStarts(const LabelledSample& rows, const Schema& schema, const Mixture::Options& options,
                const Exec& exec);

  // The group of each row, in the coordinates of these features.
  std::vector<std::int32_t> groups(std::span<const Feature> features, Index number) const;
  ClassProduct choose(const std::vector<Feature>& features, Index trial) const;

 private:
  struct Run {
    ClassProduct model;
    double objective;
  };
  // Rows that differ, for as many groups.
  bool too_few() const { return rows_.rows() < options_.n_components; }
  ClassStatistics shares(const std::vector<Feature>& features, Index number) const;
  std::vector<float> coordinates(std::span<const Feature> features, Index& columns) const;

  const LabelledSample& rows_;
  const Schema& schema_;
  const Mixture::Options& options_;
  Exec exec_;
};

}  // namespace craton
