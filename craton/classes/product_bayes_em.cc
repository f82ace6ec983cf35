#include <algorithm>

#include "craton/classes/feature_sums.h"
#include "craton/classes/product_bayes.h"
#include "craton/classes/product_em.h"

// Rows without a label (latent_class.h).

namespace craton {

template <ProductModel kModel>
void ProductBayes<kModel>::learn_unlabelled(Source& x, const ClassStatistics& seen,
                                            const Options& options, const Exec& exec,
                                            Fit<ProductBayes>& fit) {
  const Latent latent{.unlabelled_weight = options.semi.unlabelled_weight};
  const ProductEstimator estimator(fit.model.features(),
                                   column_statistics(x, fit.model.features(), latent, exec),
                                   options.choice.smoothing, ClassWeights{options.prior}, &seen);
  EmOptions loop;
  loop.max_iter = options.semi.max_iter;
  loop.tol = options.semi.tol;
  ProductFit result = product_em(x, fit.model.product_, estimator, latent, loop, exec);
  std::vector<Note> notes = std::move(fit.report.notes);
  std::erase_if(notes, [](const Note& note) { return note.code == "unlabelled"; });
  notes.insert(notes.end(), result.report.notes.begin(), result.report.notes.end());
  fit = estimate(result.statistics, fit.model.features(), options, std::move(notes));
  fit.model.product_ = std::move(result.model);
  result.report.notes = std::move(fit.report.notes);
  fit.report = std::move(result.report);
  fit.report.data_hash = hash_text(seen.hash() + seen.unlabelled_hash());
}

template void NaiveBayes::learn_unlabelled(Source&, const ClassStatistics&, const Options&,
                                           const Exec&, Fit<NaiveBayes>&);
template void CategoricalNB::learn_unlabelled(Source&, const ClassStatistics&, const Options&,
                                              const Exec&, Fit<CategoricalNB>&);

}  // namespace craton
