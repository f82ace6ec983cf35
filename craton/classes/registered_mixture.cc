#include "craton/classes/mixture.h"
#include "craton/core/registered_model.h"

namespace craton {

template ModelInfo registered<Mixture>();

}  // namespace craton
