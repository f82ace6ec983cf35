#include "craton/classes/count_bayes.h"
#include "craton/classes/gaussian_bayes.h"
#include "craton/core/registered_model.h"

namespace craton {

template ModelInfo registered<MultinomialNB>();
template ModelInfo registered<BernoulliNB>();
template ModelInfo registered<ComplementNB>();
template ModelInfo registered<GaussianNB>();

}  // namespace craton
