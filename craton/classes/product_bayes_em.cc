#include <algorithm>

#include "craton/classes/feature_sums.h"
#include "craton/classes/product_bayes.h"
#include "craton/core/em.h"

// Rows without a label (semi_supervised.h).

namespace craton {
namespace {

// Whether every update maximises: not where rows of the column are added, nor where the estimate is
// found by a search over all values.
bool climbs(std::span<const Feature> features, const Smoothing& smoothing) {
  return std::ranges::all_of(features, [&](const Feature& f) {
    const Support support = f.family->info().support;
    const bool outcomes = f.categories() || support == Support::kBinary;
    const bool searched = std::holds_alternative<Values>(f.family->empty(f.levels));
    return outcomes || (smoothing.prior_rows == 0 && !searched);
  });
}

}  // namespace

template <ProductModel kModel>
void ProductBayes<kModel>::learn_unlabelled(Source& x, const ClassStatistics& seen,
                                            const Options& options, const Exec& exec,
                                            Fit<ProductBayes>& fit) {
  const std::vector<Feature> features = fit.model.features();
  const Smoothing& smoothing = options.choice.smoothing;
  const std::uint64_t hash = seen.hash() + seen.unlabelled_hash();
  Lazy<std::vector<Parameter>> memory = fit.memory;
  const auto make = [&](const ProductBayes& model) {
    double log_prior = 0;
    for (std::size_t f = 0; f < features.size(); ++f) {
      const FeatureEstimator estimator(features[f], seen.of_all_classes(f), smoothing);
      for (Index c = 0; c < model.classes(); ++c) {
        log_prior += estimator.log_prior(model.of(static_cast<Index>(f), c));
      }
    }
    return SharedRows(model, ClassStatistics(x, features, model.classes()),
                      options.semi.unlabelled_weight, log_prior);
  };
  const auto update = [&](ProductBayes& model, const auto& shared) {
    Fit<ProductBayes> next = estimate(shared.sums(), features, options, {});
    const bool same = next.model.parameters() == model.parameters();
    model = std::move(next.model);
    memory = std::move(next.memory);
    return same ? 0.0 : 1.0;
  };
  EmOptions loop;
  loop.max_iter = options.semi.max_iter;
  loop.tol = options.semi.tol;
  loop.monotone = climbs(features, smoothing);
  auto result = em(x, std::move(fit.model), make, update, loop, exec);
  std::vector<Note> notes = std::move(fit.report.notes);
  std::erase_if(notes, [](const Note& note) { return note.code == "unlabelled"; });
  fit.model = std::move(result.model);
  fit.memory = std::move(memory);
  fit.report = std::move(result.report);
  fit.report.data_hash = hash_text(hash);
  fit.report.notes.insert(fit.report.notes.begin(), notes.begin(), notes.end());
}

template void NaiveBayes::learn_unlabelled(Source&, const ClassStatistics&, const Options&,
                                           const Exec&, Fit<NaiveBayes>&);
template void CategoricalNB::learn_unlabelled(Source&, const ClassStatistics&, const Options&,
                                              const Exec&, Fit<CategoricalNB>&);

}  // namespace craton
