#pragma once
#include <memory>

#include "craton/classes/gaussian_update.h"

namespace craton {

// The first mixture of EM. Means come from k-means, k-means++ or random rows, each row goes to the
// nearest of them, and one M-step makes a mixture; what is given wins.
//
// With k-means several such mixtures make a few steps of EM, on a sample of the rows if they are
// many, and the likeliest goes on (the "em-EM" of Biernacki, Celeux and Govaert, "Choosing starting
// values for the EM algorithm", 2003). Half of them measure distances in units of the columns'
// standard deviations, half after whitening: columns of any unit give the same start. (Balls have
// one unit for all columns, and neither they nor diagonals are whitened.)
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
