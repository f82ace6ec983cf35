#pragma once
#include <memory>

#include "craton/classes/gaussian_mixture/gaussian_update.h"

namespace craton {

// The first mixture of EM: rows are put into groups, and one M-step makes a mixture; what is given
// wins.
//
// By default several such mixtures make a few steps of EM, on a sample of the rows if they are
// many, and the likeliest goes on (the "em-EM" of Biernacki, Celeux and Govaert, "Choosing starting
// values for the EM algorithm", 2003). They differ in kind: k-means in the rows' own units, in
// standard deviations of the columns (which shrink an axis that groups lie apart on) and after
// whitening; and one cut after another (group_cuts.h). Then components are exchanged while that
// helps: gaussian_exchange.h. Each further start of n_init tries two kinds more.
//
// The rows' own units matter to the first kind alone. Balls have one unit for all columns, and
// neither they nor diagonals are whitened.
class GaussianStarts {
 public:
  // Borrows all. Draws the sample.
  GaussianStarts(Source& x, const GaussianMixture::Options& options,
                 const ColumnStatistics& columns, const Exec& exec);
  ~GaussianStarts();

  GaussianMixture choose(Index trial) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

// A model to go on from; known weights and covariances win.
GaussianMixture start_from(const GaussianMixture& model, const GaussianMixture::Options& options);

}  // namespace craton
