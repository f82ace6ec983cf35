#include "craton/classes/generative.h"
#include "craton/core/registered_model.h"

namespace craton {

template ModelInfo registered<GenerativeClassifier>();

}  // namespace craton
