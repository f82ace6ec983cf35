#include "craton/classes/gaussian_start.h"

#include <cmath>

#include "craton/classes/gaussian_options.h"
#include "craton/classes/standardised.h"
#include "craton/cluster/kmeans.h"
#include "craton/cluster/starts.h"

namespace craton {
namespace {

using Options = GaussianMixture::Options;
using Init = GaussianMixture::Init;

// The variance that each column is measured in.
std::vector<double> units(const Options& o, const ColumnStatistics& columns) {
  std::vector<double> variance = columns.variance();
  const bool balls = o.covariance_type == GaussianMixture::Covariance::kSpherical;
  for (double& v : variance) {
    if (balls) v = columns.mean_variance();
    if (v == 0) v = 1;
  }
  return variance;
}

Array start_means(Source& x, const Options& o, const ColumnStatistics& columns, Index trial,
                  const Exec& exec) {
  if (!o.means_init.empty()) return o.means_init;
  std::vector<double> scale = units(o, columns);
  for (double& v : scale) v = std::sqrt(v);
  StandardisedSource z(x, columns.mean(), std::move(scale));
  Array means = choose_start(
      z,
      {.rule = o.init_params == Init::kRandom ? StartRule::kRandom : StartRule::kPlusPlus,
       .k = o.n_components,
       .seed = static_cast<std::uint64_t>(o.random_state),
       .trial = static_cast<std::uint32_t>(trial),
       .option = "n_components"},
      exec);
  if (o.init_params != Init::kKMeans) return z.restore(std::move(means));
  KMeans::Options options;
  options.n_clusters = o.n_components;
  options.centers = std::move(means);
  return z.restore(KMeans::fit(z, options, exec).model.centers());
}

Array equal_weights(Index k) {
  return {{k}, std::vector<double>(usize(k), 1 / static_cast<double>(k))};
}

// Those that are not estimated; none when all are.
Array known_weights(const Options& o) {
  if (!o.known_weights.empty()) return o.known_weights;
  if (o.weights == GaussianMixture::Weights::kEqual) return equal_weights(o.n_components);
  return {};
}

// The variance of the data for every component.
Array broad_covariances(const Options& o, const ColumnStatistics& columns, Index d) {
  const std::vector<double> variance = units(o, columns);
  Array result{covariance_shape(o, d), {}};
  Index size = 1;
  for (const Index n : result.shape) size *= n;
  result.values.resize(usize(size));
  if (result.shape.size() == 1) result.values.assign(usize(size), variance[0]);
  const Index step = triangular(o) ? d + 1 : 1;
  for (Index first = 0; result.shape.size() > 1 && first < size;
       first += triangular(o) ? d * d : d) {
    for (Index j = 0; j < d; ++j) result.values[usize(first + j * step)] = variance[usize(j)];
  }
  return result;
}

}  // namespace

GaussianMixture start_gaussian(Source& x, const Options& o, const ColumnStatistics& columns,
                               GaussianUpdate& update, Index trial, const Exec& exec) {
  const Index k = o.n_components, d = x.shape().cols;
  const Array weights = known_weights(o).empty() ? o.weights_init : known_weights(o);
  const Array covariances = !o.known_covariances.empty() ? o.known_covariances
                            : !o.precisions_init.empty() ? given_covariances(o, d)
                                                         : Array{};
  Array means = start_means(x, o, columns, trial, exec);
  if (!weights.empty() && !covariances.empty() && !o.means_init.empty()) {
    return GaussianMixture(weights, std::move(means), covariances);
  }
  // With equal weights and one covariance the best component is the nearest.
  GaussianMixture model(equal_weights(k), std::move(means), broad_covariances(o, columns, d));
  using Statistics = GaussianMixture::Statistics;
  update(model, fold(x, Statistics(model, GaussianMixture::Assignment::kHard), exec));
  return GaussianMixture(weights.empty() ? model.weights() : weights,
                         o.means_init.empty() ? model.means() : o.means_init,
                         covariances.empty() ? model.covariances() : covariances);
}

GaussianMixture start_from(const GaussianMixture& model, const Options& o) {
  const Array weights = known_weights(o);
  return GaussianMixture(weights.empty() ? model.weights() : weights, model.means(),
                         o.known_covariances.empty() ? model.covariances() : o.known_covariances);
}

}  // namespace craton
