#include "craton/classes/gaussian_bayes.h"
#include "craton/core/registered_model.h"

namespace craton {

template ModelInfo registered<GaussianNB>();

}  // namespace craton
