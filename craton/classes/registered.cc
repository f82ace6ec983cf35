#include "craton/core/registered_model.h"

#include "craton/classes/gaussian_block.h"
#include "craton/classes/gaussian_mixture.h"

namespace craton {

template ModelInfo registered<GaussianMixture>();

}  // namespace craton
