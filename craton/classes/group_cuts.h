#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "craton/base/matrix.h"
#include "craton/engine/exec.h"

// Where a group of rows falls apart. A cut is a plane across a column or a principal axis of the
// group, or a shell about its middle (a dense core in a wide halo, or noise about a group). With n
// rows of covariance S in a group, it gains
//
//   g(one side) + g(other side) - g(group),   g = n log n - n/2 log |S|
//
// nats of the bound that EM climbs (latent_class.h) when each side becomes a component: a gap
// between two groups gains, a cut through a Gaussian loses. The units of columns do not matter.

namespace craton {

enum class GroupShape { kFull, kDiagonal, kBall };

struct GroupCut {
  double gain;                   // nats of all rows; -inf where nothing can be cut
  std::vector<std::size_t> far;  // the rows of one side, those of the other
  std::vector<std::size_t> near;
};

class GroupCuts {
 public:
  // x less mean, over unit, of each column. requires rows > 0.
  GroupCuts(const Array& x, const std::vector<double>& mean, const std::vector<double>& unit,
            GroupShape shape);

  // The best cut of a group, in which row i has the weight shares[i]; no side has less than
  // `least`.
  GroupCut best(std::span<const double> shares, double least) const;

  // Groups of rows by one best cut after another, until there are k (or no more).
  std::vector<std::int32_t> divide(std::span<const double> weights, Index k) const;

 private:
  std::size_t rows_, d_;
  GroupShape shape_;
  std::vector<double> z_;  // rows x d
};

}  // namespace craton
