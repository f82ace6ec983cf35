#include "craton/classes/count_bayes.h"
#include "craton/core/registered_model.h"

namespace craton {

template ModelInfo registered<ComplementNB>();

}  // namespace craton
