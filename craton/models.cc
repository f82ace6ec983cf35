#include <array>

#include "craton/classes/counts/count_bayes.h"
#include "craton/classes/counts/positional_bayes.h"
#include "craton/classes/discriminant/discriminant.h"
#include "craton/classes/discriminant/gaussian_bayes.h"
#include "craton/classes/discriminant/nearest_centroid.h"
#include "craton/classes/gaussian_mixture/gaussian_mixture.h"
#include "craton/classes/generative/generative.h"
#include "craton/classes/product/mixture.h"
#include "craton/classes/product/product_bayes.h"
#include "craton/cluster/kmeans.h"
#include "craton/cluster/minibatch_kmeans.h"
#include "craton/density/density.h"
#include "craton/density/histogram.h"
#include "craton/density/kde.h"
#include "craton/density/kernel_regression.h"
#include "craton/linear/linear_regression.h"
#include "craton/linear/logistic.h"
#include "craton/linear/ridge.h"
#include "craton/linear/ridge_cv.h"
#include "craton/model/registry.h"

// The one table of models. Nothing registers itself: what is listed here exists.

namespace craton {

std::span<const ModelInfo> models() {
  static const std::array kModels{
      registered<KMeans>(),
      registered<MiniBatchKMeans>(),
      registered<GaussianMixture>(),
      registered<Density>(),
      registered<KernelDensity>(),
      registered<HistogramDensity>(),
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
      registered<NearestCentroid>(),
      registered<LinearRegression>(),
      registered<Ridge>(),
      registered<RidgeCV>(),
      registered<KernelRegression>(),
      registered<LogisticRegression>(),
  };
  return kModels;
}

}  // namespace craton
