#pragma once
#include <vector>

#include "craton/base/matrix.h"
#include "craton/engine/exec.h"

namespace craton {

// Coordinates z = L^-1 (x - mean) to look for groups in, where L L' is the covariance of the rows,
// or its diagonal. They are floats: starts need no more digits, and must not change when the last
// ones of mean and L do (rows are drawn by a hash of their values).
class StartMetric {
 public:
  StartMetric(std::vector<double> mean, std::vector<double> variance);  // one for each column
  // With correlations too: those of the sample, which is in the columns of `units`.
  static StartMetric whitening(const StartMetric& units, const Array& x,
                               const std::vector<double>& weights);

  std::vector<float> coordinates(const Array& x, const Exec& exec) const;  // of each row
  Array restored(Array z) const;                                           // from coordinates
  std::vector<double> covariance(bool whole) const;                        // d x d, or d

 private:
  bool diagonal() const { return lower_.size() == mean_.size(); }
  std::vector<double> mean_;
  std::vector<double> lower_, inverse_;  // L and L^-1: d x d, or their diagonals
};

}  // namespace craton
