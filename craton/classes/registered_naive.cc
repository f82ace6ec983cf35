#include "craton/classes/positional_bayes.h"
#include "craton/classes/product_bayes.h"
#include "craton/core/registered_model.h"

namespace craton {

template ModelInfo registered<NaiveBayes>();
template ModelInfo registered<CategoricalNB>();
template ModelInfo registered<PositionalNB>();

}  // namespace craton
