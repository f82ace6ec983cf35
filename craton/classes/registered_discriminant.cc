#include "craton/classes/discriminant.h"
#include "craton/core/registered_model.h"

namespace craton {

template ModelInfo registered<LinearDiscriminantAnalysis>();
template ModelInfo registered<QuadraticDiscriminantAnalysis>();

}  // namespace craton
