#include <array>

#include "craton/classes/count_bayes.h"
#include "craton/classes/discriminant.h"
#include "craton/classes/gaussian_bayes.h"
#include "craton/classes/gaussian_mixture.h"
#include "craton/classes/generative.h"
#include "craton/classes/mixture.h"
#include "craton/classes/positional_bayes.h"
#include "craton/classes/product_bayes.h"
#include "craton/cluster/kmeans.h"
#include "craton/cluster/minibatch_kmeans.h"
#include "craton/core/registry.h"
#include "craton/density/density.h"

// The one table of models. Nothing registers itself: what is listed here exists.

namespace craton {

std::span<const ModelInfo> models() {
  static const std::array kModels{
      registered<KMeans>(),
      registered<MiniBatchKMeans>(),
      registered<GaussianMixture>(),
      registered<Density>(),
      registered<MultinomialNB>(),
      registered<BernoulliNB>(),
      registered<ComplementNB>(),
      registered<NaiveBayes>(),
      registered<CategoricalNB>(),
      registered<PositionalNB>(),
      registered<GaussianNB>(),
      registered<Mixture>(),
      registered<GenerativeClassifier>(),
      registered<LinearDiscriminantAnalysis>(),
      registered<QuadraticDiscriminantAnalysis>(),
  };
  return kModels;
}

}  // namespace craton
