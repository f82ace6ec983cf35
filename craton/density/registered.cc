#include "craton/core/registered_model.h"
#include "craton/density/density.h"

namespace craton {

template ModelInfo registered<Density>();

}  // namespace craton
