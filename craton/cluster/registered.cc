#include "craton/core/registered_model.h"
#include "craton/cluster/kmeans.h"
#include "craton/cluster/minibatch_kmeans.h"

namespace craton {

template ModelInfo registered<KMeans>();
template ModelInfo registered<MiniBatchKMeans>();

}  // namespace craton
