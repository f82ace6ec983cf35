#include "craton/cluster/kmeans.h"
#include "craton/cluster/minibatch_kmeans.h"
#include "craton/core/registered_model.h"

namespace craton {

template ModelInfo registered<KMeans>();
template ModelInfo registered<MiniBatchKMeans>();

}  // namespace craton
